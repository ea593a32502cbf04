package work

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// MediaType is the kind of a file.
type MediaType string

// The kinds of files. Each is larger than 5 bytes.
const (
	MediaImage MediaType = "image" // JPG or PNG, at most 10 MB
	MediaVoice MediaType = "voice" // AMR, at most 2 MB and 60 s
	MediaVideo MediaType = "video" // MP4, at most 10 MB
	MediaFile  MediaType = "file"  // at most 20 MB
)

// MediaRequest is a file to store.
type MediaRequest struct {
	Type  MediaType   `query:"type"`
	Media wechat.File `form:"media"` // its Name is what receivers see
}

// UploadedMedia is a file that was stored.
type UploadedMedia struct {
	Type      MediaType `json:"type"`
	MediaID   string    `json:"media_id"`   // for three days
	CreatedAt string    `json:"created_at"` // Unix seconds, as a text
}

var uploadMedia = wechat.Endpoint[MediaRequest, UploadedMedia]{
	Name: "UploadMedia", Pattern: "POST /cgi-bin/media/upload",
	Effect: wechat.EffectUpload,
}

// UploadMedia stores a file for three days, for all apps of the company. Errors: 40004 the type does not fit, 40006,
// 40009, 40011 and 45001 the file is too large, 45007 the voice is too long, 44001 the file is empty.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90253
func (c *Client) UploadMedia(ctx context.Context, r *MediaRequest) (*UploadedMedia, error) {
	return uploadMedia.Do(ctx, c.caller, r)
}

// ImageRequest is a picture to store.
type ImageRequest struct {
	Media wechat.File `form:"media"` // 5 bytes to 2 MB
}

// ImageURL is where a picture is shown.
type ImageURL struct {
	URL string `json:"url"`
}

var uploadImage = wechat.Endpoint[ImageRequest, ImageURL]{
	Name: "UploadImage", Pattern: "POST /cgi-bin/media/uploadimg",
	Effect: wechat.EffectUpload,
}

// UploadImage stores a picture for ever and returns its URL, for the bodies of articles; it is shown inside WeCom only.
// A company has 3,000 a month and 1,000 a day.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90256
func (c *Client) UploadImage(ctx context.Context, r *ImageRequest) (*ImageURL, error) {
	return uploadImage.Do(ctx, c.caller, r)
}

// MediaID names a file that was stored.
type MediaID struct {
	MediaID string `query:"media_id"`
}

var getMedia = wechat.Endpoint[MediaID, wechat.Blob]{
	Name: "GetMedia", Pattern: "GET /cgi-bin/media/get",
	Effect: wechat.EffectRead,
}

// GetMedia downloads a file that was stored within three days. Errors: 40007 and 40145 the id is wrong or has ended,
// 830002 the file is over 20 MB (of UploadMediaByURL) and can only be had in parts, with Range, 45033 it is downloaded
// over and over.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90254
func (c *Client) GetMedia(ctx context.Context, r *MediaID) (*wechat.Blob, error) {
	return getMedia.Do(ctx, c.caller, r)
}

var getJSSDKMedia = wechat.Endpoint[MediaID, wechat.Blob]{
	Name: "GetJSSDKMedia", Pattern: "GET /cgi-bin/media/get/jssdk",
	Effect: wechat.EffectRead,
}

// GetJSSDKMedia downloads, in better quality than GetMedia, a voice that the JS-SDK of a page has stored: speex at
// 16 kHz.
//
// Official page: https://developer.work.weixin.qq.com/document/path/90255
func (c *Client) GetJSSDKMedia(ctx context.Context, r *MediaID) (*wechat.Blob, error) {
	return getJSSDKMedia.Do(ctx, c.caller, r)
}

// MediaByURLRequest has a file fetched.
type MediaByURLRequest struct {
	Type     MediaType `json:"type"` // MediaVideo (MP4) or MediaFile, at most 200 MB
	Filename string    `json:"filename"`
	URL      string    `json:"url"` // of a server that answers to Range
	MD5      string    `json:"md5"` // hex, of the file
}

// MediaJob is a job that fetches a file.
type MediaJob struct {
	JobID string `json:"jobid"` // for 60 minutes
}

var uploadMediaByURL = wechat.Endpoint[MediaByURLRequest, MediaJob]{
	Name: "UploadMediaByURL", Pattern: "POST /cgi-bin/media/upload_by_url",
	Effect: wechat.EffectCreate,
	Const:  map[string]string{"scene": "1"}, // for the welcome of customers
}

// UploadMediaByURL starts a job in which the server fetches a large file. Its media id serves the welcome of customers
// and not SendMessage. The event upload_media_job_finish, or GetUploadByURLResult, tells the end.
//
// Official page: https://developer.work.weixin.qq.com/document/path/96219
func (c *Client) UploadMediaByURL(ctx context.Context, r *MediaByURLRequest) (*MediaJob, error) {
	return uploadMediaByURL.Do(ctx, c.caller, r)
}

// JobStatus is how far a job is.
type JobStatus int

// The states of a job.
const (
	JobRunning JobStatus = 1
	JobDone    JobStatus = 2
	JobFailed  JobStatus = 3
)

// MediaJobResult is how far a job is.
type MediaJobResult struct {
	Status JobStatus `json:"status"`
	Detail struct {
		ErrCode   int    `json:"errcode"` // why the job failed; the call itself succeeds
		ErrMsg    string `json:"errmsg"`
		MediaID   string `json:"media_id"`
		CreatedAt string `json:"created_at"`
	} `json:"detail"`
}

var getUploadByURLResult = wechat.Endpoint[MediaJob, MediaJobResult]{
	Name: "GetUploadByURLResult", Pattern: "POST /cgi-bin/media/get_upload_by_url_result",
	Effect: wechat.EffectRead,
}

// GetUploadByURLResult tells how far a job of UploadMediaByURL is. Of a job that failed Detail.ErrCode says why: 830001
// the URL is wrong, 830003 the download failed, 301019 the file does not fit its MD5, 45001 it is too large.
//
// Official page: https://developer.work.weixin.qq.com/document/path/96219
func (c *Client) GetUploadByURLResult(ctx context.Context, r *MediaJob) (*MediaJobResult, error) {
	return getUploadByURLResult.Do(ctx, c.caller, r)
}

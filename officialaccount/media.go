package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// MediaType is the kind of an uploaded file.
type MediaType string

// The kinds of files, with what temporary and permanent material takes.
const (
	MediaImage MediaType = "image" // png, jpeg or gif up to 10 MB; permanent: bmp too
	MediaVoice MediaType = "voice" // amr or mp3 up to 2 MB and 60 seconds; permanent: wma and wav too
	MediaVideo MediaType = "video" // mp4 up to 10 MB
	MediaThumb MediaType = "thumb" // jpg up to 64 KB
	MediaNews  MediaType = "news"  // articles; only in ListMaterials
)

// UploadTempMediaRequest is a file to upload.
type UploadTempMediaRequest struct {
	Type  MediaType   `query:"type"`
	Media wechat.File `form:"media"` // its name must have an extension
}

// UploadTempMediaReply names the file.
type UploadTempMediaReply struct {
	Type         MediaType `json:"type"`
	MediaID      string    `json:"media_id"`
	ThumbMediaID string    `json:"thumb_media_id"` // in place of MediaID for a MediaThumb
	CreatedAt    int64     `json:"created_at"`
}

var uploadTempMedia = wechat.Endpoint[UploadTempMediaRequest, UploadTempMediaReply]{
	Name: "UploadTempMedia", Pattern: "POST /cgi-bin/media/upload",
	Effect: wechat.EffectUpload,
}

// UploadTempMedia uploads a file that is kept for three days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/material/temporary/api_uploadtempmedia.html
func (c *Client) UploadTempMedia(ctx context.Context, r *UploadTempMediaRequest) (*UploadTempMediaReply, error) {
	return uploadTempMedia.Do(ctx, c.caller, r)
}

// TempMediaID names a file to download.
type TempMediaID struct {
	MediaID string `query:"media_id"`
}

// TempMedia is a downloaded file, or for a video the address of one.
type TempMedia struct {
	File     wechat.Blob `json:"-"`
	VideoURL string      `json:"video_url"`
}

var getTempMedia = wechat.Endpoint[TempMediaID, TempMedia]{
	Name: "GetTempMedia", Pattern: "GET /cgi-bin/media/get",
	Effect: wechat.EffectRead,
}

// GetTempMedia downloads a temporary file. A video does not come itself: VideoURL tells where it is, and File is empty.
// 40007 means that the id is wrong or older than three days.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/material/temporary/api_getmedia.html
func (c *Client) GetTempMedia(ctx context.Context, r *TempMediaID) (*TempMedia, error) {
	return getTempMedia.Do(ctx, c.caller, r)
}

var getHDVoice = wechat.Endpoint[TempMediaID, wechat.Blob]{
	Name: "GetHDVoice", Pattern: "GET /cgi-bin/media/get/jssdk",
	Effect: wechat.EffectRead,
}

// GetHDVoice downloads a voice that the JS-SDK's uploadVoice uploaded, in speex at 16 kHz, better than the 8 kHz of
// GetTempMedia.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/material/temporary/api_gethdvoice.html
func (c *Client) GetHDVoice(ctx context.Context, r *TempMediaID) (*wechat.Blob, error) {
	return getHDVoice.Do(ctx, c.caller, r)
}

// UploadArticleImageRequest is a picture to upload.
type UploadArticleImageRequest struct {
	Media wechat.File `form:"media"` // jpg or png under 1 MB
}

// UploadArticleImageReply tells where the picture is.
type UploadArticleImageReply struct {
	URL string `json:"url"`
}

var uploadArticleImage = wechat.Endpoint[UploadArticleImageRequest, UploadArticleImageReply]{
	Name: "UploadArticleImage", Pattern: "POST /cgi-bin/media/uploadimg",
	Effect: wechat.EffectUpload,
}

// UploadArticleImage stores a picture for the text of articles, from which pictures of other hosts are removed. It does
// not count among the account's material. 40005 means that it is of the wrong type, 40009 that it is too large.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/material/permanent/api_uploadimage.html
func (c *Client) UploadArticleImage(ctx context.Context, r *UploadArticleImageRequest) (*UploadArticleImageReply, error) {
	return uploadArticleImage.Do(ctx, c.caller, r)
}

package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// GuideMassType is the type of what a broadcast sends.
type GuideMassType int

// The types of materials of broadcasts.
const (
	GuideMassText        GuideMassType = 1  // Word
	GuideMassImage       GuideMassType = 3  // MediaID
	GuideMassMiniProgram GuideMassType = 49 // MediaID (the cover), Title, Path and AppID
)

// GuideMassMaterial is one message of a broadcast.
type GuideMassMaterial struct {
	Type    GuideMassType `json:"type"`
	Word    string        `json:"word,omitempty"`
	MediaID string        `json:"media_id,omitempty"` // permanent material
	Title   string        `json:"title,omitempty"`    // at most 35 characters
	Path    string        `json:"path,omitempty"`     // of a page of the mini program
	AppID   string        `json:"appid,omitempty"`    // of a mini program that is linked to the account
}

// AddGuideMassJobRequest is a broadcast of a guide to some of his buyers.
type AddGuideMassJobRequest struct {
	GuideRef
	TaskName   string              `json:"task_name"`             // at most 16 characters
	TaskRemark string              `json:"task_remark,omitempty"` // at most 100 characters
	PushTime   int64               `json:"push_time"`             // when the guide gets it: within a month
	OpenID     []string            `json:"openid"`                // the buyers
	Material   []GuideMassMaterial `json:"material,omitempty"`    // up to three
}

// GuideMassTask is a part of a broadcast that became a task of its own.
type GuideMassTask struct {
	TaskID int64    `json:"task_id"` // 19 digits: too long for a float
	OpenID []string `json:"openid"`  // the buyers of this task
}

// AddGuideMassJobReply has the tasks.
type AddGuideMassJobReply struct {
	TaskResult []GuideMassTask `json:"task_result"`
}

var addGuideMassJob = wechat.Endpoint[AddGuideMassJobRequest, AddGuideMassJobReply]{
	Name: "AddGuideMassJob", Pattern: "POST /cgi-bin/guide/addguidemassendjob",
	Effect: wechat.EffectSend,
	To:     func(r *AddGuideMassJobRequest) []string { return r.OpenID },
}

// AddGuideMassJob hands a guide a broadcast. The buyers get it when the guide has confirmed it. 9300806 means that one
// of them is not his buyer, 9300819 that a media id is wrong, 40168 that a mini program is not linked to the
// account, 40097 that a text is too long or PushTime out of range.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/task-account/shopping-guide.addGuideMassendJob.html
func (c *Client) AddGuideMassJob(ctx context.Context, r *AddGuideMassJobRequest) (*AddGuideMassJobReply, error) {
	return addGuideMassJob.Do(ctx, c.caller, r)
}

// GuideMassStatus is where a broadcast stands.
type GuideMassStatus int

// The states of broadcasts.
const (
	GuideMassWaiting  GuideMassStatus = 1
	GuideMassSending  GuideMassStatus = 2 // the guide has set it off
	GuideMassDone     GuideMassStatus = 3
	GuideMassCanceled GuideMassStatus = 4
)

// GuideMassSendStatus is what became of a broadcast for one buyer.
type GuideMassSendStatus int

// The outcomes for a buyer.
const (
	GuideMassUnsent      GuideMassSendStatus = 1
	GuideMassSent        GuideMassSendStatus = 2
	GuideMassNotFollowed GuideMassSendStatus = 3 // he does not follow the account
	GuideMassNoQuota     GuideMassSendStatus = 4 // he got as many as he may this month
	GuideMassFailed      GuideMassSendStatus = 5 // an error of the system
)

// GuideMassBuyer is a buyer of a broadcast.
type GuideMassBuyer struct {
	OpenID     string              `json:"openid"`
	SendStatus GuideMassSendStatus `json:"send_status"`
}

// StoredGuideMassMaterial is a GuideMassMaterial as the platform keeps it: a picture has a link and no media id.
type StoredGuideMassMaterial struct {
	Type   GuideMassType `json:"type"`
	Word   string        `json:"word"`
	PicURL string        `json:"pic_url"`
	Title  string        `json:"title"`
	Path   string        `json:"path"`
	AppID  string        `json:"appid"`
}

// GuideMassJob is a broadcast.
type GuideMassJob struct {
	TaskID     int64                     `json:"task_id"`
	TaskName   string                    `json:"task_name"`
	TaskRemark string                    `json:"task_remark"`
	TaskStatus GuideMassStatus           `json:"task_status"`
	CreateTime int64                     `json:"create_time"`
	UpdateTime int64                     `json:"update_time"`
	PushTime   int64                     `json:"push_time"`
	FinishTime int64                     `json:"finish_time"` // 0: not yet
	BuyerInfo  []GuideMassBuyer          `json:"buyer_info"`
	Material   []StoredGuideMassMaterial `json:"material"`
}

// ListGuideMassJobsRequest asks for one page.
type ListGuideMassJobsRequest struct {
	GuideRef
	TaskStatus []GuideMassStatus `json:"task_status,omitempty"` // none: all
	Offset     int               `json:"offset,omitempty"`
	Limit      int               `json:"limit,omitempty"` // 0: 50
}

// ListGuideMassJobsReply is one page.
type ListGuideMassJobsReply struct {
	List       []GuideMassJob `json:"list"`
	TotalCount int            `json:"total_count"` // on all pages; total_num in the other lists
}

var listGuideMassJobs = wechat.Endpoint[ListGuideMassJobsRequest, ListGuideMassJobsReply]{
	Name: "ListGuideMassJobs", Pattern: "POST /cgi-bin/guide/getguidemassendjoblist",
	Effect: wechat.EffectRead,
}

// ListGuideMassJobs returns a page of the broadcasts of a guide.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/task-account/shopping-guide.getGuideMassendJobList.html
func (c *Client) ListGuideMassJobs(ctx context.Context, r *ListGuideMassJobsRequest) (*ListGuideMassJobsReply, error) {
	return listGuideMassJobs.Do(ctx, c.caller, r)
}

// AllGuideMassJobs walks the broadcasts of a guide in some states, or in all.
func (c *Client) AllGuideMassJobs(ctx context.Context, guide GuideRef, status ...GuideMassStatus) iter.Seq2[GuideMassJob, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]GuideMassJob, int, error) {
		page, err := c.ListGuideMassJobs(ctx, &ListGuideMassJobsRequest{
			GuideRef: guide, TaskStatus: status, Offset: offset, Limit: 50,
		})
		if err != nil {
			return nil, 0, err
		}
		return page.List, page.TotalCount, nil
	})
}

// GuideMassJobID names a broadcast.
type GuideMassJobID struct {
	TaskID int64 `json:"task_id"`
}

// GetGuideMassJobReply has the broadcast.
type GetGuideMassJobReply struct {
	Job GuideMassJob `json:"job"`
}

var getGuideMassJob = wechat.Endpoint[GuideMassJobID, GetGuideMassJobReply]{
	Name: "GetGuideMassJob", Pattern: "POST /cgi-bin/guide/getguidemassendjob",
	Effect: wechat.EffectRead,
}

// GetGuideMassJob reads a broadcast and what became of it for each buyer.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/task-account/shopping-guide.getGuideMassendJob.html
func (c *Client) GetGuideMassJob(ctx context.Context, r *GuideMassJobID) (*GetGuideMassJobReply, error) {
	return getGuideMassJob.Do(ctx, c.caller, r)
}

// UpdateGuideMassJobRequest changes a broadcast. What is empty stays as it is.
type UpdateGuideMassJobRequest struct {
	TaskID     int64               `json:"task_id"`
	TaskName   string              `json:"task_name,omitempty"`
	TaskRemark string              `json:"task_remark,omitempty"`
	PushTime   int64               `json:"push_time,omitempty"`
	OpenID     []string            `json:"openid,omitempty"`
	Material   []GuideMassMaterial `json:"material,omitempty"`
}

var updateGuideMassJob = wechat.Endpoint[UpdateGuideMassJobRequest, wechat.None]{
	Name: "UpdateGuideMassJob", Pattern: "POST /cgi-bin/guide/updateguidemassendjob",
	Effect: wechat.EffectSet,
	To:     func(r *UpdateGuideMassJobRequest) []string { return r.OpenID },
}

// UpdateGuideMassJob changes a broadcast that is still GuideMassWaiting. The codes are those of AddGuideMassJob.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/task-account/shopping-guide.updateGuideMassendJob.html
func (c *Client) UpdateGuideMassJob(ctx context.Context, r *UpdateGuideMassJobRequest) error {
	return updateGuideMassJob.Exec(ctx, c.caller, r)
}

var cancelGuideMassJob = wechat.Endpoint[GuideMassJobID, wechat.None]{
	Name: "CancelGuideMassJob", Pattern: "POST /cgi-bin/guide/cancelguidemassendjob",
	Effect: wechat.EffectSet,
}

// CancelGuideMassJob cancels a broadcast that is still GuideMassWaiting.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/task-account/shopping-guide.cancelGuideMassendJob.html
func (c *Client) CancelGuideMassJob(ctx context.Context, r *GuideMassJobID) error {
	return cancelGuideMassJob.Exec(ctx, c.caller, r)
}

package officialaccount

import (
	"context"
	"fmt"
	"iter"

	"github.com/seed175cf469/wechat"
)

// SubmitPublishReply names a publishing job.
type SubmitPublishReply struct {
	PublishID int64 `json:"publish_id"`
	MsgDataID int64 `json:"msg_data_id"` // for comments and statistics
}

var submitPublish = wechat.Endpoint[MediaID, SubmitPublishReply]{
	Name: "SubmitPublish", Pattern: "POST /cgi-bin/freepublish/submit",
	Effect: wechat.EffectSend,
}

// SubmitPublish queues a draft for publishing, which shows it on the account's page and tells nobody. WaitPublish, or
// the PUBLISHJOBFINISH event, tells what became of it. 53503 means that the draft failed the platform's check, 53504 and
// 53505 that the web console is needed. The default quota is 100 calls a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/public/api_freepublish_submit.html
func (c *Client) SubmitPublish(ctx context.Context, r *MediaID) (*SubmitPublishReply, error) {
	return submitPublish.Do(ctx, c.caller, r)
}

// PublishStatus is how far a publishing job has come.
type PublishStatus int

// The states of a publishing job.
const (
	PublishDone              PublishStatus = 0
	PublishRunning           PublishStatus = 1
	PublishOriginalityFailed PublishStatus = 2 // the check for original content
	PublishFailed            PublishStatus = 3
	PublishRefused           PublishStatus = 4 // by the platform's review
	PublishDeleted           PublishStatus = 5 // by the account, after it was done
	PublishBanned            PublishStatus = 6 // by the platform, after it was done
)

// GetPublishStatusRequest names a job.
type GetPublishStatusRequest struct {
	PublishID int64 `json:"publish_id"`
}

// GetPublishStatusReply tells how far it has come.
type GetPublishStatusReply struct {
	PublishID     int64         `json:"publish_id"`
	PublishStatus PublishStatus `json:"publish_status"`
	ArticleID     string        `json:"article_id"` // when done
	ArticleDetail struct {
		Count int `json:"count"`
		Item  []struct {
			Idx        int    `json:"idx"` // counts from 1
			ArticleURL string `json:"article_url"`
		} `json:"item"`
	} `json:"article_detail"` // when done
	FailIdx []int `json:"fail_idx"` // articles that are at fault, counted from 1
}

var getPublishStatus = wechat.Endpoint[GetPublishStatusRequest, GetPublishStatusReply]{
	Name: "GetPublishStatus", Pattern: "POST /cgi-bin/freepublish/get",
	Effect: wechat.EffectRead,
}

// GetPublishStatus tells how far a publishing job has come. The default quota is 100 calls a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/public/api_freepublish_get.html
func (c *Client) GetPublishStatus(ctx context.Context, r *GetPublishStatusRequest) (*GetPublishStatusReply, error) {
	return getPublishStatus.Do(ctx, c.caller, r)
}

// WaitPublish waits until a draft is published. It asks at once and then ever less often, up to every 30 seconds, until
// ctx ends; mind the daily quota of GetPublishStatus. A job that failed gives the last status together with an error that
// matches ErrJobFailed.
func (c *Client) WaitPublish(ctx context.Context, publishID int64) (*GetPublishStatusReply, error) {
	var last *GetPublishStatusReply
	err := poll(ctx, func() (bool, error) {
		status, err := c.GetPublishStatus(ctx, &GetPublishStatusRequest{PublishID: publishID})
		if err != nil {
			return false, err
		}
		last = status
		switch status.PublishStatus {
		case PublishDone:
			return true, nil
		case PublishRunning:
			return false, nil
		default:
			return true, fmt.Errorf("%w: publishing %d ended in state %d", ErrJobFailed, publishID, status.PublishStatus)
		}
	})
	return last, err
}

// DeletePublishedArticleRequest names an article.
type DeletePublishedArticleRequest struct {
	ArticleID string `json:"article_id"`
	Index     int    `json:"index,omitempty"` // counts from 1; 0: all that were published together
}

var deletePublishedArticle = wechat.Endpoint[DeletePublishedArticleRequest, wechat.None]{
	Name: "DeletePublishedArticle", Pattern: "POST /cgi-bin/freepublish/delete",
	Effect: wechat.EffectSet,
}

// DeletePublishedArticle deletes a published article for good, or with Index 0 all that were published together.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/public/api_freepublishdelete.html
func (c *Client) DeletePublishedArticle(ctx context.Context, r *DeletePublishedArticleRequest) error {
	return deletePublishedArticle.Exec(ctx, c.caller, r)
}

// ArticleID names articles that were published together.
type ArticleID struct {
	ArticleID string `json:"article_id"`
}

// PublishedArticle is one of them.
type PublishedArticle struct {
	StoredArticle
	IsDeleted bool `json:"is_deleted"`
}

// GetPublishedArticleReply has the articles.
type GetPublishedArticleReply struct {
	NewsItem []PublishedArticle `json:"news_item"`
}

var getPublishedArticle = wechat.Endpoint[ArticleID, GetPublishedArticleReply]{
	Name: "GetPublishedArticle", Pattern: "POST /cgi-bin/freepublish/getarticle",
	Effect: wechat.EffectRead,
}

// GetPublishedArticle reads published articles. 53600 means that there are none of this id. The default quota is 100
// calls a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/public/api_freepublishgetarticle.html
func (c *Client) GetPublishedArticle(ctx context.Context, r *ArticleID) (*GetPublishedArticleReply, error) {
	return getPublishedArticle.Do(ctx, c.caller, r)
}

// Publication is articles that were published together, in a list.
type Publication struct {
	ArticleID  string                     `json:"article_id"`
	Content    Articles[PublishedArticle] `json:"content"`
	UpdateTime int64                      `json:"update_time"`
}

// ListPublishedArticlesReply is one page.
type ListPublishedArticlesReply struct {
	TotalCount int           `json:"total_count"` // in all pages
	ItemCount  int           `json:"item_count"`  // in this one
	Item       []Publication `json:"item"`
}

var listPublishedArticles = wechat.Endpoint[ListArticlesRequest, ListPublishedArticlesReply]{
	Name: "ListPublishedArticles", Pattern: "POST /cgi-bin/freepublish/batchget",
	Effect: wechat.EffectRead,
}

// ListPublishedArticles returns a page of up to 20 publications. The default quota is 100 calls a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/public/api_freepublish_batchget.html
func (c *Client) ListPublishedArticles(ctx context.Context, r *ListArticlesRequest) (*ListPublishedArticlesReply, error) {
	return listPublishedArticles.Do(ctx, c.caller, r)
}

// AllPublishedArticles walks all publications, with the texts of the articles.
func (c *Client) AllPublishedArticles(ctx context.Context) iter.Seq2[Publication, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]Publication, int, error) {
		page, err := c.ListPublishedArticles(ctx, &ListArticlesRequest{Offset: offset, Count: 20})
		if err != nil {
			return nil, 0, err
		}
		return page.Item, page.TotalCount, nil
	})
}

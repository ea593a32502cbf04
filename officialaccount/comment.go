package officialaccount

import (
	"context"
	"iter"
	"strconv"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/wire"
)

// CommentedArticle names an article that was sent to many or published.
type CommentedArticle struct {
	MsgDataID int64 `json:"msg_data_id"`     // of MassReceipt or SubmitPublishReply
	Index     int   `json:"index,omitempty"` // counts from 0
}

var openComment = wechat.Endpoint[CommentedArticle, wechat.None]{
	Name: "OpenComment", Pattern: "POST /cgi-bin/comment/open",
	Effect: wechat.EffectSet,
}

// OpenComment lets people comment on an article. 88000 means that the account has no comments, 88001 that there is no
// such article, 88002 that the article's subject does not allow any.
func (c *Client) OpenComment(ctx context.Context, r *CommentedArticle) error {
	return openComment.Exec(ctx, c.caller, r)
}

var closeComment = wechat.Endpoint[CommentedArticle, wechat.None]{
	Name: "CloseComment", Pattern: "POST /cgi-bin/comment/close",
	Effect: wechat.EffectSet,
}

// CloseComment takes no more comments on an article. The codes are those of OpenComment.
func (c *Client) CloseComment(ctx context.Context, r *CommentedArticle) error {
	return closeComment.Exec(ctx, c.caller, r)
}

// CommentType picks comments.
type CommentType int

// The types that a list can have.
const (
	CommentAll     CommentType = 0
	CommentPlain   CommentType = 1
	CommentElected CommentType = 2
)

// ListCommentsRequest asks for one page.
type ListCommentsRequest struct {
	CommentedArticle
	Begin int         `json:"begin"` // counts from 0
	Count int         `json:"count"` // less than 50 (88010)
	Type  CommentType `json:"type"`
}

// Comment is a comment on an article.
type Comment struct {
	UserCommentID int64        `json:"user_comment_id"`
	OpenID        string       `json:"openid"` // may be empty
	CreateTime    int64        `json:"create_time"`
	Content       string       `json:"content"`
	CommentType   int          `json:"comment_type"` // 0: plain; 1: elected
	Reply         CommentReply `json:"reply"`        // empty: none
}

// CommentReply is the account's answer to a comment.
type CommentReply struct {
	Content    string `json:"content"`
	CreateTime int64  `json:"create_time"`
}

// UnmarshalJSON reads an answer, or a list of one.
func (r *CommentReply) UnmarshalJSON(b []byte) error {
	type plain CommentReply
	var list []plain
	if err := wire.Unmarshal(b, &list); err != nil {
		return err
	}
	*r = CommentReply{}
	if len(list) > 0 {
		*r = CommentReply(list[0])
	}
	return nil
}

// ListCommentsReply is one page.
type ListCommentsReply struct {
	Total      int       `json:"total"`       // in all pages
	CommentCnt int       `json:"comment_cnt"` // in this one
	Comment    []Comment `json:"comment"`
}

var listComments = wechat.Endpoint[ListCommentsRequest, ListCommentsReply]{
	Name: "ListComments", Pattern: "POST /cgi-bin/comment/list",
	Effect: wechat.EffectRead,
}

// ListComments returns a page of the comments on an article. 88001 means that there is no such article.
func (c *Client) ListComments(ctx context.Context, r *ListCommentsRequest) (*ListCommentsReply, error) {
	return listComments.Do(ctx, c.caller, r)
}

// AllComments walks the comments of a type on an article.
func (c *Client) AllComments(ctx context.Context, article CommentedArticle, t CommentType) iter.Seq2[Comment, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]Comment, int, error) {
		page, err := c.ListComments(ctx, &ListCommentsRequest{CommentedArticle: article, Begin: offset, Count: 49, Type: t})
		if err != nil {
			return nil, 0, err
		}
		return page.Comment, page.Total, nil
	})
}

// CommentRef names a comment.
type CommentRef struct {
	CommentedArticle
	UserCommentID int64 `json:"user_comment_id"`
}

var electComment = wechat.Endpoint[CommentRef, wechat.None]{
	Name: "ElectComment", Pattern: "POST /cgi-bin/comment/markelect",
	Effect: wechat.EffectSet,
}

// ElectComment shows a comment below its article. 88003 means that there are as many as there may be, 88004 that the
// person deleted it, 88008 that there is no such comment.
func (c *Client) ElectComment(ctx context.Context, r *CommentRef) error {
	return electComment.Exec(ctx, c.caller, r)
}

var unelectComment = wechat.Endpoint[CommentRef, wechat.None]{
	Name: "UnelectComment", Pattern: "POST /cgi-bin/comment/unmarkelect",
	Effect: wechat.EffectSet,
}

// UnelectComment no longer shows a comment below its article. 88008 means that there is no such comment.
func (c *Client) UnelectComment(ctx context.Context, r *CommentRef) error {
	return unelectComment.Exec(ctx, c.caller, r)
}

var deleteComment = wechat.Endpoint[CommentRef, wechat.None]{
	Name: "DeleteComment", Pattern: "POST /cgi-bin/comment/delete",
	Effect: wechat.EffectSet,
}

// DeleteComment deletes a comment. 88008 means that there is no such comment.
func (c *Client) DeleteComment(ctx context.Context, r *CommentRef) error {
	return deleteComment.Exec(ctx, c.caller, r)
}

// ReplyCommentRequest is an answer to a comment.
type ReplyCommentRequest struct {
	CommentRef
	Content string `json:"content"`
}

var replyComment = wechat.Endpoint[ReplyCommentRequest, wechat.None]{
	Name: "ReplyComment", Pattern: "POST /cgi-bin/comment/reply/add",
	Effect: wechat.EffectSend,
	To:     func(r *ReplyCommentRequest) []string { return []string{strconv.FormatInt(r.UserCommentID, 10)} },
}

// ReplyComment answers a comment in public, once: 88005 means that there is an answer already. 88007 means that the
// answer is too long, 88008 that there is no such comment.
func (c *Client) ReplyComment(ctx context.Context, r *ReplyCommentRequest) error {
	return replyComment.Exec(ctx, c.caller, r)
}

var deleteCommentReply = wechat.Endpoint[CommentRef, wechat.None]{
	Name: "DeleteCommentReply", Pattern: "POST /cgi-bin/comment/reply/delete",
	Effect: wechat.EffectSet,
}

// DeleteCommentReply deletes the answer to a comment. 87009 means that there is none.
func (c *Client) DeleteCommentReply(ctx context.Context, r *CommentRef) error {
	return deleteCommentReply.Exec(ctx, c.caller, r)
}

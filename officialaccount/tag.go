package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// CreateTagRequest names a new tag.
type CreateTagRequest struct {
	Tag TagName `json:"tag"`
}

// TagName is a tag without its id.
type TagName struct {
	Name string `json:"name"` // at most 30 characters
}

// Tag is a tag with its id.
type Tag struct {
	ID   int64  `json:"id"`
	Name string `json:"name"` // at most 30 characters
}

// CreateTagReply has the new tag.
type CreateTagReply struct {
	Tag Tag `json:"tag"`
}

var createTag = wechat.Endpoint[CreateTagRequest, CreateTagReply]{
	Name: "CreateTag", Pattern: "POST /cgi-bin/tags/create",
	Effect: wechat.EffectCreate,
}

// CreateTag adds a tag to the account, which holds 100 of them (45056). 45157 means that there is one of this name
// already, 45158 that the name is too long.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/tag/api_createtag.html
func (c *Client) CreateTag(ctx context.Context, r *CreateTagRequest) (*CreateTagReply, error) {
	return createTag.Do(ctx, c.caller, r)
}

// ListTagsReply has all tags of the account.
type ListTagsReply struct {
	Tags []TagCount `json:"tags"`
}

// TagCount is a tag with the number of its followers.
type TagCount struct {
	Tag
	Count int64 `json:"count"`
}

var listTags = wechat.Endpoint[wechat.None, ListTagsReply]{
	Name: "ListTags", Pattern: "GET /cgi-bin/tags/get",
	Effect: wechat.EffectRead,
}

// ListTags lists the account's tags, all at once.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/tag/api_gettags.html
func (c *Client) ListTags(ctx context.Context) (*ListTagsReply, error) {
	return listTags.Do(ctx, c.caller, nil)
}

// UpdateTagRequest is a tag with its new name.
type UpdateTagRequest struct {
	Tag Tag `json:"tag"`
}

var updateTag = wechat.Endpoint[UpdateTagRequest, wechat.None]{
	Name: "UpdateTag", Pattern: "POST /cgi-bin/tags/update",
	Effect: wechat.EffectSet,
}

// UpdateTag renames a tag. 45058 means that the tag is the platform's own, 45157 that another has the name.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/tag/api_updatetag.html
func (c *Client) UpdateTag(ctx context.Context, r *UpdateTagRequest) error {
	return updateTag.Exec(ctx, c.caller, r)
}

// DeleteTagRequest names a tag.
type DeleteTagRequest struct {
	Tag TagID `json:"tag"`
}

// TagID is a tag without its name.
type TagID struct {
	ID int64 `json:"id"`
}

var deleteTag = wechat.Endpoint[DeleteTagRequest, wechat.None]{
	Name: "DeleteTag", Pattern: "POST /cgi-bin/tags/delete",
	Effect: wechat.EffectSet,
}

// DeleteTag deletes a tag. One that more than 100,000 followers carry has to be taken off some of them first (45057).
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/tag/api_deletetag.html
func (c *Client) DeleteTag(ctx context.Context, r *DeleteTagRequest) error {
	return deleteTag.Exec(ctx, c.caller, r)
}

// ListTagFollowersRequest asks for one page.
type ListTagFollowersRequest struct {
	TagID      int64  `json:"tagid"`
	NextOpenID string `json:"next_openid,omitempty"` // of the page before; empty: the first
}

// ListTagFollowersReply is one page.
type ListTagFollowersReply struct {
	Count      int        `json:"count"` // in this page
	Data       OpenIDList `json:"data"`
	NextOpenID string     `json:"next_openid"` // cursor of the next page
}

var listTagFollowers = wechat.Endpoint[ListTagFollowersRequest, ListTagFollowersReply]{
	Name: "ListTagFollowers", Pattern: "POST /cgi-bin/user/tag/get",
	Effect: wechat.EffectRead,
}

// ListTagFollowers returns a page of the openids that carry a tag. 45159 means that there is no such tag.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/tag/api_gettagfans.html
func (c *Client) ListTagFollowers(ctx context.Context, r *ListTagFollowersRequest) (*ListTagFollowersReply, error) {
	return listTagFollowers.Do(ctx, c.caller, r)
}

// AllTagFollowers walks the openids of all followers who carry a tag.
func (c *Client) AllTagFollowers(ctx context.Context, tagID int64) iter.Seq2[string, error] {
	return openIDs(ctx, func(ctx context.Context, cursor string) ([]string, string, error) {
		page, err := c.ListTagFollowers(ctx, &ListTagFollowersRequest{TagID: tagID, NextOpenID: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Data.OpenID, page.NextOpenID, nil
	})
}

// TagUsersRequest names up to 50 followers and a tag.
type TagUsersRequest struct {
	OpenIDList []string `json:"openid_list"`
	TagID      int64    `json:"tagid"`
}

func (r *TagUsersRequest) to() []string { return r.OpenIDList }

// TagUsersReply has the openids for which it failed.
type TagUsersReply struct {
	FailOpenIDList []string `json:"fail_openid_list"`
}

func (r *TagUsersReply) missed() []string { return r.FailOpenIDList }

var tagUsers = wechat.Endpoint[TagUsersRequest, TagUsersReply]{
	Name: "TagUsers", Pattern: "POST /cgi-bin/tags/members/batchtagging",
	Effect:  wechat.EffectSet,
	To:      (*TagUsersRequest).to,
	Partial: (*TagUsersReply).missed,
}

// TagUsers puts a tag on up to 50 followers (40032). 45171 means that it failed for some of them: the same call may be
// made again. 45059 means that somebody has 20 tags already, 45159 that there is no such tag, 45169 that an openid is
// being changed by another call.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/tag/api_batchtagging.html
func (c *Client) TagUsers(ctx context.Context, r *TagUsersRequest) (*TagUsersReply, error) {
	return tagUsers.Do(ctx, c.caller, r)
}

var untagUsers = wechat.Endpoint[TagUsersRequest, TagUsersReply]{
	Name: "UntagUsers", Pattern: "POST /cgi-bin/tags/members/batchuntagging",
	Effect:  wechat.EffectSet,
	To:      (*TagUsersRequest).to,
	Partial: (*TagUsersReply).missed,
}

// UntagUsers takes a tag off up to 50 followers (40032). The codes are those of TagUsers.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/tag/api_batchuntagging.html
func (c *Client) UntagUsers(ctx context.Context, r *TagUsersRequest) (*TagUsersReply, error) {
	return untagUsers.Do(ctx, c.caller, r)
}

// ListUserTagIDsRequest names a follower.
type ListUserTagIDsRequest struct {
	OpenID string `json:"openid"`
}

// ListUserTagIDsReply has the tags of the follower.
type ListUserTagIDsReply struct {
	TagIDList []int64 `json:"tagid_list"`
}

var listUserTagIDs = wechat.Endpoint[ListUserTagIDsRequest, ListUserTagIDsReply]{
	Name: "ListUserTagIDs", Pattern: "POST /cgi-bin/tags/getidlist",
	Effect: wechat.EffectRead,
	To:     func(r *ListUserTagIDsRequest) []string { return []string{r.OpenID} },
}

// ListUserTagIDs lists the ids of the tags that a follower carries.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/tag/api_gettagidlist.html
func (c *Client) ListUserTagIDs(ctx context.Context, r *ListUserTagIDsRequest) (*ListUserTagIDsReply, error) {
	return listUserTagIDs.Do(ctx, c.caller, r)
}

package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// CreateGuideTagOptionRequest is a new kind of tags.
type CreateGuideTagOptionRequest struct {
	TagName   string   `json:"tag_name"`
	TagValues []string `json:"tag_values,omitempty"` // no two of the account's are alike, whatever their kind
}

var createGuideTagOption = wechat.Endpoint[CreateGuideTagOptionRequest, wechat.None]{
	Name: "CreateGuideTagOption", Pattern: "POST /cgi-bin/guide/newguidetagoption",
	Effect: wechat.EffectCreate,
}

// CreateGuideTagOption adds a kind of tags that buyers can carry, with the tags of that kind. There are up to four
// kinds (9300820) and 50 tags.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.newGuideTagOption.html
func (c *Client) CreateGuideTagOption(ctx context.Context, r *CreateGuideTagOptionRequest) error {
	return createGuideTagOption.Exec(ctx, c.caller, r)
}

// DeleteGuideTagOptionRequest names a kind of tags.
type DeleteGuideTagOptionRequest struct {
	TagName string `json:"tag_name"`
}

var deleteGuideTagOption = wechat.Endpoint[DeleteGuideTagOptionRequest, wechat.None]{
	Name: "DeleteGuideTagOption", Pattern: "POST /cgi-bin/guide/delguidetagoption",
	Effect: wechat.EffectSet,
}

// DeleteGuideTagOption deletes a kind of tags.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.delguidetagoption.html
func (c *Client) DeleteGuideTagOption(ctx context.Context, r *DeleteGuideTagOptionRequest) error {
	return deleteGuideTagOption.Exec(ctx, c.caller, r)
}

// GuideTagOption is a kind of tags and the tags of that kind.
type GuideTagOption struct {
	TagName   string   `json:"tag_name"`
	TagValues []string `json:"tag_values"`
}

var addGuideTagValues = wechat.Endpoint[GuideTagOption, wechat.None]{
	Name: "AddGuideTagValues", Pattern: "POST /cgi-bin/guide/addguidetagoption",
	Effect: wechat.EffectSet,
}

// AddGuideTagValues adds tags to a kind. 9300822 means that there is no such kind.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.addGuideTagOption.html
func (c *Client) AddGuideTagValues(ctx context.Context, r *GuideTagOption) error {
	return addGuideTagValues.Exec(ctx, c.caller, r)
}

// ListGuideTagOptionsReply has all kinds of tags.
type ListGuideTagOptionsReply struct {
	Options []GuideTagOption `json:"options"`
}

var listGuideTagOptions = wechat.Endpoint[wechat.None, ListGuideTagOptionsReply]{
	Name: "ListGuideTagOptions", Pattern: "POST /cgi-bin/guide/getguidetagoption",
	Effect: wechat.EffectRead,
}

// ListGuideTagOptions lists the kinds of tags, all at once.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.getGuideTagOption.html
func (c *Client) ListGuideTagOptions(ctx context.Context) (*ListGuideTagOptionsReply, error) {
	return listGuideTagOptions.Do(ctx, c.caller, nil)
}

// TagGuideBuyersRequest names a guide, a tag and buyers.
type TagGuideBuyersRequest struct {
	GuideRef
	TagValue string `json:"tag_value"`
	GuideBuyers
}

var tagGuideBuyers = wechat.Endpoint[TagGuideBuyersRequest, GuideBuyersReply]{
	Name: "TagGuideBuyers", Pattern: "POST /cgi-bin/guide/addguidebuyertag",
	Effect:  wechat.EffectSet,
	To:      func(r *TagGuideBuyersRequest) []string { return r.to() },
	Partial: (*GuideBuyersReply).Failed,
}

// TagGuideBuyers puts a tag on buyers. Of a list each has an outcome of his own: see GuideBuyersReply.Failed. 9300807
// means that there is no such tag.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.addGuideBuyerTag.html
func (c *Client) TagGuideBuyers(ctx context.Context, r *TagGuideBuyersRequest) (*GuideBuyersReply, error) {
	return tagGuideBuyers.Do(ctx, c.caller, r)
}

var untagGuideBuyers = wechat.Endpoint[TagGuideBuyersRequest, GuideBuyersReply]{
	Name: "UntagGuideBuyers", Pattern: "POST /cgi-bin/guide/delguidebuyertag",
	Effect:  wechat.EffectSet,
	To:      func(r *TagGuideBuyersRequest) []string { return r.to() },
	Partial: (*GuideBuyersReply).Failed,
}

// UntagGuideBuyers takes a tag off buyers. Of a list each has an outcome of his own: see GuideBuyersReply.Failed.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.delGuideBuyerTag.html
func (c *Client) UntagGuideBuyers(ctx context.Context, r *TagGuideBuyersRequest) (*GuideBuyersReply, error) {
	return untagGuideBuyers.Do(ctx, c.caller, r)
}

// ListGuideBuyerTagsReply has the tags of a buyer. The last can be a text with line breaks, which has the lines of
// AddGuideBuyerDisplayTags.
type ListGuideBuyerTagsReply struct {
	TagValues []string `json:"tag_values"`
}

var listGuideBuyerTags = wechat.Endpoint[GuideBuyerRequest, ListGuideBuyerTagsReply]{
	Name: "ListGuideBuyerTags", Pattern: "POST /cgi-bin/guide/getguidebuyertag",
	Effect: wechat.EffectRead,
	To:     (*GuideBuyerRequest).to,
}

// ListGuideBuyerTags lists the tags that a buyer carries. 9300808 means that he has none.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.getGuideBuyerTag.html
func (c *Client) ListGuideBuyerTags(ctx context.Context, r *GuideBuyerRequest) (*ListGuideBuyerTagsReply, error) {
	return listGuideBuyerTags.Do(ctx, c.caller, r)
}

// FindGuideBuyersByTagRequest says which buyers are looked for.
type FindGuideBuyersByTagRequest struct {
	GuideRef
	// PushCount is how many broadcasts a buyer can still get this month, 0 to 4; nil: it does not matter.
	PushCount *int     `json:"push_count,omitempty"`
	TagValues []string `json:"tag_values,omitempty"`
}

// FindGuideBuyersByTagReply has the buyers.
type FindGuideBuyersByTagReply struct {
	OpenIDList []string `json:"openid_list"`
}

var findGuideBuyersByTag = wechat.Endpoint[FindGuideBuyersByTagRequest, FindGuideBuyersByTagReply]{
	Name: "FindGuideBuyersByTag", Pattern: "POST /cgi-bin/guide/queryguidebuyerbytag",
	Effect: wechat.EffectRead,
}

// FindGuideBuyersByTag finds buyers of a guide by their tags. 9300807 means that there is no such tag.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.queryGuideBuyerByTag.html
func (c *Client) FindGuideBuyersByTag(ctx context.Context, r *FindGuideBuyersByTagRequest) (*FindGuideBuyersByTagReply, error) {
	return findGuideBuyersByTag.Do(ctx, c.caller, r)
}

// AddGuideBuyerDisplayTagsRequest has what a guide sees about a buyer.
type AddGuideBuyerDisplayTagsRequest struct {
	GuideBuyerRequest
	DisplayTagList []string `json:"display_tag_list"` // all of them, a line each
}

var addGuideBuyerDisplayTags = wechat.Endpoint[AddGuideBuyerDisplayTagsRequest, wechat.None]{
	Name: "AddGuideBuyerDisplayTags", Pattern: "POST /cgi-bin/guide/addguidebuyerdisplaytag",
	Effect: wechat.EffectSet,
	To:     func(r *AddGuideBuyerDisplayTagsRequest) []string { return r.to() },
}

// AddGuideBuyerDisplayTags replaces, for all that its name says, the lines that a guide sees about a buyer.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.addGuideBuyerDisplayTag.html
func (c *Client) AddGuideBuyerDisplayTags(ctx context.Context, r *AddGuideBuyerDisplayTagsRequest) error {
	return addGuideBuyerDisplayTags.Exec(ctx, c.caller, r)
}

// ListGuideBuyerDisplayTagsReply has the lines.
type ListGuideBuyerDisplayTagsReply struct {
	DisplayTagList []string `json:"display_tag_list"`
}

var listGuideBuyerDisplayTags = wechat.Endpoint[GuideBuyerRequest, ListGuideBuyerDisplayTagsReply]{
	Name: "ListGuideBuyerDisplayTags", Pattern: "POST /cgi-bin/guide/getguidebuyerdisplaytag",
	Effect: wechat.EffectRead,
	To:     (*GuideBuyerRequest).to,
}

// ListGuideBuyerDisplayTags lists the lines that a guide sees about a buyer. 9300809 means that there are none.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/tag-account/shopping-guide.getGuideBuyerDisplayTag.html
func (c *Client) ListGuideBuyerDisplayTags(ctx context.Context, r *GuideBuyerRequest) (*ListGuideBuyerDisplayTagsReply, error) {
	return listGuideBuyerDisplayTags.Do(ctx, c.caller, r)
}

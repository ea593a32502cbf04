package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// CreateGuideGroupRequest names a new group.
type CreateGuideGroupRequest struct {
	GroupName string `json:"group_name"`
}

// GuideGroupID names a group of guides. The id is text, which may begin with zeros; replies that have a number are
// read as well.
type GuideGroupID struct {
	GroupID string `json:"group_id"`
}

var createGuideGroup = wechat.Endpoint[CreateGuideGroupRequest, GuideGroupID]{
	Name: "CreateGuideGroup", Pattern: "POST /cgi-bin/guide/newguidegroup",
	Effect: wechat.EffectCreate,
}

// CreateGuideGroup adds a group of guides.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.newGuideGroup.html
func (c *Client) CreateGuideGroup(ctx context.Context, r *CreateGuideGroupRequest) (*GuideGroupID, error) {
	return createGuideGroup.Do(ctx, c.caller, r)
}

// GuideGroup is a group of guides.
type GuideGroup struct {
	ID         string `json:"id"` // GroupID elsewhere
	Name       string `json:"name"`
	CreateTime int64  `json:"create_time"`
	UpdateTime int64  `json:"update_time"`
}

// ListGuideGroupsReply has all groups.
type ListGuideGroupsReply struct {
	GroupList []GuideGroup `json:"group_list"`
}

var listGuideGroups = wechat.Endpoint[wechat.None, ListGuideGroupsReply]{
	Name: "ListGuideGroups", Pattern: "POST /cgi-bin/guide/getguidegrouplist",
	Effect: wechat.EffectRead,
}

// ListGuideGroups lists the groups of guides, all at once.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.getGuideGroupList.html
func (c *Client) ListGuideGroups(ctx context.Context) (*ListGuideGroupsReply, error) {
	return listGuideGroups.Do(ctx, c.caller, nil)
}

// ListGroupGuidesRequest asks for one page.
type ListGroupGuidesRequest struct {
	GuideGroupID
	GuidePage
}

// GroupGuide is a guide in a group.
type GroupGuide struct {
	GuideInfo
	CreateTime int64 `json:"create_time"`
}

// ListGroupGuidesReply is one page.
type ListGroupGuidesReply struct {
	TotalNum  int          `json:"total_num"` // on all pages
	GuideList []GroupGuide `json:"guide_list"`
}

var listGroupGuides = wechat.Endpoint[ListGroupGuidesRequest, ListGroupGuidesReply]{
	Name: "ListGroupGuides", Pattern: "POST /cgi-bin/guide/getgroupinfo",
	Effect: wechat.EffectRead,
}

// ListGroupGuides returns a page of the guides of a group.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.getGroupInfo.html
func (c *Client) ListGroupGuides(ctx context.Context, r *ListGroupGuidesRequest) (*ListGroupGuidesReply, error) {
	return listGroupGuides.Do(ctx, c.caller, r)
}

// AllGroupGuides walks all guides of a group.
func (c *Client) AllGroupGuides(ctx context.Context, groupID string) iter.Seq2[GroupGuide, error] {
	return guidePages(ctx, func(ctx context.Context, page GuidePage) ([]GroupGuide, int, error) {
		reply, err := c.ListGroupGuides(ctx, &ListGroupGuidesRequest{GuideGroupID: GuideGroupID{groupID}, GuidePage: page})
		if err != nil {
			return nil, 0, err
		}
		return reply.GuideList, reply.TotalNum, nil
	})
}

// GuideGroupMember names a group and a guide, who can be named by his WeChat id only here.
type GuideGroupMember struct {
	GroupID      string `json:"group_id"`
	GuideAccount string `json:"guide_account"`
}

var addGuideToGroup = wechat.Endpoint[GuideGroupMember, wechat.None]{
	Name: "AddGuideToGroup", Pattern: "POST /cgi-bin/guide/addguide2guidegroup",
	Effect: wechat.EffectSet,
}

// AddGuideToGroup puts a guide into a group.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.addGuide2GuideGroup.html
func (c *Client) AddGuideToGroup(ctx context.Context, r *GuideGroupMember) error {
	return addGuideToGroup.Exec(ctx, c.caller, r)
}

var removeGuideFromGroup = wechat.Endpoint[GuideGroupMember, wechat.None]{
	Name: "RemoveGuideFromGroup", Pattern: "POST /cgi-bin/guide/delguide2guidegroup",
	Effect: wechat.EffectSet,
}

// RemoveGuideFromGroup takes a guide out of a group.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.delGuide2GuideGroup.html
func (c *Client) RemoveGuideFromGroup(ctx context.Context, r *GuideGroupMember) error {
	return removeGuideFromGroup.Exec(ctx, c.caller, r)
}

// ListGroupsOfGuideRequest names a guide, by his WeChat id only.
type ListGroupsOfGuideRequest struct {
	GuideAccount string `json:"guide_account"`
}

// ListGroupsOfGuideReply has the groups. Ids that come as numbers have lost the zeros at their beginning.
type ListGroupsOfGuideReply struct {
	GroupIDList []string `json:"group_id_list"`
}

var listGroupsOfGuide = wechat.Endpoint[ListGroupsOfGuideRequest, ListGroupsOfGuideReply]{
	Name: "ListGroupsOfGuide", Pattern: "POST /cgi-bin/guide/getgroupbyguide",
	Effect: wechat.EffectRead,
}

// ListGroupsOfGuide lists the groups that a guide is in.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.getGroupByGuide.html
func (c *Client) ListGroupsOfGuide(ctx context.Context, r *ListGroupsOfGuideRequest) (*ListGroupsOfGuideReply, error) {
	return listGroupsOfGuide.Do(ctx, c.caller, r)
}

var deleteGuideGroup = wechat.Endpoint[GuideGroupID, wechat.None]{
	Name: "DeleteGuideGroup", Pattern: "POST /cgi-bin/guide/delguidegroup",
	Effect: wechat.EffectSet,
}

// DeleteGuideGroup deletes a group. Its guides stay guides.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.delGuideGroup.html
func (c *Client) DeleteGuideGroup(ctx context.Context, r *GuideGroupID) error {
	return deleteGuideGroup.Exec(ctx, c.caller, r)
}

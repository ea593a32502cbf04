package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// UserInfo is what the account may know of a person. Fields that do not apply are empty.
type UserInfo struct {
	Subscribe      int     `json:"subscribe"` // 1: follows the account; 0: does not, and only OpenID is filled
	OpenID         string  `json:"openid"`
	Language       string  `json:"language"`       // no longer given
	SubscribeTime  int64   `json:"subscribe_time"` // the last time that the person began to follow
	UnionID        string  `json:"unionid"`        // only if the account is bound to an open platform account
	Remark         string  `json:"remark"`
	GroupID        int     `json:"groupid"`
	TagIDList      []int64 `json:"tagid_list"`
	SubscribeScene string  `json:"subscribe_scene"` // where from: ADD_SCENE_QR_CODE, ADD_SCENE_SEARCH ...
	QRScene        int64   `json:"qr_scene"`        // of the QR code that the person scanned
	QRSceneStr     string  `json:"qr_scene_str"`
	NickName       string  `json:"nickname"`   // empty since the end of 2021
	Sex            int     `json:"sex"`        // empty since the end of 2021
	City           string  `json:"city"`       // empty since the end of 2021
	Province       string  `json:"province"`   // empty since the end of 2021
	Country        string  `json:"country"`    // empty since the end of 2021
	HeadImgURL     string  `json:"headimgurl"` // empty since the end of 2021
}

// GetUserInfoRequest names a person.
type GetUserInfoRequest struct {
	OpenID string `query:"openid"`
	Lang   string `query:"lang,omitempty"` // language of places: "zh_CN" (the default), "zh_TW" or "en"
}

var getUserInfo = wechat.Endpoint[GetUserInfoRequest, UserInfo]{
	Name: "GetUserInfo", Pattern: "GET /cgi-bin/user/info",
	Effect: wechat.EffectRead,
	To:     func(r *GetUserInfoRequest) []string { return []string{r.OpenID} },
}

// GetUserInfo reads one follower's profile. A person who does not follow the account is no error: Subscribe is 0. Name
// and picture are only given to web pages that the person agreed to, by GetOAuthUserInfo.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/userinfo/api_userinfo.html
func (c *Client) GetUserInfo(ctx context.Context, r *GetUserInfoRequest) (*UserInfo, error) {
	return getUserInfo.Do(ctx, c.caller, r)
}

// UserQuery names a person in BatchGetUserInfo.
type UserQuery struct {
	OpenID string `json:"openid"`
	Lang   string `json:"lang,omitempty"` // as in GetUserInfoRequest
}

// BatchGetUserInfoRequest names up to 100 people.
type BatchGetUserInfoRequest struct {
	UserList []UserQuery `json:"user_list"`
}

// BatchGetUserInfoReply has a profile for each of them.
type BatchGetUserInfoReply struct {
	UserInfoList []UserInfo `json:"user_info_list"`
}

var batchGetUserInfo = wechat.Endpoint[BatchGetUserInfoRequest, BatchGetUserInfoReply]{
	Name: "BatchGetUserInfo", Pattern: "POST /cgi-bin/user/info/batchget",
	Effect: wechat.EffectRead,
	To: func(r *BatchGetUserInfoRequest) []string {
		ids := make([]string, len(r.UserList))
		for i, u := range r.UserList {
			ids[i] = u.OpenID
		}
		return ids
	},
}

// BatchGetUserInfo reads up to 100 profiles at once (40032). People who do not follow the account come with Subscribe 0.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/userinfo/api_batchuserinfo.html
func (c *Client) BatchGetUserInfo(ctx context.Context, r *BatchGetUserInfoRequest) (*BatchGetUserInfoReply, error) {
	return batchGetUserInfo.Do(ctx, c.caller, r)
}

// ListFollowersRequest asks for one page.
type ListFollowersRequest struct {
	NextOpenID string `query:"next_openid,omitempty"` // of the page before; empty: the first
}

// OpenIDPage is one page of followers or blocked people.
type OpenIDPage struct {
	Total      int64      `json:"total"` // in all pages
	Count      int        `json:"count"` // in this one
	Data       OpenIDList `json:"data"`
	NextOpenID string     `json:"next_openid"` // cursor of the next page
}

var listFollowers = wechat.Endpoint[ListFollowersRequest, OpenIDPage]{
	Name: "ListFollowers", Pattern: "GET /cgi-bin/user/get",
	Effect: wechat.EffectRead,
}

// ListFollowers returns a page of up to 10,000 followers' openids. The default quota is 500 calls a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/userinfo/api_getfans.html
func (c *Client) ListFollowers(ctx context.Context, r *ListFollowersRequest) (*OpenIDPage, error) {
	return listFollowers.Do(ctx, c.caller, r)
}

// AllFollowers walks the openids of all followers.
func (c *Client) AllFollowers(ctx context.Context) iter.Seq2[string, error] {
	return openIDs(ctx, func(ctx context.Context, cursor string) ([]string, string, error) {
		page, err := c.ListFollowers(ctx, &ListFollowersRequest{NextOpenID: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Data.OpenID, page.NextOpenID, nil
	})
}

// UpdateUserRemarkRequest is a remark for a follower.
type UpdateUserRemarkRequest struct {
	OpenID string `json:"openid"`
	Remark string `json:"remark"` // less than 30 bytes; empty: takes the remark away
}

var updateUserRemark = wechat.Endpoint[UpdateUserRemarkRequest, wechat.None]{
	Name: "UpdateUserRemark", Pattern: "POST /cgi-bin/user/info/updateremark",
	Effect: wechat.EffectSet,
	To:     func(r *UpdateUserRemarkRequest) []string { return []string{r.OpenID} },
}

// UpdateUserRemark sets the remark that the account sees beside a follower. 43004 means that the person does not follow
// the account, 40092 that the remark is refused.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/userinfo/api_updateremark.html
func (c *Client) UpdateUserRemark(ctx context.Context, r *UpdateUserRemarkRequest) error {
	return updateUserRemark.Exec(ctx, c.caller, r)
}

// ListBlacklistRequest asks for one page.
type ListBlacklistRequest struct {
	BeginOpenID string `json:"begin_openid,omitempty"` // NextOpenID of the page before; empty: the first
}

var listBlacklist = wechat.Endpoint[ListBlacklistRequest, OpenIDPage]{
	Name: "ListBlacklist", Pattern: "POST /cgi-bin/tags/members/getblacklist",
	Effect: wechat.EffectRead,
}

// ListBlacklist returns a page of up to 1,000 blocked openids.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/userinfo/api_getblacklist.html
func (c *Client) ListBlacklist(ctx context.Context, r *ListBlacklistRequest) (*OpenIDPage, error) {
	return listBlacklist.Do(ctx, c.caller, r)
}

// AllBlacklist walks all blocked openids.
func (c *Client) AllBlacklist(ctx context.Context) iter.Seq2[string, error] {
	return openIDs(ctx, func(ctx context.Context, cursor string) ([]string, string, error) {
		page, err := c.ListBlacklist(ctx, &ListBlacklistRequest{BeginOpenID: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Data.OpenID, page.NextOpenID, nil
	})
}

// OpenIDsRequest names people by openid.
type OpenIDsRequest struct {
	OpenIDList []string `json:"openid_list"`
}

func (r *OpenIDsRequest) to() []string { return r.OpenIDList }

var blockUsers = wechat.Endpoint[OpenIDsRequest, wechat.None]{
	Name: "BlockUsers", Pattern: "POST /cgi-bin/tags/members/batchblacklist",
	Effect: wechat.EffectSet,
	To:     (*OpenIDsRequest).to,
}

// BlockUsers blocks up to 20 people at once (40032). 49003 means that an openid belongs to another account.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/userinfo/api_batchblacklist.html
func (c *Client) BlockUsers(ctx context.Context, r *OpenIDsRequest) error {
	return blockUsers.Exec(ctx, c.caller, r)
}

var unblockUsers = wechat.Endpoint[OpenIDsRequest, wechat.None]{
	Name: "UnblockUsers", Pattern: "POST /cgi-bin/tags/members/batchunblacklist",
	Effect: wechat.EffectSet,
	To:     (*OpenIDsRequest).to,
}

// UnblockUsers takes up to 20 people off the black list (40032).
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/userinfo/api_batchunblacklist.html
func (c *Client) UnblockUsers(ctx context.Context, r *OpenIDsRequest) error {
	return unblockUsers.Exec(ctx, c.caller, r)
}

// ChangeOpenIDsRequest names up to 100 followers of an account that was migrated to this one.
type ChangeOpenIDsRequest struct {
	FromAppID  string   `json:"from_appid"` // of the old account; its original id (gh_...) by the official page
	OpenIDList []string `json:"openid_list"`
}

// ChangedOpenID is what an old openid became.
type ChangedOpenID struct {
	OriOpenID string `json:"ori_openid"`
	NewOpenID string `json:"new_openid"`
	ErrMsg    string `json:"err_msg"` // "ok", or why there is no NewOpenID
}

// ChangeOpenIDsReply has a row for each openid, with an outcome of its own.
type ChangeOpenIDsReply struct {
	ResultList []ChangedOpenID `json:"result_list"`
}

var changeOpenIDs = wechat.Endpoint[ChangeOpenIDsRequest, ChangeOpenIDsReply]{
	Name: "ChangeOpenIDs", Pattern: "POST /cgi-bin/changeopenid",
	Effect: wechat.EffectRead,
	To:     func(r *ChangeOpenIDsRequest) []string { return r.OpenIDList },
}

// ChangeOpenIDs translates openids of an account that was migrated into those of this account. It works for 15 days from
// the approval of the migration. 63178 means that FromAppID is not the account that was migrated, 63183 that
// there was no migration between the two.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/usermanage/changeopenid/api_changeopenid.html
func (c *Client) ChangeOpenIDs(ctx context.Context, r *ChangeOpenIDsRequest) (*ChangeOpenIDsReply, error) {
	return changeOpenIDs.Do(ctx, c.caller, r)
}

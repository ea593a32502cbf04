package officialaccount

import (
	"context"
	"iter"
	"time"

	"github.com/seed175cf469/wechat"
)

// ListKfMessagesRequest asks for one page of chat records.
type ListKfMessagesRequest struct {
	StartTime int64 `json:"starttime"`
	EndTime   int64 `json:"endtime"` // at most 24 hours after StartTime (65417)
	MsgID     int64 `json:"msgid"`   // 1, then the MsgID of the page before
	Number    int   `json:"number"`  // at most 10,000
}

// KfOperation tells who wrote a KfMessage.
type KfOperation int

// The operations of chat records.
const (
	KfSent     KfOperation = 2002 // the agent wrote it
	KfReceived KfOperation = 2003 // the agent got it
)

// KfMessage is a message between a person and an agent.
type KfMessage struct {
	OpenID   string      `json:"openid"`
	OperCode KfOperation `json:"opercode"`
	Text     string      `json:"text"` // what is no text is named, as in "[image]"
	Time     int64       `json:"time"`
	Worker   string      `json:"worker"` // the agent's account
}

// ListKfMessagesReply is one page.
type ListKfMessagesReply struct {
	RecordList []KfMessage `json:"recordlist"`
	Number     int         `json:"number"` // in this page; fewer than asked: it is the last
	MsgID      int64       `json:"msgid"`  // cursor of the next page
}

var listKfMessages = wechat.Endpoint[ListKfMessagesRequest, ListKfMessagesReply]{
	Name: "ListKfMessages", Pattern: "POST /customservice/msgrecord/getmsglist",
	Effect: wechat.EffectRead,
}

// ListKfMessages returns a page of the chats between people and agents. 65400 means that the account does not use the
// new customer service.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/message/api_getmsglist.html
func (c *Client) ListKfMessages(ctx context.Context, r *ListKfMessagesRequest) (*ListKfMessagesReply, error) {
	return listKfMessages.Do(ctx, c.caller, r)
}

// AllKfMessages walks all chats between two times, which are at most 24 hours apart.
func (c *Client) AllKfMessages(ctx context.Context, start, end time.Time) iter.Seq2[KfMessage, error] {
	const number = 10_000
	return wechat.Pages(ctx, 1, func(ctx context.Context, cursor int64) ([]KfMessage, int64, bool, error) {
		page, err := c.ListKfMessages(ctx, &ListKfMessagesRequest{
			StartTime: start.Unix(), EndTime: end.Unix(), MsgID: cursor, Number: number,
		})
		if err != nil {
			return nil, 0, false, err
		}
		return page.RecordList, page.MsgID, page.Number >= number && page.MsgID > cursor, nil
	})
}

// KfBusiness picks the agents of a sub-merchant.
type KfBusiness struct {
	BusinessID string `query:"business_id,omitempty"` // empty: the account's own
}

// KfAccount is an agent.
type KfAccount struct {
	KfAccount        string `json:"kf_account"` // prefix@account
	KfNick           string `json:"kf_nick"`
	KfID             string `json:"kf_id"`
	KfHeadImgURL     string `json:"kf_headimgurl"`
	KfWX             string `json:"kf_wx"`              // the WeChat id that is bound; empty: none
	InviteWX         string `json:"invite_wx"`          // the WeChat id that is invited
	InviteExpireTime int64  `json:"invite_expire_time"` // of the invitation
	InviteStatus     string `json:"invite_status"`      // "waiting", "rejected" or "expired"
	KfOpenID         string `json:"kf_openid"`
}

// ListKfAccountsReply has all agents.
type ListKfAccountsReply struct {
	KfList []KfAccount `json:"kf_list"`
}

var listKfAccounts = wechat.Endpoint[KfBusiness, ListKfAccountsReply]{
	Name: "ListKfAccounts", Pattern: "GET /cgi-bin/customservice/getkflist",
	Effect: wechat.EffectRead,
}

// ListKfAccounts lists all agents of the account.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/servicermanage/api_getkflist.html
func (c *Client) ListKfAccounts(ctx context.Context, r *KfBusiness) (*ListKfAccountsReply, error) {
	return listKfAccounts.Do(ctx, c.caller, r)
}

// OnlineKfAccount is an agent who is online.
type OnlineKfAccount struct {
	KfAccount    string `json:"kf_account"` // may be empty
	Status       int    `json:"status"`     // 1: online in a browser; 0: offline
	KfID         string `json:"kf_id"`
	AcceptedCase int    `json:"accepted_case"` // people whom the agent serves now
	KfOpenID     string `json:"kf_openid"`
}

// ListOnlineKfAccountsReply has the agents who are online.
type ListOnlineKfAccountsReply struct {
	KfOnlineList []OnlineKfAccount `json:"kf_online_list"`
}

var listOnlineKfAccounts = wechat.Endpoint[KfBusiness, ListOnlineKfAccountsReply]{
	Name: "ListOnlineKfAccounts", Pattern: "GET /cgi-bin/customservice/getonlinekflist",
	Effect: wechat.EffectRead,
}

// ListOnlineKfAccounts lists the agents who are online, with what they have to do.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/servicermanage/api_getonlinekflist.html
func (c *Client) ListOnlineKfAccounts(ctx context.Context, r *KfBusiness) (*ListOnlineKfAccountsReply, error) {
	return listOnlineKfAccounts.Do(ctx, c.caller, r)
}

// AddKfAccountRequest is a new agent.
type AddKfAccountRequest struct {
	KfAccount  string `json:"kf_account"` // prefix@account; the prefix has up to 10 letters, digits or underscores
	Nickname   string `json:"nickname"`   // at most 16 characters
	BusinessID string `json:"business_id,omitempty"`
	KfWX       string `json:"kf_wx,omitempty"`
}

var addKfAccount = wechat.Endpoint[AddKfAccountRequest, wechat.None]{
	Name: "AddKfAccount", Pattern: "POST /customservice/kfaccount/add",
	Effect: wechat.EffectCreate,
}

// AddKfAccount adds an agent to the account, which has up to 100 (65405). The agent cannot work until a person is bound by
// InviteKfWorker. 65403 and 65404 mean that nickname or account are refused, 65406 that the account exists.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/servicermanage/api_addkfaccount.html
func (c *Client) AddKfAccount(ctx context.Context, r *AddKfAccountRequest) error {
	return addKfAccount.Exec(ctx, c.caller, r)
}

// UpdateKfAccountRequest is an agent's new nickname.
type UpdateKfAccountRequest struct {
	KfAccount string `json:"kf_account"`
	Nickname  string `json:"nickname"` // at most 16 characters
}

var updateKfAccount = wechat.Endpoint[UpdateKfAccountRequest, wechat.None]{
	Name: "UpdateKfAccount", Pattern: "POST /customservice/kfaccount/update",
	Effect: wechat.EffectSet,
}

// UpdateKfAccount changes an agent's nickname.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/servicermanage/api_updatekfaccount.html
func (c *Client) UpdateKfAccount(ctx context.Context, r *UpdateKfAccountRequest) error {
	return updateKfAccount.Exec(ctx, c.caller, r)
}

// DeleteKfAccountRequest names an agent.
type DeleteKfAccountRequest struct {
	KfAccount  string `json:"kf_account"`
	BusinessID string `json:"business_id,omitempty"`
}

var deleteKfAccount = wechat.Endpoint[DeleteKfAccountRequest, wechat.None]{
	Name: "DeleteKfAccount", Pattern: "POST /customservice/kfaccount/del",
	Effect: wechat.EffectSet,
}

// DeleteKfAccount deletes an agent. 65401 means that there is none of this name.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/servicermanage/api_delkfaccount.html
func (c *Client) DeleteKfAccount(ctx context.Context, r *DeleteKfAccountRequest) error {
	return deleteKfAccount.Exec(ctx, c.caller, r)
}

// InviteKfWorkerRequest names an agent and a person.
type InviteKfWorkerRequest struct {
	KfAccount string `json:"kf_account"`
	InviteWX  string `json:"invite_wx"` // a WeChat id, not an openid
}

var inviteKfWorker = wechat.Endpoint[InviteKfWorkerRequest, wechat.None]{
	Name: "InviteKfWorker", Pattern: "POST /customservice/kfaccount/inviteworker",
	Effect: wechat.EffectSend,
	To:     func(r *InviteKfWorkerRequest) []string { return []string{r.InviteWX} },
}

// InviteKfWorker invites a person to work as an agent. 65407 means that the person does so already, 65408 and 65411 that an
// invitation is under way, 65409 that there is no such person, 65410 that the person has too many accounts, 65412 that
// the agent is bound to another person.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/servicermanage/api_invitekfworker.html
func (c *Client) InviteKfWorker(ctx context.Context, r *InviteKfWorkerRequest) error {
	return inviteKfWorker.Exec(ctx, c.caller, r)
}

// UploadKfHeadImageRequest is an agent's picture.
type UploadKfHeadImageRequest struct {
	KfAccount string      `query:"kf_account"`
	Media     wechat.File `form:"media"` // jpg, best 640*640, at most 5 MB
}

var uploadKfHeadImage = wechat.Endpoint[UploadKfHeadImageRequest, wechat.None]{
	Name: "UploadKfHeadImage", Pattern: "POST /customservice/kfaccount/uploadheadimg",
	Effect: wechat.EffectSet,
}

// UploadKfHeadImage sets an agent's picture.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/servicermanage/api_uploadkfheadimg.html
func (c *Client) UploadKfHeadImage(ctx context.Context, r *UploadKfHeadImageRequest) error {
	return uploadKfHeadImage.Exec(ctx, c.caller, r)
}

// KfSessionRequest names an agent and a person.
type KfSessionRequest struct {
	KfAccount string `json:"kf_account"`
	OpenID    string `json:"openid"`
	Text      string `json:"text,omitempty"` // a note for the agent
}

func (r *KfSessionRequest) to() []string { return []string{r.OpenID} }

var createKfSession = wechat.Endpoint[KfSessionRequest, wechat.None]{
	Name: "CreateKfSession", Pattern: "POST /customservice/kfsession/create",
	Effect: wechat.EffectSet,
	To:     (*KfSessionRequest).to,
}

// CreateKfSession hands a person to an agent who is online. 65402 means that nobody is bound to the agent, 65414 that
// another agent serves the person, 65415 that the agent is offline.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/messctrl/api_createkfsession.html
func (c *Client) CreateKfSession(ctx context.Context, r *KfSessionRequest) error {
	return createKfSession.Exec(ctx, c.caller, r)
}

var closeKfSession = wechat.Endpoint[KfSessionRequest, wechat.None]{
	Name: "CloseKfSession", Pattern: "POST /customservice/kfsession/close",
	Effect: wechat.EffectSet,
	To:     (*KfSessionRequest).to,
}

// CloseKfSession ends a person's session with an agent. 65413 means that there is none, 65414 that another agent
// serves the person.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/messctrl/api_closesession.html
func (c *Client) CloseKfSession(ctx context.Context, r *KfSessionRequest) error {
	return closeKfSession.Exec(ctx, c.caller, r)
}

// GetKfSessionRequest names a person.
type GetKfSessionRequest struct {
	OpenID string `query:"openid"`
}

// GetKfSessionReply tells who serves the person.
type GetKfSessionReply struct {
	CreateTime int64  `json:"createtime"`
	KfAccount  string `json:"kf_account"` // empty: nobody
}

var getKfSession = wechat.Endpoint[GetKfSessionRequest, GetKfSessionReply]{
	Name: "GetKfSession", Pattern: "GET /customservice/kfsession/getsession",
	Effect: wechat.EffectRead,
	To:     func(r *GetKfSessionRequest) []string { return []string{r.OpenID} },
}

// GetKfSession tells which agent serves a person.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/messctrl/api_getkfsession.html
func (c *Client) GetKfSession(ctx context.Context, r *GetKfSessionRequest) (*GetKfSessionReply, error) {
	return getKfSession.Do(ctx, c.caller, r)
}

// ListKfSessionsRequest names an agent.
type ListKfSessionsRequest struct {
	KfAccount string `query:"kf_account"`
}

// ListKfSessionsReply has the people whom the agent serves.
type ListKfSessionsReply struct {
	SessionList []struct {
		CreateTime int64  `json:"createtime"`
		OpenID     string `json:"openid"`
	} `json:"sessionlist"`
}

var listKfSessions = wechat.Endpoint[ListKfSessionsRequest, ListKfSessionsReply]{
	Name: "ListKfSessions", Pattern: "GET /customservice/kfsession/getsessionlist",
	Effect: wechat.EffectRead,
}

// ListKfSessions lists the people whom an agent serves. 65401 means that there is no such agent.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/messctrl/api_getkfsessionlist.html
func (c *Client) ListKfSessions(ctx context.Context, r *ListKfSessionsRequest) (*ListKfSessionsReply, error) {
	return listKfSessions.Do(ctx, c.caller, r)
}

// ListKfWaitCasesReply has people who wait for an agent.
type ListKfWaitCasesReply struct {
	Count        int `json:"count"` // of all who wait
	WaitCaseList []struct {
		LatestTime int64  `json:"latest_time"` // of the person's last message
		OpenID     string `json:"openid"`
	} `json:"waitcaselist"` // at most 100
}

var listKfWaitCases = wechat.Endpoint[wechat.None, ListKfWaitCasesReply]{
	Name: "ListKfWaitCases", Pattern: "GET /customservice/kfsession/getwaitcase",
	Effect: wechat.EffectRead,
}

// ListKfWaitCases lists up to 100 people who wait for an agent; there is no way to see more.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/customer/messctrl/api_getwaitcase.html
func (c *Client) ListKfWaitCases(ctx context.Context) (*ListKfWaitCasesReply, error) {
	return listKfWaitCases.Do(ctx, c.caller, nil)
}

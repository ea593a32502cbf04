package officialaccount

import (
	"cmp"
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// GuideRef names a shopping guide (导购, also 顾问) by one of the two, the one by which he was added. Where both are
// set, GuideAccount counts. The calls about guides stand on older pages only: the platform has taken the feature
// offline, and accounts without it are answered with 9300802 or 9800000.
type GuideRef struct {
	GuideAccount string `json:"guide_account,omitempty"` // a WeChat id
	GuideOpenID  string `json:"guide_openid,omitempty"`  // an openid, or a unionid
}

// GuideProfile is how a guide looks to his buyers.
type GuideProfile struct {
	GuideHeadImgURL string `json:"guide_headimgurl,omitempty"` // of UploadArticleImage; empty: his own
	GuideNickname   string `json:"guide_nickname,omitempty"`   // at most 16 characters; empty: his own
}

// GuideInfo is a guide and how he looks.
type GuideInfo struct {
	GuideRef
	GuideProfile
}

// GuideStatus is where a guide stands. Pages and SDKs number the states differently; by the official page a new guide is
// waiting until he agrees.
type GuideStatus int

// The states of guides.
const (
	GuideWaiting GuideStatus = 1
	GuideReady   GuideStatus = 2
	GuideRefused GuideStatus = 3
	GuideExpired GuideStatus = 4
)

var addGuide = wechat.Endpoint[GuideInfo, wechat.None]{
	Name: "AddGuide", Pattern: "POST /cgi-bin/guide/addguideacct",
	Effect: wechat.EffectSet,
	To:     func(r *GuideInfo) []string { return []string{cmp.Or(r.GuideAccount, r.GuideOpenID)} },
}

// AddGuide asks a person to be a guide of the account; his answer comes as a guide_invite_result_event. A second call
// for the same person is refused (9300803). 9300801 means that there is no such WeChat id, 9300810 that the nickname is
// too long, 9300812 that the account has as many guides as it may, 65402 that the person was not found, 9300802 and
// 9800000 that the account cannot have guides.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.addGuideAcct.html
func (c *Client) AddGuide(ctx context.Context, r *GuideInfo) error {
	return addGuide.Exec(ctx, c.caller, r)
}

var updateGuide = wechat.Endpoint[GuideInfo, wechat.None]{
	Name: "UpdateGuide", Pattern: "POST /cgi-bin/guide/updateguideacct",
	Effect: wechat.EffectSet,
}

// UpdateGuide changes how a guide looks.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.updateGuideAcct.html
func (c *Client) UpdateGuide(ctx context.Context, r *GuideInfo) error {
	return updateGuide.Exec(ctx, c.caller, r)
}

// GetGuideReply is a guide.
type GetGuideReply struct {
	GuideInfo
	Status GuideStatus `json:"status"`
}

var getGuide = wechat.Endpoint[GuideRef, GetGuideReply]{
	Name: "GetGuide", Pattern: "POST /cgi-bin/guide/getguideacct",
	Effect: wechat.EffectRead,
}

// GetGuide reads one guide. 9300804 means that the person is none, 40101 that he was added by the other of the two
// names.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.getGuideAcct.html
func (c *Client) GetGuide(ctx context.Context, r *GuideRef) (*GetGuideReply, error) {
	return getGuide.Do(ctx, c.caller, r)
}

var deleteGuide = wechat.Endpoint[GuideRef, wechat.None]{
	Name: "DeleteGuide", Pattern: "POST /cgi-bin/guide/delguideacct",
	Effect: wechat.EffectSet,
}

// DeleteGuide ends that a person is a guide.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.delGuideAcct.html
func (c *Client) DeleteGuide(ctx context.Context, r *GuideRef) error {
	return deleteGuide.Exec(ctx, c.caller, r)
}

// GuidePage picks a page of a list.
type GuidePage struct {
	Page int `json:"page"` // counts from 0
	Num  int `json:"num"`  // on each page
}

// guidePages walks a list by page, until total, or an empty page. It counts what came and not the pages, as
// the server may give less than it is asked for.
func guidePages[T any](ctx context.Context, list func(ctx context.Context, page GuidePage) ([]T, int, error)) iter.Seq2[T, error] {
	type cursor struct{ page, seen int }
	return wechat.Pages(ctx, cursor{}, func(ctx context.Context, at cursor) ([]T, cursor, bool, error) {
		items, total, err := list(ctx, GuidePage{Page: at.page, Num: 100})
		next := cursor{at.page + 1, at.seen + len(items)}
		return items, next, len(items) > 0 && next.seen < total, err
	})
}

// Guide is a guide in a list.
type Guide struct {
	GuideInfo
	CreateTime int64       `json:"create_time"`
	Status     GuideStatus `json:"status"`
}

// ListGuidesReply is one page.
type ListGuidesReply struct {
	TotalNum int     `json:"total_num"` // on all pages
	List     []Guide `json:"list"`
}

var listGuides = wechat.Endpoint[GuidePage, ListGuidesReply]{
	Name: "ListGuides", Pattern: "POST /cgi-bin/guide/getguideacctlist",
	Effect: wechat.EffectRead,
}

// ListGuides returns a page of the account's guides.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.getGuideAcctList.html
func (c *Client) ListGuides(ctx context.Context, r *GuidePage) (*ListGuidesReply, error) {
	return listGuides.Do(ctx, c.caller, r)
}

// AllGuides walks all guides of the account.
func (c *Client) AllGuides(ctx context.Context) iter.Seq2[Guide, error] {
	return guidePages(ctx, func(ctx context.Context, page GuidePage) ([]Guide, int, error) {
		reply, err := c.ListGuides(ctx, &page)
		if err != nil {
			return nil, 0, err
		}
		return reply.List, reply.TotalNum, nil
	})
}

// CreateGuideQRCodeRequest names a guide.
type CreateGuideQRCodeRequest struct {
	GuideRef
	QRCodeInfo string `json:"qrcode_info,omitempty"` // comes back in the event of a scan
}

// CreateGuideQRCodeReply has the picture.
type CreateGuideQRCodeReply struct {
	QRCodeURL string `json:"qrcode_url"`
}

var createGuideQRCode = wechat.Endpoint[CreateGuideQRCodeRequest, CreateGuideQRCodeReply]{
	Name: "CreateGuideQRCode", Pattern: "POST /cgi-bin/guide/guidecreateqrcode",
	Effect: wechat.EffectCreate,
}

// CreateGuideQRCode makes a QR code. Who scans it becomes a buyer of the guide.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.guideCreateQrCode.html
func (c *Client) CreateGuideQRCode(ctx context.Context, r *CreateGuideQRCodeRequest) (*CreateGuideQRCodeReply, error) {
	return createGuideQRCode.Do(ctx, c.caller, r)
}

// ListGuideChatsRequest asks for one page.
type ListGuideChatsRequest struct {
	GuideRef
	OpenID    string `json:"openid,omitempty"` // of a buyer; empty: of all
	BeginTime int64  `json:"begin_time,omitempty"`
	EndTime   int64  `json:"end_time,omitempty"`
	GuidePage
}

// GuideChat is a message between a guide and a buyer.
type GuideChat struct {
	GuideRef
	OpenID      string `json:"openid"`
	CreateTime  int64  `json:"create_time"`
	Content     string `json:"content"`
	ContentType int    `json:"content_type"` // as the platform numbers them: 1 is text
	Direction   int    `json:"direction"`
}

// ListGuideChatsReply is one page.
type ListGuideChatsReply struct {
	TotalNum int         `json:"total_num"` // on all pages
	MsgList  []GuideChat `json:"msg_list"`
}

var listGuideChats = wechat.Endpoint[ListGuideChatsRequest, ListGuideChatsReply]{
	Name: "ListGuideChats", Pattern: "POST /cgi-bin/guide/getguidebuyerchatrecord",
	Effect: wechat.EffectRead,
}

// ListGuideChats returns a page of the messages between a guide and his buyers.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.getGuideBuyerChatRecord.html
func (c *Client) ListGuideChats(ctx context.Context, r *ListGuideChatsRequest) (*ListGuideChatsReply, error) {
	return listGuideChats.Do(ctx, c.caller, r)
}

// AllGuideChats walks all messages that r asks for; its page does not matter.
func (c *Client) AllGuideChats(ctx context.Context, r ListGuideChatsRequest) iter.Seq2[GuideChat, error] {
	return guidePages(ctx, func(ctx context.Context, page GuidePage) ([]GuideChat, int, error) {
		ask := r
		ask.GuidePage = page
		reply, err := c.ListGuideChats(ctx, &ask)
		if err != nil {
			return nil, 0, err
		}
		return reply.MsgList, reply.TotalNum, nil
	})
}

// GuideFastReply is a text that a guide can pick.
type GuideFastReply struct {
	Content string `json:"content"`
}

// GuideReplyType is what a GuideAutoReply sends.
type GuideReplyType int

// The types of automatic replies.
const (
	GuideReplyText        GuideReplyType = 1
	GuideReplyImage       GuideReplyType = 2
	GuideReplyMiniProgram GuideReplyType = 3
)

// GuideAutoReply is what a new buyer gets.
type GuideAutoReply struct {
	Content string         `json:"content"` // by MsgType a text, a media id, or a mini program card as JSON text
	MsgType GuideReplyType `json:"msgtype,omitempty"`
}

// SetGuideConfigRequest has the replies of a guide, or where it names none, those of the account. What is empty or
// nil stays as it is.
type SetGuideConfigRequest struct {
	GuideRef
	IsDelete           bool             `json:"is_delete,omitempty"` // takes away what is named here
	GuideFastReplyList []GuideFastReply `json:"guide_fast_reply_list,omitempty"`
	GuideAutoReply     *GuideAutoReply  `json:"guide_auto_reply,omitempty"`      // the first
	GuideAutoReplyPlus *GuideAutoReply  `json:"guide_auto_reply_plus,omitempty"` // the second
}

var setGuideConfig = wechat.Endpoint[SetGuideConfigRequest, wechat.None]{
	Name: "SetGuideConfig", Pattern: "POST /cgi-bin/guide/setguideconfig",
	Effect: wechat.EffectSet,
}

// SetGuideConfig sets the replies of a guide, or takes them away.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.setGuideConfig.html
func (c *Client) SetGuideConfig(ctx context.Context, r *SetGuideConfigRequest) error {
	return setGuideConfig.Exec(ctx, c.caller, r)
}

// StoredGuideFastReply is a text that a guide can pick, and when it was set.
type StoredGuideFastReply struct {
	GuideFastReply
	UpdateTime int64 `json:"updatetime"`
}

// StoredGuideAutoReply is what a new buyer gets, and when it was set.
type StoredGuideAutoReply struct {
	GuideAutoReply
	UpdateTime int64 `json:"updatetime"`
}

// GetGuideConfigReply has the replies of a guide.
type GetGuideConfigReply struct {
	GuideFastReplyList []StoredGuideFastReply `json:"guide_fast_reply_list"`
	GuideAutoReply     StoredGuideAutoReply   `json:"guide_auto_reply"`
	GuideAutoReplyPlus StoredGuideAutoReply   `json:"guide_auto_reply_plus"`
}

var getGuideConfig = wechat.Endpoint[GuideRef, GetGuideConfigReply]{
	Name: "GetGuideConfig", Pattern: "POST /cgi-bin/guide/getguideconfig",
	Effect: wechat.EffectRead,
}

// GetGuideConfig reads the replies of a guide, or without a name, those of the account.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.getGuideConfig.html
func (c *Client) GetGuideConfig(ctx context.Context, r *GuideRef) (*GetGuideConfigReply, error) {
	return getGuideConfig.Do(ctx, c.caller, r)
}

// GuideBlackKeyword has the words that guides may not send.
type GuideBlackKeyword struct {
	Values []string `json:"values,omitempty"`
}

// GuideAwayReply is what buyers get while a guide is away.
type GuideAwayReply struct {
	Content string `json:"content,omitempty"`
}

// SetGuideAccountConfigRequest has what holds for all guides. What is nil stays as it is.
type SetGuideAccountConfigRequest struct {
	IsDelete       bool               `json:"is_delete,omitempty"` // takes away what is named here
	BlackKeyword   *GuideBlackKeyword `json:"black_keyword,omitempty"`
	GuideAutoReply *GuideAwayReply    `json:"guide_auto_reply,omitempty"`
}

var setGuideAccountConfig = wechat.Endpoint[SetGuideAccountConfigRequest, wechat.None]{
	Name: "SetGuideAccountConfig", Pattern: "POST /cgi-bin/guide/setguideacctconfig",
	Effect: wechat.EffectSet,
}

// SetGuideAccountConfig sets the words that no guide may send and what buyers get while a guide is away, or takes
// them away.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.setGuideAcctConfig.html
func (c *Client) SetGuideAccountConfig(ctx context.Context, r *SetGuideAccountConfigRequest) error {
	return setGuideAccountConfig.Exec(ctx, c.caller, r)
}

// StoredGuideBlackKeyword has the words that guides may not send, and when they were set.
type StoredGuideBlackKeyword struct {
	GuideBlackKeyword
	UpdateTime int64 `json:"updatetime"`
}

// GetGuideAccountConfigReply has what holds for all guides.
type GetGuideAccountConfigReply struct {
	BlackKeyword   StoredGuideBlackKeyword `json:"black_keyword"`
	GuideAutoReply GuideAwayReply          `json:"guide_auto_reply"`
}

var getGuideAccountConfig = wechat.Endpoint[wechat.None, GetGuideAccountConfigReply]{
	Name: "GetGuideAccountConfig", Pattern: "POST /cgi-bin/guide/getguideacctconfig",
	Effect: wechat.EffectRead,
}

// GetGuideAccountConfig reads what holds for all guides.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Shopping_Guide/guide-account/shopping-guide.getGuideAcctConfig.html
func (c *Client) GetGuideAccountConfig(ctx context.Context) (*GetGuideAccountConfigReply, error) {
	return getGuideAccountConfig.Do(ctx, c.caller, nil)
}

// AllowGuideMiniProgramPathCopyRequest names a mini program and a person.
type AllowGuideMiniProgramPathCopyRequest struct {
	WXAAppID   string `json:"wxa_appid"`
	WXUsername string `json:"wx_username"` // a WeChat id
}

var allowGuideMiniProgramPathCopy = wechat.Endpoint[AllowGuideMiniProgramPathCopyRequest, wechat.None]{
	Name: "AllowGuideMiniProgramPathCopy", Pattern: "POST /cgi-bin/guide/pushshowwxapathmenu",
	Effect: wechat.EffectSet,
	To:     func(r *AllowGuideMiniProgramPathCopyRequest) []string { return []string{r.WXUsername} },
}

// AllowGuideMiniProgramPathCopy lets a person copy the paths of a mini program's pages, for SetGuideCardMaterial.
func (c *Client) AllowGuideMiniProgramPathCopy(ctx context.Context, r *AllowGuideMiniProgramPathCopyRequest) error {
	return allowGuideMiniProgramPathCopy.Exec(ctx, c.caller, r)
}

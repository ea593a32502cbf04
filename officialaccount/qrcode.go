package officialaccount

import (
	"context"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// QRCodeAction is the kind of a QR code.
type QRCodeAction string

// The kinds of QR codes. TempQRCode, PermanentQRCode and the like make a request of each.
const (
	QRScene         QRCodeAction = "QR_SCENE"           // temporary, with a number
	QRStrScene      QRCodeAction = "QR_STR_SCENE"       // temporary, with a text
	QRLimitScene    QRCodeAction = "QR_LIMIT_SCENE"     // permanent, with a number
	QRLimitStrScene QRCodeAction = "QR_LIMIT_STR_SCENE" // permanent, with a text
)

// CreateQRCodeRequest is a QR code that lets the account know who came by it: the event of a scan, or of a follow, has
// its scene.
type CreateQRCodeRequest struct {
	ActionName    QRCodeAction `json:"action_name"`
	ExpireSeconds int          `json:"expire_seconds,omitempty"` // of a temporary one: at most 2592000 (30 days); 0: 60 seconds
	ActionInfo    QRActionInfo `json:"action_info"`
}

// QRActionInfo has the scene.
type QRActionInfo struct {
	Scene QRCodeScene `json:"scene"`
}

// QRCodeScene is a number or a text.
type QRCodeScene struct {
	SceneID  int64  `json:"scene_id,omitempty"`  // not 0; of a permanent code 1 to 100000
	SceneStr string `json:"scene_str,omitempty"` // 1 to 64 characters
}

// TempQRCode is a code with a number that works for a time of up to 30 days; parts of a second do not count.
func TempQRCode(sceneID int64, expire time.Duration) *CreateQRCodeRequest {
	return &CreateQRCodeRequest{ActionName: QRScene, ExpireSeconds: int(expire / time.Second),
		ActionInfo: QRActionInfo{QRCodeScene{SceneID: sceneID}}}
}

// TempStrQRCode is a code with a text that works for a time of up to 30 days; parts of a second do not count.
func TempStrQRCode(scene string, expire time.Duration) *CreateQRCodeRequest {
	return &CreateQRCodeRequest{ActionName: QRStrScene, ExpireSeconds: int(expire / time.Second),
		ActionInfo: QRActionInfo{QRCodeScene{SceneStr: scene}}}
}

// PermanentQRCode is a code with a number, from 1 to 100000, that works for ever.
func PermanentQRCode(sceneID int64) *CreateQRCodeRequest {
	return &CreateQRCodeRequest{ActionName: QRLimitScene, ActionInfo: QRActionInfo{QRCodeScene{SceneID: sceneID}}}
}

// PermanentStrQRCode is a code with a text that works for ever.
func PermanentStrQRCode(scene string) *CreateQRCodeRequest {
	return &CreateQRCodeRequest{ActionName: QRLimitStrScene, ActionInfo: QRActionInfo{QRCodeScene{SceneStr: scene}}}
}

// CreateQRCodeReply is a QR code.
type CreateQRCodeReply struct {
	Ticket        string `json:"ticket"`         // for ShowQRCode
	ExpireSeconds int    `json:"expire_seconds"` // 0: for ever
	URL           string `json:"url"`            // what the code says, for a picture of one's own
}

var createQRCode = wechat.Endpoint[CreateQRCodeRequest, CreateQRCodeReply]{
	Name: "CreateQRCode", Pattern: "POST /cgi-bin/qrcode/create",
	Effect: wechat.EffectCreate,
}

// CreateQRCode makes a QR code with a scene. An account has up to 100,000 permanent ones (45029); the default quota is
// 100,000 calls a day. 40053 means that the scene is refused.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/qrcode/qrcodes/api_createqrcode.html
func (c *Client) CreateQRCode(ctx context.Context, r *CreateQRCodeRequest) (*CreateQRCodeReply, error) {
	return createQRCode.Do(ctx, c.caller, r)
}

// ShowQRCodeRequest names a QR code.
type ShowQRCodeRequest struct {
	Ticket string `query:"ticket"`
}

var showQRCode = wechat.Endpoint[ShowQRCodeRequest, wechat.Blob]{
	Name: "ShowQRCode", Pattern: "GET mp.weixin.qq.com/cgi-bin/showqrcode",
	Effect:  wechat.EffectRead,
	NoToken: true,
}

// ShowQRCode downloads the picture of a QR code, a JPEG. A ticket that is wrong gives the HTTP status 404.
func (c *Client) ShowQRCode(ctx context.Context, r *ShowQRCodeRequest) (*wechat.Blob, error) {
	return showQRCode.Do(ctx, c.caller, r)
}

// GenerateShortKeyRequest is a text to keep.
type GenerateShortKeyRequest struct {
	LongData      string `json:"long_data"`      // at most 4 KB (9410010)
	ExpireSeconds int    `json:"expire_seconds"` // at most 2592000, which is 30 days (9410011)
}

// ShortKey names a text.
type ShortKey struct {
	ShortKey string `json:"short_key"`
}

var generateShortKey = wechat.Endpoint[GenerateShortKeyRequest, ShortKey]{
	Name: "GenerateShortKey", Pattern: "POST /cgi-bin/shorten/gen",
	Effect: wechat.EffectCreate,
}

// GenerateShortKey keeps a text for a time, under a key of 15 characters that fits into a QR code or a link.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/qrcode/shorten/api_genshortkey.html
func (c *Client) GenerateShortKey(ctx context.Context, r *GenerateShortKeyRequest) (*ShortKey, error) {
	return generateShortKey.Do(ctx, c.caller, r)
}

// FetchShortKeyReply is a text that is kept.
type FetchShortKeyReply struct {
	LongData      string `json:"long_data"`
	CreateTime    int64  `json:"create_time"`
	ExpireSeconds int64  `json:"expire_seconds"` // left
}

var fetchShortKey = wechat.Endpoint[ShortKey, FetchShortKeyReply]{
	Name: "FetchShortKey", Pattern: "POST /cgi-bin/shorten/fetch",
	Effect: wechat.EffectRead,
}

// FetchShortKey reads the text behind a key. 9410012 means that there is none, or no longer, or that it is another
// account's.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/qrcode/shorten/api_fetchshorten.html
func (c *Client) FetchShortKey(ctx context.Context, r *ShortKey) (*FetchShortKeyReply, error) {
	return fetchShortKey.Do(ctx, c.caller, r)
}

// QRCodeJumpGetType is how ListQRCodeJumpRules picks rules.
type QRCodeJumpGetType int

// The ways to pick rules.
const (
	QRCodeJumpLatest   QRCodeJumpGetType = 0 // the latest 10,000
	QRCodeJumpByPrefix QRCodeJumpGetType = 1 // those of PrefixList
	QRCodeJumpByPage   QRCodeJumpGetType = 2
)

// ListQRCodeJumpRulesRequest picks rules of a mini program.
type ListQRCodeJumpRulesRequest struct {
	AppID      string            `json:"appid"` // of the mini program
	GetType    QRCodeJumpGetType `json:"get_type"`
	PrefixList []string          `json:"prefix_list,omitempty"` // at most 200
	PageNum    int               `json:"page_num,omitempty"`    // counts from 1
	PageSize   int               `json:"page_size,omitempty"`   // at most 200
}

// QRCodeJumpState tells whether a rule is live.
type QRCodeJumpState int

// The states of a rule.
const (
	QRCodeJumpUnpublished QRCodeJumpState = 1
	QRCodeJumpPublished   QRCodeJumpState = 2
)

// QRCodeJumpRule opens a page of a mini program from a QR code of the account. The last three fields are for rules of
// plain links.
type QRCodeJumpRule struct {
	Prefix        string          `json:"prefix"`
	Path          string          `json:"path"`
	State         QRCodeJumpState `json:"state"`
	OpenVersion   int             `json:"open_version"`
	DebugURL      []string        `json:"debug_url"`
	PermitSubRule int             `json:"permit_sub_rule"`
}

// ListQRCodeJumpRulesReply has the rules.
type ListQRCodeJumpRulesReply struct {
	RuleList           []QRCodeJumpRule `json:"rule_list"`
	QRCodeJumpOpen     int              `json:"qrcodejump_open"` // 1: the feature is on
	ListSize           int              `json:"list_size"`
	QRCodeJumpPubQuota int              `json:"qrcodejump_pub_quota"` // rules that can still be published this month
	TotalCount         int              `json:"total_count"`
}

var listQRCodeJumpRules = wechat.Endpoint[ListQRCodeJumpRulesRequest, ListQRCodeJumpRulesReply]{
	Name: "ListQRCodeJumpRules", Pattern: "POST /cgi-bin/wxopen/qrcodejumpget",
	Effect: wechat.EffectRead,
	Limits: []ratelimit.Limit{ratelimit.PerSecond(5)},
}

// ListQRCodeJumpRules lists the rules by which QR codes open a mini program. By the official page, rules for the
// account's own codes are left out. 61007 means that the mini program is not linked to the account.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/qrcode/qrcodejump/api_qrcodejumpget.html
func (c *Client) ListQRCodeJumpRules(ctx context.Context, r *ListQRCodeJumpRulesRequest) (*ListQRCodeJumpRulesReply, error) {
	return listQRCodeJumpRules.Do(ctx, c.caller, r)
}

// SaveQRCodeJumpRuleRequest is a rule. The last three fields are for rules of plain links.
type SaveQRCodeJumpRuleRequest struct {
	Prefix        string   `json:"prefix"` // URL of CreateQRCode
	AppID         string   `json:"appid"`  // of the mini program
	Path          string   `json:"path"`
	IsEdit        int      `json:"is_edit"` // 0: a new rule; 1: a change
	OpenVersion   int      `json:"open_version,omitempty"`
	DebugURL      []string `json:"debug_url,omitempty"`
	PermitSubRule int      `json:"permit_sub_rule,omitempty"`
}

var saveQRCodeJumpRule = wechat.Endpoint[SaveQRCodeJumpRuleRequest, wechat.None]{
	Name: "SaveQRCodeJumpRule", Pattern: "POST /cgi-bin/wxopen/qrcodejumpadd",
	Effect: wechat.EffectSet,
	Limits: []ratelimit.Limit{ratelimit.PerSecond(5)},
}

// SaveQRCodeJumpRule adds a rule, or changes one that is not published yet (40097). 85066 and 85070 mean that the link
// is refused, 85071 that the rule exists, 85072 that another mini program has it, 85073 that there are too many.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/qrcode/qrcodejump/api_qrcodejumpadd.html
func (c *Client) SaveQRCodeJumpRule(ctx context.Context, r *SaveQRCodeJumpRuleRequest) error {
	return saveQRCodeJumpRule.Exec(ctx, c.caller, r)
}

// PublishQRCodeJumpRuleRequest names a rule.
type PublishQRCodeJumpRuleRequest struct {
	Prefix string `json:"prefix"`
}

var publishQRCodeJumpRule = wechat.Endpoint[PublishQRCodeJumpRuleRequest, wechat.None]{
	Name: "PublishQRCodeJumpRule", Pattern: "POST /cgi-bin/wxopen/qrcodejumppublish",
	Effect: wechat.EffectSet,
	Limits: []ratelimit.Limit{ratelimit.PerSecond(5)},
}

// PublishQRCodeJumpRule makes a rule live, 100 times a month at most (886000). 85074 means that the mini program is not
// released, 85095 that the rule is broken and has to be deleted and added again.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/qrcode/qrcodejump/api_qrcodejumppublish.html
func (c *Client) PublishQRCodeJumpRule(ctx context.Context, r *PublishQRCodeJumpRuleRequest) error {
	return publishQRCodeJumpRule.Exec(ctx, c.caller, r)
}

// DeleteQRCodeJumpRuleRequest names a rule.
type DeleteQRCodeJumpRuleRequest struct {
	Prefix string `json:"prefix"`
	AppID  string `json:"appid"` // of the mini program
}

var deleteQRCodeJumpRule = wechat.Endpoint[DeleteQRCodeJumpRuleRequest, wechat.None]{
	Name: "DeleteQRCodeJumpRule", Pattern: "POST /cgi-bin/wxopen/qrcodejumpdelete",
	Effect: wechat.EffectSet,
	Limits: []ratelimit.Limit{ratelimit.PerSecond(5)},
}

// DeleteQRCodeJumpRule deletes a rule.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/qrcode/qrcodejump/api_qrcodejumpdelete.html
func (c *Client) DeleteQRCodeJumpRule(ctx context.Context, r *DeleteQRCodeJumpRuleRequest) error {
	return deleteQRCodeJumpRule.Exec(ctx, c.caller, r)
}

package miniprogram

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// MessageState is which version of the mini program a message opens.
type MessageState string

// The states. Messages say developer and formal where codes say develop and release.
const (
	StateDeveloper MessageState = "developer"
	StateTrial     MessageState = "trial"
	StateFormal    MessageState = "formal" // the default
)

// Lang is the language of what WeChat itself writes around a message.
type Lang string

// The languages.
const (
	LangSimplified  Lang = "zh_CN" // the default
	LangEnglish     Lang = "en_US"
	LangHongKong    Lang = "zh_HK"
	LangTraditional Lang = "zh_TW"
)

// SubscribeMessage is a subscription message to one user.
type SubscribeMessage struct {
	TemplateID       string                    `json:"template_id"`
	Page             string                    `json:"page,omitempty"` // opened by a tap, with its query; "": the message opens nothing
	ToUser           string                    `json:"touser"`         // openid
	Data             map[string]SubscribeValue `json:"data"`           // by the template's keywords: "thing1", "time2"
	MiniProgramState MessageState              `json:"miniprogram_state,omitempty"`
	Lang             Lang                      `json:"lang,omitempty"`
}

// SubscribeValue is the text of one keyword. Each kind of keyword has its rule: thing at most 20 characters, number,
// letter and character_string 32, symbol 5, phrase 5 Chinese characters, name 10 Chinese characters or 20 letters,
// phone_number 17, car_number 8, amount one sign and 10 digits, time and date in fixed forms.
type SubscribeValue struct {
	Value string `json:"value"`
}

// SubscribeReceipt says that a message was accepted.
type SubscribeReceipt struct {
	MsgID int64 `json:"msgid"`
}

var sendSubscribeMessage = wechat.Endpoint[SubscribeMessage, SubscribeReceipt]{
	Name: "SendSubscribeMessage", Pattern: "POST /cgi-bin/message/subscribe/send",
	Effect:    wechat.EffectSend,
	Recipient: []ratelimit.Limit{ratelimit.PerMinute(4)},
	To:        func(m *SubscribeMessage) []string { return []string{m.ToUser} },
}

// SendSubscribeMessage sends one subscription message to a user who has granted the template. Each one-off grant pays
// for one message, so that a second one fails with 43101 unless the user granted more.
//
// At most 10,000,000 a day, 30,000,000 once payment is enabled. Errors: 43101 the user refused, or the grants are used
// up (wechat.ErrUnreachable); 47003 a value breaks its keyword's rule, which the message names; 43107 the ability is
// banned. Two sends to one user at the same moment are refused with 43108; the client repeats those one after the other.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_sendmessage
func (c *Client) SendSubscribeMessage(ctx context.Context, m *SubscribeMessage) (*SubscribeReceipt, error) {
	return sendSubscribeMessage.Do(ctx, c.caller, m)
}

// NewSubscribeTemplate makes a personal template from a public title.
type NewSubscribeTemplate struct {
	TID       string `json:"tid"`       // of the title, from ListPublicTemplateTitles
	KidList   []int  `json:"kidList"`   // two to five keywords of the title, in any order
	SceneDesc string `json:"sceneDesc"` // what it is for, at most 15 characters
}

// SubscribeTemplateID names a personal template.
type SubscribeTemplateID struct {
	PriTmplID string `json:"priTmplId"`
}

var addSubscribeTemplate = wechat.Endpoint[NewSubscribeTemplate, SubscribeTemplateID]{
	Name: "AddSubscribeTemplate", Pattern: "POST /wxaapi/newtmpl/addtemplate",
	Effect: wechat.EffectCreate,
}

// AddSubscribeTemplate makes a personal template from a public title and keywords of it. Errors: 200022 one with the
// same title and keywords exists, 200012 there are too many, 200020 the keywords do not fit the title.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_addwxanewtemplate
func (c *Client) AddSubscribeTemplate(ctx context.Context, r *NewSubscribeTemplate) (*SubscribeTemplateID, error) {
	return addSubscribeTemplate.Do(ctx, c.caller, r)
}

var deleteSubscribeTemplate = wechat.Endpoint[SubscribeTemplateID, wechat.None]{
	Name: "DeleteSubscribeTemplate", Pattern: "POST /wxaapi/newtmpl/deltemplate",
	Effect: wechat.EffectSet,
}

// DeleteSubscribeTemplate removes a personal template.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_delwxanewtemplate
func (c *Client) DeleteSubscribeTemplate(ctx context.Context, r *SubscribeTemplateID) error {
	return deleteSubscribeTemplate.Exec(ctx, c.caller, r)
}

// SubscribeCategories are the account's categories.
type SubscribeCategories struct {
	Data []SubscribeCategory `json:"data"`
}

// SubscribeCategory is a category that public templates belong to.
type SubscribeCategory struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

var listSubscribeCategories = wechat.Endpoint[wechat.None, SubscribeCategories]{
	Name: "ListSubscribeCategories", Pattern: "GET /wxaapi/newtmpl/getcategory",
	Effect: wechat.EffectRead,
}

// ListSubscribeCategories lists the account's categories, by which public templates are found.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_getcategory
func (c *Client) ListSubscribeCategories(ctx context.Context) (*SubscribeCategories, error) {
	return listSubscribeCategories.Do(ctx, c.caller, nil)
}

// PublicTemplate names the title of a public template.
type PublicTemplate struct {
	TID string `query:"tid"`
}

// PublicTemplateKeywords are the keywords of a public title.
type PublicTemplateKeywords struct {
	Count int                     `json:"count"`
	Data  []PublicTemplateKeyword `json:"data"`
}

// PublicTemplateKeyword is a keyword that a personal template can be made of.
type PublicTemplateKeyword struct {
	Kid     int    `json:"kid"`
	Name    string `json:"name"`
	Example string `json:"example"`
	Rule    string `json:"rule"` // its kind: "thing", "time" ...
}

var listPublicTemplateKeywords = wechat.Endpoint[PublicTemplate, PublicTemplateKeywords]{
	Name: "ListPublicTemplateKeywords", Pattern: "GET /wxaapi/newtmpl/getpubtemplatekeywords",
	Effect: wechat.EffectRead,
}

// ListPublicTemplateKeywords lists the keywords of a public title.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_getpubnewtemplatekeywords
func (c *Client) ListPublicTemplateKeywords(ctx context.Context, r *PublicTemplate) (*PublicTemplateKeywords, error) {
	return listPublicTemplateKeywords.Do(ctx, c.caller, r)
}

// SubscriptionType is how often a grant of the user pays for a message.
type SubscriptionType int

// The types of templates.
const (
	SubscriptionOnce     SubscriptionType = 2
	SubscriptionLongTerm SubscriptionType = 3
)

// PublicTemplateTitlesRequest asks for a page of public titles.
type PublicTemplateTitlesRequest struct {
	IDs   string `query:"ids"`   // ids of categories, separated by commas
	Start int    `query:"start"` // from 0
	Limit int    `query:"limit"` // at most 30
}

// PublicTemplateTitles is a page of public titles.
type PublicTemplateTitles struct {
	Count int                   `json:"count"` // of all pages
	Data  []PublicTemplateTitle `json:"data"`
}

// PublicTemplateTitle is the title of a public template.
type PublicTemplateTitle struct {
	TID        int              `json:"tid"`
	Title      string           `json:"title"`
	Type       SubscriptionType `json:"type"`
	CategoryID string           `json:"categoryId"`
}

var listPublicTemplateTitles = wechat.Endpoint[PublicTemplateTitlesRequest, PublicTemplateTitles]{
	Name: "ListPublicTemplateTitles", Pattern: "GET /wxaapi/newtmpl/getpubtemplatetitles",
	Effect: wechat.EffectRead,
}

// ListPublicTemplateTitles lists the public titles of categories, a page at a time.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_getpubnewtemplatetitles
func (c *Client) ListPublicTemplateTitles(ctx context.Context, r *PublicTemplateTitlesRequest) (*PublicTemplateTitles, error) {
	return listPublicTemplateTitles.Do(ctx, c.caller, r)
}

// AllPublicTemplateTitles walks all public titles of categories, whose ids are separated by commas.
func (c *Client) AllPublicTemplateTitles(ctx context.Context, ids string) iter.Seq2[PublicTemplateTitle, error] {
	return wechat.Pages(ctx, 0, func(ctx context.Context, start int) ([]PublicTemplateTitle, int, bool, error) {
		page, err := c.ListPublicTemplateTitles(ctx, &PublicTemplateTitlesRequest{IDs: ids, Start: start, Limit: 30})
		if err != nil {
			return nil, start, false, err
		}
		start += len(page.Data)
		return page.Data, start, len(page.Data) > 0 && start < page.Count, nil
	})
}

// SubscribeTemplates are the account's personal templates.
type SubscribeTemplates struct {
	Data []SubscribeTemplate `json:"data"`
}

// SubscribeTemplate is a personal template.
type SubscribeTemplate struct {
	PriTmplID            string           `json:"priTmplId"` // SubscribeMessage.TemplateID
	Title                string           `json:"title"`
	Content              string           `json:"content"` // "{{thing1.DATA}}" stands for a value
	Example              string           `json:"example"`
	Type                 SubscriptionType `json:"type"`
	KeywordEnumValueList []struct {
		EnumValueList []string `json:"enumValueList"` // the only values that the keyword takes
		KeywordCode   string   `json:"keywordCode"`
	} `json:"keywordEnumValueList"`
}

var listSubscribeTemplates = wechat.Endpoint[wechat.None, SubscribeTemplates]{
	Name: "ListSubscribeTemplates", Pattern: "GET /wxaapi/newtmpl/gettemplate",
	Effect: wechat.EffectRead,
}

// ListSubscribeTemplates lists all personal templates of the account.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_getwxapubnewtemplate
func (c *Client) ListSubscribeTemplates(ctx context.Context) (*SubscribeTemplates, error) {
	return listSubscribeTemplates.Do(ctx, c.caller, nil)
}

// UserNotify activates or updates a service card.
type UserNotify struct {
	OpenID      string `json:"openid"` // the payer, or who tapped the button
	NotifyType  int    `json:"notify_type"`
	NotifyCode  string `json:"notify_code"`          // from the client side, or the number of a WeChat Pay order
	ContentJSON string `json:"content_json"`         // a JSON object as text; its fields depend on the card
	CheckJSON   string `json:"check_json,omitempty"` // where NotifyCode is an order: {"pay_amount":fen,"pay_time":Unix seconds} as text
}

var setUserNotify = wechat.Endpoint[UserNotify, wechat.None]{
	Name: "SetUserNotify", Pattern: "POST /wxa/set_user_notify",
	Effect: wechat.EffectSend,
	To:     func(r *UserNotify) []string { return []string{r.OpenID} },
}

// SetUserNotify activates a user's service card, or moves it to another state. Errors: 85437 no such code, which for an
// order that was just paid means to try again after a minute; 85438 the code has ended; 85448 it is used.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_setusernotify
func (c *Client) SetUserNotify(ctx context.Context, r *UserNotify) error {
	return setUserNotify.Exec(ctx, c.caller, r)
}

// UserNotifyExt is more of what a service card shows.
type UserNotifyExt struct {
	OpenID     string `json:"openid"`
	NotifyType int    `json:"notify_type"`
	NotifyCode string `json:"notify_code"`
	ExtJSON    string `json:"ext_json"` // a JSON object as text; its fields depend on the card
}

var setUserNotifyExt = wechat.Endpoint[UserNotifyExt, wechat.None]{
	Name: "SetUserNotifyExt", Pattern: "POST /wxa/set_user_notifyext",
	Effect: wechat.EffectSend,
	To:     func(r *UserNotifyExt) []string { return []string{r.OpenID} },
}

// SetUserNotifyExt updates the extra data of a service card. Errors: 85437 no such code, 85470 the data do not fit.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_setusernotifyext
func (c *Client) SetUserNotifyExt(ctx context.Context, r *UserNotifyExt) error {
	return setUserNotifyExt.Exec(ctx, c.caller, r)
}

// UserNotifyRequest names a service card.
type UserNotifyRequest struct {
	OpenID     string `json:"openid"`
	NotifyCode string `json:"notify_code"`
	NotifyType int    `json:"notify_type"`
}

// NotifyCodeState is the state of the code behind a service card.
type NotifyCodeState int

// The states of a code.
const (
	NotifyNormal   NotifyCodeState = 0
	NotifyAtRisk   NotifyCodeState = 1
	NotifyAbnormal NotifyCodeState = 2
	NotifyRefused  NotifyCodeState = 10 // by the user
)

// UserNotifyState is the state of a service card.
type UserNotifyState struct {
	NotifyInfo struct {
		NotifyType     int             `json:"notify_type"`
		ContentJSON    string          `json:"content_json"` // what was pushed last; empty: nothing
		CodeState      NotifyCodeState `json:"code_state"`
		CodeExpireTime int64           `json:"code_expire_time"` // Unix seconds
	} `json:"notify_info"`
}

var getUserNotify = wechat.Endpoint[UserNotifyRequest, UserNotifyState]{
	Name: "GetUserNotify", Pattern: "POST /wxa/get_user_notify",
	Effect: wechat.EffectRead,
}

// GetUserNotify reads the state of a service card.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management/subscribe-message/api_getusernotify
func (c *Client) GetUserNotify(ctx context.Context, r *UserNotifyRequest) (*UserNotifyState, error) {
	return getUserNotify.Do(ctx, c.caller, r)
}

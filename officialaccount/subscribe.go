package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// MiniProgramState is the version of a mini program that a notice opens.
type MiniProgramState string

// The versions of a mini program.
const (
	MiniProgramDeveloper MiniProgramState = "developer"
	MiniProgramTrial     MiniProgramState = "trial"
	MiniProgramFormal    MiniProgramState = "formal" // the default
)

// SubscribeNotice is a subscription notice (订阅通知) to one person who agreed to it.
type SubscribeNotice struct {
	ToUser      string             `json:"touser"` // openid
	TemplateID  string             `json:"template_id"`
	Page        string             `json:"page,omitempty"` // a web link, or a page of the mini program
	MiniProgram *NoticeMiniProgram `json:"miniprogram,omitempty"`
	// Data has a value for each {{key.DATA}} of the template. The letters of a key (thing, number, time,
	// amount, phrase ...) say what fits, as in at most 20 characters for a thing.
	Data             map[string]NoticeValue `json:"data"`
	MiniProgramState MiniProgramState       `json:"miniprogram_state,omitempty"`
	Lang             string                 `json:"lang,omitempty"` // "zh_CN" (the default), "en_US", "zh_HK" or "zh_TW"
	// ClientMsgID stands in the official example only. That a repeat with the same id is dropped is documented for
	// template messages and not for notices, so the client does not rely on it.
	ClientMsgID string `json:"client_msg_id,omitempty"`
}

// NoticeValue is the text for one key of a notice.
type NoticeValue struct {
	Value string `json:"value"`
}

var sendSubscribeNotice = wechat.Endpoint[SubscribeNotice, wechat.None]{
	Name: "SendSubscribeNotice", Pattern: "POST /cgi-bin/message/subscribe/bizsend",
	Effect:    wechat.EffectSend,
	Recipient: []ratelimit.Limit{ratelimit.PerMinute(4)},
	To:        func(n *SubscribeNotice) []string { return []string{n.ToUser} },
}

// SendSubscribeNotice sends one subscription notice and uses up one consent. Success means that the server took it; the
// outcome comes as a subscribe_msg_sent_event. At most four notices a minute go to one person.
//
// 43101 means that the person refused or that no consent is left, 47003 that a value does not fit its key, 45103 and
// 48001 that the account may not send notices.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/notify/api_sendnewsubscribemsg.html
func (c *Client) SendSubscribeNotice(ctx context.Context, n *SubscribeNotice) error {
	return sendSubscribeNotice.Exec(ctx, c.caller, n)
}

// AddSubscribeTemplateRequest picks a public template.
type AddSubscribeTemplateRequest struct {
	TID       string `json:"tid"`       // of ListPublicTemplateTitles, where it is a number
	KIDList   []int  `json:"kidList"`   // two to five keywords of ListPublicTemplateKeywords, in this order
	SceneDesc string `json:"sceneDesc"` // what it is used for, at most 15 characters
}

// SubscribeTemplateID names a template of the account.
type SubscribeTemplateID struct {
	PriTmplID string `json:"priTmplId"`
}

var addSubscribeTemplate = wechat.Endpoint[AddSubscribeTemplateRequest, SubscribeTemplateID]{
	Name: "AddSubscribeTemplate", Pattern: "POST /wxaapi/newtmpl/addtemplate",
	Effect: wechat.EffectCreate,
}

// AddSubscribeTemplate adds a public template to the account. 200012 means that the account has as many as it may,
// 200014 that TID is wrong, 200020 KIDList, 200021 SceneDesc, 200022 that the account has the same template already.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/notify/api_addwxanewtemplate.html
func (c *Client) AddSubscribeTemplate(ctx context.Context, r *AddSubscribeTemplateRequest) (*SubscribeTemplateID, error) {
	return addSubscribeTemplate.Do(ctx, c.caller, r)
}

var deleteSubscribeTemplate = wechat.Endpoint[SubscribeTemplateID, wechat.None]{
	Name: "DeleteSubscribeTemplate", Pattern: "POST /wxaapi/newtmpl/deltemplate",
	Effect: wechat.EffectSet,
}

// DeleteSubscribeTemplate removes a template from the account. 200014 means that the id is wrong.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/notify/api_delwxanewtemplate.html
func (c *Client) DeleteSubscribeTemplate(ctx context.Context, r *SubscribeTemplateID) error {
	return deleteSubscribeTemplate.Exec(ctx, c.caller, r)
}

// ListSubscribeCategoriesReply has the account's service categories.
type ListSubscribeCategoriesReply struct {
	Data []struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	} `json:"data"`
}

var listSubscribeCategories = wechat.Endpoint[wechat.None, ListSubscribeCategoriesReply]{
	Name: "ListSubscribeCategories", Pattern: "GET /wxaapi/newtmpl/getcategory",
	Effect: wechat.EffectRead,
}

// ListSubscribeCategories lists the account's service categories, whose public templates it may use.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/notify/api_getcategory.html
func (c *Client) ListSubscribeCategories(ctx context.Context) (*ListSubscribeCategoriesReply, error) {
	return listSubscribeCategories.Do(ctx, c.caller, nil)
}

// ListPublicTemplateTitlesRequest asks for one page.
type ListPublicTemplateTitlesRequest struct {
	IDs   string `query:"ids"`   // of categories, separated by commas
	Start int    `query:"start"` // counts from 0
	Limit int    `query:"limit"` // at most 30
}

// SubscribeTemplateType is how often one consent can be used.
type SubscribeTemplateType int

// The kinds of subscription templates.
const (
	SubscribeOnce     SubscribeTemplateType = 2
	SubscribeLongTerm SubscribeTemplateType = 3
)

// PublicTemplateTitle is a public template.
type PublicTemplateTitle struct {
	TID        int                   `json:"tid"`
	Title      string                `json:"title"`
	Type       SubscribeTemplateType `json:"type"`
	CategoryID string                `json:"categoryId"`
}

// ListPublicTemplateTitlesReply is one page.
type ListPublicTemplateTitlesReply struct {
	Count int                   `json:"count"` // in all pages
	Data  []PublicTemplateTitle `json:"data"`
}

var listPublicTemplateTitles = wechat.Endpoint[ListPublicTemplateTitlesRequest, ListPublicTemplateTitlesReply]{
	Name: "ListPublicTemplateTitles", Pattern: "GET /wxaapi/newtmpl/getpubtemplatetitles",
	Effect: wechat.EffectRead,
}

// ListPublicTemplateTitles returns a page of the public templates of some categories.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/notify/api_getpubnewtemplatetitles.html
func (c *Client) ListPublicTemplateTitles(ctx context.Context, r *ListPublicTemplateTitlesRequest) (*ListPublicTemplateTitlesReply, error) {
	return listPublicTemplateTitles.Do(ctx, c.caller, r)
}

// AllPublicTemplateTitles walks all public templates of some categories, whose ids are separated by commas.
func (c *Client) AllPublicTemplateTitles(ctx context.Context, ids string) iter.Seq2[PublicTemplateTitle, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]PublicTemplateTitle, int, error) {
		page, err := c.ListPublicTemplateTitles(ctx, &ListPublicTemplateTitlesRequest{IDs: ids, Start: offset, Limit: 30})
		if err != nil {
			return nil, 0, err
		}
		return page.Data, page.Count, nil
	})
}

// ListPublicTemplateKeywordsRequest names a public template.
type ListPublicTemplateKeywordsRequest struct {
	TID string `query:"tid"`
}

// ListPublicTemplateKeywordsReply has its keywords.
type ListPublicTemplateKeywordsReply struct {
	Count int `json:"count"`
	Data  []struct {
		KID     int    `json:"kid"`
		Name    string `json:"name"`
		Example string `json:"example"`
		Rule    string `json:"rule"` // the letters of the key: thing, number ...
	} `json:"data"`
}

var listPublicTemplateKeywords = wechat.Endpoint[ListPublicTemplateKeywordsRequest, ListPublicTemplateKeywordsReply]{
	Name: "ListPublicTemplateKeywords", Pattern: "GET /wxaapi/newtmpl/getpubtemplatekeywords",
	Effect: wechat.EffectRead,
}

// ListPublicTemplateKeywords lists the keywords of a public template. 200014 means that TID is wrong.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/notify/api_getpubnewtemplatekeywords.html
func (c *Client) ListPublicTemplateKeywords(ctx context.Context, r *ListPublicTemplateKeywordsRequest) (*ListPublicTemplateKeywordsReply, error) {
	return listPublicTemplateKeywords.Do(ctx, c.caller, r)
}

// SubscribeTemplate is a subscription template of the account.
type SubscribeTemplate struct {
	PriTmplID            string                `json:"priTmplId"`
	Title                string                `json:"title"`
	Content              string                `json:"content"` // has {{key.DATA}} for each value
	Example              string                `json:"example"`
	Type                 SubscribeTemplateType `json:"type"`
	KeywordEnumValueList []struct {
		KeywordCode   string   `json:"keywordCode"`
		EnumValueList []string `json:"enumValueList"`
	} `json:"keywordEnumValueList"` // for keys that take one of a few values
}

// ListSubscribeTemplatesReply has all subscription templates of the account.
type ListSubscribeTemplatesReply struct {
	Data []SubscribeTemplate `json:"data"`
}

var listSubscribeTemplates = wechat.Endpoint[wechat.None, ListSubscribeTemplatesReply]{
	Name: "ListSubscribeTemplates", Pattern: "GET /wxaapi/newtmpl/gettemplate",
	Effect: wechat.EffectRead,
}

// ListSubscribeTemplates lists the account's subscription templates, all at once.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/notify/api_getwxapubnewtemplate.html
func (c *Client) ListSubscribeTemplates(ctx context.Context) (*ListSubscribeTemplatesReply, error) {
	return listSubscribeTemplates.Do(ctx, c.caller, nil)
}

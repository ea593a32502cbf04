package officialaccount

import (
	"context"
	"iter"
	"strconv"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// TemplateMessage is a template message (模板消息) to one follower. Where URL and MiniProgram are both set, the
// mini program is opened; where neither is, a tap opens nothing.
type TemplateMessage struct {
	ToUser      string               `json:"touser"` // openid
	TemplateID  string               `json:"template_id"`
	URL         string               `json:"url,omitempty"`
	MiniProgram *TemplateMiniProgram `json:"miniprogram,omitempty"`
	// ClientMsgID makes the server drop a second message with the same id to the same person within ten minutes.
	// An empty one is filled in for each call, so that the call can be repeated safely.
	ClientMsgID string `json:"client_msg_id,omitempty"`
	// Data has a value for each {{key.DATA}} of the template.
	Data map[string]TemplateValue `json:"data"`
}

// TemplateMiniProgram is the mini program page that a tap opens. It must be linked to the account.
type TemplateMiniProgram struct {
	AppID    string `json:"appid,omitempty"`
	PagePath string `json:"pagepath,omitempty"` // with its query, as in "pages/index?id=1"
}

// TemplateValue is the text for one key of a template. Keys such as thing1 or amount2 say what fits: a value
// that does not is refused with 47003.
type TemplateValue struct {
	Value string `json:"value"`
	Color string `json:"color,omitempty"` // "#173177"; an older field that clients no longer show
}

// TemplateReceipt is the answer to a template message that was accepted.
type TemplateReceipt struct {
	MsgID int64 `json:"msgid"` // the TEMPLATESENDJOBFINISH event, which tells the outcome, has the same
}

var sendTemplateMessage = wechat.Endpoint[TemplateMessage, TemplateReceipt]{
	Name: "SendTemplateMessage", Pattern: "POST /cgi-bin/message/template/send",
	Effect:    wechat.EffectSend,
	Recipient: []ratelimit.Limit{ratelimit.PerMinute(4)},
	To:        func(m *TemplateMessage) []string { return []string{m.ToUser} },
	Dedupe:    func(m *TemplateMessage) *string { return &m.ClientMsgID },
	DedupeFor: 10 * time.Minute,
}

// SendTemplateMessage sends one template message to one follower. A receipt means that the server took the message;
// what became of it is told by a TEMPLATESENDJOBFINISH event with the same MsgID. The default quota is 100,000 a
// day, more for accounts with many followers; beside it, at most four messages a minute go to one person.
//
// 43004 means that the person does not follow the account, 40037 that the template is not the account's, 47003 that
// a value does not fit its key, 43116 and 40249 that template or content are refused.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/template/api_sendtemplatemessage.html
func (c *Client) SendTemplateMessage(ctx context.Context, m *TemplateMessage) (*TemplateReceipt, error) {
	return sendTemplateMessage.Do(ctx, c.caller, m)
}

// SetIndustryRequest names the two industries of an account.
type SetIndustryRequest struct {
	IndustryID1 string `json:"industry_id1"` // "1" to "41", see the official page
	IndustryID2 string `json:"industry_id2"`
}

var setIndustry = wechat.Endpoint[SetIndustryRequest, wechat.None]{
	Name: "SetIndustry", Pattern: "POST /cgi-bin/template/api_set_industry",
	Effect: wechat.EffectSet,
}

// SetIndustry sets the account's two industries, once a month at most (43100). Templates of an industry that is
// dropped are deleted.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/template/api_setindustry.html
func (c *Client) SetIndustry(ctx context.Context, r *SetIndustryRequest) error {
	return setIndustry.Exec(ctx, c.caller, r)
}

// Industry is an industry in two steps.
type Industry struct {
	FirstClass  string `json:"first_class"`
	SecondClass string `json:"second_class"`
}

// GetIndustryReply has the account's industries.
type GetIndustryReply struct {
	PrimaryIndustry   Industry `json:"primary_industry"`
	SecondaryIndustry Industry `json:"secondary_industry"`
}

var getIndustry = wechat.Endpoint[wechat.None, GetIndustryReply]{
	Name: "GetIndustry", Pattern: "GET /cgi-bin/template/get_industry",
	Effect: wechat.EffectRead,
}

// GetIndustry reads the account's industries.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/template/api_getindustry.html
func (c *Client) GetIndustry(ctx context.Context) (*GetIndustryReply, error) {
	return getIndustry.Do(ctx, c.caller, nil)
}

// AddTemplateRequest names a template of the library.
type AddTemplateRequest struct {
	TemplateIDShort string `json:"template_id_short"` // "TM00015", "OPENTM..." or the digits of a category template
	// KeywordNameList picks the keywords of a category template, in this order; others take none.
	KeywordNameList []string `json:"keyword_name_list,omitempty"`
}

// AddTemplateReply has the id to send with.
type AddTemplateReply struct {
	TemplateID string `json:"template_id"`
}

var addTemplate = wechat.Endpoint[AddTemplateRequest, AddTemplateReply]{
	Name: "AddTemplate", Pattern: "POST /cgi-bin/template/api_add_template",
	Effect: wechat.EffectCreate,
}

// AddTemplate adds a template of the library to the account, which holds 25 of them (45026). 40246 means that the
// keywords are not the template's, 40247 that a category template is wanted.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/template/api_addtemplate.html
func (c *Client) AddTemplate(ctx context.Context, r *AddTemplateRequest) (*AddTemplateReply, error) {
	return addTemplate.Do(ctx, c.caller, r)
}

// Template is a template of the account.
type Template struct {
	TemplateID      string `json:"template_id"`
	Title           string `json:"title"`
	PrimaryIndustry string `json:"primary_industry"`
	DeputyIndustry  string `json:"deputy_industry"` // what GetIndustry calls the secondary one
	Content         string `json:"content"`         // has {{key.DATA}} for each value
	Example         string `json:"example"`
}

// ListTemplatesReply has all templates of the account.
type ListTemplatesReply struct {
	TemplateList []Template `json:"template_list"`
}

var listTemplates = wechat.Endpoint[wechat.None, ListTemplatesReply]{
	Name: "ListTemplates", Pattern: "GET /cgi-bin/template/get_all_private_template",
	Effect: wechat.EffectRead,
}

// ListTemplates lists the account's templates, all at once.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/template/api_getalltemplates.html
func (c *Client) ListTemplates(ctx context.Context) (*ListTemplatesReply, error) {
	return listTemplates.Do(ctx, c.caller, nil)
}

// DeleteTemplateRequest names a template of the account.
type DeleteTemplateRequest struct {
	TemplateID string `json:"template_id"`
}

var deleteTemplate = wechat.Endpoint[DeleteTemplateRequest, wechat.None]{
	Name: "DeleteTemplate", Pattern: "POST /cgi-bin/template/del_private_template",
	Effect: wechat.EffectSet,
}

// DeleteTemplate removes a template from the account.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/template/api_deletetemplate.html
func (c *Client) DeleteTemplate(ctx context.Context, r *DeleteTemplateRequest) error {
	return deleteTemplate.Exec(ctx, c.caller, r)
}

// ListBlockedTemplateMessagesRequest asks for one page.
type ListBlockedTemplateMessagesRequest struct {
	TmplMsgID string `json:"tmpl_msg_id"` // a template id
	LargestID int64  `json:"largest_id"`  // 0, then the largest ID of the page before
	Limit     int    `json:"limit"`       // at most 100
}

// BlockedTemplateMessage is a template message that the platform did not deliver.
type BlockedTemplateMessage struct {
	ID            string `json:"id"` // a number
	TmplMsgID     string `json:"tmpl_msg_id"`
	Title         string `json:"title"`
	Content       string `json:"content"`
	SendTimestamp int64  `json:"send_timestamp"`
	OpenID        string `json:"openid"`
}

// ListBlockedTemplateMessagesReply is one page.
type ListBlockedTemplateMessagesReply struct {
	MsgInfo []BlockedTemplateMessage `json:"msginfo"` // a single message comes without the list around it
}

var listBlockedTemplateMessages = wechat.Endpoint[ListBlockedTemplateMessagesRequest, ListBlockedTemplateMessagesReply]{
	Name: "ListBlockedTemplateMessages", Pattern: "POST /wxa/sec/queryblocktmplmsg",
	Effect: wechat.EffectRead,
}

// ListBlockedTemplateMessages returns a page of the template messages that the platform blocked.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/template/api_queryblocktmplmsg.html
func (c *Client) ListBlockedTemplateMessages(ctx context.Context, r *ListBlockedTemplateMessagesRequest) (*ListBlockedTemplateMessagesReply, error) {
	return listBlockedTemplateMessages.Do(ctx, c.caller, r)
}

// AllBlockedTemplateMessages walks all messages of a template that the platform blocked.
func (c *Client) AllBlockedTemplateMessages(ctx context.Context, templateID string) iter.Seq2[BlockedTemplateMessage, error] {
	return wechat.Pages(ctx, 0, func(ctx context.Context, largest int64) ([]BlockedTemplateMessage, int64, bool, error) {
		page, err := c.ListBlockedTemplateMessages(ctx, &ListBlockedTemplateMessagesRequest{
			TmplMsgID: templateID, LargestID: largest, Limit: 100,
		})
		if err != nil {
			return nil, 0, false, err
		}
		next := largest
		for _, m := range page.MsgInfo {
			if id, err := strconv.ParseInt(m.ID, 10, 64); err == nil {
				next = max(next, id)
			}
		}
		return page.MsgInfo, next, next > largest, nil
	})
}

// OneTimeSubscribeMessage is the message that a person agreed to on the page of OneTimeSubscribeURL.
type OneTimeSubscribeMessage struct {
	ToUser      string               `json:"touser"` // openid
	TemplateID  string               `json:"template_id"`
	URL         string               `json:"url,omitempty"`
	MiniProgram *NoticeMiniProgram   `json:"miniprogram,omitempty"`
	Scene       string               `json:"scene"` // the one that the person agreed to, "0" to "10000"
	Title       string               `json:"title"` // at most 15 characters
	Data        OneTimeSubscribeData `json:"data"`
}

// NoticeMiniProgram is the mini program page that a tap on a one-time message or a subscription notice opens.
type NoticeMiniProgram struct {
	AppID    string `json:"appid"`
	PagePath string `json:"pagepath,omitempty"`
}

// OneTimeSubscribeData has the one text of the message.
type OneTimeSubscribeData struct {
	Content TemplateValue `json:"content"` // at most 200 characters
}

var sendOneTimeSubscribeMessage = wechat.Endpoint[OneTimeSubscribeMessage, wechat.None]{
	Name: "SendOneTimeSubscribeMessage", Pattern: "POST /cgi-bin/message/template/subscribe",
	Effect: wechat.EffectSend,
	To:     func(m *OneTimeSubscribeMessage) []string { return []string{m.ToUser} },
}

// SendOneTimeSubscribeMessage sends the one message that a person agreed to. Followers get it in the account's chat,
// others among the service notices. 43101 means that the consent is used up, 40062 that the title is too long.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/notify/subscribe/api_templatesubscribe.html
func (c *Client) SendOneTimeSubscribeMessage(ctx context.Context, m *OneTimeSubscribeMessage) error {
	return sendOneTimeSubscribeMessage.Exec(ctx, c.caller, m)
}

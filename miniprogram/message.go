package miniprogram

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// ActivityIDRequest asks for the id of a message that can be changed. For a private one OpenID or UnionID names who
// shares it.
type ActivityIDRequest struct {
	UnionID string `query:"unionid,omitempty"`
	OpenID  string `query:"openid,omitempty"`
}

// ActivityID is the id of a message that can be changed.
type ActivityID struct {
	ActivityID     string `json:"activity_id"`
	ExpirationTime int64  `json:"expiration_time"` // Unix seconds, usually 24 hours ahead
}

var createActivityID = wechat.Endpoint[ActivityIDRequest, ActivityID]{
	Name: "CreateActivityID", Pattern: "GET /cgi-bin/message/wxopen/activityid/create",
	Effect: wechat.EffectCreate,
}

// CreateActivityID makes the id under which a user shares an updatable or private message.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management
func (c *Client) CreateActivityID(ctx context.Context, r *ActivityIDRequest) (*ActivityID, error) {
	return createActivityID.Do(ctx, c.caller, r)
}

// ActivityState is how far the activity of a message is.
type ActivityState int

// The states of an activity. After ActivityStarted there is no other.
const (
	ActivityOpen    ActivityState = 0 // needs member_count and room_limit
	ActivityStarted ActivityState = 1 // needs path and version_type
)

// UpdatableMessage changes the text of the messages that were shared under an id.
type UpdatableMessage struct {
	ActivityID   string                `json:"activity_id"`
	TargetState  ActivityState         `json:"target_state"`
	TemplateInfo UpdatableTemplateInfo `json:"template_info"`
}

// UpdatableTemplateInfo has the values of an updatable message.
type UpdatableTemplateInfo struct {
	ParameterList []UpdatableParameter `json:"parameter_list"`
}

// UpdatableParameter is a value of an updatable message: member_count, room_limit, path or version_type, which is
// develop, trial or release.
type UpdatableParameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

var setUpdatableMessage = wechat.Endpoint[UpdatableMessage, wechat.None]{
	Name: "SetUpdatableMessage", Pattern: "POST /cgi-bin/message/wxopen/updatablemsg/send",
	Effect: wechat.EffectSet,
}

// SetUpdatableMessage changes the text of the messages that were shared under an id. Errors: 47501 the id is wrong,
// 47504 it is older than 24 hours, 47502 the state cannot be reached from the present one.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management
func (c *Client) SetUpdatableMessage(ctx context.Context, m *UpdatableMessage) error {
	return setUpdatableMessage.Exec(ctx, c.caller, m)
}

// ChatToolMessage changes the card of an activity of a chat tool.
type ChatToolMessage struct {
	ActivityID           string             `json:"activity_id"`
	TargetState          int                `json:"target_state"`
	TemplateID           string             `json:"template_id"`
	ParticipatorInfoList []ChatParticipator `json:"participator_info_list,omitempty"`
	VersionType          int                `json:"version_type"` // 0 release, 1 develop, 2 trial
}

// ChatParticipator is a participant of an activity.
type ChatParticipator struct {
	GroupOpenID string `json:"group_openid"`
	State       int    `json:"state"` // 1: done
}

var setChatToolMessage = wechat.Endpoint[ChatToolMessage, wechat.None]{
	Name: "SetChatToolMessage", Pattern: "POST /cgi-bin/message/wxopen/chattoolmsg/send",
	Effect: wechat.EffectSet,
}

// SetChatToolMessage changes the card of an activity of a chat tool. Errors: 47501 the id is wrong, 47504 it has ended,
// 47502 the state is wrong.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-message-management
func (c *Client) SetChatToolMessage(ctx context.Context, m *ChatToolMessage) error {
	return setChatToolMessage.Exec(ctx, c.caller, m)
}

// UniformMessage is a template message of an official account to a user of the mini program.
type UniformMessage struct {
	ToUser        string          `json:"touser"` // openid of the mini program
	MPTemplateMsg UniformTemplate `json:"mp_template_msg"`
}

// UniformTemplate is the template message of the official account.
type UniformTemplate struct {
	AppID       string                  `json:"appid"` // of the official account, to which the mini program is bound
	TemplateID  string                  `json:"template_id"`
	URL         string                  `json:"url"`
	MiniProgram UniformMiniProgram      `json:"miniprogram"`
	Data        map[string]UniformValue `json:"data"`
}

// UniformMiniProgram is the page that a tap opens.
type UniformMiniProgram struct {
	AppID    string `json:"appid"`
	PagePath string `json:"pagepath"`
}

// UniformValue is the text of one keyword.
type UniformValue struct {
	Value string `json:"value"`
	Color string `json:"color,omitempty"` // "#173177"
}

var sendUniformMessage = wechat.Endpoint[UniformMessage, wechat.None]{
	Name: "SendUniformMessage", Pattern: "POST /cgi-bin/message/wxopen/template/uniform_send",
	Effect: wechat.EffectSend,
	To:     func(m *UniformMessage) []string { return []string{m.ToUser} },
}

// SendUniformMessage sends a template message of an official account to a user of the mini program. It is no longer
// documented and may go away. Errors: 40013 the accounts are not bound to each other, 40037 the template is wrong.
func (c *Client) SendUniformMessage(ctx context.Context, m *UniformMessage) error {
	return sendUniformMessage.Exec(ctx, c.caller, m)
}

// DeviceSubscribeMessage is a message of a device to users who have subscribed to it.
type DeviceSubscribeMessage struct {
	ToOpenIDList     []string                  `json:"to_openid_list"` // at most 100
	TemplateID       string                    `json:"template_id"`
	SN               string                    `json:"sn"`                // the device: at most 128 letters, digits, "_" and "-"
	ModelID          string                    `json:"modelId,omitempty"` // spelled model_id elsewhere
	Page             string                    `json:"page,omitempty"`
	MiniProgramState MessageState              `json:"miniprogram_state,omitempty"`
	Lang             Lang                      `json:"lang,omitempty"`
	Data             map[string]SubscribeValue `json:"data"`
}

var sendDeviceSubscribeMessage = wechat.Endpoint[DeviceSubscribeMessage, wechat.None]{
	Name: "SendDeviceSubscribeMessage", Pattern: "POST /cgi-bin/message/device/subscribe/send",
	Effect: wechat.EffectSend,
	To:     func(m *DeviceSubscribeMessage) []string { return m.ToOpenIDList },
}

// SendDeviceSubscribeMessage sends a message of a device to at most 100 users who have subscribed to it; 10,000,000 a
// day. Errors: 43101 the user refused, 47003 a value breaks its keyword's rule, 41030 the page is not released.
func (c *Client) SendDeviceSubscribeMessage(ctx context.Context, m *DeviceSubscribeMessage) error {
	return sendDeviceSubscribeMessage.Exec(ctx, c.caller, m)
}

// SNTicketRequest names a device.
type SNTicketRequest struct {
	SN      string `json:"sn"` // at most 128 bytes
	ModelID string `json:"model_id"`
}

// SNTicket lets the client side subscribe to a device.
type SNTicket struct {
	SNTicket string `json:"sn_ticket"` // for five minutes
}

var getSNTicket = wechat.Endpoint[SNTicketRequest, SNTicket]{
	Name: "GetSNTicket", Pattern: "POST /wxa/getsnticket",
	Effect: wechat.EffectCreate,
}

// GetSNTicket returns the ticket with which the client side subscribes to the messages of a device. Errors: 9800001 and
// 9800002 the device's number is too long or has a wrong character, 9800003 the model is refused.
func (c *Client) GetSNTicket(ctx context.Context, r *SNTicketRequest) (*SNTicket, error) {
	return getSNTicket.Do(ctx, c.caller, r)
}

// EmployeeRelationMessage is a message about employment to a bound employee.
type EmployeeRelationMessage struct {
	TemplateID string `json:"template_id"`
	Page       string `json:"page"`
	ToUser     string `json:"touser"` // openid
	Data       string `json:"data"`   // a JSON object as text
}

var sendEmployeeRelationMessage = wechat.Endpoint[EmployeeRelationMessage, wechat.None]{
	Name: "SendEmployeeRelationMessage", Pattern: "POST /cgi-bin/message/wxopen/employeerelationmsg/send",
	Effect: wechat.EffectSend,
	To:     func(m *EmployeeRelationMessage) []string { return []string{m.ToUser} },
}

// SendEmployeeRelationMessage sends a message about employment to a bound employee. Errors: 40256 the user is not bound,
// 50001 the user has not subscribed.
func (c *Client) SendEmployeeRelationMessage(ctx context.Context, m *EmployeeRelationMessage) error {
	return sendEmployeeRelationMessage.Exec(ctx, c.caller, m)
}

// EmployeeList names employees.
type EmployeeList struct {
	OpenIDList []string `json:"openid_list"`
}

var unbindEmployeeAuth = wechat.Endpoint[EmployeeList, wechat.None]{
	Name: "UnbindEmployeeAuth", Pattern: "POST /wxa/business/unbinduserb2cauthinfo",
	Effect: wechat.EffectSet,
	To:     func(r *EmployeeList) []string { return r.OpenIDList },
}

// UnbindEmployeeAuth ends the grants of employees.
func (c *Client) UnbindEmployeeAuth(ctx context.Context, r *EmployeeList) error {
	return unbindEmployeeAuth.Exec(ctx, c.caller, r)
}

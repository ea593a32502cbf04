package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// MemberCardField is a field on a member card that the account fills in, such as a level.
type MemberCardField struct {
	NameType         string `json:"name_type,omitempty"` // "FIELD_NAME_TYPE_LEVEL" ...; empty: Name
	Name             string `json:"name,omitempty"`
	URL              string `json:"url,omitempty"`
	AppBrandUserName string `json:"app_brand_user_name,omitempty"`
	AppBrandPass     string `json:"app_brand_pass,omitempty"`
}

// MemberCardCell is an entrance below a member card.
type MemberCardCell struct {
	Name             string `json:"name,omitempty"`
	Tips             string `json:"tips,omitempty"`
	URL              string `json:"url,omitempty"`
	AppBrandUserName string `json:"app_brand_user_name,omitempty"`
	AppBrandPass     string `json:"app_brand_pass,omitempty"`
}

// MemberCardBonusRule says how points (积分) are won and used. Money is in cents.
type MemberCardBonusRule struct {
	CostMoneyUnit        int `json:"cost_money_unit,omitempty"` // each of these ...
	IncreaseBonus        int `json:"increase_bonus,omitempty"`  // ... wins so many points
	MaxIncreaseBonus     int `json:"max_increase_bonus,omitempty"`
	InitIncreaseBonus    int `json:"init_increase_bonus,omitempty"` // to begin with
	CostBonusUnit        int `json:"cost_bonus_unit,omitempty"`     // each of these points ...
	ReduceMoney          int `json:"reduce_money,omitempty"`        // ... pays so much
	LeastMoneyToUseBonus int `json:"least_money_to_use_bonus,omitempty"`
	MaxReduceBonus       int `json:"max_reduce_bonus,omitempty"`
}

// MemberCardDetails is what a member card may have, when it is created and when it is changed.
type MemberCardDetails struct {
	BackgroundPicURL string               `json:"background_pic_url,omitempty"`
	BonusURL         string               `json:"bonus_url,omitempty"`
	BalanceURL       string               `json:"balance_url,omitempty"`
	CustomField1     *MemberCardField     `json:"custom_field1,omitempty"`
	CustomField2     *MemberCardField     `json:"custom_field2,omitempty"`
	CustomField3     *MemberCardField     `json:"custom_field3,omitempty"`
	BonusCleared     string               `json:"bonus_cleared,omitempty"` // text: when points are lost
	BonusRules       string               `json:"bonus_rules,omitempty"`   // text
	BalanceRules     string               `json:"balance_rules,omitempty"` // text
	ActivateURL      string               `json:"activate_url,omitempty"`
	CustomCell1      *MemberCardCell      `json:"custom_cell1,omitempty"`
	CustomCell2      *MemberCardCell      `json:"custom_cell2,omitempty"`
	CustomCell3      *MemberCardCell      `json:"custom_cell3,omitempty"`
	BonusRule        *MemberCardBonusRule `json:"bonus_rule,omitempty"`
	Discount         int                  `json:"discount,omitempty"` // what is taken off, in percent
}

// MemberCard is the branch of CardMember. Of AutoActivate, WXActivate and ActivateURL one is enough: with the
// first the other two have no effect, with ActivateURL WXActivate has none.
type MemberCard struct {
	BaseInfo                 CardBaseInfo      `json:"base_info"`
	AdvancedInfo             *CardAdvancedInfo `json:"advanced_info,omitempty"`
	Prerogative              string            `json:"prerogative"` // text: what members get
	AutoActivate             bool              `json:"auto_activate,omitempty"`
	WXActivate               bool              `json:"wx_activate,omitempty"` // by the form of SetMemberCardForm
	WXActivateAfterSubmit    bool              `json:"wx_activate_after_submit,omitempty"`
	WXActivateAfterSubmitURL string            `json:"wx_activate_after_submit_url,omitempty"` // opened with an activate_ticket
	SupplyBonus              bool              `json:"supply_bonus"`                           // shows points
	SupplyBalance            bool              `json:"supply_balance"`                         // shows a balance
	MemberCardDetails
}

// MemberCardUpdate is the branch of CardMember to change. What is empty or nil stays as it is.
type MemberCardUpdate struct {
	CardUpdate
	Prerogative   string `json:"prerogative,omitempty"`
	AutoActivate  *bool  `json:"auto_activate,omitempty"`
	WXActivate    *bool  `json:"wx_activate,omitempty"`
	SupplyBonus   *bool  `json:"supply_bonus,omitempty"`
	SupplyBalance *bool  `json:"supply_balance,omitempty"`
	MemberCardDetails
}

// ActivateMemberCardRequest names a member card that a person took and says what it begins with.
type ActivateMemberCardRequest struct {
	MembershipNumber      string `json:"membership_number"` // shown on the card; may be the code
	Code                  string `json:"code"`
	CardID                string `json:"card_id,omitempty"` // needed where the codes are the account's own
	BackgroundPicURL      string `json:"background_pic_url,omitempty"`
	ActivateBeginTime     int64  `json:"activate_begin_time,omitempty"`
	ActivateEndTime       int64  `json:"activate_end_time,omitempty"`
	InitBonus             int    `json:"init_bonus,omitempty"`
	InitBonusRecord       string `json:"init_bonus_record,omitempty"` // text: what the points are for
	InitBalance           int    `json:"init_balance,omitempty"`      // in cents
	InitCustomFieldValue1 string `json:"init_custom_field_value1,omitempty"`
	InitCustomFieldValue2 string `json:"init_custom_field_value2,omitempty"`
	InitCustomFieldValue3 string `json:"init_custom_field_value3,omitempty"`
}

var activateMemberCard = wechat.Endpoint[ActivateMemberCardRequest, wechat.None]{
	Name: "ActivateMemberCard", Pattern: "POST /card/membercard/activate",
	Effect: wechat.EffectSet,
}

// ActivateMemberCard activates a member card that a person took. 40056 means that there is no such code, 40073 that
// there is no such card.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Cards_and_Offer/Membership_Cards/Create_a_membership_card.html
func (c *Client) ActivateMemberCard(ctx context.Context, r *ActivateMemberCardRequest) error {
	return activateMemberCard.Exec(ctx, c.caller, r)
}

// MemberCardNotify says of which changes the member is told. What is nil is left to the platform, which tells.
type MemberCardNotify struct {
	IsNotifyBonus        *bool `json:"is_notify_bonus,omitempty"`
	IsNotifyBalance      *bool `json:"is_notify_balance,omitempty"`
	IsNotifyCustomField1 *bool `json:"is_notify_custom_field1,omitempty"`
	IsNotifyCustomField2 *bool `json:"is_notify_custom_field2,omitempty"`
	IsNotifyCustomField3 *bool `json:"is_notify_custom_field3,omitempty"`
}

// UpdateMemberCardUserRequest changes a member's card. Bonus and Balance set a value, zero too; AddBonus and
// AddBalance add to it and may be negative.
type UpdateMemberCardUserRequest struct {
	Code              string            `json:"code"`
	CardID            string            `json:"card_id"`
	BackgroundPicURL  string            `json:"background_pic_url,omitempty"`
	Bonus             *int              `json:"bonus,omitempty"` // nil: not set
	AddBonus          int               `json:"add_bonus,omitempty"`
	RecordBonus       string            `json:"record_bonus,omitempty"` // text: why
	Balance           *int              `json:"balance,omitempty"`      // in cents; nil: not set
	AddBalance        int               `json:"add_balance,omitempty"`  // in cents
	RecordBalance     string            `json:"record_balance,omitempty"`
	CustomFieldValue1 string            `json:"custom_field_value1,omitempty"`
	CustomFieldValue2 string            `json:"custom_field_value2,omitempty"`
	CustomFieldValue3 string            `json:"custom_field_value3,omitempty"`
	NotifyOptional    *MemberCardNotify `json:"notify_optional,omitempty"`
}

// UpdateMemberCardUserReply is what the member has now.
type UpdateMemberCardUserReply struct {
	ResultBonus   int    `json:"result_bonus"`
	ResultBalance int    `json:"result_balance"` // in cents
	OpenID        string `json:"openid"`
}

var updateMemberCardUser = wechat.Endpoint[UpdateMemberCardUserRequest, UpdateMemberCardUserReply]{
	Name: "UpdateMemberCardUser", Pattern: "POST /card/membercard/updateuser",
	Effect: wechat.EffectSend,
}

// UpdateMemberCardUser changes the points, the balance or the fields of a member and tells him so. What is added is
// added again by a second call: when the outcome of one is unknown, GetMemberCardUser tells what the member has. 40056
// means that there is no such code.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Cards_and_Offer/Membership_Cards/Manage_Member_Card.html
func (c *Client) UpdateMemberCardUser(ctx context.Context, r *UpdateMemberCardUserRequest) (*UpdateMemberCardUserReply, error) {
	return updateMemberCardUser.Do(ctx, c.caller, r)
}

// GetMemberCardUserRequest names a member card.
type GetMemberCardUserRequest struct {
	CardID string `json:"card_id"`
	Code   string `json:"code"`
}

// GetMemberCardUserReply is what the platform knows of a member.
type GetMemberCardUserReply struct {
	OpenID           string         `json:"openid"`
	Nickname         string         `json:"nickname"` // may be empty
	MembershipNumber string         `json:"membership_number"`
	Bonus            int            `json:"bonus"`
	Balance          float64        `json:"balance"`
	Sex              string         `json:"sex"` // "MALE", "FEMALE"
	UserInfo         CardUserInfo   `json:"user_info"`
	UserCardStatus   CardCodeStatus `json:"user_card_status"`
	HasActive        bool           `json:"has_active"` // the card is activated
}

var getMemberCardUser = wechat.Endpoint[GetMemberCardUserRequest, GetMemberCardUserReply]{
	Name: "GetMemberCardUser", Pattern: "POST /card/membercard/userinfo/get",
	Effect: wechat.EffectRead,
}

// GetMemberCardUser reads what a member has and what he told when he activated the card. 40056 means that there is no
// such code.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Cards_and_Offer/Membership_Cards/Manage_Member_Card.html
func (c *Client) GetMemberCardUser(ctx context.Context, r *GetMemberCardUserRequest) (*GetMemberCardUserReply, error) {
	return getMemberCardUser.Do(ctx, c.caller, r)
}

// MemberCardLink is a text with a link on the form of activation.
type MemberCardLink struct {
	Name string `json:"name,omitempty"`
	URL  string `json:"url,omitempty"`
}

// MemberCardForm is a part of the form of activation.
type MemberCardForm struct {
	CanModify         bool                  `json:"can_modify,omitempty"`           // after activation
	CommonFieldIDList []string              `json:"common_field_id_list,omitempty"` // "USER_FORM_INFO_FLAG_MOBILE" ...
	CustomFieldList   []string              `json:"custom_field_list,omitempty"`    // names of fields for text
	RichFieldList     []MemberCardRichField `json:"rich_field_list,omitempty"`
}

// MemberCardRichField is a field with choices.
type MemberCardRichField struct {
	Type   string   `json:"type,omitempty"` // "FORM_FIELD_RADIO", "FORM_FIELD_SELECT" or "FORM_FIELD_CHECK_BOX"
	Name   string   `json:"name,omitempty"`
	Values []string `json:"values,omitempty"`
}

// SetMemberCardFormRequest is the form of activation.
type SetMemberCardFormRequest struct {
	CardID           string          `json:"card_id"`
	ServiceStatement *MemberCardLink `json:"service_statement,omitempty"` // the terms of membership
	BindOldCard      *MemberCardLink `json:"bind_old_card,omitempty"`     // for those who have a card already
	RequiredForm     *MemberCardForm `json:"required_form,omitempty"`
	OptionalForm     *MemberCardForm `json:"optional_form,omitempty"`
}

var setMemberCardForm = wechat.Endpoint[SetMemberCardFormRequest, wechat.None]{
	Name: "SetMemberCardForm", Pattern: "POST /card/membercard/activateuserform/set",
	Effect: wechat.EffectSet,
}

// SetMemberCardForm sets what a person fills in to activate a card with WXActivate. 40073 means that there is no such
// card.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Cards_and_Offer/Membership_Cards/Create_a_membership_card.html
func (c *Client) SetMemberCardForm(ctx context.Context, r *SetMemberCardFormRequest) error {
	return setMemberCardForm.Exec(ctx, c.caller, r)
}

// GetMemberCardActivateURLRequest names a card.
type GetMemberCardActivateURLRequest struct {
	CardID   string `json:"card_id"`
	OuterStr string `json:"outer_str,omitempty"` // comes back in the events about the card
}

// GetMemberCardActivateURLReply has the link.
type GetMemberCardActivateURLReply struct {
	URL string `json:"url"`
}

var getMemberCardActivateURL = wechat.Endpoint[GetMemberCardActivateURLRequest, GetMemberCardActivateURLReply]{
	Name: "GetMemberCardActivateURL", Pattern: "POST /card/membercard/activate/geturl",
	Effect: wechat.EffectRead,
}

// GetMemberCardActivateURL reads the link of the page where a card is taken and activated in one go.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Cards_and_Offer/Membership_Cards/Create_a_membership_card.html
func (c *Client) GetMemberCardActivateURL(ctx context.Context, r *GetMemberCardActivateURLRequest) (*GetMemberCardActivateURLReply, error) {
	return getMemberCardActivateURL.Do(ctx, c.caller, r)
}

// GetMemberCardTempInfoRequest has the ticket with which the account's page was opened.
type GetMemberCardTempInfoRequest struct {
	ActivateTicket string `json:"activate_ticket"` // URL-decoded once, as net/url does
}

// GetMemberCardTempInfoReply is what the person filled in.
type GetMemberCardTempInfoReply struct {
	Info CardUserInfo `json:"info"`
}

var getMemberCardTempInfo = wechat.Endpoint[GetMemberCardTempInfoRequest, GetMemberCardTempInfoReply]{
	Name: "GetMemberCardTempInfo", Pattern: "POST /card/membercard/activatetempinfo/get",
	Effect: wechat.EffectRead,
}

// GetMemberCardTempInfo reads what a person just filled in, on the page of WXActivateAfterSubmitURL. The card is not
// active yet: ActivateMemberCard is what comes next.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Cards_and_Offer/Membership_Cards/Create_a_membership_card.html
func (c *Client) GetMemberCardTempInfo(ctx context.Context, r *GetMemberCardTempInfoRequest) (*GetMemberCardTempInfoReply, error) {
	return getMemberCardTempInfo.Do(ctx, c.caller, r)
}

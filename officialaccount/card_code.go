package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// CardCode names a card that a person has.
type CardCode struct {
	Code   string `json:"code"`              // plain; DecryptCardCode makes one of an encrypted code
	CardID string `json:"card_id,omitempty"` // needed where the codes are the account's own
}

// CardCodeStatus is where a card that was taken stands.
type CardCodeStatus string

// The states of codes. Only a normal one can be redeemed.
const (
	CardCodeNormal      CardCodeStatus = "NORMAL"
	CardCodeConsumed    CardCodeStatus = "CONSUMED"
	CardCodeExpired     CardCodeStatus = "EXPIRE"
	CardCodeGifting     CardCodeStatus = "GIFTING" // on its way to a friend
	CardCodeGiftTimeout CardCodeStatus = "GIFT_TIMEOUT"
	CardCodeDeleted     CardCodeStatus = "DELETE"
	CardCodeUnavailable CardCodeStatus = "UNAVAILABLE" // disabled
)

// CardUserInfo is what the holder of a member card told about himself.
type CardUserInfo struct {
	CommonFieldList []CardUserField       `json:"common_field_list"`
	CustomFieldList []CardUserCustomField `json:"custom_field_list"`
}

// CardUserField is an answer in a field of the platform.
type CardUserField struct {
	Name  string `json:"name"` // "USER_FORM_INFO_FLAG_MOBILE" ...
	Value string `json:"value"`
}

// CardUserCustomField is an answer in a field of the account.
type CardUserCustomField struct {
	Name      string   `json:"name"`
	Value     string   `json:"value"`
	ValueList []string `json:"value_list"` // of a field with more than one choice
}

// GetCardCodeRequest names a code.
type GetCardCodeRequest struct {
	CardCode
	CheckConsume bool `json:"check_consume,omitempty"` // a code that cannot be redeemed is an error (40127)
}

// CardCodeInfo is the card behind a code.
type CardCodeInfo struct {
	CardID         string         `json:"card_id"`
	BeginTime      int64          `json:"begin_time"` // begin_timestamp in CardDateInfo
	EndTime        int64          `json:"end_time"`
	Code           string         `json:"code"`
	UserCardStatus CardCodeStatus `json:"user_card_status"`
}

// GetCardCodeReply is the state of a code. Nickname, MembershipNumber, Bonus and UserInfo come for member cards.
type GetCardCodeReply struct {
	Card             CardCodeInfo   `json:"card"`
	OpenID           string         `json:"openid"` // of the holder
	CanConsume       bool           `json:"can_consume"`
	Nickname         string         `json:"nickname"`
	MembershipNumber string         `json:"membership_number"`
	Bonus            int            `json:"bonus"`
	UserInfo         CardUserInfo   `json:"user_info"`
	UserCardStatus   CardCodeStatus `json:"user_card_status"`
	OuterStr         string         `json:"outer_str"` // of the way by which it was taken
	BackgroundPicURL string         `json:"background_pic_url"`
	UnionID          string         `json:"unionid"`
}

var getCardCode = wechat.Endpoint[GetCardCodeRequest, GetCardCodeReply]{
	Name: "GetCardCode", Pattern: "POST /card/code/get",
	Effect: wechat.EffectRead,
}

// GetCardCode reads the state of a code. 40056 means that there is no such code, 40099 that it was redeemed, 40127 that
// it is another card's or, with CheckConsume, in no state to be redeemed.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Managing_Coupons_Vouchers_and_Cards.html
func (c *Client) GetCardCode(ctx context.Context, r *GetCardCodeRequest) (*GetCardCodeReply, error) {
	return getCardCode.Do(ctx, c.caller, r)
}

// ConsumeCardCodeReply tells whose card was redeemed.
type ConsumeCardCodeReply struct {
	Card   CardID `json:"card"`
	OpenID string `json:"openid"`
}

var consumeCardCode = wechat.Endpoint[CardCode, ConsumeCardCodeReply]{
	Name: "ConsumeCardCode", Pattern: "POST /card/code/consume",
	Effect: wechat.EffectCreate,
}

// ConsumeCardCode redeems a card. 40099 means that the code is redeemed already, 40056 that there is no such code, 40127
// that it is another card's.
//
// Where the reply got lost the call is not repeated and ends in wechat.ErrOutcomeUnknown, as a repeat would be told
// 40099 whoever redeemed the card: read the code with GetCardCode then.
func (c *Client) ConsumeCardCode(ctx context.Context, r *CardCode) (*ConsumeCardCodeReply, error) {
	return consumeCardCode.Do(ctx, c.caller, r)
}

// DecryptCardCodeRequest has an encrypted code.
type DecryptCardCodeRequest struct {
	EncryptCode string `json:"encrypt_code"` // of a link of the card, or of the JS-SDK; URL-decoded
}

// DecryptCardCodeReply has the plain code.
type DecryptCardCodeReply struct {
	Code string `json:"code"`
}

var decryptCardCode = wechat.Endpoint[DecryptCardCodeRequest, DecryptCardCodeReply]{
	Name: "DecryptCardCode", Pattern: "POST /card/code/decrypt",
	Effect: wechat.EffectRead,
}

// DecryptCardCode makes a plain code of an encrypted one. 40056 means that it is none, 40078 that the card is not
// approved.
func (c *Client) DecryptCardCode(ctx context.Context, r *DecryptCardCodeRequest) (*DecryptCardCodeReply, error) {
	return decryptCardCode.Do(ctx, c.caller, r)
}

// DisableCardCodeRequest names the code and says why.
type DisableCardCodeRequest struct {
	CardCode
	Reason string `json:"reason,omitempty"` // the holder sees it
}

var disableCardCode = wechat.Endpoint[DisableCardCodeRequest, wechat.None]{
	Name: "DisableCardCode", Pattern: "POST /card/code/unavailable",
	Effect: wechat.EffectSet,
}

// DisableCardCode makes a code invalid, as after a refund. It cannot be undone, and the holder is told. 40056 means
// that there is no such code.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Managing_Coupons_Vouchers_and_Cards.html
func (c *Client) DisableCardCode(ctx context.Context, r *DisableCardCodeRequest) error {
	return disableCardCode.Exec(ctx, c.caller, r)
}

// UpdateCardCodeRequest has the new code of a card.
type UpdateCardCodeRequest struct {
	CardCode
	NewCode string `json:"new_code"`
}

var updateCardCode = wechat.Endpoint[UpdateCardCodeRequest, wechat.None]{
	Name: "UpdateCardCode", Pattern: "POST /card/code/update",
	Effect: wechat.EffectSet,
}

// UpdateCardCode gives a card with a code of the account's own another one, as after it was passed on to a friend. 40056
// means that there is no such code.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Managing_Coupons_Vouchers_and_Cards.html
func (c *Client) UpdateCardCode(ctx context.Context, r *UpdateCardCodeRequest) error {
	return updateCardCode.Exec(ctx, c.caller, r)
}

// CardCodesRequest names up to 100 codes of a card template.
type CardCodesRequest struct {
	CardID string   `json:"card_id"`
	Code   []string `json:"code"`
}

// DepositCardCodesReply tells what became of each code. An older form of the reply counts them: then each list has
// one entry, the number.
type DepositCardCodesReply struct {
	SuccCode      []string `json:"succ_code"`
	DuplicateCode []string `json:"duplicate_code"` // were there already
	FailCode      []string `json:"fail_code"`
}

var depositCardCodes = wechat.Endpoint[CardCodesRequest, DepositCardCodesReply]{
	Name: "DepositCardCodes", Pattern: "POST /card/code/deposit",
	Effect: wechat.EffectSet,
}

// DepositCardCodes imports codes for a card with CardCodesDeposited. It may be repeated: what was imported before is
// told in DuplicateCode. 40109 means that there are more than 100 codes.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Distributing_Coupons_Vouchers_and_Cards.html
func (c *Client) DepositCardCodes(ctx context.Context, r *CardCodesRequest) (*DepositCardCodesReply, error) {
	return depositCardCodes.Do(ctx, c.caller, r)
}

// GetCardDepositCountReply has the number.
type GetCardDepositCountReply struct {
	Count int `json:"count"`
}

var getCardDepositCount = wechat.Endpoint[CardID, GetCardDepositCountReply]{
	Name: "GetCardDepositCount", Pattern: "POST /card/code/getdepositcount",
	Effect: wechat.EffectRead,
}

// GetCardDepositCount counts the codes that were imported for a card.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Distributing_Coupons_Vouchers_and_Cards.html
func (c *Client) GetCardDepositCount(ctx context.Context, r *CardID) (*GetCardDepositCountReply, error) {
	return getCardDepositCount.Do(ctx, c.caller, r)
}

// CheckCardCodesReply tells which codes were imported.
type CheckCardCodesReply struct {
	ExistCode    []string `json:"exist_code"`
	NotExistCode []string `json:"not_exist_code"`
}

var checkCardCodes = wechat.Endpoint[CardCodesRequest, CheckCardCodesReply]{
	Name: "CheckCardCodes", Pattern: "POST /card/code/checkcode",
	Effect: wechat.EffectRead,
}

// CheckCardCodes tells which codes were imported. 40109 means that there are more than 100.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Distributing_Coupons_Vouchers_and_Cards.html
func (c *Client) CheckCardCodes(ctx context.Context, r *CardCodesRequest) (*CheckCardCodesReply, error) {
	return checkCardCodes.Do(ctx, c.caller, r)
}

// MarkCardCodeRequest reserves a code for a person, or frees it.
type MarkCardCodeRequest struct {
	Code   string `json:"code"`
	CardID string `json:"card_id"`
	OpenID string `json:"openid"`
	IsMark bool   `json:"is_mark"` // false: frees it
}

var markCardCode = wechat.Endpoint[MarkCardCodeRequest, wechat.None]{
	Name: "MarkCardCode", Pattern: "POST /card/code/mark",
	Effect: wechat.EffectSet,
	To:     func(r *MarkCardCodeRequest) []string { return []string{r.OpenID} },
}

// MarkCardCode reserves a coupon that friends share (朋友的券) for one of them while he pays, or frees it. 40056 means
// that there is no such code.
func (c *Client) MarkCardCode(ctx context.Context, r *MarkCardCodeRequest) error {
	return markCardCode.Exec(ctx, c.caller, r)
}

// ListUserCardsRequest names a person.
type ListUserCardsRequest struct {
	OpenID string `json:"openid"`
	CardID string `json:"card_id,omitempty"` // of one template; empty: of all
}

// ListUserCardsReply has the cards of a person, the newest first.
type ListUserCardsReply struct {
	CardList     []UserCard `json:"card_list"`
	HasShareCard bool       `json:"has_share_card"`
}

// UserCard is a card that a person took.
type UserCard struct {
	Code   string `json:"code"`
	CardID string `json:"card_id"`
}

var listUserCards = wechat.Endpoint[ListUserCardsRequest, ListUserCardsReply]{
	Name: "ListUserCards", Pattern: "POST /card/user/getcardlist",
	Effect: wechat.EffectRead,
	To:     func(r *ListUserCardsRequest) []string { return []string{r.OpenID} },
}

// ListUserCards lists the account's cards that a person has, all at once. 40003 means that the openid is wrong.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Managing_Coupons_Vouchers_and_Cards.html
func (c *Client) ListUserCards(ctx context.Context, r *ListUserCardsRequest) (*ListUserCardsReply, error) {
	return listUserCards.Do(ctx, c.caller, r)
}

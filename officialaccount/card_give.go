package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// CardQRCodeAction is how many cards a QR code hands out.
type CardQRCodeAction string

// The actions of QR codes of cards.
const (
	CardQRCode         CardQRCodeAction = "QR_CARD"
	MultipleCardQRCode CardQRCodeAction = "QR_MULTIPLE_CARD"
)

// CardQRCodeItem is a card that a QR code hands out.
type CardQRCodeItem struct {
	CardID       string `json:"card_id"`
	Code         string `json:"code,omitempty"`           // of a card with UseCustomCode whose codes are not deposited
	OpenID       string `json:"openid,omitempty"`         // the only person who may take it; of a card with BindOpenID
	IsUniqueCode bool   `json:"is_unique_code,omitempty"` // it hands out one card, and cannot be scanned again after
	OuterID      int    `json:"outer_id,omitempty"`       // the older form of OuterStr
	OuterStr     string `json:"outer_str,omitempty"`      // comes back in the events about the card
}

// CardQRCodeList is up to five cards that a QR code hands out together.
type CardQRCodeList struct {
	CardList []CardQRCodeItem `json:"card_list"`
}

// CardQRCodeInfo has the branch that goes with the action.
type CardQRCodeInfo struct {
	Card         *CardQRCodeItem `json:"card,omitempty"`
	MultipleCard *CardQRCodeList `json:"multiple_card,omitempty"`
}

// CreateCardQRCodeRequest says what the code hands out.
type CreateCardQRCodeRequest struct {
	ActionName    CardQRCodeAction `json:"action_name"`
	ExpireSeconds int              `json:"expire_seconds,omitempty"` // 60 to 1800; 0: a year
	ActionInfo    CardQRCodeInfo   `json:"action_info"`
}

// CreateCardQRCodeReply is a QR code.
type CreateCardQRCodeReply struct {
	Ticket        string `json:"ticket"` // ShowQRCode makes a picture of it
	ExpireSeconds int    `json:"expire_seconds"`
	URL           string `json:"url"`             // what the code says
	ShowQRCodeURL string `json:"show_qrcode_url"` // the picture; empty for MultipleCardQRCode
}

var createCardQRCode = wechat.Endpoint[CreateCardQRCodeRequest, CreateCardQRCodeReply]{
	Name: "CreateCardQRCode", Pattern: "POST /card/qrcode/create",
	Effect: wechat.EffectCreate,
}

// CreateCardQRCode makes a QR code that hands out cards to those who scan it. 40073 means that there is no such card.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Distributing_Coupons_Vouchers_and_Cards.html
func (c *Client) CreateCardQRCode(ctx context.Context, r *CreateCardQRCodeRequest) (*CreateCardQRCodeReply, error) {
	return createCardQRCode.Do(ctx, c.caller, r)
}

// CardScene is where the link of a landing page is put.
type CardScene string

// The scenes of landing pages.
const (
	CardSceneNearby  CardScene = "SCENE_NEAR_BY"
	CardSceneMenu    CardScene = "SCENE_MENU"
	CardSceneQRCode  CardScene = "SCENE_QRCODE"
	CardSceneArticle CardScene = "SCENE_ARTICLE"
	CardSceneH5      CardScene = "SCENE_H5"
	CardSceneIVR     CardScene = "SCENE_IVR" // an automatic reply
	CardSceneCell    CardScene = "SCENE_CARD_CUSTOM_CELL"
)

// CardLandingPageItem is a card on a landing page.
type CardLandingPageItem struct {
	CardID   string `json:"card_id"`
	ThumbURL string `json:"thumb_url"`
}

// CreateCardLandingPageRequest is a page of cards.
type CreateCardLandingPageRequest struct {
	Banner    string                `json:"banner"` // a picture of UploadArticleImage, 640 by 300
	PageTitle string                `json:"page_title"`
	CanShare  bool                  `json:"can_share"`
	Scene     CardScene             `json:"scene"`
	CardList  []CardLandingPageItem `json:"card_list"`
}

// CreateCardLandingPageReply is where the page stands.
type CreateCardLandingPageReply struct {
	URL    string `json:"url"`
	PageID int64  `json:"page_id"`
}

var createCardLandingPage = wechat.Endpoint[CreateCardLandingPageRequest, CreateCardLandingPageReply]{
	Name: "CreateCardLandingPage", Pattern: "POST /card/landingpage/create",
	Effect: wechat.EffectCreate,
}

// CreateCardLandingPage makes a page that lists cards to take.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Distributing_Coupons_Vouchers_and_Cards.html
func (c *Client) CreateCardLandingPage(ctx context.Context, r *CreateCardLandingPageRequest) (*CreateCardLandingPageReply, error) {
	return createCardLandingPage.Do(ctx, c.caller, r)
}

// GetCardArticleHTMLReply has the markup.
type GetCardArticleHTMLReply struct {
	Content string `json:"content"` // for the content of an article
}

var getCardArticleHTML = wechat.Endpoint[CardID, GetCardArticleHTMLReply]{
	Name: "GetCardArticleHTML", Pattern: "POST /card/mpnews/gethtml",
	Effect: wechat.EffectRead,
}

// GetCardArticleHTML reads the markup that shows a card in an article. A card with codes of the account's own needs
// DepositCardCodes before. 40073 means that there is no such card.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Distributing_Coupons_Vouchers_and_Cards.html
func (c *Client) GetCardArticleHTML(ctx context.Context, r *CardID) (*GetCardArticleHTMLReply, error) {
	return getCardArticleHTML.Do(ctx, c.caller, r)
}

// SetCardTestWhitelistRequest names up to ten people in both lists together.
type SetCardTestWhitelistRequest struct {
	OpenID   []string `json:"openid,omitempty"`
	Username []string `json:"username,omitempty"` // WeChat ids
}

var setCardTestWhitelist = wechat.Endpoint[SetCardTestWhitelistRequest, wechat.None]{
	Name: "SetCardTestWhitelist", Pattern: "POST /card/testwhitelist/set",
	Effect: wechat.EffectSet,
}

// SetCardTestWhitelist replaces the whole list of people who may take cards that are still under review. 43010 means
// that the account has no right to do so.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Distributing_Coupons_Vouchers_and_Cards.html
func (c *Client) SetCardTestWhitelist(ctx context.Context, r *SetCardTestWhitelistRequest) error {
	return setCardTestWhitelist.Exec(ctx, c.caller, r)
}

// SetCardPayCellRequest turns paying at a card on or off.
type SetCardPayCellRequest struct {
	CardID string `json:"card_id"`
	IsOpen bool   `json:"is_open"`
}

var setCardPayCell = wechat.Endpoint[SetCardPayCellRequest, wechat.None]{
	Name: "SetCardPayCell", Pattern: "POST /card/paycell/set",
	Effect: wechat.EffectSet,
}

// SetCardPayCell turns the button on or off with which the holder of a card pays (买单). 40073 means that there is no
// such card.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Cards_and_Offer/Create_a_Coupon_Voucher_or_Card.html
func (c *Client) SetCardPayCell(ctx context.Context, r *SetCardPayCellRequest) error {
	return setCardPayCell.Exec(ctx, c.caller, r)
}

// SetCardSelfConsumeCellRequest turns redeeming by the holder on or off.
type SetCardSelfConsumeCellRequest struct {
	CardID           string `json:"card_id"`
	IsOpen           bool   `json:"is_open"`
	NeedVerifyCode   bool   `json:"need_verify_cod,omitempty"` // the key has no last e; the holder has to type a code
	NeedRemarkAmount bool   `json:"need_remark_amount,omitempty"`
}

var setCardSelfConsumeCell = wechat.Endpoint[SetCardSelfConsumeCellRequest, wechat.None]{
	Name: "SetCardSelfConsumeCell", Pattern: "POST /card/selfconsumecell/set",
	Effect: wechat.EffectSet,
}

// SetCardSelfConsumeCell turns the button on or off with which the holder redeems a card alone (自助核销). 40073 means
// that there is no such card.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Cards_and_Offer/Create_a_Coupon_Voucher_or_Card.html
func (c *Client) SetCardSelfConsumeCell(ctx context.Context, r *SetCardSelfConsumeCellRequest) error {
	return setCardSelfConsumeCell.Exec(ctx, c.caller, r)
}

package officialaccount

import (
	"context"
	"iter"
	"time"

	"github.com/seed175cf469/wechat"
)

// CardType is a kind of card. The branch of a Card that goes with it has its name in lower case.
type CardType string

// The card types.
const (
	CardGroupon       CardType = "GROUPON"        // a deal paid in advance (团购券)
	CardCash          CardType = "CASH"           // a fixed reduction (代金券)
	CardDiscount      CardType = "DISCOUNT"       // a reduction in percent (折扣券)
	CardGift          CardType = "GIFT"           // an exchange for a thing (兑换券)
	CardGeneralCoupon CardType = "GENERAL_COUPON" // anything else (优惠券)
	CardMember        CardType = "MEMBER_CARD"
)

// CardCodeType is how a card shows its code.
type CardCodeType string

// The ways to show a code.
const (
	CardCodeText        CardCodeType = "CODE_TYPE_TEXT"
	CardCodeBarcode     CardCodeType = "CODE_TYPE_BARCODE"      // with the text
	CardCodeQRCode      CardCodeType = "CODE_TYPE_QRCODE"       // with the text
	CardCodeOnlyBarcode CardCodeType = "CODE_TYPE_ONLY_BARCODE" // without the text
	CardCodeOnlyQRCode  CardCodeType = "CODE_TYPE_ONLY_QRCODE"  // without the text
	CardCodeNone        CardCodeType = "CODE_TYPE_NONE"         // redeemed online only
)

// CardDateType is how the validity of a card is counted.
type CardDateType string

// The kinds of validity.
const (
	CardDateRange     CardDateType = "DATE_TYPE_FIX_TIME_RANGE"
	CardDateTerm      CardDateType = "DATE_TYPE_FIX_TERM" // from the day it is taken
	CardDatePermanent CardDateType = "DATE_TYPE_PERMANENT"
)

// CardDateInfo says when a card is valid. CardValidBetween, CardValidFor and CardValidForever make one.
type CardDateInfo struct {
	Type           CardDateType `json:"type"`
	BeginTimestamp int64        `json:"begin_timestamp,omitempty"` // of CardDateRange
	EndTimestamp   int64        `json:"end_timestamp,omitempty"`   // of CardDateRange; of CardDateTerm: the last day of all
	FixedTerm      int          `json:"fixed_term,omitempty"`      // of CardDateTerm, in days
	// FixedBeginTerm is how many days after it is taken a card of CardDateTerm begins to be valid. Zero, the same
	// day, is sent too.
	FixedBeginTerm *int `json:"fixed_begin_term,omitempty"`
}

// CardValidBetween makes a card valid from begin to end.
func CardValidBetween(begin, end time.Time) CardDateInfo {
	return CardDateInfo{Type: CardDateRange, BeginTimestamp: begin.Unix(), EndTimestamp: end.Unix()}
}

// CardValidFor makes a card valid for some days, which begin a number of days after it is taken; 0: at once.
func CardValidFor(days, after int) CardDateInfo {
	return CardDateInfo{Type: CardDateTerm, FixedTerm: days, FixedBeginTerm: &after}
}

// CardValidForever makes a card valid without an end.
func CardValidForever() CardDateInfo { return CardDateInfo{Type: CardDatePermanent} }

// CardSKU is how many cards can be taken.
type CardSKU struct {
	Quantity int `json:"quantity"`
}

// CardCenter is the button in the middle of a card.
type CardCenter struct {
	CenterTitle    string `json:"center_title,omitempty"`
	CenterSubTitle string `json:"center_sub_title,omitempty"`
	CenterURL      string `json:"center_url,omitempty"`
}

// CardLinks are the two entrances below a card. When one is opened, card_id and encrypt_code are added to the
// link; DecryptCardCode makes a code of the latter.
type CardLinks struct {
	CustomURLName        string `json:"custom_url_name,omitempty"` // at most 5 Chinese characters
	CustomURL            string `json:"custom_url,omitempty"`
	CustomURLSubTitle    string `json:"custom_url_sub_title,omitempty"`
	PromotionURLName     string `json:"promotion_url_name,omitempty"`
	PromotionURL         string `json:"promotion_url,omitempty"`
	PromotionURLSubTitle string `json:"promotion_url_sub_title,omitempty"`
}

// CardPayInfo turns on paying by the card's code.
type CardPayInfo struct {
	SwipeCard *CardSwipe `json:"swipe_card,omitempty"`
}

// CardSwipe is paying by the card's code.
type CardSwipe struct {
	IsSwipeCard bool `json:"is_swipe_card,omitempty"`
}

// CardMerchant is the sub-merchant that a card is made for.
type CardMerchant struct {
	MerchantID int64 `json:"merchant_id,omitempty"`
}

// CardCodesDeposited as GetCustomCodeMode makes the platform hand out the codes of DepositCardCodes.
const CardCodesDeposited = "GET_CUSTOM_CODE_MODE_DEPOSIT"

// CardBaseInfo is what all kinds of cards have. The AppBrand fields name mini programs: the user name is its
// original id with @app, as in "gh_...@app", the pass a page.
type CardBaseInfo struct {
	LogoURL           string       `json:"logo_url"` // of UploadArticleImage
	CodeType          CardCodeType `json:"code_type"`
	BrandName         string       `json:"brand_name"`
	Title             string       `json:"title"`
	Color             string       `json:"color"`       // "Color010" to "Color102"
	Notice            string       `json:"notice"`      // what to do with the card at the till
	Description       string       `json:"description"` // terms of use; may have line breaks
	SKU               CardSKU      `json:"sku"`
	DateInfo          CardDateInfo `json:"date_info"`
	UseCustomCode     bool         `json:"use_custom_code,omitempty"`      // the codes are the account's own
	GetCustomCodeMode string       `json:"get_custom_code_mode,omitempty"` // CardCodesDeposited
	BindOpenID        bool         `json:"bind_openid,omitempty"`          // each card is for one person only
	ServicePhone      string       `json:"service_phone,omitempty"`
	LocationIDList    []int64      `json:"location_id_list,omitempty"` // stores, by poi_id
	UseAllLocations   bool         `json:"use_all_locations,omitempty"`
	CardCenter
	CenterAppBrandUserName    string `json:"center_app_brand_user_name,omitempty"`
	CenterAppBrandPass        string `json:"center_app_brand_pass,omitempty"`
	CustomAppBrandUserName    string `json:"custom_app_brand_user_name,omitempty"`
	CustomAppBrandPass        string `json:"custom_app_brand_pass,omitempty"`
	PromotionAppBrandUserName string `json:"promotion_app_brand_user_name,omitempty"`
	PromotionAppBrandPass     string `json:"promotion_app_brand_pass,omitempty"`
	CardLinks
	GetLimit int `json:"get_limit,omitempty"` // how many a person may take
	UseLimit int `json:"use_limit,omitempty"` // how many a person may redeem
	// CanShare and CanGiveFriend can be turned off with a false, which differs from leaving them to the platform.
	CanShare        *bool         `json:"can_share,omitempty"`
	CanGiveFriend   *bool         `json:"can_give_friend,omitempty"`
	NeedPushOnView  bool          `json:"need_push_on_view,omitempty"` // a user_view_card event comes when it is looked at
	PayInfo         *CardPayInfo  `json:"pay_info,omitempty"`
	IsPayAndQRCode  bool          `json:"is_pay_and_qrcode,omitempty"`
	SubMerchantInfo *CardMerchant `json:"sub_merchant_info,omitempty"`
}

// CardAdvancedInfo is what cards can have beside CardBaseInfo.
type CardAdvancedInfo struct {
	UseCondition    *CardUseCondition `json:"use_condition,omitempty"`
	Abstract        *CardAbstract     `json:"abstract,omitempty"`
	TextImageList   []CardTextImage   `json:"text_image_list,omitempty"`
	BusinessService []string          `json:"business_service,omitempty"` // "BIZ_SERVICE_DELIVER", "BIZ_SERVICE_FREE_WIFI" ...
	TimeLimit       []CardTimeLimit   `json:"time_limit,omitempty"`
	ShareFriends    bool              `json:"share_friends,omitempty"`
}

// CardUseCondition says what a card is good for.
type CardUseCondition struct {
	AcceptCategory string `json:"accept_category,omitempty"` // of CardCash
	RejectCategory string `json:"reject_category,omitempty"` // of CardCash
	LeastCost      int    `json:"least_cost,omitempty"`      // in cents
	ObjectUseFor   string `json:"object_use_for,omitempty"`  // of CardGift
	// CanUseWithOtherDiscount false adds to the terms that the card is not good together with others.
	CanUseWithOtherDiscount *bool `json:"can_use_with_other_discount,omitempty"`
}

// CardAbstract is the cover of a card.
type CardAbstract struct {
	Abstract    string   `json:"abstract,omitempty"`
	IconURLList []string `json:"icon_url_list,omitempty"` // a list, though one picture is all that is shown
}

// CardTextImage is a picture with a text in the details of a card.
type CardTextImage struct {
	ImageURL string `json:"image_url,omitempty"`
	Text     string `json:"text,omitempty"`
}

// CardTimeLimit is when a card may be used. It is shown and not enforced.
type CardTimeLimit struct {
	Type        string `json:"type,omitempty"` // "MONDAY" to "SUNDAY", or "HOLIDAY"
	BeginHour   int    `json:"begin_hour,omitempty"`
	BeginMinute int    `json:"begin_minute,omitempty"`
	EndHour     int    `json:"end_hour,omitempty"`
	EndMinute   int    `json:"end_minute,omitempty"`
}

// Groupon is the branch of CardGroupon.
type Groupon struct {
	BaseInfo     CardBaseInfo      `json:"base_info"`
	AdvancedInfo *CardAdvancedInfo `json:"advanced_info,omitempty"`
	DealDetail   string            `json:"deal_detail"`
}

// CashCoupon is the branch of CardCash.
type CashCoupon struct {
	BaseInfo     CardBaseInfo      `json:"base_info"`
	AdvancedInfo *CardAdvancedInfo `json:"advanced_info,omitempty"`
	LeastCost    int               `json:"least_cost,omitempty"` // in cents
	ReduceCost   int               `json:"reduce_cost"`          // in cents
}

// DiscountCoupon is the branch of CardDiscount.
type DiscountCoupon struct {
	BaseInfo     CardBaseInfo      `json:"base_info"`
	AdvancedInfo *CardAdvancedInfo `json:"advanced_info,omitempty"`
	Discount     int               `json:"discount"` // what is taken off, in percent: 30 leaves 70% of the price
}

// GiftCoupon is the branch of CardGift.
type GiftCoupon struct {
	BaseInfo     CardBaseInfo      `json:"base_info"`
	AdvancedInfo *CardAdvancedInfo `json:"advanced_info,omitempty"`
	Gift         string            `json:"gift"`
}

// GeneralCoupon is the branch of CardGeneralCoupon.
type GeneralCoupon struct {
	BaseInfo      CardBaseInfo      `json:"base_info"`
	AdvancedInfo  *CardAdvancedInfo `json:"advanced_info,omitempty"`
	DefaultDetail string            `json:"default_detail"`
}

// Card is a card template. The branch of its CardType is set, and no other.
type Card struct {
	CardType      CardType        `json:"card_type"`
	Groupon       *Groupon        `json:"groupon,omitempty"`
	Cash          *CashCoupon     `json:"cash,omitempty"`
	Discount      *DiscountCoupon `json:"discount,omitempty"`
	Gift          *GiftCoupon     `json:"gift,omitempty"`
	GeneralCoupon *GeneralCoupon  `json:"general_coupon,omitempty"`
	MemberCard    *MemberCard     `json:"member_card,omitempty"`
}

// CreateCardRequest has the card to create.
type CreateCardRequest struct {
	Card Card `json:"card"`
}

// CardID names a card template.
type CardID struct {
	CardID string `json:"card_id"`
}

var createCard = wechat.Endpoint[CreateCardRequest, CardID]{
	Name: "CreateCard", Pattern: "POST /card/create",
	Effect: wechat.EffectCreate,
}

// CreateCard creates a card template. It is reviewed before it can be handed out: a card_pass_check or
// card_not_pass_check event tells the outcome, and SetCardTestWhitelist lets some people take it before.
//
// 45030 means that the account has no right to cards, 43009 and 43010 that it may not use its own codes, 45031
// that there is no stock, 40109 that there are too many codes, 40053 and 40127 that a field is wrong.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/Cards_and_Offer/Create_a_Coupon_Voucher_or_Card.html
func (c *Client) CreateCard(ctx context.Context, r *CreateCardRequest) (*CardID, error) {
	return createCard.Do(ctx, c.caller, r)
}

// CardStatus is where a card template stands.
type CardStatus string

// The states of card templates.
const (
	CardNotVerified  CardStatus = "CARD_STATUS_NOT_VERIFY" // under review
	CardVerifyFailed CardStatus = "CARD_STATUS_VERIFY_FAIL"
	CardVerified     CardStatus = "CARD_STATUS_VERIFY_OK"
	CardDeleted      CardStatus = "CARD_STATUS_DELETE"
	CardDispatched   CardStatus = "CARD_STATUS_DISPATCH" // has been handed out from the web console
)

// CardStock is the stock of a card template.
type CardStock struct {
	Quantity      int `json:"quantity"` // that are left
	TotalQuantity int `json:"total_quantity"`
}

// StoredCardBaseInfo is a CardBaseInfo as the platform keeps it. Its SKU takes the place of the embedded one.
type StoredCardBaseInfo struct {
	CardBaseInfo
	ID         string     `json:"id"` // the card id
	Status     CardStatus `json:"status"`
	CreateTime int64      `json:"create_time"`
	UpdateTime int64      `json:"update_time"`
	SKU        CardStock  `json:"sku"`
}

// StoredGroupon is a Groupon as the platform keeps it. As in all the Stored types of cards, its BaseInfo takes the
// place of the embedded one.
type StoredGroupon struct {
	Groupon
	BaseInfo StoredCardBaseInfo `json:"base_info"`
}

// StoredCashCoupon is a CashCoupon as the platform keeps it.
type StoredCashCoupon struct {
	CashCoupon
	BaseInfo StoredCardBaseInfo `json:"base_info"`
}

// StoredDiscountCoupon is a DiscountCoupon as the platform keeps it.
type StoredDiscountCoupon struct {
	DiscountCoupon
	BaseInfo StoredCardBaseInfo `json:"base_info"`
}

// StoredGiftCoupon is a GiftCoupon as the platform keeps it.
type StoredGiftCoupon struct {
	GiftCoupon
	BaseInfo StoredCardBaseInfo `json:"base_info"`
}

// StoredGeneralCoupon is a GeneralCoupon as the platform keeps it.
type StoredGeneralCoupon struct {
	GeneralCoupon
	BaseInfo StoredCardBaseInfo `json:"base_info"`
}

// StoredMemberCard is a MemberCard as the platform keeps it.
type StoredMemberCard struct {
	MemberCard
	BaseInfo StoredCardBaseInfo `json:"base_info"`
}

// StoredCard is a card template as the platform keeps it. The branch of its CardType is there, the others are nil.
type StoredCard struct {
	CardType      CardType              `json:"card_type"`
	Groupon       *StoredGroupon        `json:"groupon"`
	Cash          *StoredCashCoupon     `json:"cash"`
	Discount      *StoredDiscountCoupon `json:"discount"`
	Gift          *StoredGiftCoupon     `json:"gift"`
	GeneralCoupon *StoredGeneralCoupon  `json:"general_coupon"`
	MemberCard    *StoredMemberCard     `json:"member_card"`
}

// BaseInfo is that of the branch that is there; nil for a type that the package does not know.
func (c *StoredCard) BaseInfo() *StoredCardBaseInfo {
	switch {
	case c.Groupon != nil:
		return &c.Groupon.BaseInfo
	case c.Cash != nil:
		return &c.Cash.BaseInfo
	case c.Discount != nil:
		return &c.Discount.BaseInfo
	case c.Gift != nil:
		return &c.Gift.BaseInfo
	case c.GeneralCoupon != nil:
		return &c.GeneralCoupon.BaseInfo
	case c.MemberCard != nil:
		return &c.MemberCard.BaseInfo
	}
	return nil
}

// GetCardReply has a card template.
type GetCardReply struct {
	Card StoredCard `json:"card"`
}

var getCard = wechat.Endpoint[CardID, GetCardReply]{
	Name: "GetCard", Pattern: "POST /card/get",
	Effect: wechat.EffectRead,
}

// GetCard reads a card template. 40073 means that there is none with this id.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Managing_Coupons_Vouchers_and_Cards.html
func (c *Client) GetCard(ctx context.Context, r *CardID) (*GetCardReply, error) {
	return getCard.Do(ctx, c.caller, r)
}

// ListCardsRequest asks for one page.
type ListCardsRequest struct {
	Offset     int          `json:"offset"`                // counts from 0
	Count      int          `json:"count"`                 // at most 50 (40074)
	StatusList []CardStatus `json:"status_list,omitempty"` // none: all
}

// ListCardsReply is one page.
type ListCardsReply struct {
	CardIDList []string `json:"card_id_list"`
	TotalNum   int      `json:"total_num"` // in all pages
}

var listCards = wechat.Endpoint[ListCardsRequest, ListCardsReply]{
	Name: "ListCards", Pattern: "POST /card/batchget",
	Effect: wechat.EffectRead,
}

// ListCards returns a page of the ids of the account's card templates.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Managing_Coupons_Vouchers_and_Cards.html
func (c *Client) ListCards(ctx context.Context, r *ListCardsRequest) (*ListCardsReply, error) {
	return listCards.Do(ctx, c.caller, r)
}

// AllCards walks the ids of the card templates in some states, or of all.
func (c *Client) AllCards(ctx context.Context, status ...CardStatus) iter.Seq2[string, error] {
	return offsets(ctx, func(ctx context.Context, offset int) ([]string, int, error) {
		page, err := c.ListCards(ctx, &ListCardsRequest{Offset: offset, Count: 50, StatusList: status})
		if err != nil {
			return nil, 0, err
		}
		return page.CardIDList, page.TotalNum, nil
	})
}

// CardDateUpdate is a new validity. A range can be made longer only.
type CardDateUpdate struct {
	Type           CardDateType `json:"type,omitempty"`
	BeginTimestamp int64        `json:"begin_timestamp,omitempty"`
	EndTimestamp   int64        `json:"end_timestamp,omitempty"`
}

// CardBaseInfoUpdate has the fields of CardBaseInfo that can be changed. What is empty or nil stays as it is.
type CardBaseInfoUpdate struct {
	LogoURL         string       `json:"logo_url,omitempty"`
	Notice          string       `json:"notice,omitempty"`
	Description     string       `json:"description,omitempty"`
	ServicePhone    string       `json:"service_phone,omitempty"`
	Color           string       `json:"color,omitempty"`
	Title           string       `json:"title,omitempty"`
	CodeType        CardCodeType `json:"code_type,omitempty"`
	LocationIDList  []int64      `json:"location_id_list,omitempty"`
	UseAllLocations *bool        `json:"use_all_locations,omitempty"`
	CardCenter
	CardLinks
	GetLimit       int             `json:"get_limit,omitempty"`
	CanShare       *bool           `json:"can_share,omitempty"`
	CanGiveFriend  *bool           `json:"can_give_friend,omitempty"`
	IsPayAndQRCode *bool           `json:"is_pay_and_qrcode,omitempty"`
	PayInfo        *CardPayInfo    `json:"pay_info,omitempty"`
	DateInfo       *CardDateUpdate `json:"date_info,omitempty"`
}

// CardUpdate is the branch of a card to change.
type CardUpdate struct {
	BaseInfo *CardBaseInfoUpdate `json:"base_info,omitempty"`
}

// UpdateCardRequest names a card template and has the branch of its type, which has no "card" around it here.
type UpdateCardRequest struct {
	CardID        string            `json:"card_id"`
	Groupon       *CardUpdate       `json:"groupon,omitempty"`
	Cash          *CardUpdate       `json:"cash,omitempty"`
	Discount      *CardUpdate       `json:"discount,omitempty"`
	Gift          *CardUpdate       `json:"gift,omitempty"`
	GeneralCoupon *CardUpdate       `json:"general_coupon,omitempty"`
	MemberCard    *MemberCardUpdate `json:"member_card,omitempty"`
}

// UpdateCardReply tells whether the change is reviewed.
type UpdateCardReply struct {
	SendCheck bool `json:"send_check"` // it takes effect after a review
}

var updateCard = wechat.Endpoint[UpdateCardRequest, UpdateCardReply]{
	Name: "UpdateCard", Pattern: "POST /card/update",
	Effect: wechat.EffectSet,
}

// UpdateCard changes a card template. 40073 means that there is none with this id.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Managing_Coupons_Vouchers_and_Cards.html
func (c *Client) UpdateCard(ctx context.Context, r *UpdateCardRequest) (*UpdateCardReply, error) {
	return updateCard.Do(ctx, c.caller, r)
}

// ModifyCardStockRequest says how many cards are added or taken away: one of the two.
type ModifyCardStockRequest struct {
	CardID             string `json:"card_id"`
	IncreaseStockValue int    `json:"increase_stock_value,omitempty"`
	ReduceStockValue   int    `json:"reduce_stock_value,omitempty"`
}

var modifyCardStock = wechat.Endpoint[ModifyCardStockRequest, wechat.None]{
	Name: "ModifyCardStock", Pattern: "POST /card/modifystock",
	Effect: wechat.EffectCreate,
}

// ModifyCardStock adds to a stock or takes from it. The numbers are relative, so that a second call counts again: when
// the outcome of one is unknown, GetCard tells the stock. 40073 means that there is no such card, 45031 that the
// stock does not have as many.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Managing_Coupons_Vouchers_and_Cards.html
func (c *Client) ModifyCardStock(ctx context.Context, r *ModifyCardStockRequest) error {
	return modifyCardStock.Exec(ctx, c.caller, r)
}

var deleteCard = wechat.Endpoint[CardID, wechat.None]{
	Name: "DeleteCard", Pattern: "POST /card/delete",
	Effect: wechat.EffectSet,
}

// DeleteCard deletes a card template, so that nobody can take it any more. Cards that people have already stay
// valid. 40073 means that there is none with this id.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/card/Managing_Coupons_Vouchers_and_Cards.html
func (c *Client) DeleteCard(ctx context.Context, r *CardID) error {
	return deleteCard.Exec(ctx, c.caller, r)
}

package callback

// CardCheck tells what became of a new card: card_pass_check, card_not_pass_check.
type CardCheck struct {
	Header
	CardID       string `wx:"CardId"`
	RefuseReason string
}

// UserGetCard says that somebody took a card.
type UserGetCard struct {
	Header
	CardID              string `wx:"CardId"`
	IsGiveByFriend      int64
	FriendUserName      string
	UserCardCode        string
	OldUserCardCode     string
	OuterStr            string
	IsRestoreMemberCard int64
	UnionID             string `wx:"UnionId"`
}

// UserGiftingCard says that somebody gives a card away.
type UserGiftingCard struct {
	Header
	CardID         string `wx:"CardId"`
	UserCardCode   string
	IsReturnBack   int64
	FriendUserName string
	IsChatRoom     int64
}

// UserConsumeCard says that a card was used.
type UserConsumeCard struct {
	Header
	CardID        string `wx:"CardId"`
	UserCardCode  string
	ConsumeSource string
	LocationName  string
	StaffOpenID   string `wx:"StaffOpenId"`
	VerifyCode    string
	RemarkAmount  string
	OuterStr      string
}

// UserPayFromPayCell says that somebody paid with a card.
type UserPayFromPayCell struct {
	Header
	CardID       string `wx:"CardId"`
	UserCardCode string
	TransID      string `wx:"TransId"`
	LocationID   int64  `wx:"LocationId"`
	Fee          int64  // cents
	OriginalFee  int64  // cents
}

// UserCard says that somebody looked at a card, deleted it, or came from it to the account: user_view_card,
// user_del_card, user_enter_session_from_card.
type UserCard struct {
	Header
	CardID       string `wx:"CardId"`
	UserCardCode string
	OuterStr     string
}

// UpdateMemberCard says that points or money on a member's card changed.
type UpdateMemberCard struct {
	Header
	CardID        string `wx:"CardId"`
	UserCardCode  string
	ModifyBonus   int64
	ModifyBalance int64
}

// CardSKURemind says that few cards are left.
type CardSKURemind struct {
	Header
	CardID string `wx:"CardId"`
	Detail string
}

// CardPayOrder says that the account's stock of paid cards changed.
type CardPayOrder struct {
	Header
	OrderID         string `wx:"OrderId"`
	Status          string
	CreateOrderTime int64
	PayFinishTime   int64
	Desc            string
	FreeCoinCount   string
	PayCoinCount    string
	RefundFreeCount string `wx:"RefundFreeCoinCount"`
	RefundPayCount  string `wx:"RefundPayCoinCount"`
	OrderType       string
	Memo            string
	ReceiptInfo     string
}

// SubmitMemberCardUserInfo says that somebody has given what activates a member's card.
type SubmitMemberCardUserInfo struct {
	Header
	CardID       string `wx:"CardId"`
	UserCardCode string
}

// MerchantOrder says that somebody paid an order in the account's shop.
type MerchantOrder struct {
	Header
	OrderID     string `wx:"OrderId"`
	OrderStatus int64
	ProductID   string `wx:"ProductId"`
	SkuInfo     string
}

func cardKinds() []kind {
	return []kind{
		of[CardCheck]("event/card_pass_check", "event/card_not_pass_check"),
		of[UserGetCard]("event/user_get_card"),
		of[UserGiftingCard]("event/user_gifting_card"),
		of[UserConsumeCard]("event/user_consume_card"),
		of[UserPayFromPayCell]("event/user_pay_from_pay_cell"),
		of[UserCard]("event/user_view_card", "event/user_del_card", "event/user_enter_session_from_card"),
		of[UpdateMemberCard]("event/update_member_card"),
		of[CardSKURemind]("event/card_sku_remind"),
		of[CardPayOrder]("event/card_pay_order"),
		of[SubmitMemberCardUserInfo]("event/submit_membercard_user_info"),
		of[MerchantOrder]("event/merchant_order"),
	}
}

package callback

// UserEnterTempSession says that somebody opened customer service in the mini program.
type UserEnterTempSession struct {
	Header
	SessionFrom string
}

// WxaMediaCheck is what an asynchronous check of a picture or a recording found.
type WxaMediaCheck struct {
	Header
	AppID   string             `wx:"appid"`
	TraceID string             `wx:"trace_id"`
	Version int64              `wx:"version"`
	ErrCode int64              `wx:"errcode"` // -1008: it could not be downloaded
	ErrMsg  string             `wx:"errmsg"`
	Detail  []MediaCheckDetail `wx:"detail"`
	Result  MediaCheckResult   `wx:"result"`
}

// MediaCheckDetail is what one strategy found.
type MediaCheckDetail struct {
	Strategy string `wx:"strategy"`
	ErrCode  int64  `wx:"errcode"`
	Suggest  string `wx:"suggest"`
	Label    int64  `wx:"label"`
	Prob     int64  `wx:"prob"` // 0 to 100
}

// MediaCheckResult is the verdict.
type MediaCheckResult struct {
	Suggest string `wx:"suggest"` // pass, review, risky
	Label   int64  `wx:"label"`
}

// WeappAudit tells what became of the review of a version: weapp_audit_success, weapp_audit_fail, weapp_audit_delay.
type WeappAudit struct {
	Header
	SuccTime   int64
	FailTime   int64
	DelayTime  int64
	Reason     string
	ScreenShot string // media ids, separated by |
}

// WxaNicknameAudit tells what became of the review of a name.
type WxaNicknameAudit struct {
	Header
	Ret      int64  `wx:"ret"` // 2 refused, 3 passed
	Nickname string `wx:"nickname"`
	Reason   string `wx:"reason"`
}

// WxaIllegalRecord says that the mini program was punished.
type WxaIllegalRecord struct {
	Header
	IllegalRecordID string `wx:"illegal_record_id"`
	IllegalTime     int64  `wx:"create_time"`
	IllegalReason   string `wx:"illegal_reason"`
	IllegalContent  string `wx:"illegal_content"`
	RuleURL         string `wx:"rule_url"`
	RuleName        string `wx:"rule_name"`
}

// WxaAppealRecord tells what became of an appeal.
type WxaAppealRecord struct {
	Header
	AppealRecordID    string `wx:"appeal_record_id"`
	AppealTime        int64  `wx:"appeal_time"`
	AppealCount       int64  `wx:"appeal_count"`
	AppealFrom        int64  `wx:"appeal_from"`
	AppealStatus      int64  `wx:"appeal_status"`
	AuditTime         int64  `wx:"audit_time"`
	AuditReason       string `wx:"audit_reason"`
	PunishDescription string `wx:"punish_description"`
}

// WxaPrivacyApply tells what became of an application for a private interface.
type WxaPrivacyApply struct {
	Header
	Result WxaPrivacyResult `wx:"result_info"`
}

// WxaPrivacyResult is what became of it.
type WxaPrivacyResult struct {
	APIName   string `wx:"api_name"`
	ApplyTime int64  `wx:"apply_time"`
	AuditID   string `wx:"audit_id"`
	AuditTime int64  `wx:"audit_time"`
	Reason    string `wx:"reason"`
	Status    int64  `wx:"status"`
}

// WxaCategoryAudit tells what became of the review of a category.
type WxaCategoryAudit struct {
	Header
	Ret    int64  `wx:"ret"` // 2 refused, 3 passed
	First  int64  `wx:"first"`
	Second int64  `wx:"second"`
	Reason string `wx:"reason"`
}

// TradeManageRemindAccessAPI asks to connect the shipping interface.
type TradeManageRemindAccessAPI struct {
	Header
	Msg string `wx:"msg"`
}

// TradeManageRemindShipping says that an order is due to be shipped.
type TradeManageRemindShipping struct {
	Header
	TransactionID   string `wx:"transaction_id"`
	MerchantID      string `wx:"merchant_id"`
	SubMerchantID   string `wx:"sub_merchant_id"`
	MerchantTradeNo string `wx:"merchant_trade_no"`
	PayTime         int64  `wx:"pay_time"`
	Msg             string `wx:"msg"`
}

// TradeManageOrderSettlement says that an order is about to be, or was, settled.
type TradeManageOrderSettlement struct {
	Header
	TransactionID           string `wx:"transaction_id"`
	MerchantID              string `wx:"merchant_id"`
	SubMerchantID           string `wx:"sub_merchant_id"`
	MerchantTradeNo         string `wx:"merchant_trade_no"`
	PayTime                 int64  `wx:"pay_time"`
	ShippedTime             int64  `wx:"shipped_time"`
	EstimatedSettlementTime int64  `wx:"estimated_settlement_time"`
	ConfirmReceiveMethod    int64  `wx:"confirm_receive_method"` // 1 automatic, 2 by the buyer
	ConfirmReceiveTime      int64  `wx:"confirm_receive_time"`
	SettlementTime          int64  `wx:"settlement_time"`
}

// AddExpressPath tells where a parcel is.
type AddExpressPath struct {
	Header
	DeliveryID string
	WayBillID  string `wx:"WayBillId"`
	OrderID    string `wx:"OrderId"`
	Version    int64
	Count      int64
	Actions    []ExpressAction
}

// ExpressAction is a step of a parcel's way.
type ExpressAction struct {
	ActionTime int64
	ActionType int64
	ActionMsg  string
}

// OpenProductOrderPay says that an order of the shop was paid. Header.Decode reads more of order_info.
type OpenProductOrderPay struct {
	Header
	OrderInfo ProductOrder `wx:"order_info"`
}

// ProductOrder is an order.
type ProductOrder struct {
	OutOrderID    string `wx:"out_order_id"`
	OrderID       string `wx:"order_id"`
	TransactionID string `wx:"transaction_id"`
	PayTime       string `wx:"pay_time"`
	Amount        int64  `wx:"amount"` // cents
}

// XPayGoodsDeliverNotify asks to deliver virtual goods that were paid for. It is answered with a ResultReply.
type XPayGoodsDeliverNotify struct {
	Header
	OpenID        string `wx:"OpenId"`
	OutTradeNo    string
	Env           int64 // 0 real, 1 sandbox
	WeChatPayInfo WeChatPayInfo
	GoodsInfo     XPayGoods
	RetryTimes    int64
}

// WeChatPayInfo is the payment.
type WeChatPayInfo struct {
	MchOrderNo    string
	TransactionID string `wx:"TransactionId"`
	PaidTime      int64
}

// XPayGoods is what was bought.
type XPayGoods struct {
	ProductID   string `wx:"ProductId"`
	Quantity    int64
	OrigPrice   int64 // cents
	ActualPrice int64 // cents
	Attach      string
}

// XPayCoinPayNotify asks to credit coins that were paid for. It is answered with a ResultReply.
type XPayCoinPayNotify struct {
	Header
	OpenID        string `wx:"OpenId"`
	OutTradeNo    string
	Env           int64 // 0 real, 1 sandbox
	WeChatPayInfo WeChatPayInfo
	CoinInfo      XPayCoins
	RetryTimes    int64
}

// XPayCoins are the coins.
type XPayCoins struct {
	Quantity    int64
	OrigPrice   int64 // cents
	ActualPrice int64 // cents
	Attach      string
}

// XPayRefundNotify says that a payment was given back. It is answered with a ResultReply.
type XPayRefundNotify struct {
	Header
	OpenID                 string `wx:"OpenId"`
	WxRefundID             string `wx:"WxRefundId"`
	MchRefundID            string `wx:"MchRefundId"`
	WxOrderID              string `wx:"WxOrderId"`
	MchOrderID             string `wx:"MchOrderId"`
	RefundFee              int64  // cents
	RetCode                int64
	RetMsg                 string
	RefundStartTimestamp   int64
	RefundSuccTimestamp    int64
	WxPayRefundTransaction string `wx:"WxpayRefundTransactionId"`
	RetryTimes             int64
}

// SecVodUpload tells what became of the upload of a video: secvod_upload_event.
type SecVodUpload struct {
	Header
	MediaID       string `wx:"media_id"`
	SourceContext string `wx:"source_context"`
	ErrCode       int64  `wx:"errcode"`
	ErrMsg        string `wx:"errmsg"`
}

// SecVodAudit tells what became of the review of a video: secvod_audit_event.
type SecVodAudit struct {
	Header
	DramaID       string      `wx:"drama_id"`
	MediaID       string      `wx:"media_id"`
	SourceContext string      `wx:"source_context"`
	AuditDetail   AuditDetail `wx:"audit_detail"`
}

// AuditDetail is the review.
type AuditDetail struct {
	Status     int64  `wx:"status"` // 1 under review, 2 refused, 3 passed
	CreateTime int64  `wx:"create_time"`
	AuditTime  int64  `wx:"audit_time"`
	Reason     string `wx:"reason"`
}

// DebugDemo is the test push of the console.
type DebugDemo struct {
	Header
	DebugStr string `wx:"debug_str"`
}

func miniProgramKinds() []kind {
	return []kind{
		of[UserEnterTempSession]("event/user_enter_tempsession"),
		of[WxaMediaCheck]("event/wxa_media_check"),
		of[WeappAudit]("event/weapp_audit_success", "event/weapp_audit_fail", "event/weapp_audit_delay"),
		of[WxaNicknameAudit]("event/wxa_nickname_audit"),
		of[WxaIllegalRecord]("event/wxa_illegal_record"),
		of[WxaAppealRecord]("event/wxa_appeal_record"),
		of[WxaPrivacyApply]("event/wxa_privacy_apply"),
		of[WxaCategoryAudit]("event/wxa_category_audit"),
		of[TradeManageRemindAccessAPI]("event/trade_manage_remind_access_api"),
		of[TradeManageRemindShipping]("event/trade_manage_remind_shipping"),
		of[TradeManageOrderSettlement]("event/trade_manage_order_settlement"),
		of[AddExpressPath]("event/add_express_path"),
		of[OpenProductOrderPay]("event/open_product_order_pay"),
		of[XPayGoodsDeliverNotify]("event/xpay_goods_deliver_notify"),
		of[XPayCoinPayNotify]("event/xpay_coin_pay_notify"),
		of[XPayRefundNotify]("event/xpay_refund_notify"),
		of[SecVodUpload]("event/secvod_upload_event"),
		of[SecVodAudit]("event/secvod_audit_event"),
		of[DebugDemo]("event/debug_demo"),
	}
}

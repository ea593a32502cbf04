package officialaccount

import (
	"context"
	"errors"

	"github.com/seed175cf469/wechat"
)

// NonTaxNoticeType is the kind of a payment notice.
type NonTaxNoticeType int

// The kinds of notices.
const (
	NonTaxPlainNotice NonTaxNoticeType = 1
	NonTaxFineNotice  NonTaxNoticeType = 2
)

// NonTaxItem is a part of what is owed. Money is in cents.
type NonTaxItem struct {
	No       int    `json:"no"` // counts from 1
	ItemID   string `json:"item_id"`
	ItemName string `json:"item_name"`
	Overdue  int64  `json:"overdue,omitempty"` // for paying late
	Penalty  int64  `json:"penalty,omitempty"`
	Fee      int64  `json:"fee"` // with Overdue and Penalty
}

// QueryNonTaxFeeRequest names a notice.
type QueryNonTaxFeeRequest struct {
	ServiceID         int64            `json:"service_id"`
	BankID            string           `json:"bank_id,omitempty"` // empty: the platform chooses one of the account's
	PaymentNoticeNo   string           `json:"payment_notice_no"`
	PaymentNoticeType NonTaxNoticeType `json:"payment_notice_type,omitempty"`
	DepartmentCode    string           `json:"department_code"`
	RegionCode        string           `json:"region_code"`
}

// QueryNonTaxFeeReply is what is owed.
type QueryNonTaxFeeReply struct {
	UserName                string           `json:"user_name"`
	Fee                     int64            `json:"fee"` // in cents
	Items                   []NonTaxItem     `json:"items"`
	PaymentNoticeNo         string           `json:"payment_notice_no"`
	PaymentNoticeType       NonTaxNoticeType `json:"payment_notice_type"`
	PaymentNoticeCreateTime int64            `json:"payment_notice_create_time"`
	PaymentExpireDate       string           `json:"payment_expire_date"` // "20240301"
	DepartmentCode          string           `json:"department_code"`
	DepartmentName          string           `json:"department_name"`
	RegionCode              string           `json:"region_code"`
}

var queryNonTaxFee = wechat.Endpoint[QueryNonTaxFeeRequest, QueryNonTaxFeeReply]{
	Name: "QueryNonTaxFee", Pattern: "POST /nontax/queryfee",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"appid": wechat.ConstAppID},
}

// QueryNonTaxFee reads what is owed on a payment notice (缴费通知书).
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxqueryfee.html
func (c *Client) QueryNonTaxFee(ctx context.Context, r *QueryNonTaxFeeRequest) (*QueryNonTaxFeeReply, error) {
	return queryNonTaxFee.Do(ctx, c.caller, r)
}

// NonTaxBill is what is to be paid, to whom and by whom. It has the number of a notice, or one of the caller's own.
type NonTaxBill struct {
	BankID                  string           `json:"bank_id,omitempty"`      // empty: the platform chooses; needed in the test environment
	BankAccount             string           `json:"bank_account,omitempty"` // where accounts are cleared
	MchID                   string           `json:"mch_id,omitempty"`       // one of the bank's; empty: the platform chooses
	Desc                    string           `json:"desc"`                   // name of the service
	Fee                     int64            `json:"fee"`                    // in cents
	UserName                string           `json:"user_name,omitempty"`
	Items                   []NonTaxItem     `json:"items"`
	PaymentNoticeNo         string           `json:"payment_notice_no,omitempty"`
	PaymentNoticeType       NonTaxNoticeType `json:"payment_notice_type,omitempty"`
	PaymentNoticeCreateTime int64            `json:"payment_notice_create_time"`
	PaymentExpireDate       string           `json:"payment_expire_date,omitempty"` // "20240301"
	OrderNo                 string           `json:"order_no,omitempty"`            // where there is no notice
	DepartmentCode          string           `json:"department_code"`
	DepartmentName          string           `json:"department_name"`
	RegionCode              string           `json:"region_code"`
}

func (b *NonTaxBill) check() error { return checkNonTaxNumber(b.PaymentNoticeNo, b.OrderNo) }

func checkNonTaxNumber(noticeNo, orderNo string) error {
	if noticeNo == "" && orderNo == "" {
		return errors.New("there is neither a payment_notice_no nor an order_no")
	}
	return nil
}

// NonTaxScene is where a payment is made.
type NonTaxScene string

// The scenes. Orders are made in the first three.
const (
	NonTaxBiz         NonTaxScene = "biz"         // an official account
	NonTaxCityService NonTaxScene = "ctiyservice" // the platform's spelling
	NonTaxMiniProgram NonTaxScene = "miniprogram"
	NonTaxOffline     NonTaxScene = "offline" // a QR code
	NonTaxPC          NonTaxScene = "pc"
	NonTaxApp         NonTaxScene = "app"
	NonTaxOther       NonTaxScene = "other"
)

// NonTaxTradeType is how a payment is made.
type NonTaxTradeType string

// The ways to pay.
const (
	NonTaxJSAPI NonTaxTradeType = "JSAPI" // inside WeChat; the default
	NonTaxMWEB  NonTaxTradeType = "MWEB"  // in another browser
)

// CreateNonTaxOrderRequest is a payment to be made by one person.
type CreateNonTaxOrderRequest struct {
	NonTaxBill
	ServiceID   int64           `json:"service_id,omitempty"`
	OpenID      string          `json:"openid,omitempty"`     // of the payer; left out for NonTaxMWEB alone
	ReturnURL   string          `json:"return_url,omitempty"` // opened after the payment; left out for NonTaxMiniProgram alone
	IP          string          `json:"ip"`                   // of the payer
	Scene       NonTaxScene     `json:"scene"`
	AppAppID    string          `json:"app_appid,omitempty"` // of the app, for orders of an app
	TradeType   NonTaxTradeType `json:"trade_type,omitempty"`
	AutoCallPay bool            `json:"auto_call_pay,omitempty"` // the payment begins without a tap
}

// CreateNonTaxOrderReply is an order, with where to pay it.
type CreateNonTaxOrderReply struct {
	OrderID     string                `json:"order_id"`
	PayURL      string                `json:"pay_url"`
	MiniProgram NonTaxMiniProgramPage `json:"miniprogram"`
}

// NonTaxMiniProgramPage is a page of a mini program on which an order is paid.
type NonTaxMiniProgramPage struct {
	AppID        string `json:"appid"`
	PagePath     string `json:"pagepath"`
	QueryString  string `json:"query_string"`
	BusinessType string `json:"business_type"`
}

var createNonTaxOrder = wechat.Endpoint[CreateNonTaxOrderRequest, CreateNonTaxOrderReply]{
	Name: "CreateNonTaxOrder", Pattern: "POST /nontax/unifiedorder",
	Effect: wechat.EffectCreate,
	Const:  map[string]string{"appid": wechat.ConstAppID},
	Check:  (*CreateNonTaxOrderRequest).check,
}

// CreateNonTaxOrder makes an order that a person pays on the page it returns. The table of the official page has
// another reply, that of QueryNonTaxFee; its example has this one.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxunifiedorder.html
func (c *Client) CreateNonTaxOrder(ctx context.Context, r *CreateNonTaxOrderRequest) (*CreateNonTaxOrderReply, error) {
	return createNonTaxOrder.Do(ctx, c.caller, r)
}

// PayNonTaxByCodeRequest is a payment with the code that a person shows.
type PayNonTaxByCodeRequest struct {
	NonTaxBill
	AuthCode string `json:"auth_code"`          // 18 digits
	OrderID  string `json:"order_id,omitempty"` // of the first reply, when it is asked again
}

// NonTaxOrderID names an order.
type NonTaxOrderID struct {
	OrderID string `json:"order_id"`
}

var payNonTaxByCode = wechat.Endpoint[PayNonTaxByCodeRequest, NonTaxOrderID]{
	Name: "PayNonTaxByCode", Pattern: "POST /nontax/micropay",
	Effect: wechat.EffectCreate,
	Const:  map[string]string{"appid": wechat.ConstAppID},
	Check:  (*PayNonTaxByCodeRequest).check,
}

// PayNonTaxByCode charges the payment code that a person shows. It is for the caller to ask again, with the order id of
// the first reply if there was one: five seconds after a failure of the platform, and every ten seconds, for 30,
// while the person is typing a password. The client does not repeat it.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxmicropay.html
func (c *Client) PayNonTaxByCode(ctx context.Context, r *PayNonTaxByCodeRequest) (*NonTaxOrderID, error) {
	return payNonTaxByCode.Do(ctx, c.caller, r)
}

// GetNonTaxOrderRequest names an order.
type GetNonTaxOrderRequest struct {
	ServiceID int64  `json:"service_id,omitempty"`
	OrderID   string `json:"order_id"`
}

// NonTaxStatus is the state of an order.
type NonTaxStatus int

// The states of an order. Two of them mean that it is paid, as it stays after a refund of a part.
const (
	NonTaxUnpaid    NonTaxStatus = 1
	NonTaxPaid      NonTaxStatus = 3
	NonTaxPaid4     NonTaxStatus = 4
	NonTaxRefunded  NonTaxStatus = 5
	NonTaxRefunding NonTaxStatus = 6
	NonTaxClosed    NonTaxStatus = 12 // not paid in time
)

// NonTaxRefund is the refund of a part.
type NonTaxRefund struct {
	RefundOrderID    string       `json:"refund_order_id"`
	RefundReason     string       `json:"refund_reason"`
	RefundFee        int64        `json:"refund_fee"` // in cents
	RefundFinishTime int64        `json:"refund_finish_time"`
	RefundOutID      string       `json:"refund_out_id"`
	RefundStatus     NonTaxStatus `json:"refund_status"` // NonTaxRefunding or NonTaxRefunded
}

// NonTaxNotifyHistory tells how one of those who are told of payments answered.
type NonTaxNotifyHistory struct {
	AppID        string         `json:"appid"`
	Name         string         `json:"name"`
	NotifyCnt    int            `json:"notify_cnt"`
	NotifyDetail []NonTaxNotify `json:"notify_detail"` // the first and the last time
}

// NonTaxNotify is one callback and its answer.
type NonTaxNotify struct {
	NotifyTime    int64        `json:"notify_time"`
	Ret           int          `json:"ret"` // the platform's outcome
	RetErrMsg     string       `json:"ret_errmsg"`
	CostTime      int          `json:"cost_time"`   // milliseconds
	WXNonTaxStr   string       `json:"wxnontaxstr"` // random text in the query of the callback
	Status        NonTaxStatus `json:"status"`
	URL           string       `json:"url"`
	ErrCode       int          `json:"errcode"` // of the answer, no failure of this call
	ErrMsg        string       `json:"errmsg"`
	ThirdResp     string       `json:"third_resp"`      // the answer
	ThirdRespData string       `json:"third_resp_data"` // what was encrypted in it
}

// GetNonTaxOrderReply is an order. Money is in cents.
type GetNonTaxOrderReply struct {
	AppID             string                `json:"appid"`
	OpenID            string                `json:"openid"`
	OrderID           string                `json:"order_id"`
	CreateTime        int64                 `json:"create_time"`
	PayFinishTime     int64                 `json:"pay_finish_time"`
	Desc              string                `json:"desc"`
	Fee               int64                 `json:"fee"`
	FeeType           int                   `json:"fee_type"` // 1: yuan, 2: US dollars
	TransID           string                `json:"trans_id"`
	Status            NonTaxStatus          `json:"status"`
	BankID            string                `json:"bank_id"`
	BankName          string                `json:"bank_name"`
	BankAccount       string                `json:"bank_account"`
	RefundFinishTime  int64                 `json:"refund_finish_time"`
	RefundReason      string                `json:"refund_reason"`
	RefundOrderID     string                `json:"refund_order_id"`
	RefundOutID       string                `json:"refund_out_id"`
	PartialRefundInfo []NonTaxRefund        `json:"partial_refund_info"` // a single one may come without the list around it
	PaymentNoticeNo   string                `json:"payment_notice_no"`
	PaymentNoticeType NonTaxNoticeType      `json:"payment_notice_type"`
	OrderNo           string                `json:"order_no"`
	DepartmentCode    string                `json:"department_code"`
	DepartmentName    string                `json:"department_name"`
	RegionCode        string                `json:"region_code"`
	Items             []NonTaxItem          `json:"items"`
	BillTypeCode      string                `json:"bill_type_code"`
	BillNo            string                `json:"bill_no"`
	PaymentInfoSource int                   `json:"payment_info_source"` // 1: the treasury, 2: the department
	NotifyHistory     []NonTaxNotifyHistory `json:"notify_history"`
	Scene             NonTaxScene           `json:"scene"`
}

var getNonTaxOrder = wechat.Endpoint[GetNonTaxOrderRequest, GetNonTaxOrderReply]{
	Name: "GetNonTaxOrder", Pattern: "POST /nontax/getorder",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"appid": wechat.ConstAppID},
}

// GetNonTaxOrder reads an order, with its refunds and with who was told of it.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxgetorder.html
func (c *Client) GetNonTaxOrder(ctx context.Context, r *GetNonTaxOrderRequest) (*GetNonTaxOrderReply, error) {
	return getNonTaxOrder.Do(ctx, c.caller, r)
}

// ListNonTaxOrdersRequest names a notice, or the number of an order without one.
type ListNonTaxOrdersRequest struct {
	PaymentNoticeNo string `json:"payment_notice_no,omitempty"`
	OrderNo         string `json:"order_no,omitempty"`
	DepartmentCode  string `json:"department_code"`
	RegionCode      string `json:"region_code"`
}

func (r *ListNonTaxOrdersRequest) check() error {
	return checkNonTaxNumber(r.PaymentNoticeNo, r.OrderNo)
}

// ListNonTaxOrdersReply has the orders made for it.
type ListNonTaxOrdersReply struct {
	OrderIDList []string `json:"order_id_list"`
	PaidOrderID string   `json:"paid_order_id"` // empty: none is paid
}

var listNonTaxOrders = wechat.Endpoint[ListNonTaxOrdersRequest, ListNonTaxOrdersReply]{
	Name: "ListNonTaxOrders", Pattern: "POST /nontax/getorderlist",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"appid": wechat.ConstAppID},
	Check:  (*ListNonTaxOrdersRequest).check,
}

// ListNonTaxOrders lists the orders made for a notice, or for a number of the caller's own.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxgetorderlist.html
func (c *Client) ListNonTaxOrders(ctx context.Context, r *ListNonTaxOrdersRequest) (*ListNonTaxOrdersReply, error) {
	return listNonTaxOrders.Do(ctx, c.caller, r)
}

// RefundNonTaxOrderRequest is a refund. A part is refunded with RefundFee and RefundOutID; without them it is all.
type RefundNonTaxOrderRequest struct {
	OrderID     string `json:"order_id"`
	Reason      string `json:"reason"`
	RefundFee   int64  `json:"refund_fee,omitempty"`    // in cents
	RefundOutID string `json:"refund_out_id,omitempty"` // of the caller's choice, another for each part
}

// RefundNonTaxOrderReply names the refund.
type RefundNonTaxOrderReply struct {
	RefundOrderID string `json:"refund_order_id"`
}

var refundNonTaxOrder = wechat.Endpoint[RefundNonTaxOrderRequest, RefundNonTaxOrderReply]{
	Name: "RefundNonTaxOrder", Pattern: "POST /nontax/refund",
	Effect: wechat.EffectCreate,
	Const:  map[string]string{"appid": wechat.ConstAppID},
}

// RefundNonTaxOrder refunds an order, whole or in part.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxrefund.html
func (c *Client) RefundNonTaxOrder(ctx context.Context, r *RefundNonTaxOrderRequest) (*RefundNonTaxOrderReply, error) {
	return refundNonTaxOrder.Do(ctx, c.caller, r)
}

// NonTaxBillType is which orders a statement has.
type NonTaxBillType string

// The kinds of statements.
const (
	NonTaxBillAll     NonTaxBillType = "ALL" // the default
	NonTaxBillSuccess NonTaxBillType = "SUCCESS"
	NonTaxBillRefund  NonTaxBillType = "REFUND"
)

// DownloadNonTaxBillRequest asks for the statement of a day.
type DownloadNonTaxBillRequest struct {
	MchID    string         `json:"mch_id"`
	BillDate string         `json:"bill_date"` // as in Yesterday().Compact()
	BillType NonTaxBillType `json:"bill_type,omitempty"`
}

var downloadNonTaxBill = wechat.Endpoint[DownloadNonTaxBillRequest, wechat.Blob]{
	Name: "DownloadNonTaxBill", Pattern: "POST /nontax/downloadbill",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"appid": wechat.ConstAppID},
}

// DownloadNonTaxBill downloads the statement of a day, as CSV. It is there from six in the morning of the next day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxdownloadbill.html
func (c *Client) DownloadNonTaxBill(ctx context.Context, r *DownloadNonTaxBillRequest) (*wechat.Blob, error) {
	return downloadNonTaxBill.Do(ctx, c.caller, r)
}

var renotifyNonTaxOrder = wechat.Endpoint[NonTaxOrderID, wechat.None]{
	Name: "RenotifyNonTaxOrder", Pattern: "POST /nontax/notifyinconsistentorder",
	Effect: wechat.EffectSet,
	Const:  map[string]string{"appid": wechat.ConstAppID},
}

// RenotifyNonTaxOrder has the callback of a payment sent again: for orders that are in the statement and whose callback
// never came.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxnotifyinconsistentorder.html
func (c *Client) RenotifyNonTaxOrder(ctx context.Context, r *NonTaxOrderID) error {
	return renotifyNonTaxOrder.Exec(ctx, c.caller, r)
}

// NonTaxCallbackURL is where callbacks for a test go.
type NonTaxCallbackURL struct {
	URL string `json:"url"`
}

var mockNonTaxNotification = wechat.Endpoint[NonTaxCallbackURL, wechat.None]{
	Name: "MockNonTaxNotification", Pattern: "POST /nontax/mocknotification",
	Effect: wechat.EffectSet,
	Const:  map[string]string{"appid": wechat.ConstAppID, "version": "1"},
}

// MockNonTaxNotification has callbacks of payments sent for a test: one that tries the decryption, and another one the
// check of signatures.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxmocknotification.html
func (c *Client) MockNonTaxNotification(ctx context.Context, r *NonTaxCallbackURL) error {
	return mockNonTaxNotification.Exec(ctx, c.caller, r)
}

var mockNonTaxFeeQuery = wechat.Endpoint[NonTaxCallbackURL, wechat.None]{
	Name: "MockNonTaxFeeQuery", Pattern: "POST /nontax/mockqueryfee",
	Effect: wechat.EffectSet,
	Const:  map[string]string{"appid": wechat.ConstAppID, "version": "1"},
}

// MockNonTaxFeeQuery has queries of what is owed sent for a test: one that tries the decryption, and another one the
// check of signatures.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/nontaxpay/api_nontaxmockqueryfee.html
func (c *Client) MockNonTaxFeeQuery(ctx context.Context, r *NonTaxCallbackURL) error {
	return mockNonTaxFeeQuery.Exec(ctx, c.caller, r)
}

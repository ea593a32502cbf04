package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// InvoiceBizAction says what SetInvoiceBizAttr reads or sets.
type InvoiceBizAction string

// The actions of SetInvoiceBizAttr.
const (
	InvoiceSetAuthField InvoiceBizAction = "set_auth_field" // with AuthField
	InvoiceGetAuthField InvoiceBizAction = "get_auth_field"
	InvoiceSetPayMch    InvoiceBizAction = "set_pay_mch" // with PayMchInfo
	InvoiceGetPayMch    InvoiceBizAction = "get_pay_mch"
	InvoiceSetContact   InvoiceBizAction = "set_contact" // with Contact
	InvoiceGetContact   InvoiceBizAction = "get_contact"
)

// InvoiceField is a field of the account's own on the page of consent.
type InvoiceField struct {
	Key       string `json:"key,omitempty"`
	IsRequire int    `json:"is_require,omitempty"` // 1: must be filled in
	Notice    string `json:"notice,omitempty"`
}

// InvoiceUserFields says what the page of consent asks a private person: 1 shows a field or requires it.
type InvoiceUserFields struct {
	ShowTitle    int            `json:"show_title,omitempty"`
	ShowPhone    int            `json:"show_phone,omitempty"`
	ShowEmail    int            `json:"show_email,omitempty"`
	RequirePhone int            `json:"require_phone,omitempty"`
	RequireEmail int            `json:"require_email,omitempty"`
	CustomField  []InvoiceField `json:"custom_field,omitempty"`
}

// InvoiceBizFields says what the page of consent asks a company: 1 shows a field or requires it.
type InvoiceBizFields struct {
	ShowTitle       int            `json:"show_title,omitempty"`
	ShowTaxNo       int            `json:"show_tax_no,omitempty"`
	ShowAddr        int            `json:"show_addr,omitempty"`
	ShowPhone       int            `json:"show_phone,omitempty"`
	ShowBankType    int            `json:"show_bank_type,omitempty"`
	ShowBankNo      int            `json:"show_bank_no,omitempty"`
	RequireTaxNo    int            `json:"require_tax_no,omitempty"`
	RequireAddr     int            `json:"require_addr,omitempty"`
	RequirePhone    int            `json:"require_phone,omitempty"`
	RequireBankType int            `json:"require_bank_type,omitempty"`
	RequireBankNo   int            `json:"require_bank_no,omitempty"`
	CustomField     []InvoiceField `json:"custom_field,omitempty"`
}

// InvoiceAuthFields is what the page of consent asks.
type InvoiceAuthFields struct {
	UserField *InvoiceUserFields `json:"user_field,omitempty"`
	BizField  *InvoiceBizFields  `json:"biz_field,omitempty"`
}

// InvoicePayMch ties a merchant of WeChat Pay to an invoicing platform.
type InvoicePayMch struct {
	MchID   string `json:"mchid,omitempty"`
	SPAppID string `json:"s_pappid,omitempty"` // the platform's id, see GetInvoicePlatformURL
}

// InvoiceContact is how the account can be reached about invoices.
type InvoiceContact struct {
	TimeOut int    `json:"time_out,omitempty"` // in seconds: how long an invoice may take
	Phone   string `json:"phone,omitempty"`
}

// InvoiceBizAttr has the settings for invoices, each in a branch of its own. A reply has that of the action.
type InvoiceBizAttr struct {
	AuthField  *InvoiceAuthFields `json:"auth_field,omitempty"`
	PayMchInfo *InvoicePayMch     `json:"paymch_info,omitempty"`
	Contact    *InvoiceContact    `json:"contact,omitempty"`
}

// SetInvoiceBizAttrRequest has an action and, where it sets, the branch that goes with it and no other.
type SetInvoiceBizAttrRequest struct {
	Action InvoiceBizAction `query:"action"`
	InvoiceBizAttr
}

var setInvoiceBizAttr = wechat.Endpoint[SetInvoiceBizAttrRequest, InvoiceBizAttr]{
	Name: "SetInvoiceBizAttr", Pattern: "POST /card/invoice/setbizattr",
	Effect: wechat.EffectSet,
}

// SetInvoiceBizAttr sets or reads one of the account's settings for invoices. 72028 means that no merchant is set, 72029
// that no fields are, 72063 that the contact is empty.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/auth/api_invoicebizsetattr.html
func (c *Client) SetInvoiceBizAttr(ctx context.Context, r *SetInvoiceBizAttrRequest) (*InvoiceBizAttr, error) {
	return setInvoiceBizAttr.Do(ctx, c.caller, r)
}

// InvoiceSource is where a person is asked for consent.
type InvoiceSource string

// The sources.
const (
	InvoiceFromApp         InvoiceSource = "app"
	InvoiceFromWeChat      InvoiceSource = "web" // a page inside WeChat
	InvoiceFromMiniProgram InvoiceSource = "wxa"
	InvoiceFromWeb         InvoiceSource = "wap" // a page outside WeChat
)

// InvoiceAuthType is what the page of consent is like.
type InvoiceAuthType int

// The pages of consent.
const (
	InvoiceApply       InvoiceAuthType = 0 // the account knows the title already
	InvoiceApplyByForm InvoiceAuthType = 1 // the person picks a title; the only one after a payment
	InvoiceCollect     InvoiceAuthType = 2 // the invoice is issued already
)

// GetInvoiceAuthURLRequest names an order.
type GetInvoiceAuthURLRequest struct {
	SPAppID     string          `json:"s_pappid"`
	OrderID     string          `json:"order_id"` // unique for each invoice of the account
	Money       int64           `json:"money"`    // in cents
	Timestamp   int64           `json:"timestamp"`
	Source      InvoiceSource   `json:"source"`
	RedirectURL string          `json:"redirect_url,omitempty"` // for pages: opened after consent
	Ticket      string          `json:"ticket"`                 // of GetTicket, with the type wx_card
	Type        InvoiceAuthType `json:"type"`
}

// GetInvoiceAuthURLReply is the page of consent.
type GetInvoiceAuthURLReply struct {
	AuthURL string `json:"auth_url"`
	AppID   string `json:"appid"` // of the mini program whose page AuthURL is; of InvoiceFromMiniProgram only
}

var getInvoiceAuthURL = wechat.Endpoint[GetInvoiceAuthURLRequest, GetInvoiceAuthURLReply]{
	Name: "GetInvoiceAuthURL", Pattern: "POST /card/invoice/getauthurl",
	Effect: wechat.EffectCreate,
}

// GetInvoiceAuthURL makes the page where a person agrees to get the invoice of an order. The consent comes as a
// user_authorize_invoice event too. 72015 means that the account may not do so, 72038 that the order cannot be used.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/auth/api_invoicebizgetauthurl.html
func (c *Client) GetInvoiceAuthURL(ctx context.Context, r *GetInvoiceAuthURLRequest) (*GetInvoiceAuthURLReply, error) {
	return getInvoiceAuthURL.Do(ctx, c.caller, r)
}

// GetInvoiceAuthDataRequest names an order.
type GetInvoiceAuthDataRequest struct {
	OrderID string `json:"order_id"`
	SPAppID string `json:"s_pappid"`
}

// InvoiceFieldValue is an answer in a field of the account's own.
type InvoiceFieldValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// InvoiceUserAnswers is what a private person filled in.
type InvoiceUserAnswers struct {
	Title       string              `json:"title"`
	Phone       string              `json:"phone"`
	Email       string              `json:"email"`
	CustomField []InvoiceFieldValue `json:"custom_field"`
}

// InvoiceTitle is the title of an invoice (发票抬头): whom it is made out to.
type InvoiceTitle struct {
	Title    string `json:"title,omitempty"`
	Phone    string `json:"phone,omitempty"`
	TaxNo    string `json:"tax_no,omitempty"` // 15 to 20 letters or digits
	Addr     string `json:"addr,omitempty"`
	BankType string `json:"bank_type,omitempty"` // the bank's name
	BankNo   string `json:"bank_no,omitempty"`   // the account's number
}

// InvoiceBizAnswers is what a company filled in.
type InvoiceBizAnswers struct {
	InvoiceTitle
	CustomField []InvoiceFieldValue `json:"custom_field"`
}

// InvoiceAuthInfo is what was filled in: one of the two.
type InvoiceAuthInfo struct {
	UserField InvoiceUserAnswers `json:"user_field"`
	BizField  InvoiceBizAnswers  `json:"biz_field"`
}

// GetInvoiceAuthDataReply tells what became of an order.
type GetInvoiceAuthDataReply struct {
	InvoiceStatus string `json:"invoice_status"` // "auth success" after consent
	AuthTime      int64  `json:"auth_time"`
	// UserAuthInfo came by the older page; the current one does not have it.
	UserAuthInfo InvoiceAuthInfo `json:"user_auth_info"`
}

var getInvoiceAuthData = wechat.Endpoint[GetInvoiceAuthDataRequest, GetInvoiceAuthDataReply]{
	Name: "GetInvoiceAuthData", Pattern: "POST /card/invoice/getauthdata",
	Effect: wechat.EffectRead,
}

// GetInvoiceAuthData tells whether a person agreed to the invoice of an order. 72031 and 72038 mean that nobody did, 72035
// that the order has its invoice or was refused, 72015 that the account may not ask.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/weixin_invoice/E_Invoice/Vendor_API_List.html
func (c *Client) GetInvoiceAuthData(ctx context.Context, r *GetInvoiceAuthDataRequest) (*GetInvoiceAuthDataReply, error) {
	return getInvoiceAuthData.Do(ctx, c.caller, r)
}

// RejectInvoiceRequest refuses an order.
type RejectInvoiceRequest struct {
	SPAppID string `json:"s_pappid"`
	OrderID string `json:"order_id"`
	Reason  string `json:"reason"`        // the person sees it
	URL     string `json:"url,omitempty"` // a page where the person can try again
}

var rejectInvoice = wechat.Endpoint[RejectInvoiceRequest, wechat.None]{
	Name: "RejectInvoice", Pattern: "POST /card/invoice/rejectinsert",
	Effect: wechat.EffectSend,
	To:     func(r *RejectInvoiceRequest) []string { return []string{r.OrderID} },
}

// RejectInvoice refuses the invoice of an order and tells the person who agreed to it. That is final: another try needs
// another order id. 72035 means that the order has its invoice or was refused already.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/weixin_invoice/E_Invoice/Vendor_API_List.html
func (c *Client) RejectInvoice(ctx context.Context, r *RejectInvoiceRequest) error {
	return rejectInvoice.Exec(ctx, c.caller, r)
}

// GetInvoicePlatformURLReply has the link.
type GetInvoicePlatformURLReply struct {
	InvoiceURL string `json:"invoice_url"` // the parameter s_pappid of it is the platform's id
}

var getInvoicePlatformURL = wechat.Endpoint[wechat.None, GetInvoicePlatformURLReply]{
	Name: "GetInvoicePlatformURL", Pattern: "POST /card/invoice/seturl",
	Effect: wechat.EffectRead,
}

// GetInvoicePlatformURL reads the link in which an invoicing platform finds its id, s_pappid, for the accounts that
// it works for.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/weixin_invoice/E_Invoice/Invoicing_Platform_API_List.html
func (c *Client) GetInvoicePlatformURL(ctx context.Context) (*GetInvoicePlatformURLReply, error) {
	return getInvoicePlatformURL.Do(ctx, c.caller, nil)
}

// UploadInvoicePDFRequest is a PDF.
type UploadInvoicePDFRequest struct {
	PDF wechat.File `form:"pdf"`
}

// UploadInvoicePDFReply has the id of the PDF.
type UploadInvoicePDFReply struct {
	SMediaID string `json:"s_media_id"` // a number that is too long for a float
}

var uploadInvoicePDF = wechat.Endpoint[UploadInvoicePDFRequest, UploadInvoicePDFReply]{
	Name: "UploadInvoicePDF", Pattern: "POST /card/invoice/platform/setpdf",
	Effect: wechat.EffectUpload,
}

// UploadInvoicePDF uploads the PDF of an invoice. It is deleted after three days unless InsertInvoice uses it.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/FiscalReceipt/api_invoiceplatformsetpdf.html
func (c *Client) UploadInvoicePDF(ctx context.Context, r *UploadInvoicePDFRequest) (*UploadInvoicePDFReply, error) {
	return uploadInvoicePDF.Do(ctx, c.caller, r)
}

// GetInvoicePDFRequest names a PDF of UploadInvoicePDF.
type GetInvoicePDFRequest struct {
	// Action is sent in the query always, as an older page has it. "get_url" here puts it into the body as well, as
	// the current page has it.
	Action   string `json:"action,omitempty"`
	SMediaID string `json:"s_media_id"`
}

// GetInvoicePDFReply is where the PDF stands.
type GetInvoicePDFReply struct {
	PDFURL           string `json:"pdf_url"`
	PDFURLExpireTime int64  `json:"pdf_url_expire_time"` // in seconds from now: 7200
}

var getInvoicePDF = wechat.Endpoint[GetInvoicePDFRequest, GetInvoicePDFReply]{
	Name: "GetInvoicePDF", Pattern: "POST /card/invoice/platform/getpdf",
	Effect: wechat.EffectRead,
	Const:  map[string]string{"?action": "get_url"},
}

// GetInvoicePDF reads the link of a PDF that was uploaded. The link lives two hours.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/weixin_invoice/E_Invoice/Invoicing_Platform_API_List.html
func (c *Client) GetInvoicePDF(ctx context.Context, r *GetInvoicePDFRequest) (*GetInvoicePDFReply, error) {
	return getInvoicePDF.Do(ctx, c.caller, r)
}

// InvoiceStatus is where an invoice stands.
type InvoiceStatus string

// The states of invoices.
const (
	InvoiceInit     InvoiceStatus = "INVOICE_REIMBURSE_INIT"    // may be submitted
	InvoiceLocked   InvoiceStatus = "INVOICE_REIMBURSE_LOCK"    // is submitted, by one company only
	InvoiceClosed   InvoiceStatus = "INVOICE_REIMBURSE_CLOSURE" // is paid; final
	InvoiceCanceled InvoiceStatus = "INVOICE_REIMBURSE_CANCEL"  // is canceled by a red invoice
)

// UpdateInvoiceCardStatusRequest names an invoice and its new state.
type UpdateInvoiceCardStatusRequest struct {
	CardID          string        `json:"card_id"`
	Code            string        `json:"code"` // of InsertInvoiceReply; not the invoice's own code
	ReimburseStatus InvoiceStatus `json:"reimburse_status"`
}

var updateInvoiceCardStatus = wechat.Endpoint[UpdateInvoiceCardStatusRequest, wechat.None]{
	Name: "UpdateInvoiceCardStatus", Pattern: "POST /card/invoice/platform/updatestatus",
	Effect: wechat.EffectSet,
}

// UpdateInvoiceCardStatus tells WeChat that an invoice was paid or canceled elsewhere. 72015 means that the account may
// not do so, 72017 that there is no such invoice.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/FiscalReceipt/api_invoicekpupdatainvoicestatus.html
func (c *Client) UpdateInvoiceCardStatus(ctx context.Context, r *UpdateInvoiceCardStatusRequest) error {
	return updateInvoiceCardStatus.Exec(ctx, c.caller, r)
}

// InvoiceCardBaseInfo is how the invoices of a template look.
type InvoiceCardBaseInfo struct {
	LogoURL string `json:"logo_url"`
	Title   string `json:"title"` // who issues them, in short: at most 9 Chinese characters
	CardLinks
}

// InvoiceCard is a template for the invoices of one issuer.
type InvoiceCard struct {
	BaseInfo InvoiceCardBaseInfo `json:"base_info"`
	Payee    string              `json:"payee"` // who issues them, in full
	Type     string              `json:"type"`  // the kind of invoice, as text
}

// CreateInvoiceCardRequest has the template to create.
type CreateInvoiceCardRequest struct {
	InvoiceInfo InvoiceCard `json:"invoice_info"`
}

var createInvoiceCard = wechat.Endpoint[CreateInvoiceCardRequest, CardID]{
	Name: "CreateInvoiceCard", Pattern: "POST /card/invoice/platform/createcard",
	Effect: wechat.EffectCreate,
}

// CreateInvoiceCard creates a card template for invoices, one for each issuer. 40078 means that it is not approved.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/weixin_invoice/E_Invoice/Invoicing_Platform_API_List.html
func (c *Client) CreateInvoiceCard(ctx context.Context, r *CreateInvoiceCardRequest) (*CardID, error) {
	return createInvoiceCard.Do(ctx, c.caller, r)
}

// InvoiceItem is a line of an invoice.
type InvoiceItem struct {
	Name  string `json:"name,omitempty"`
	Num   int    `json:"num,omitempty"`
	Unit  string `json:"unit,omitempty"`
	Price int64  `json:"price,omitempty"` // of one, in cents
}

// InvoiceParties is what an invoice may say of buyer, seller and those who made it.
type InvoiceParties struct {
	CheckCode             string `json:"check_code,omitempty"`
	BuyerNumber           string `json:"buyer_number,omitempty"` // the tax number
	BuyerAddressAndPhone  string `json:"buyer_address_and_phone,omitempty"`
	BuyerBankAccount      string `json:"buyer_bank_account,omitempty"`
	SellerNumber          string `json:"seller_number,omitempty"` // the tax number
	SellerAddressAndPhone string `json:"seller_address_and_phone,omitempty"`
	SellerBankAccount     string `json:"seller_bank_account,omitempty"`
	Remarks               string `json:"remarks,omitempty"`
	Cashier               string `json:"cashier,omitempty"`
	Maker                 string `json:"maker,omitempty"`
}

// InvoiceData is an invoice. Money is in cents.
type InvoiceData struct {
	Fee             int64         `json:"fee"` // with the tax
	Title           string        `json:"title"`
	BillingTime     int64         `json:"billing_time"`           // Unix seconds, as a number; an old sample has a text
	BillingNo       string        `json:"billing_no"`             // the number; of a fully digital invoice its 20 digits
	BillingCode     string        `json:"billing_code,omitempty"` // a fully digital invoice has none
	Info            []InvoiceItem `json:"info,omitempty"`
	FeeWithoutTax   int64         `json:"fee_without_tax,omitempty"`
	Tax             int64         `json:"tax,omitempty"`
	SPDFMediaID     string        `json:"s_pdf_media_id,omitempty"`      // of UploadInvoicePDF
	STripPDFMediaID string        `json:"s_trip_pdf_media_id,omitempty"` // of UploadInvoicePDF: what the invoice is about
	InvoiceParties
}

// InvoiceUserCard has the invoice.
type InvoiceUserCard struct {
	InvoiceUserData InvoiceData `json:"invoice_user_data"`
}

// InvoiceCardExt has the invoice. It is sent as an object, and not as text as a CardExt of the JS-SDK is.
type InvoiceCardExt struct {
	NonceStr string          `json:"nonce_str"` // random
	UserCard InvoiceUserCard `json:"user_card"`
}

// InsertInvoiceRequest is an invoice for the person who agreed to it.
type InsertInvoiceRequest struct {
	OrderID string         `json:"order_id"`
	CardID  string         `json:"card_id"` // of CreateInvoiceCard
	AppID   string         `json:"appid"`   // of the account by which the person agreed
	CardExt InvoiceCardExt `json:"card_ext"`
}

// InsertInvoiceReply tells whose invoice it became.
type InsertInvoiceReply struct {
	Code    string `json:"code"` // names the invoice in UpdateInvoiceCardStatus
	OpenID  string `json:"openid"`
	UnionID string `json:"unionid"`
}

var insertInvoice = wechat.Endpoint[InsertInvoiceRequest, InsertInvoiceReply]{
	Name: "InsertInvoice", Pattern: "POST /card/invoice/insert",
	Effect: wechat.EffectSend,
	To:     func(r *InsertInvoiceRequest) []string { return []string{r.OrderID} },
}

// InsertInvoice puts an invoice into the wallet of the person who agreed to it. It must be called for the account of the
// invoicing platform, whose s_pappid was used when the person agreed.
//
// 72031 and 72038 mean that nobody agreed to the order, or not by this platform, 72035 that the order has its
// invoice or was refused, 72036 that the money is another than the order's or that the order is being worked on, 72030 that
// the merchant is wrong, 72015 that the account may not do so.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/platform/api_insertinvoice.html
func (c *Client) InsertInvoice(ctx context.Context, r *InsertInvoiceRequest) (*InsertInvoiceReply, error) {
	return insertInvoice.Do(ctx, c.caller, r)
}

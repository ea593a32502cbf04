package officialaccount

import (
	"context"
	"encoding/json"

	"github.com/seed175cf469/wechat"
)

// InvoiceRef names an invoice that a person picked in the JS-SDK or a mini program.
type InvoiceRef struct {
	CardID      string `json:"card_id"`
	EncryptCode string `json:"encrypt_code"` // as it came, without DecryptCardCode
}

// StoredInvoiceItem is a line of an invoice. Num and Price can have a fraction.
type StoredInvoiceItem struct {
	Name  string      `json:"name"`
	Num   json.Number `json:"num"`
	Unit  string      `json:"unit"`
	Price json.Number `json:"price"` // of one, in cents
}

// StoredInvoiceData is what an invoice says. Money is in cents.
type StoredInvoiceData struct {
	Fee             int64               `json:"fee"` // with the tax
	Title           string              `json:"title"`
	BillingTime     int64               `json:"billing_time"`
	BillingNo       string              `json:"billing_no"`
	BillingCode     string              `json:"billing_code"` // a fully digital invoice has none
	Info            []StoredInvoiceItem `json:"info"`
	FeeWithoutTax   int64               `json:"fee_without_tax"`
	Tax             int64               `json:"tax"`
	PDFURL          string              `json:"pdf_url"`
	TripPDFURL      string              `json:"trip_pdf_url"` // what the invoice is about
	ReimburseStatus InvoiceStatus       `json:"reimburse_status"`
	OrderID         string              `json:"order_id"`
	InvoiceParties
}

// Invoice is an invoice in a person's wallet.
type Invoice struct {
	CardID         string            `json:"card_id"`
	BeginTime      int64             `json:"begin_time"`
	EndTime        int64             `json:"end_time"`
	UserCardStatus string            `json:"user_card_status"`
	OpenID         string            `json:"openid"`
	Type           string            `json:"type"`   // the kind of invoice, as text
	Payee          string            `json:"payee"`  // who issued it
	Detail         string            `json:"detail"` // what it is for
	UserInfo       StoredInvoiceData `json:"user_info"`
}

var getInvoiceInfo = wechat.Endpoint[InvoiceRef, Invoice]{
	Name: "GetInvoiceInfo", Pattern: "POST /card/invoice/reimburse/getinvoiceinfo",
	Effect: wechat.EffectRead,
}

// GetInvoiceInfo reads an invoice that a person submits to be paid. 72017 means that there is no such invoice, 72023 that
// another company locked it, 72024 that it is in another state, 72015 that the account may not read it.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/reimburser/api_invoicebxgetinvoice.html
func (c *Client) GetInvoiceInfo(ctx context.Context, r *InvoiceRef) (*Invoice, error) {
	return getInvoiceInfo.Do(ctx, c.caller, r)
}

// BatchGetInvoiceInfoRequest names invoices.
type BatchGetInvoiceInfoRequest struct {
	ItemList []InvoiceRef `json:"item_list"`
}

// BatchGetInvoiceInfoReply has the invoices.
type BatchGetInvoiceInfoReply struct {
	ItemList []Invoice `json:"item_list"`
}

var batchGetInvoiceInfo = wechat.Endpoint[BatchGetInvoiceInfoRequest, BatchGetInvoiceInfoReply]{
	Name: "BatchGetInvoiceInfo", Pattern: "POST /card/invoice/reimburse/getinvoicebatch",
	Effect: wechat.EffectRead,
}

// BatchGetInvoiceInfo reads several invoices at once. The codes are those of GetInvoiceInfo.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/reimburser/api_invoicereimbursegetinvoicebatch.html
func (c *Client) BatchGetInvoiceInfo(ctx context.Context, r *BatchGetInvoiceInfoRequest) (*BatchGetInvoiceInfoReply, error) {
	return batchGetInvoiceInfo.Do(ctx, c.caller, r)
}

// UpdateInvoiceStatusRequest names an invoice and its new state: InvoiceInit, InvoiceLocked or InvoiceClosed.
type UpdateInvoiceStatusRequest struct {
	InvoiceRef
	ReimburseStatus InvoiceStatus `json:"reimburse_status"`
}

var updateInvoiceStatus = wechat.Endpoint[UpdateInvoiceStatusRequest, wechat.None]{
	Name: "UpdateInvoiceStatus", Pattern: "POST /card/invoice/reimburse/updateinvoicestatus",
	Effect: wechat.EffectSet,
}

// UpdateInvoiceStatus locks an invoice, frees it or closes it. Closing cannot be undone. The codes are those of
// GetInvoiceInfo.
//
// Official page: https://developers.weixin.qq.com/doc/service/en/WeChat_Invoice/E_Invoice/Reimburser_API_List.html
func (c *Client) UpdateInvoiceStatus(ctx context.Context, r *UpdateInvoiceStatusRequest) error {
	return updateInvoiceStatus.Exec(ctx, c.caller, r)
}

// BatchUpdateInvoiceStatusRequest names invoices of one person and their new state.
type BatchUpdateInvoiceStatusRequest struct {
	OpenID          string        `json:"openid"`
	ReimburseStatus InvoiceStatus `json:"reimburse_status"`
	InvoiceList     []InvoiceRef  `json:"invoice_list"`
}

var batchUpdateInvoiceStatus = wechat.Endpoint[BatchUpdateInvoiceStatusRequest, wechat.None]{
	Name: "BatchUpdateInvoiceStatus", Pattern: "POST /card/invoice/reimburse/updatestatusbatch",
	Effect: wechat.EffectSet,
	To:     func(r *BatchUpdateInvoiceStatusRequest) []string { return []string{r.OpenID} },
}

// BatchUpdateInvoiceStatus locks, frees or closes several invoices of one person: all of them or, where it fails for
// one, none. Closing cannot be undone. The codes are those of GetInvoiceInfo.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/reimburser/api_invoicereimburseupdatestatusbatch.html
func (c *Client) BatchUpdateInvoiceStatus(ctx context.Context, r *BatchUpdateInvoiceStatusRequest) error {
	return batchUpdateInvoiceStatus.Exec(ctx, c.caller, r)
}

// GetInvoiceUserTitleURLRequest is a title that a person may keep. Title is needed where UserFill is 0.
type GetInvoiceUserTitleURLRequest struct {
	InvoiceTitle
	UserFill   int    `json:"user_fill,omitempty"` // 1: the person fills it in; 0: it is what stands here
	OutTitleID string `json:"out_title_id,omitempty"`
}

// InvoiceTitleURL is a page.
type InvoiceTitleURL struct {
	URL string `json:"url"`
}

var getInvoiceUserTitleURL = wechat.Endpoint[GetInvoiceUserTitleURLRequest, InvoiceTitleURL]{
	Name: "GetInvoiceUserTitleURL", Pattern: "POST /card/invoice/biz/getusertitleurl",
	Effect: wechat.EffectCreate,
}

// GetInvoiceUserTitleURL makes a page where a person keeps an invoice title in WeChat.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/name/api_invoicebizgetusertitleurl.html
func (c *Client) GetInvoiceUserTitleURL(ctx context.Context, r *GetInvoiceUserTitleURLRequest) (*InvoiceTitleURL, error) {
	return getInvoiceUserTitleURL.Do(ctx, c.caller, r)
}

// GetInvoiceSelectTitleURLRequest says who asks for a title.
type GetInvoiceSelectTitleURLRequest struct {
	Attach  string `json:"attach,omitempty"`   // comes back with the title
	BizName string `json:"biz_name,omitempty"` // the person sees it
}

var getInvoiceSelectTitleURL = wechat.Endpoint[GetInvoiceSelectTitleURLRequest, InvoiceTitleURL]{
	Name: "GetInvoiceSelectTitleURL", Pattern: "POST /card/invoice/biz/getselecttitleurl",
	Effect: wechat.EffectCreate,
}

// GetInvoiceSelectTitleURL makes a link that is shown as a QR code at the till. Who scans it picks one of his invoice
// titles, which comes as a submit_invoice_title event.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/invoice/name/api_invoicebizgetselecttitleurl.html
func (c *Client) GetInvoiceSelectTitleURL(ctx context.Context, r *GetInvoiceSelectTitleURLRequest) (*InvoiceTitleURL, error) {
	return getInvoiceSelectTitleURL.Do(ctx, c.caller, r)
}

// ScanInvoiceTitleRequest is what the QR code of a person's invoice title says.
type ScanInvoiceTitleRequest struct {
	ScanText string `json:"scan_text"`
}

// InvoiceTitleType is whose title it is.
type InvoiceTitleType int

// The types of titles.
const (
	InvoiceTitleCompany InvoiceTitleType = 0
	InvoiceTitlePerson  InvoiceTitleType = 1
)

// ScanInvoiceTitleReply is the title.
type ScanInvoiceTitleReply struct {
	TitleType InvoiceTitleType `json:"title_type"`
	InvoiceTitle
}

var scanInvoiceTitle = wechat.Endpoint[ScanInvoiceTitleRequest, ScanInvoiceTitleReply]{
	Name: "ScanInvoiceTitle", Pattern: "POST /card/invoice/scantitle",
	Effect: wechat.EffectRead,
}

// ScanInvoiceTitle reads the invoice title behind the QR code that a person shows at the till.
//
// Official page: https://developers.weixin.qq.com/doc/service/guide/product/weixin_invoice/Quick_issuing/Interface_Instructions.html
func (c *Client) ScanInvoiceTitle(ctx context.Context, r *ScanInvoiceTitleRequest) (*ScanInvoiceTitleReply, error) {
	return scanInvoiceTitle.Do(ctx, c.caller, r)
}

// IssuedInvoiceLine is a line of an invoice to issue. Numbers are decimal text, money in yuan.
type IssuedInvoiceLine struct {
	FPHXZ string `json:"fphxz,omitempty"` // "0": normal, "1": a reduction, "2": what is reduced
	SPBM  string `json:"spbm,omitempty"`  // the tax code of the goods
	XMMC  string `json:"xmmc,omitempty"`  // the name
	DW    string `json:"dw,omitempty"`    // the unit
	GGXH  string `json:"ggxh,omitempty"`  // the model
	XMSL  string `json:"xmsl,omitempty"`  // how many
	XMDJ  string `json:"xmdj,omitempty"`  // the price of one
	XMJE  string `json:"xmje,omitempty"`  // the price of all
	SL    string `json:"sl,omitempty"`    // the tax rate
	SE    string `json:"se,omitempty"`    // the tax
}

// IssuedInvoice is an invoice to issue. The names are the initials of what the tax office calls the fields. Money is
// decimal text in yuan.
type IssuedInvoice struct {
	WXOpenID          string              `json:"wxopenid"`
	DDH               string              `json:"ddh"`       // the order
	FPQQLSH           string              `json:"fpqqlsh"`   // the caller's own number of the request, unique
	NSRSBH            string              `json:"nsrsbh"`    // of the seller: tax number ...
	NSRMC             string              `json:"nsrmc"`     // ... name ...
	NSRDZ             string              `json:"nsrdz"`     // ... address ...
	NSRDH             string              `json:"nsrdh"`     // ... telephone ...
	NSRBank           string              `json:"nsrbank"`   // ... bank ...
	NSRBankID         string              `json:"nsrbankid"` // ... and account
	GHFMC             string              `json:"ghfmc"`     // of the buyer: name ...
	GHFNSRSBH         string              `json:"ghfnsrsbh,omitempty"`
	GHFDZ             string              `json:"ghfdz,omitempty"`
	GHFDH             string              `json:"ghfdh,omitempty"`
	GHFBank           string              `json:"ghfbank,omitempty"`
	GHFBankID         string              `json:"ghfbankid,omitempty"`
	KPR               string              `json:"kpr"`           // who issues it
	SKR               string              `json:"skr,omitempty"` // who took the money
	FHR               string              `json:"fhr,omitempty"` // who checked it
	JSHJ              string              `json:"jshj"`          // the sum with the tax
	HJJE              string              `json:"hjje"`          // the sum without the tax
	HJSE              string              `json:"hjse"`          // the tax
	BZ                string              `json:"bz,omitempty"`  // remarks
	HYLX              string              `json:"hylx"`          // the line of business: "0" commerce, "1" others
	InvoiceDetailList []IssuedInvoiceLine `json:"invoicedetail_list"`
}

// IssueInvoiceRequest has the invoice to issue.
type IssueInvoiceRequest struct {
	InvoiceInfo IssuedInvoice `json:"invoiceinfo"`
}

var issueInvoice = wechat.Endpoint[IssueInvoiceRequest, wechat.None]{
	Name: "IssueInvoice", Pattern: "POST /card/invoice/makeoutinvoice",
	Effect: wechat.EffectCreate,
	To:     func(r *IssueInvoiceRequest) []string { return []string{r.InvoiceInfo.WXOpenID} },
}

// IssueInvoice has the invoicing platform issue a (blue) invoice; QueryInvoice tells the outcome. The call stands on an
// older page only. 73000 means that it failed, 73001 that the account is not authorised, 73105 that the invoice is being
// issued.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/WeChat_Invoice/E_Invoice/Vendor_API_List.html
func (c *Client) IssueInvoice(ctx context.Context, r *IssueInvoiceRequest) error {
	return issueInvoice.Exec(ctx, c.caller, r)
}

// ReversedInvoice names an invoice to cancel.
type ReversedInvoice struct {
	WXOpenID string `json:"wxopenid"`
	FPQQLSH  string `json:"fpqqlsh"` // the caller's own number of this request, unique
	NSRSBH   string `json:"nsrsbh"`  // of the seller: tax number ...
	NSRMC    string `json:"nsrmc"`   // ... and name
	YFPDM    string `json:"yfpdm"`   // of the blue invoice: code ...
	YFPHM    string `json:"yfphm"`   // ... and number
}

// ReverseInvoiceRequest has the invoice to cancel.
type ReverseInvoiceRequest struct {
	InvoiceInfo ReversedInvoice `json:"invoiceinfo"`
}

var reverseInvoice = wechat.Endpoint[ReverseInvoiceRequest, wechat.None]{
	Name: "ReverseInvoice", Pattern: "POST /card/invoice/clearoutinvoice",
	Effect: wechat.EffectCreate,
	To:     func(r *ReverseInvoiceRequest) []string { return []string{r.InvoiceInfo.WXOpenID} },
}

// ReverseInvoice has the invoicing platform issue a red invoice, which cancels a blue one. 73000 means that it failed, 73105
// and 73107 that it is being worked on: ask QueryInvoice.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/WeChat_Invoice/E_Invoice/Vendor_API_List.html
func (c *Client) ReverseInvoice(ctx context.Context, r *ReverseInvoiceRequest) error {
	return reverseInvoice.Exec(ctx, c.caller, r)
}

// QueryInvoiceRequest names the request of an invoice.
type QueryInvoiceRequest struct {
	FPQQLSH string `json:"fpqqlsh"`
	NSRSBH  string `json:"nsrsbh"` // the seller's tax number
}

// InvoiceResult is an invoice that was issued.
type InvoiceResult struct {
	FPQQLSH string `json:"fpqqlsh"`
	JYM     string `json:"jym"`  // the check code
	KPRQ    string `json:"kprq"` // the date of issue
	FPDM    string `json:"fpdm"` // the code
	FPHM    string `json:"fphm"` // the number
	PDFURL  string `json:"pdfurl"`
}

// QueryInvoiceReply has the invoice.
type QueryInvoiceReply struct {
	InvoiceDetail InvoiceResult `json:"invoicedetail"`
}

var queryInvoice = wechat.Endpoint[QueryInvoiceRequest, QueryInvoiceReply]{
	Name: "QueryInvoice", Pattern: "POST /card/invoice/queryinvoceinfo", // the platform spells it so
	Effect: wechat.EffectRead,
}

// QueryInvoice reads what became of IssueInvoice or ReverseInvoice. 73105 and 73107 mean that it is being worked on: ask
// later.
//
// Official page: https://developers.weixin.qq.com/doc/offiaccount/WeChat_Invoice/E_Invoice/Vendor_API_List.html
func (c *Client) QueryInvoice(ctx context.Context, r *QueryInvoiceRequest) (*QueryInvoiceReply, error) {
	return queryInvoice.Do(ctx, c.caller, r)
}

package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// ApplyMarketCodesRequest orders codes.
type ApplyMarketCodesRequest struct {
	CodeCount        int    `json:"code_count"`         // 10,000 to 20,000,000, in steps of 10,000
	ISVApplicationID string `json:"isv_application_id"` // of the caller's choice; a second call with it is the same order
}

// ApplyMarketCodesReply names the order.
type ApplyMarketCodesReply struct {
	ApplicationID int64 `json:"application_id"`
}

var applyMarketCodes = wechat.Endpoint[ApplyMarketCodesRequest, ApplyMarketCodesReply]{
	Name: "ApplyMarketCodes", Pattern: "POST /intp/marketcode/applycode",
	Effect: wechat.EffectSet,
}

// ApplyMarketCodes orders a batch of codes, one for each piece of a product (一物一码).
//
// Official page: https://developers.weixin.qq.com/doc/service/api/onecode/api_intp_marketcode_applycode.html
func (c *Client) ApplyMarketCodes(ctx context.Context, r *ApplyMarketCodesRequest) (*ApplyMarketCodesReply, error) {
	return applyMarketCodes.Do(ctx, c.caller, r)
}

// GetMarketCodeApplicationRequest names an order by one of its ids.
type GetMarketCodeApplicationRequest struct {
	ApplicationID    int64  `json:"application_id,omitempty"`
	ISVApplicationID string `json:"isv_application_id,omitempty"`
}

// MarketCodesReady is the Status of an order whose codes can be downloaded; the others are not documented.
const MarketCodesReady = "FINISH"

// MarketCodeRange is a run of codes, both ends among them.
type MarketCodeRange struct {
	CodeStart int64 `json:"code_start"` // counts from 0
	CodeEnd   int64 `json:"code_end"`
}

// GetMarketCodeApplicationReply is an order.
type GetMarketCodeApplicationReply struct {
	Status           string            `json:"status"` // MarketCodesReady, or not yet
	ApplicationID    int64             `json:"application_id"`
	ISVApplicationID string            `json:"isv_application_id"`
	CodeGenerateList []MarketCodeRange `json:"code_generate_list"`
	CreateTime       int64             `json:"create_time"`
	UpdateTime       int64             `json:"update_time"`
}

var getMarketCodeApplication = wechat.Endpoint[GetMarketCodeApplicationRequest, GetMarketCodeApplicationReply]{
	Name: "GetMarketCodeApplication", Pattern: "POST /intp/marketcode/applycodequery",
	Effect: wechat.EffectRead,
}

// GetMarketCodeApplication reads the state of an order.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/onecode/api_intp_marketcode_applycodequery.html
func (c *Client) GetMarketCodeApplication(ctx context.Context, r *GetMarketCodeApplicationRequest) (*GetMarketCodeApplicationReply, error) {
	return getMarketCodeApplication.Do(ctx, c.caller, r)
}

// DownloadMarketCodesRequest asks for a run of an order's codes, one of CodeGenerateList.
type DownloadMarketCodesRequest struct {
	ApplicationID int64 `json:"application_id"`
	MarketCodeRange
}

// DownloadMarketCodesReply has the codes.
type DownloadMarketCodesReply struct {
	Buffer string `json:"buffer"` // base64 of a file, encrypted with the key that the account got with its permission
}

var downloadMarketCodes = wechat.Endpoint[DownloadMarketCodesRequest, DownloadMarketCodesReply]{
	Name: "DownloadMarketCodes", Pattern: "POST /intp/marketcode/applycodedownload",
	Effect: wechat.EffectRead,
}

// DownloadMarketCodes downloads a run of codes. The file comes as text inside JSON, not as bytes.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/onecode/api_intp_marketcode_applycodedownload.html
func (c *Client) DownloadMarketCodes(ctx context.Context, r *DownloadMarketCodesRequest) (*DownloadMarketCodesReply, error) {
	return downloadMarketCodes.Do(ctx, c.caller, r)
}

// MarketCodeVersion is the version of a mini program that a code opens.
type MarketCodeVersion int

// The versions of a mini program.
const (
	MarketCodeRelease MarketCodeVersion = 0 // the default
	MarketCodeDevelop MarketCodeVersion = 1
	MarketCodeTrial   MarketCodeVersion = 2
)

// ActivateMarketCodesRequest binds a run of an order's codes.
type ActivateMarketCodesRequest struct {
	ApplicationID int64             `json:"application_id"`
	ActivityName  string            `json:"activity_name"`
	ProductBrand  string            `json:"product_brand"`
	ProductTitle  string            `json:"product_title"`
	ProductCode   string            `json:"product_code"`
	WxaAppID      string            `json:"wxa_appid"` // of the mini program
	WxaPath       string            `json:"wxa_path"`  // its page
	WxaType       MarketCodeVersion `json:"wxa_type,omitempty"`
	MarketCodeRange
}

var activateMarketCodes = wechat.Endpoint[ActivateMarketCodesRequest, wechat.None]{
	Name: "ActivateMarketCodes", Pattern: "POST /intp/marketcode/codeactive",
	Effect: wechat.EffectSet,
}

// ActivateMarketCodes binds codes to a product and to the page of a mini program that they open.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/onecode/api_intp_marketcode_codeactive.html
func (c *Client) ActivateMarketCodes(ctx context.Context, r *ActivateMarketCodesRequest) error {
	return activateMarketCodes.Exec(ctx, c.caller, r)
}

// GetMarketCodeRequest names a code: by its order and its place in it, by its link, or by itself.
type GetMarketCodeRequest struct {
	ApplicationID int64  `json:"application_id,omitempty"`
	CodeIndex     *int64 `json:"code_index,omitempty"` // a pointer, as the first code has the index 0
	CodeURL       string `json:"code_url,omitempty"`
	Code          string `json:"code,omitempty"`
}

// MarketCodeAt names a code by its order and its place in it, from 0.
func MarketCodeAt(applicationID, index int64) *GetMarketCodeRequest {
	return &GetMarketCodeRequest{ApplicationID: applicationID, CodeIndex: &index}
}

// MarketCode is a code with what it is bound to.
type MarketCode struct {
	Code             string            `json:"code"` // digits; zeros at the front count
	ApplicationID    int64             `json:"application_id"`
	ISVApplicationID string            `json:"isv_application_id"`
	ActivityName     string            `json:"activity_name"`
	ProductBrand     string            `json:"product_brand"`
	ProductTitle     string            `json:"product_title"`
	ProductCode      string            `json:"product_code"`
	WxaAppID         string            `json:"wxa_appid"`
	WxaPath          string            `json:"wxa_path"`
	WxaType          MarketCodeVersion `json:"wxa_type"`
	MarketCodeRange                    // of all codes bound with it
}

var getMarketCode = wechat.Endpoint[GetMarketCodeRequest, MarketCode]{
	Name: "GetMarketCode", Pattern: "POST /intp/marketcode/codeactivequery",
	Effect: wechat.EffectRead,
}

// GetMarketCode reads what a code is bound to.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/onecode/api_intp_marketcode_codeactivequery.html
func (c *Client) GetMarketCode(ctx context.Context, r *GetMarketCodeRequest) (*MarketCode, error) {
	return getMarketCode.Do(ctx, c.caller, r)
}

// ExchangeMarketCodeTicketRequest is a ticket of a scan.
type ExchangeMarketCodeTicketRequest struct {
	OpenID     string `json:"openid"`      // who scanned
	CodeTicket string `json:"code_ticket"` // parameter with which the mini program was opened
}

var exchangeMarketCodeTicket = wechat.Endpoint[ExchangeMarketCodeTicketRequest, MarketCode]{
	Name: "ExchangeMarketCodeTicket", Pattern: "POST /intp/marketcode/tickettocode",
	Effect: wechat.EffectRead,
	To:     func(r *ExchangeMarketCodeTicketRequest) []string { return []string{r.OpenID} },
}

// ExchangeMarketCodeTicket tells which code a person has scanned.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/onecode/api_intp_marketcode_tickettocode.html
func (c *Client) ExchangeMarketCodeTicket(ctx context.Context, r *ExchangeMarketCodeTicketRequest) (*MarketCode, error) {
	return exchangeMarketCodeTicket.Do(ctx, c.caller, r)
}

package miniprogram

import (
	"context"
	"time"

	"github.com/seed175cf469/wechat"
)

var clearQuota = wechat.Endpoint[wechat.None, wechat.None]{
	Name: "ClearQuota", Pattern: "POST /cgi-bin/clear_quota",
	Effect:  wechat.EffectCreate,
	Const:   map[string]string{"appid": wechat.ConstAppID},
	Reopens: func(*wechat.None) string { return "" },
}

// ClearQuota sets the day's counts of all calls of the account to zero; endpoints that were closed as used up are open
// again. There are ten resets a month, shared with ClearQuotaByAppSecret and the console (48006: used up), so the client
// never calls it by itself.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/openApi-mgnt
func (c *Client) ClearQuota(ctx context.Context) error {
	return clearQuota.Exec(ctx, c.caller, nil)
}

var clearQuotaByAppSecret = wechat.Endpoint[wechat.None, wechat.None]{
	Name: "ClearQuotaByAppSecret", Pattern: "POST /cgi-bin/clear_quota/v2",
	Effect:  wechat.EffectCreate,
	NoToken: true,
	Const:   map[string]string{"?appid": wechat.ConstAppID, "?appsecret": wechat.ConstSecret},
	Reopens: func(*wechat.None) string { return "" },
}

// ClearQuotaByAppSecret is ClearQuota for when no token can be had, as the day's token calls are used up too.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/openApi-mgnt
func (c *Client) ClearQuotaByAppSecret(ctx context.Context) error {
	return clearQuotaByAppSecret.Exec(ctx, c.caller, nil)
}

// APIPath names an endpoint.
type APIPath struct {
	CGIPath string `json:"cgi_path"` // begins with a slash; neither host nor query: "/cgi-bin/message/subscribe/send"
}

var clearAPIQuota = wechat.Endpoint[APIPath, wechat.None]{
	Name: "ClearAPIQuota", Pattern: "POST /cgi-bin/openapi/quota/clear",
	Effect:  wechat.EffectCreate,
	Reopens: func(r *APIPath) string { return r.CGIPath },
}

// ClearAPIQuota sets the day's count of one endpoint to zero and opens it again. There are 50 resets a month. Errors:
// 76021 unknown path, 76022 the path does not belong to this kind of account.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/openApi-mgnt
func (c *Client) ClearAPIQuota(ctx context.Context, r *APIPath) error {
	return clearAPIQuota.Exec(ctx, c.caller, r)
}

// GetAPIQuotaReply is how often an endpoint may be called. Figures can be off by a hundredth.
type GetAPIQuotaReply struct {
	Quota struct {
		DailyLimit int64 `json:"daily_limit"`
		Used       int64 `json:"used"`
		Remain     int64 `json:"remain"`
	} `json:"quota"`
	RateLimit          APIRate `json:"rate_limit"`           // zero: none is told
	ComponentRateLimit APIRate `json:"component_rate_limit"` // of calls by a third-party platform
}

// APIRate allows CallCount calls in each RefreshSecond seconds.
type APIRate struct {
	CallCount     int64 `json:"call_count"`
	RefreshSecond int64 `json:"refresh_second"`
}

var getAPIQuota = wechat.Endpoint[APIPath, GetAPIQuotaReply]{
	Name: "GetAPIQuota", Pattern: "POST /cgi-bin/openapi/quota/get",
	Effect: wechat.EffectRead,
}

// GetAPIQuota reads the daily limit, the use so far and the rate limits of one endpoint. Paths under /sns are not
// served (76022); 76021 is an unknown path.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/openApi-mgnt
func (c *Client) GetAPIQuota(ctx context.Context, r *APIPath) (*GetAPIQuotaReply, error) {
	return getAPIQuota.Do(ctx, c.caller, r)
}

// fetchQuota asks for the quota of a path on the client's own behalf.
func fetchQuota(ctx context.Context, c wechat.Caller, path string) (wechat.Quota, error) {
	r, err := getAPIQuota.Do(ctx, c, &APIPath{CGIPath: path})
	if err != nil {
		return wechat.Quota{}, err
	}
	return wechat.NewQuota(r.Quota.DailyLimit, r.Quota.Used, r.RateLimit.CallCount, r.RateLimit.RefreshSecond), nil
}

// GetRidInfoRequest names a failed call.
type GetRidInfoRequest struct {
	Rid string `json:"rid"` // wechat.Error.RequestID
}

// GetRidInfoReply is a failed call as the server saw it. URL and bodies hold secrets: they do not belong into a log.
type GetRidInfoReply struct {
	Request struct {
		InvokeTime   int64  `json:"invoke_time"` // Unix seconds
		CostInMs     int64  `json:"cost_in_ms"`  // milliseconds
		RequestURL   string `json:"request_url"`
		RequestBody  string `json:"request_body"`
		ResponseBody string `json:"response_body"`
		ClientIP     string `json:"client_ip"`
	} `json:"request"`
}

var getRidInfo = wechat.Endpoint[GetRidInfoRequest, GetRidInfoReply]{
	Name: "GetRidInfo", Pattern: "POST /cgi-bin/openapi/rid/get",
	Effect: wechat.EffectRead,
}

// GetRidInfo explains the rid of an error: the request and the reply behind it, for seven days and for the account's
// own calls only (76001, 76003, 76004). Calls under /sns have none (76022).
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/openApi-mgnt
func (c *Client) GetRidInfo(ctx context.Context, r *GetRidInfoRequest) (*GetRidInfoReply, error) {
	return getRidInfo.Do(ctx, c.caller, r)
}

// CheckAction is what CheckCallback tries.
type CheckAction string

// The actions of CheckCallback.
const (
	CheckDNS  CheckAction = "dns"
	CheckPing CheckAction = "ping"
	CheckAll  CheckAction = "all"
)

// CheckOperator is the network that CheckCallback tries from.
type CheckOperator string

// The operators of CheckCallback.
const (
	CheckFromTelecom CheckOperator = "CHINANET"
	CheckFromUnicom  CheckOperator = "UNICOM"
	CheckFromCAP     CheckOperator = "CAP"     // Tencent's own network
	CheckFromDefault CheckOperator = "DEFAULT" // chosen by the server
)

// CheckCallbackRequest asks for a check of the callback host.
type CheckCallbackRequest struct {
	Action        CheckAction   `json:"action"`
	CheckOperator CheckOperator `json:"check_operator"`
}

// CheckCallbackReply tells how the configured callback host looks from the platform's networks.
type CheckCallbackReply struct {
	DNS []struct {
		IP           string `json:"ip"`
		RealOperator string `json:"real_operator"`
	} `json:"dns"`
	Ping []struct {
		IP           string `json:"ip"`
		FromOperator string `json:"from_operator"`
		PackageLoss  string `json:"package_loss"` // "0%" or "100%", as one packet is sent
		Time         string `json:"time"`         // "23.079ms"
	} `json:"ping"`
}

var checkCallback = wechat.Endpoint[CheckCallbackRequest, CheckCallbackReply]{
	Name: "CheckCallback", Pattern: "POST /cgi-bin/callback/check",
	Effect: wechat.EffectRead,
}

// CheckCallback has the platform resolve and ping the host of the callback URL. Error 40201: no URL is configured.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/openApi-mgnt
func (c *Client) CheckCallback(ctx context.Context, r *CheckCallbackRequest) (*CheckCallbackReply, error) {
	return checkCallback.Do(ctx, c.caller, r)
}

// IPList is a list of addresses. An entry can be a CIDR block.
type IPList struct {
	IPList []string `json:"ip_list"`
}

var getAPIDomainIPs = wechat.Endpoint[wechat.None, IPList]{
	Name: "GetAPIDomainIPs", Pattern: "GET /cgi-bin/get_api_domain_ip",
	Effect: wechat.EffectRead,
}

// GetAPIDomainIPs lists the addresses behind api.weixin.qq.com. They change: ask once a day.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/openApi-mgnt
func (c *Client) GetAPIDomainIPs(ctx context.Context) (*IPList, error) {
	return getAPIDomainIPs.Do(ctx, c.caller, nil)
}

var getCallbackIPs = wechat.Endpoint[wechat.None, IPList]{
	Name: "GetCallbackIPs", Pattern: "GET /cgi-bin/getcallbackip",
	Effect: wechat.EffectRead,
}

// GetCallbackIPs lists the addresses that the platform pushes messages and events from. They change: ask once a day.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/openApi-mgnt
func (c *Client) GetCallbackIPs(ctx context.Context) (*IPList, error) {
	return getCallbackIPs.Do(ctx, c.caller, nil)
}

// TicketType is what a ticket is for.
type TicketType string

// The types of tickets.
const (
	TicketJSAPI TicketType = "jsapi"
	TicketCard  TicketType = "wx_card"
)

// GetTicketRequest asks for a ticket.
type GetTicketRequest struct {
	Type TicketType `query:"type"`
}

// Ticket is a key for signatures on the client side.
type Ticket struct {
	Ticket    string `json:"ticket"`
	ExpiresIn int    `json:"expires_in"` // seconds from now
}

var getTicket = wechat.Endpoint[GetTicketRequest, Ticket]{
	Name: "GetTicket", Pattern: "GET /cgi-bin/ticket/getticket",
	Effect: wechat.EffectRead,
	Keep: func(t *Ticket) wechat.Token {
		return wechat.NewToken(t.Ticket, int64(t.ExpiresIn), time.Now())
	},
	Restore: func(t *Ticket, kept wechat.Token) {
		t.Ticket, t.ExpiresIn = kept.Value.Reveal(), int(time.Until(kept.Expiry)/time.Second)
	},
}

// GetTicket returns the ticket of a type. It is kept and shared like an access token, so that it can be called for
// each signature.
func (c *Client) GetTicket(ctx context.Context, r *GetTicketRequest) (*Ticket, error) {
	return getTicket.Do(ctx, c.caller, r)
}

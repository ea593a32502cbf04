package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// AccessToken is the account's access token. The client fetches and renews it by itself; a program asks for it
// only to hand it to another one.
type AccessToken struct {
	AccessToken string `json:"access_token"` // up to 512 characters
	ExpiresIn   int    `json:"expires_in"`   // seconds
}

var getAccessToken = wechat.Endpoint[wechat.None, AccessToken]{
	Name: "GetAccessToken", Pattern: "GET /cgi-bin/token",
	Effect:  wechat.EffectCreate,
	NoToken: true,
	Const: map[string]string{
		"grant_type": "client_credential", "appid": wechat.ConstAppID, "secret": wechat.ConstSecret,
	},
}

// GetAccessToken issues a new classic access token, valid for 7200 seconds. The one before works for about five
// minutes more, so two programs that both call this for one account keep breaking each other's tokens:
// GetStableAccessToken does not have that trap. The default quota is 2,000 calls a day.
//
// 40164 means that the caller's address is not on the account's allow list, 40125 that the secret is wrong,
// 89503 that an administrator has to confirm.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/base/api_getaccesstoken.html
func (c *Client) GetAccessToken(ctx context.Context) (*AccessToken, error) {
	return getAccessToken.Do(ctx, c.caller, nil)
}

// StableAccessTokenRequest asks for the stable access token.
type StableAccessTokenRequest struct {
	// ForceRefresh replaces a token that has leaked: the old one is dead at once. It works 20 times a day, at
	// least 30 seconds apart.
	ForceRefresh bool `json:"force_refresh,omitempty"`
}

var getStableAccessToken = wechat.Endpoint[StableAccessTokenRequest, AccessToken]{
	Name: "GetStableAccessToken", Pattern: "POST /cgi-bin/stable_token",
	Effect:  wechat.EffectRead,
	NoToken: true,
	Limits:  []ratelimit.Limit{ratelimit.PerMinute(10_000)},
	Const: map[string]string{
		"grant_type": "client_credential", "appid": wechat.ConstAppID, "secret": wechat.ConstSecret,
	},
}

// GetStableAccessToken returns the access token of the stable channel, which has nothing to do with that of
// GetAccessToken. While a token is valid the same one comes back, with fewer seconds left; in its last five
// minutes a new one comes and both work. ExpiresIn is therefore between 300 and 7200.
//
// 40164 means that the caller's address is not on the account's allow list, 40125 that the secret is wrong,
// 45009 that the day's calls, or forced refreshes, are used up.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/base/api_getstableaccesstoken.html
func (c *Client) GetStableAccessToken(ctx context.Context, r *StableAccessTokenRequest) (*AccessToken, error) {
	return getStableAccessToken.Do(ctx, c.caller, r)
}

// CheckAction is what CheckCallback looks at.
type CheckAction string

// The actions of CheckCallback.
const (
	CheckDNS  CheckAction = "dns"
	CheckPing CheckAction = "ping"
	CheckAll  CheckAction = "all"
)

// CheckOperator is the carrier from whose network CheckCallback looks.
type CheckOperator string

// The carriers of CheckCallback.
const (
	CheckFromTelecom CheckOperator = "CHINANET"
	CheckFromUnicom  CheckOperator = "UNICOM"
	CheckFromCAP     CheckOperator = "CAP" // Tencent's own network
	CheckFromDefault CheckOperator = "DEFAULT"
)

// CheckCallbackRequest says what to look at, and from where.
type CheckCallbackRequest struct {
	Action        CheckAction   `json:"action"`
	CheckOperator CheckOperator `json:"check_operator"`
}

// CheckCallbackReply is what CheckCallback found.
type CheckCallbackReply struct {
	DNS []struct {
		IP           string `json:"ip"`
		RealOperator string `json:"real_operator"` // whose network the address is in
	} `json:"dns"`
	Ping []struct {
		IP           string `json:"ip"`
		FromOperator string `json:"from_operator"`
		PackageLoss  string `json:"package_loss"` // "0%", "100%"
		Time         string `json:"time"`         // "23.079ms"
	} `json:"ping"`
}

var checkCallback = wechat.Endpoint[CheckCallbackRequest, CheckCallbackReply]{
	Name: "CheckCallback", Pattern: "POST /cgi-bin/callback/check",
	Effect: wechat.EffectRead,
}

// CheckCallback resolves and pings the host of the account's callback URL from inside the platform. 40201 means
// that no URL is configured.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/base/api_callbackcheck.html
func (c *Client) CheckCallback(ctx context.Context, r *CheckCallbackRequest) (*CheckCallbackReply, error) {
	return checkCallback.Do(ctx, c.caller, r)
}

// IPList has addresses of the platform: single ones and CIDR blocks.
type IPList struct {
	IPList []string `json:"ip_list"`
}

var getAPIDomainIPs = wechat.Endpoint[wechat.None, IPList]{
	Name: "GetAPIDomainIPs", Pattern: "GET /cgi-bin/get_api_domain_ip",
	Effect: wechat.EffectRead,
}

// GetAPIDomainIPs lists the addresses of api.weixin.qq.com, for firewalls. They change: ask once a day.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/base/api_getapidomainip.html
func (c *Client) GetAPIDomainIPs(ctx context.Context) (*IPList, error) {
	return getAPIDomainIPs.Do(ctx, c.caller, nil)
}

var getCallbackIPs = wechat.Endpoint[wechat.None, IPList]{
	Name: "GetCallbackIPs", Pattern: "GET /cgi-bin/getcallbackip",
	Effect: wechat.EffectRead,
}

// GetCallbackIPs lists the addresses that callbacks come from. They change, so ask once a day, and match by
// prefix: some are CIDR blocks.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/base/api_getcallbackip.html
func (c *Client) GetCallbackIPs(ctx context.Context) (*IPList, error) {
	return getCallbackIPs.Do(ctx, c.caller, nil)
}

package miniprogram

import (
	"context"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// AccessToken is a token as the token endpoints give it.
type AccessToken struct {
	AccessToken string `json:"access_token"` // opaque, up to 512 characters
	ExpiresIn   int    `json:"expires_in"`   // seconds from now, at most 7200
}

var getAccessToken = wechat.Endpoint[wechat.None, AccessToken]{
	Name: "GetAccessToken", Pattern: "GET /cgi-bin/token",
	Effect:  wechat.EffectCreate,
	NoToken: true,
	Const: map[string]string{
		"grant_type": "client_credential", "appid": wechat.ConstAppID, "secret": wechat.ConstSecret,
	},
}

// GetAccessToken fetches a new classic token. Programs need it only to hand a token to somebody else: the client
// fetches and keeps its own, a stable one unless App.Classic is set.
//
// Each call makes a new token and the one before dies about five minutes later, so that one process alone may call it.
// Errors: 40125 wrong secret, 40164 the caller's address is not on the allow list, 40243 the secret is frozen.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-access-token/api_getaccesstoken
func (c *Client) GetAccessToken(ctx context.Context) (*AccessToken, error) {
	return getAccessToken.Do(ctx, c.caller, nil)
}

// StableAccessTokenRequest asks for a stable token.
type StableAccessTokenRequest struct {
	// ForceRefresh makes a new token, and the old one dies at once. It works 20 times a day, at least 30 seconds apart.
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

// GetStableAccessToken returns the stable token. Programs need it only to hand a token to somebody else: the client
// fetches and keeps its own.
//
// All callers get the same token, whose ExpiresIn shrinks; in its last five minutes a new one is given and both work.
// It is apart from the token of GetAccessToken: neither ends the other. At most 10,000 calls a minute and 500,000 a day
// (45011, 45009). Errors: 40125 wrong secret, 40164 the caller's address is not on the allow list, 89503 the address
// waits for an administrator's consent.
//
// Official page: https://developers.weixin.qq.com/miniprogram/dev/server/API/mp-access-token/api_getstableaccesstoken
func (c *Client) GetStableAccessToken(ctx context.Context, r *StableAccessTokenRequest) (*AccessToken, error) {
	return getStableAccessToken.Do(ctx, c.caller, r)
}

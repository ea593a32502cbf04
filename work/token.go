package work

import (
	"context"

	"github.com/seed175cf469/wechat"
)

// AccessToken is the app's access token. The client fetches and renews it by itself; a program asks for it only to hand
// it to another one.
type AccessToken struct {
	AccessToken string `json:"access_token"` // up to 512 bytes
	ExpiresIn   int    `json:"expires_in"`   // seconds, usually 7200
}

var getAccessToken = wechat.Endpoint[wechat.None, AccessToken]{
	Name: "GetAccessToken", Pattern: "GET /cgi-bin/gettoken",
	Effect:  wechat.EffectRead,
	NoToken: true,
	Const:   map[string]string{"corpid": wechat.ConstAppID, "corpsecret": wechat.ConstSecret},
}

// GetAccessToken returns the app's access token, the same one while it lives. Calling it often is refused, and calling
// it with a wrong secret over and over bars the address for an hour.
//
// Errors: 40001 wrong secret, 40013 wrong CorpID, 40091 the secret is of another company, 50003 the app is disabled,
// 60020 the caller's address is not trusted by the app.
//
// Official page: https://developer.work.weixin.qq.com/document/path/91039
func (c *Client) GetAccessToken(ctx context.Context) (*AccessToken, error) {
	return getAccessToken.Do(ctx, c.caller, nil)
}

// IPList has addresses of the platform, some as CIDR blocks.
type IPList struct {
	IPList []string `json:"ip_list"`
}

var getAPIDomainIPs = wechat.Endpoint[wechat.None, IPList]{
	Name: "GetAPIDomainIPs", Pattern: "GET /cgi-bin/get_api_domain_ip",
	Effect: wechat.EffectRead,
}

// GetAPIDomainIPs lists the addresses of qyapi.weixin.qq.com, for firewalls. They change: ask once a day.
//
// Official page: https://developer.work.weixin.qq.com/document/path/92520
func (c *Client) GetAPIDomainIPs(ctx context.Context) (*IPList, error) {
	return getAPIDomainIPs.Do(ctx, c.caller, nil)
}

var getCallbackIPs = wechat.Endpoint[wechat.None, IPList]{
	Name: "GetCallbackIPs", Pattern: "GET /cgi-bin/getcallbackip",
	Effect: wechat.EffectRead,
}

// GetCallbackIPs lists the addresses that callbacks come from. They change: ask once a day.
//
// Official page: https://developer.work.weixin.qq.com/document/path/92521
func (c *Client) GetCallbackIPs(ctx context.Context) (*IPList, error) {
	return getCallbackIPs.Do(ctx, c.caller, nil)
}

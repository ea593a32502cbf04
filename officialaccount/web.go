package officialaccount

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// TicketType is what a ticket signs.
type TicketType string

// The types of tickets.
const (
	TicketJSAPI TicketType = "jsapi"   // web pages that use the JS-SDK
	TicketCard  TicketType = "wx_card" // cards that pages add or choose
)

// GetTicketRequest names a type of ticket.
type GetTicketRequest struct {
	Type TicketType `query:"type"`
}

// Ticket is a secret that signatures are made with.
type Ticket struct {
	Ticket    string `json:"ticket"`
	ExpiresIn int    `json:"expires_in"` // seconds left
}

var getTicket = wechat.Endpoint[GetTicketRequest, Ticket]{
	Name: "GetTicket", Pattern: "GET /cgi-bin/ticket/getticket",
	Effect: wechat.EffectRead,
	Keep:   func(t *Ticket) wechat.Token { return wechat.NewToken(t.Ticket, int64(t.ExpiresIn), time.Now()) },
	Restore: func(t *Ticket, kept wechat.Token) {
		*t = Ticket{Ticket: kept.Value.Reveal(), ExpiresIn: int(time.Until(kept.Expiry) / time.Second)}
	},
}

// GetTicket returns a ticket for the JS-SDK or for cards. The client keeps it for its 7200 seconds, together with other
// processes where it has a token store, so it may be called for every page. SignJSAPI and SignCard do so.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/webdev/jssdk/api_getticket.html
func (c *Client) GetTicket(ctx context.Context, r *GetTicketRequest) (*Ticket, error) {
	return getTicket.Do(ctx, c.caller, r)
}

// OAuthScope is what a person is asked for when a page wants to know who it is.
type OAuthScope string

// The scopes.
const (
	ScopeBase     OAuthScope = "snsapi_base"     // the openid; nothing is shown
	ScopeUserInfo OAuthScope = "snsapi_userinfo" // name and picture; the person is asked
	ScopeLogin    OAuthScope = "snsapi_login"    // QRConnectURL
)

// OAuthURL is the link that a page inside WeChat sends a person to, in order to know who it is. WeChat comes back to
// redirectURI, whose host is one of the account's web domains, with the parameters code, for GetOAuthAccessToken, and
// state, up to 128 letters and digits that tie the answer to the question.
func (c *Client) OAuthURL(redirectURI string, scope OAuthScope, state string) string {
	return "https://open.weixin.qq.com/connect/oauth2/authorize?" + c.oauthQuery(redirectURI, scope, state)
}

// QRConnectURL is the page outside of WeChat that shows a QR code to log in with. The client's app is a website
// application of the open platform then. WeChat comes back as with OAuthURL.
func (c *Client) QRConnectURL(redirectURI, state string) string {
	return "https://open.weixin.qq.com/connect/qrconnect?" + c.oauthQuery(redirectURI, ScopeLogin, state)
}

// oauthQuery has the parameters in the order of their names, which is the one that WeChat asks for.
func (c *Client) oauthQuery(redirectURI string, scope OAuthScope, state string) string {
	return url.Values{
		"appid":         {c.appID},
		"redirect_uri":  {redirectURI},
		"response_type": {"code"},
		"scope":         {string(scope)},
		"state":         {state},
	}.Encode() + "#wechat_redirect"
}

// OneTimeSubscribeURL is the page on which a person agrees to one message of SendOneTimeSubscribeMessage. scene is
// between 0 and 10000 and comes back in the event. WeChat goes on to redirectURL with openid, template_id, action
// ("confirm" or "cancel"), scene and reserved, a text of up to 128 bytes that guards against forged requests.
func (c *Client) OneTimeSubscribeURL(scene int, templateID, redirectURL, reserved string) string {
	return "https://mp.weixin.qq.com/mp/subscribemsg?" + url.Values{
		"action":       {"get_confirm"},
		"appid":        {c.appID},
		"scene":        {strconv.Itoa(scene)},
		"template_id":  {templateID},
		"redirect_url": {redirectURL},
		"reserved":     {reserved},
	}.Encode() + "#wechat_redirect"
}

// oauthLimit is the documented cap of each of the calls for people's own tokens.
var oauthLimit = []ratelimit.Limit{ratelimit.PerMinute(50_000)}

// GetOAuthAccessTokenRequest has the code that a person came back with.
type GetOAuthAccessTokenRequest struct {
	Code string `query:"code"`
}

// OAuthAccessToken is a person's token, which has nothing to do with the account's. It is a secret, as is RefreshToken.
type OAuthAccessToken struct {
	AccessToken  string `json:"access_token"`
	ExpiresIn    int    `json:"expires_in"`    // seconds: 7200
	RefreshToken string `json:"refresh_token"` // lives 30 days
	OpenID       string `json:"openid"`
	Scope        string `json:"scope"` // scopes, separated by commas
}

// GetOAuthAccessTokenReply says who a person is.
type GetOAuthAccessTokenReply struct {
	OAuthAccessToken
	IsSnapshotUser int    `json:"is_snapshotuser"` // 1: a visitor of a snapshot page, with a made-up identity
	UnionID        string `json:"unionid"`         // with ScopeUserInfo, if the account is bound to an open platform account
}

var getOAuthAccessToken = wechat.Endpoint[GetOAuthAccessTokenRequest, GetOAuthAccessTokenReply]{
	Name: "GetOAuthAccessToken", Pattern: "GET /sns/oauth2/access_token",
	Effect:  wechat.EffectCreate, // the code works once
	NoToken: true,
	Limits:  oauthLimit,
	Const: map[string]string{
		"grant_type": "authorization_code", "appid": wechat.ConstAppID, "secret": wechat.ConstSecret,
	},
}

// GetOAuthAccessToken trades the code that a person came back with for the person's openid and token. A code works
// once, within five minutes: 40163 means that it was used, 40029 that it is wrong or too old. When the reply is lost
// (wechat.ErrOutcomeUnknown) the person has to log in again.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsaccesstoken.html
func (c *Client) GetOAuthAccessToken(ctx context.Context, r *GetOAuthAccessTokenRequest) (*GetOAuthAccessTokenReply, error) {
	return getOAuthAccessToken.Do(ctx, c.caller, r)
}

// RefreshOAuthAccessTokenRequest has a person's refresh token.
type RefreshOAuthAccessTokenRequest struct {
	RefreshToken string `query:"refresh_token"`
}

var refreshOAuthAccessToken = wechat.Endpoint[RefreshOAuthAccessTokenRequest, OAuthAccessToken]{
	Name: "RefreshOAuthAccessToken", Pattern: "GET /sns/oauth2/refresh_token",
	Effect:  wechat.EffectCreate,
	NoToken: true,
	Limits:  oauthLimit,
	Const:   map[string]string{"grant_type": "refresh_token", "appid": wechat.ConstAppID},
}

// RefreshOAuthAccessToken renews a person's token. The reply can have another RefreshToken, which then has to be kept
// in place of the old one. 42002 means that the refresh token is over its 30 days, 40030 that it is wrong: the person
// has to log in again.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsrefreshtoken.html
func (c *Client) RefreshOAuthAccessToken(ctx context.Context, r *RefreshOAuthAccessTokenRequest) (*OAuthAccessToken, error) {
	return refreshOAuthAccessToken.Do(ctx, c.caller, r)
}

// GetOAuthUserInfoRequest has a person's token.
type GetOAuthUserInfoRequest struct {
	AccessToken string `query:"access_token"` // of GetOAuthAccessToken, with ScopeUserInfo
	OpenID      string `query:"openid"`
	Lang        string `query:"lang,omitempty"` // language of places: "zh_CN", "zh_TW" or "en"
}

// OAuthUserInfo is what a person agreed to show.
type OAuthUserInfo struct {
	OpenID     string   `json:"openid"`
	NickName   string   `json:"nickname"`
	Sex        int      `json:"sex"`        // no longer given
	Province   string   `json:"province"`   // no longer given
	City       string   `json:"city"`       // no longer given
	Country    string   `json:"country"`    // no longer given
	HeadImgURL string   `json:"headimgurl"` // ends in the size: 0 (640*640), 46, 64, 96 or 132
	Privilege  []string `json:"privilege"`
	UnionID    string   `json:"unionid"` // if the account is bound to an open platform account
}

var getOAuthUserInfo = wechat.Endpoint[GetOAuthUserInfoRequest, OAuthUserInfo]{
	Name: "GetOAuthUserInfo", Pattern: "GET /sns/userinfo",
	Effect:  wechat.EffectRead,
	NoToken: true,
	Limits:  oauthLimit,
	To:      func(r *GetOAuthUserInfoRequest) []string { return []string{r.OpenID} },
}

// GetOAuthUserInfo reads the profile of a person who agreed. 48001 means that the token is of another scope; 40001 and
// 42001 concern the person's token, which RefreshOAuthAccessToken renews.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsuserinfo.html
func (c *Client) GetOAuthUserInfo(ctx context.Context, r *GetOAuthUserInfoRequest) (*OAuthUserInfo, error) {
	return getOAuthUserInfo.Do(ctx, c.caller, r)
}

// CheckOAuthAccessTokenRequest has a person's token.
type CheckOAuthAccessTokenRequest struct {
	AccessToken string `query:"access_token"` // of GetOAuthAccessToken
	OpenID      string `query:"openid"`
}

var checkOAuthAccessToken = wechat.Endpoint[CheckOAuthAccessTokenRequest, wechat.None]{
	Name: "CheckOAuthAccessToken", Pattern: "GET /sns/auth",
	Effect:  wechat.EffectRead,
	NoToken: true,
	To:      func(r *CheckOAuthAccessTokenRequest) []string { return []string{r.OpenID} },
}

// CheckOAuthAccessToken tells whether a person's token still works: nil, or an error of which wechat.ErrTokenInvalid (40001,
// 42001) and 40003 mean that it does not.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/webdev/access/api_snsauth.html
func (c *Client) CheckOAuthAccessToken(ctx context.Context, r *CheckOAuthAccessTokenRequest) error {
	return checkOAuthAccessToken.Exec(ctx, c.caller, r)
}

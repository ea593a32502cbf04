package officialaccount

import (
	"context"

	"github.com/seed175cf469/wechat"
)

var clearQuota = wechat.Endpoint[wechat.None, wechat.None]{
	Name: "ClearQuota", Pattern: "POST /cgi-bin/clear_quota",
	// A repeat leaves the same state and uses up one more of the ten chances all the same.
	Effect:  wechat.EffectCreate,
	Const:   map[string]string{"appid": wechat.ConstAppID},
	Reopens: func(*wechat.None) string { return "" },
}

// ClearQuota sets the day's count of every endpoint back to zero. An account can do it ten times a month, together
// with ClearQuotaByAppSecret and the web console, after which 48006 comes. Endpoints that the client had closed
// for the day are open again.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/apimanage/api_clearquota.html
func (c *Client) ClearQuota(ctx context.Context) error {
	return clearQuota.Exec(ctx, c.caller, nil)
}

// APIPath names an endpoint by its path.
type APIPath struct {
	CGIPath string `json:"cgi_path"` // begins with a slash, without host, as in "/cgi-bin/message/template/send"
}

// GetAPIQuotaReply is what an account may call.
type GetAPIQuotaReply struct {
	Quota struct {
		DailyLimit int64 `json:"daily_limit"`
		Used       int64 `json:"used"`
		Remain     int64 `json:"remain"`
	} `json:"quota"`
	RateLimit          APIRate `json:"rate_limit"`           // zero: not told
	ComponentRateLimit APIRate `json:"component_rate_limit"` // for a third-party platform; zero: not told
}

// APIRate is a number of calls in a time.
type APIRate struct {
	CallCount     int64 `json:"call_count"`
	RefreshSecond int64 `json:"refresh_second"`
}

var getAPIQuota = wechat.Endpoint[APIPath, GetAPIQuotaReply]{
	Name: "GetAPIQuota", Pattern: "POST /cgi-bin/openapi/quota/get",
	Effect: wechat.EffectRead,
}

// GetAPIQuota reads the daily quota of one endpoint, what is used of it, and its rate. 76003 means that the path is
// not of the right form, 76021 that it is unknown, 76022 that it belongs to another kind of account or
// begins with /sns/.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/apimanage/api_getapiquota.html
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

var clearAPIQuota = wechat.Endpoint[APIPath, wechat.None]{
	Name: "ClearAPIQuota", Pattern: "POST /cgi-bin/openapi/quota/clear",
	Effect:  wechat.EffectCreate, // each one that works uses up a chance
	Reopens: func(r *APIPath) string { return r.CGIPath },
}

// ClearAPIQuota sets the day's count of one endpoint back to zero. An account can do it 50 times a month. If the
// client had closed the endpoint for the day, it is open again.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/apimanage/api_clearapiquota.html
func (c *Client) ClearAPIQuota(ctx context.Context, r *APIPath) error {
	return clearAPIQuota.Exec(ctx, c.caller, r)
}

var clearQuotaByAppSecret = wechat.Endpoint[wechat.None, wechat.None]{
	Name: "ClearQuotaByAppSecret", Pattern: "POST /cgi-bin/clear_quota/v2",
	Effect:  wechat.EffectCreate, // each one that works uses up a chance
	NoToken: true,
	Const:   map[string]string{"?appid": wechat.ConstAppID, "?appsecret": wechat.ConstSecret},
	Reopens: func(*wechat.None) string { return "" },
}

// ClearQuotaByAppSecret does what ClearQuota does without an access token, for the day on which even the calls for a
// token are used up. The ten chances a month are shared with ClearQuota (48006).
//
// Official page: https://developers.weixin.qq.com/doc/service/api/apimanage/api_clearquotabyappsecret.html
func (c *Client) ClearQuotaByAppSecret(ctx context.Context) error {
	return clearQuotaByAppSecret.Exec(ctx, c.caller, nil)
}

// GetRidInfoRequest names a failed request.
type GetRidInfoRequest struct {
	Rid string `json:"rid"` // wechat.Error.RequestID
}

// GetRidInfoReply is what the platform recorded of it.
type GetRidInfoReply struct {
	Request struct {
		InvokeTime   int64  `json:"invoke_time"`
		CostInMs     int64  `json:"cost_in_ms"`
		RequestURL   string `json:"request_url"` // the query, without the token
		RequestBody  string `json:"request_body"`
		ResponseBody string `json:"response_body"`
		ClientIP     string `json:"client_ip"`
	} `json:"request"`
}

var getRidInfo = wechat.Endpoint[GetRidInfoRequest, GetRidInfoReply]{
	Name: "GetRidInfo", Pattern: "POST /cgi-bin/openapi/rid/get",
	Effect: wechat.EffectRead,
}

// GetRidInfo reads back a request that failed, by the rid of its error. The reply can hold personal data, as it has
// the request's body. 76001 means that there is no such rid, 76003 that it is another account's, 76004 that it is older
// than seven days. Calls under /sns/ are not recorded.
//
// Official page: https://developers.weixin.qq.com/doc/service/api/apimanage/api_getridinfo.html
func (c *Client) GetRidInfo(ctx context.Context, r *GetRidInfoRequest) (*GetRidInfoReply, error) {
	return getRidInfo.Do(ctx, c.caller, r)
}

package mock_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A product in small, with an endpoint of each kind.

type accessToken struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"`
}

type stableToken struct {
	ForceRefresh bool `json:"force_refresh,omitempty"`
}

var secretConst = map[string]string{"grant_type": "client_credential", "appid": wechat.ConstAppID, "secret": wechat.ConstSecret}

var (
	getAccessToken = wechat.Endpoint[wechat.None, accessToken]{
		Name: "GetAccessToken", Pattern: "GET /cgi-bin/token", Effect: wechat.EffectCreate, NoToken: true, Const: secretConst}
	getStableToken = wechat.Endpoint[stableToken, accessToken]{
		Name: "GetStableAccessToken", Pattern: "POST /cgi-bin/stable_token", Effect: wechat.EffectRead, NoToken: true, Const: secretConst}
	getWorkToken = wechat.Endpoint[wechat.None, accessToken]{
		Name: "GetWorkToken", Pattern: "GET /cgi-bin/gettoken", Effect: wechat.EffectRead, NoToken: true,
		Const: map[string]string{"corpid": wechat.ConstAppID, "corpsecret": wechat.ConstSecret}}
)

type message struct {
	ToUser string           `json:"touser"`
	Data   map[string]value `json:"data"`
	MsgID  string           `json:"client_msg_id,omitempty"`
}

type value struct {
	Value string `json:"value"`
}

type receipt struct {
	MsgID int64 `json:"msgid"`
}

type mass struct {
	ToUser []string `json:"touser"`
	Text   string   `json:"text"`
	MsgID  string   `json:"clientmsgid,omitempty"`
}

type massReceipt struct {
	MsgID int64 `json:"msg_id"`
}

type user struct {
	OpenID     string   `json:"openid"`
	Nickname   string   `json:"nickname"`
	Subscribed bool     `json:"subscribed"`
	Time       int64    `json:"subscribe_time"`
	Score      float64  `json:"score"`
	Tags       []int    `json:"tagid_list"`
	Invalid    []string `json:"invalid_list"`
	Link       struct {
		URL string `json:"url"`
	} `json:"link"`
}

type userRequest struct {
	OpenID string `query:"openid"`
	Lang   string `query:"lang,omitempty"`
}

type pageRequest struct {
	NextOpenID string `query:"next_openid,omitempty"`
}

type page struct {
	Total      int      `json:"total"`
	OpenIDs    []string `json:"openids"`
	NextOpenID string   `json:"next_openid"`
}

type upload struct {
	Type  string      `query:"type"`
	Title string      `form:"title,omitempty"`
	Media wechat.File `form:"media"`
}

type uploaded struct {
	MediaID string `json:"media_id"`
}

type mediaRequest struct {
	MediaID string `query:"media_id"`
}

type plugin struct {
	AppID string `json:"plugin_appid"`
}

type plugins struct {
	List []plugin `json:"plugin_list"`
}

var (
	send = wechat.Endpoint[message, receipt]{
		Name: "SendMessage", Pattern: "POST /cgi-bin/message/template/send", Effect: wechat.EffectSend,
		To:     func(m *message) []string { return []string{m.ToUser} },
		Dedupe: func(m *message) *string { return &m.MsgID }, DedupeFor: 10 * time.Minute}
	sendMass = wechat.Endpoint[mass, massReceipt]{
		Name: "SendMass", Pattern: "POST /cgi-bin/message/mass/send", Effect: wechat.EffectSend,
		To: func(m *mass) []string { return m.ToUser }}
	sendOnce = wechat.Endpoint[message, wechat.None]{ // no dedupe key of its own
		Name: "SendCustom", Pattern: "POST /cgi-bin/message/custom/send", Effect: wechat.EffectSend,
		To: func(m *message) []string { return []string{m.ToUser} }}
	getUser = wechat.Endpoint[userRequest, user]{
		Name: "GetUser", Pattern: "GET /cgi-bin/person/info", Effect: wechat.EffectRead}
	listUsers = wechat.Endpoint[pageRequest, page]{
		Name: "ListUsers", Pattern: "GET /cgi-bin/person/get", Effect: wechat.EffectRead}
	uploadMedia = wechat.Endpoint[upload, uploaded]{
		Name: "UploadMedia", Pattern: "POST /cgi-bin/media/upload", Effect: wechat.EffectUpload}
	getMedia = wechat.Endpoint[mediaRequest, wechat.Blob]{
		Name: "GetMedia", Pattern: "GET /cgi-bin/media/get", Effect: wechat.EffectRead}
	clearQuota = wechat.Endpoint[wechat.None, wechat.None]{
		Name: "ClearQuota", Pattern: "POST /cgi-bin/clear_quota", Effect: wechat.EffectSet,
		Const: map[string]string{"appid": wechat.ConstAppID}, Reopens: func(*wechat.None) string { return "" }}
	applyPlugin = wechat.Endpoint[plugin, wechat.None]{
		Name: "ApplyPlugin", Pattern: "POST /wxa/plugin", Effect: wechat.EffectCreate, Const: map[string]string{"action": "apply"}}
	listPlugins = wechat.Endpoint[wechat.None, plugins]{
		Name: "ListPlugins", Pattern: "POST /wxa/plugin", Effect: wechat.EffectRead, Const: map[string]string{"action": "list"}}

	sendWork = wechat.Endpoint[workMessage, wechat.None]{
		Name: "SendWorkMessage", Pattern: "POST /cgi-bin/message/send", Effect: wechat.EffectSend,
		Const: map[string]string{"agentid": wechat.ConstAgentID},
		To:    func(m *workMessage) []string { return []string{m.ToUser} }}
	getMember = wechat.Endpoint[memberRequest, member]{
		Name: "GetMember", Pattern: "GET /cgi-bin/person/get", Effect: wechat.EffectRead}
)

type workMessage struct {
	ToUser   string `json:"touser"`
	Text     string `json:"text"`
	Check    int    `json:"enable_duplicate_check,omitempty"`
	Interval int    `json:"duplicate_check_interval,omitempty"`
}

type memberRequest struct {
	UserID string `query:"userid"`
}

type member struct {
	Name string `json:"name"`
}

var oaProduct = wechat.Product{Name: "officialaccount", BaseURL: "https://oa.example.invalid", Forcible: true,
	Token: func(ctx context.Context, c wechat.Caller, app wechat.App, force bool) (wechat.Token, error) {
		asked := time.Now()
		var t *accessToken
		var err error
		if app.Classic {
			t, err = getAccessToken.Do(ctx, c, nil)
		} else {
			t, err = getStableToken.Do(ctx, c, &stableToken{ForceRefresh: force})
		}
		if err != nil {
			return wechat.Token{}, err
		}
		return wechat.NewToken(t.AccessToken, t.ExpiresIn, asked), nil
	}}

var workProduct = wechat.Product{Name: "work", BaseURL: "https://work.example.invalid",
	Token: func(ctx context.Context, c wechat.Caller, _ wechat.App, _ bool) (wechat.Token, error) {
		asked := time.Now()
		t, err := getWorkToken.Do(ctx, c, nil)
		if err != nil {
			return wechat.Token{}, err
		}
		return wechat.NewToken(t.AccessToken, t.ExpiresIn, asked), nil
	}}

// specs are the endpoints of both products.
func specs() []wechat.Spec {
	list := []wechat.Spec{getAccessToken.Spec(), getStableToken.Spec(), send.Spec(), sendMass.Spec(), sendOnce.Spec(), getUser.Spec(),
		listUsers.Spec(), uploadMedia.Spec(), getMedia.Spec(), clearQuota.Spec(), applyPlugin.Spec(), listPlugins.Spec()}
	for i := range list {
		list[i].Product = "officialaccount"
	}
	for _, spec := range []wechat.Spec{getWorkToken.Spec(), sendWork.Spec(), getMember.Spec()} {
		spec.Product = "work"
		list = append(list, spec)
	}
	return list
}

// account is a client of the product for official accounts.
type account struct{ caller wechat.Caller }

func newAccount(c wechat.Caller, app wechat.App) *account {
	return &account{wechat.Bind(c, &oaProduct, app)}
}

func (a *account) SendMessage(ctx context.Context, m *message) (*receipt, error) {
	return send.Do(ctx, a.caller, m)
}

func (a *account) SendMass(ctx context.Context, m *mass) (*massReceipt, error) {
	return sendMass.Do(ctx, a.caller, m)
}

func (a *account) SendCustom(ctx context.Context, m *message) error {
	return sendOnce.Exec(ctx, a.caller, m)
}

func (a *account) GetUser(ctx context.Context, r *userRequest) (*user, error) {
	return getUser.Do(ctx, a.caller, r)
}

func (a *account) ListUsers(ctx context.Context, r *pageRequest) (*page, error) {
	return listUsers.Do(ctx, a.caller, r)
}

func (a *account) AllUsers(ctx context.Context) iter.Seq2[string, error] {
	return wechat.Pages(ctx, "", func(ctx context.Context, cursor string) ([]string, string, bool, error) {
		p, err := a.ListUsers(ctx, &pageRequest{NextOpenID: cursor})
		if err != nil {
			return nil, "", false, err
		}
		return p.OpenIDs, p.NextOpenID, p.NextOpenID != "", nil
	})
}

func (a *account) UploadMedia(ctx context.Context, r *upload) (*uploaded, error) {
	return uploadMedia.Do(ctx, a.caller, r)
}

func (a *account) GetMedia(ctx context.Context, r *mediaRequest) (*wechat.Blob, error) {
	return getMedia.Do(ctx, a.caller, r)
}

func (a *account) ClearQuota(ctx context.Context) error {
	return clearQuota.Exec(ctx, a.caller, nil)
}

func (a *account) ApplyPlugin(ctx context.Context, p *plugin) error {
	return applyPlugin.Exec(ctx, a.caller, p)
}

func (a *account) ListPlugins(ctx context.Context) (*plugins, error) {
	return listPlugins.Do(ctx, a.caller, nil)
}

// company is a client of the product for companies.
type company struct{ caller wechat.Caller }

func newCompany(c wechat.Caller, app wechat.App) *company {
	return &company{wechat.Bind(c, &workProduct, app)}
}

func (c *company) SendMessage(ctx context.Context, m *workMessage) error {
	return sendWork.Exec(ctx, c.caller, m)
}

func (c *company) GetMember(ctx context.Context, r *memberRequest) (*member, error) {
	return getMember.Do(ctx, c.caller, r)
}

var (
	oaApp   = wechat.App{ID: "wx0000000000000001", Secret: "oa-secret"}
	workApp = wechat.App{ID: "ww0000000000000001", Secret: "work-secret", AgentID: 7}
)

func openID(n int) string { return fmt.Sprintf("oTEST%023d", n) }

func hello(to string) *message {
	return &message{ToUser: to, Data: map[string]value{"first": {Value: "hello"}}}
}

// platform is a server and an account on it.
func platform(opts ...wechat.Option) (*mock.Server, *account) {
	s := mock.NewServer(specs()...)
	return s, newAccount(wechat.New(append(s.Options(), opts...)...), oaApp)
}

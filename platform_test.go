package wechat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A product of the tests' own, with one endpoint of each kind.

type message struct {
	ToUser string            `json:"touser"`
	Text   string            `json:"text"`
	ID     string            `json:"client_msg_id,omitempty"`
	Data   map[string]string `json:"data,omitempty"`
}

type receipt struct {
	MsgID int64 `json:"msgid"`
}

type lookup struct {
	Name string `query:"name"`
	Lang string `query:"lang,omitempty"`
}

type found struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

type upload struct {
	Type  string      `query:"type"`
	Media wechat.File `form:"media"`
	Note  string      `form:"note,omitempty"`
}

type uploaded struct {
	MediaID string `json:"media_id"`
}

type login struct {
	Code string `query:"js_code"`
}

type session struct {
	OpenID     string `json:"openid"`
	SessionKey string `json:"session_key"`
}

type media struct {
	File     wechat.Blob `json:"-"`
	VideoURL string      `json:"video_url"`
}

type ticket struct {
	Ticket    string `json:"ticket"`
	ExpiresIn int64  `json:"expires_in"`
}

type accessToken struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"`
}

type force struct {
	Force bool `json:"force_refresh,omitempty"`
}

var (
	send = wechat.Endpoint[message, receipt]{
		Name: "Send", Pattern: "POST /send", Effect: wechat.EffectSend,
		To: func(m *message) []string { return []string{m.ToUser} },
	}
	sendOnce = wechat.Endpoint[message, receipt]{
		Name: "SendOnce", Pattern: "POST /send/once", Effect: wechat.EffectSend,
		To:     func(m *message) []string { return []string{m.ToUser} },
		Dedupe: func(m *message) *string { return &m.ID }, DedupeFor: 10 * time.Minute,
	}
	read     = wechat.Endpoint[lookup, found]{Name: "Read", Pattern: "GET /read", Effect: wechat.EffectRead}
	other    = wechat.Endpoint[wechat.None, found]{Name: "Other", Pattern: "POST /other", Effect: wechat.EffectRead}
	set      = wechat.Endpoint[found, wechat.None]{Name: "Set", Pattern: "POST /set", Effect: wechat.EffectSet}
	create   = wechat.Endpoint[found, found]{Name: "Create", Pattern: "POST /create", Effect: wechat.EffectCreate}
	put      = wechat.Endpoint[upload, uploaded]{Name: "Upload", Pattern: "POST /upload", Effect: wechat.EffectUpload}
	download = wechat.Endpoint[lookup, media]{Name: "Download", Pattern: "GET /media", Effect: wechat.EffectRead}
	code     = wechat.Endpoint[login, session]{
		Name: "Login", Pattern: "GET /sns/jscode2session", Effect: wechat.EffectCreate, NoToken: true,
		Const: map[string]string{"appid": wechat.ConstAppID, "secret": wechat.ConstSecret, "grant_type": "authorization_code"},
	}
	getTicket = wechat.Endpoint[lookup, ticket]{
		Name: "GetTicket", Pattern: "GET /ticket", Effect: wechat.EffectRead,
		Keep: func(t *ticket) wechat.Token { return wechat.NewToken(t.Ticket, t.ExpiresIn, time.Now()) },
		Restore: func(t *ticket, k wechat.Token) {
			t.Ticket, t.ExpiresIn = k.Value.Reveal(), int64(time.Until(k.Expiry).Round(time.Second)/time.Second)
		},
	}
	clearQuota = wechat.Endpoint[wechat.None, wechat.None]{
		Name: "ClearQuota", Pattern: "POST /clear", Effect: wechat.EffectSet,
		Const:   map[string]string{"appid": wechat.ConstAppID},
		Reopens: func(*wechat.None) string { return "" },
	}
	stableToken = wechat.Endpoint[force, accessToken]{
		Name: "StableToken", Pattern: "POST /cgi-bin/stable_token", Effect: wechat.EffectRead, NoToken: true,
		Const: map[string]string{"grant_type": "client_credential", "appid": wechat.ConstAppID, "secret": wechat.ConstSecret},
	}
)

// newProduct is named like a real one, so that the table of errcodes applies.
func newProduct(name string) *wechat.Product {
	return &wechat.Product{
		Name: name, BaseURL: "https://api.example.invalid", Forcible: name != "work",
		Token: func(ctx context.Context, c wechat.Caller, _ wechat.App, forced bool) (wechat.Token, error) {
			asked := time.Now()
			t, err := stableToken.Do(ctx, c, &force{Force: forced})
			if err != nil {
				return wechat.Token{}, err
			}
			return wechat.NewToken(t.AccessToken, t.ExpiresIn, asked), nil
		},
	}
}

var app = wechat.App{ID: "wx00112233445566ff", Secret: "FAKE_SECRET"}

// platform answers in memory. Its zero value issues tokens T1, T2 ... for 7200 s, accepts only the newest, and answers
// every call with {"errcode":0,"errmsg":"ok"} and some fields.
type platform struct {
	handle func(r *request) any // nil, or nil result: the default answer; a string is a JSON body, an error a transport error
	stable bool                 // the token endpoint gives the same value until it is forced

	mu       sync.Mutex
	requests []*request
	tokens   int // issued
	asked    int // token requests
	dead     map[string]bool
}

type request struct {
	*http.Request
	n     int // 1 is the first of its path
	path  string
	query url.Values
	body  []byte
	at    time.Time
}

type answer struct {
	status int
	header map[string]string
	body   string
	cut    bool
	delay  time.Duration
}

// refusedConn is a transport error before a connection is got.
var (
	errRefused = errors.New("connect: connection refused")
	errReset   = errors.New("read: connection reset by peer")
)

func (p *platform) RoundTrip(r *http.Request) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(r.Context())
	if trace != nil && trace.GetConn != nil {
		trace.GetConn(r.URL.Host)
	}
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	q := &request{Request: r, path: r.URL.Path, query: r.URL.Query(), body: body, at: time.Now()}
	p.mu.Lock()
	for _, old := range p.requests {
		if old.path == q.path {
			q.n++
		}
	}
	q.n++
	p.requests = append(p.requests, q)
	p.mu.Unlock()

	var a any
	if p.handle != nil {
		a = p.handle(q)
	}
	if err, ok := a.(error); ok && errors.Is(err, errRefused) {
		return nil, errRefused
	}
	if trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if a == nil {
		a = p.defaultAnswer(q)
	}
	switch a := a.(type) {
	case error:
		return nil, a
	case string:
		return p.respond(r, answer{body: a})
	case answer:
		return p.respond(r, a)
	}
	panic("platform: an answer of no known type")
}

func (p *platform) respond(r *http.Request, a answer) (*http.Response, error) {
	if a.delay > 0 {
		select {
		case <-time.After(a.delay):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if a.status == 0 {
		a.status = 200
	}
	h := http.Header{"Content-Type": {"application/json; encoding=utf-8"}}
	for k, v := range a.header {
		h.Set(k, v)
	}
	var body io.Reader = strings.NewReader(a.body)
	if a.cut {
		body = io.MultiReader(body, errReader{io.ErrUnexpectedEOF})
	}
	return &http.Response{StatusCode: a.status, Header: h, Body: io.NopCloser(body), ContentLength: -1, Request: r, ProtoMajor: 1, ProtoMinor: 1}, nil
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func (p *platform) defaultAnswer(q *request) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.HasSuffix(q.path, "/stable_token") {
		p.asked++
		if p.tokens == 0 || !p.stable || bytes.Contains(q.body, []byte(`"force_refresh":true`)) {
			p.tokens++
		}
		return fmt.Sprintf(`{"access_token":"FAKE_TOKEN_%d","expires_in":7200}`, p.tokens)
	}
	if t := q.query.Get("access_token"); p.dead[t] {
		return tokenInvalid
	}
	return `{"errcode":0,"errmsg":"ok","msgid":9007199254740993,"value":"v","count":1,"media_id":"M","ticket":"FAKE_TICKET","expires_in":7200,"openid":"o1","session_key":"k"}`
}

const tokenInvalid = `{"errcode":40001,"errmsg":"invalid credential, access_token is invalid or not latest rid: 65000000-0badcafe-00000001"}`

// revoke makes the server refuse a token.
func (p *platform) revoke(tokens ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead == nil {
		p.dead = map[string]bool{}
	}
	for _, t := range tokens {
		p.dead[t] = true
	}
}

// calls are the requests to path.
func (p *platform) calls(path string) []*request {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*request
	for _, r := range p.requests {
		if r.path == path {
			list = append(list, r)
		}
	}
	return list
}

func (p *platform) client(opts ...wechat.Option) *wechat.Client {
	return wechat.New(append([]wechat.Option{wechat.WithHTTPClient(&http.Client{Transport: p})}, opts...)...)
}

// caller is a bound client of the product that official accounts have.
func (p *platform) caller(opts ...wechat.Option) wechat.Caller {
	return wechat.Bind(p.client(opts...), newProduct("officialaccount"), app)
}

func hello(to string) *message { return &message{ToUser: to, Text: "hi"} }

func errcode(code int, text string) string {
	return fmt.Sprintf(`{"errcode":%d,"errmsg":%q}`, code, text)
}

var (
	_ http.RoundTripper = (*platform)(nil)
	_                   = ratelimit.Normal
)

package apisign_test

import (
	"context"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/apisign"
	"github.com/seed175cf469/wechat/miniprogram"
	"github.com/seed175cf469/wechat/mock"
)

type message struct {
	ToUser string          `json:"touser,omitempty"`
	ID     int64           `json:"id,omitempty"`
	Text   string          `json:"text,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"`
	Kind   string          `query:"kind,omitempty"`
}

type receipt struct {
	MsgID int64 `json:"msgid"`
}

type upload struct {
	Media wechat.File `form:"media"`
}

type question struct {
	Name string `query:"name"`
}

var (
	send = wechat.Endpoint[message, receipt]{Name: "Send", Pattern: "POST /test/send", Effect: wechat.EffectSend}
	ask  = wechat.Endpoint[message, receipt]{Name: "Ask", Pattern: "POST /test/ask", Effect: wechat.EffectRead}
	look = wechat.Endpoint[question, receipt]{Name: "Look", Pattern: "GET /test/look", Effect: wechat.EffectRead}
	push = wechat.Endpoint[upload, receipt]{Name: "Push", Pattern: "POST /test/push", Effect: wechat.EffectUpload}
	ping = wechat.Endpoint[wechat.None, wechat.None]{Name: "Ping", Pattern: "POST /test/ping", Effect: wechat.EffectRead}
	open = wechat.Endpoint[message, receipt]{Name: "Open", Pattern: "POST /test/open", Effect: wechat.EffectRead, NoToken: true}
	dump = wechat.Endpoint[message, json.RawMessage]{Name: "Dump", Pattern: "POST /test/dump", Effect: wechat.EffectRead}
)

// Fields, query and exact numbers come out on the other side, the URL keeps the token alone, and the reply comes back
// as if nothing had been encrypted.
func TestRoundTrip(t *testing.T) {
	p := newPlatform(t)
	c := p.client(testKeys(t))
	text := "张三 <b>&amp; \u2028\"\\\n😀"
	request := &message{ToUser: "openid-of-somebody", ID: 9007199254740993, Text: text, Kind: "a&b=c",
		Raw: json.RawMessage(`{"big":12345678901234567890,"small":1e-400,"float":1.10,"list":[1,{"a":null}]}`)}
	res, err := send.Do(t.Context(), c, request)
	if err != nil {
		t.Fatal(err)
	}
	if res.MsgID != 9007199254740993 {
		t.Errorf("msgid %d", res.MsgID)
	}
	got := p.requests()[0]
	if got.url != "https://api.weixin.qq.com/test/send?access_token=TOKEN" {
		t.Errorf("URL %s", got.url)
	}
	for _, secret := range []string{"openid-of-somebody", "9007199254740993", "张三", "kind="} {
		if strings.Contains(got.body, secret) || strings.Contains(got.url, secret) {
			t.Errorf("%q can be read on the way", secret)
		}
	}
	raw, want := string(got.fields["raw"]), string(request.Raw)
	if raw != want {
		t.Errorf("raw %s, want %s", raw, want)
	}
	if id := string(got.fields["id"]); id != "9007199254740993" {
		t.Errorf("id %s", id)
	}
	if s := string(got.fields["text"]); !strings.Contains(s, "张三 <b>&amp; \u2028") {
		t.Errorf("text %s is not raw UTF-8", s)
	}
	if kind := string(got.fields["kind"]); kind != `"a&b=c"` {
		t.Errorf("kind %s", kind)
	}
	if len(got.fields) != 3+5 {
		t.Errorf("fields %v", got.fields)
	}
}

// What the platform adds to a reply is taken out again, and nothing else is touched.
func TestReplyAsItWas(t *testing.T) {
	p := newPlatform(t)
	answer := `{"_x":1,"errcode":0,"ids":[12345678901234567890,1.10,1e400],"name":"张三 <&>"}`
	p.answer = func(map[string]json.RawMessage) string { return answer }
	got, err := dump.Do(t.Context(), p.client(testKeys(t)), &message{ToUser: "o1"})
	if err != nil {
		t.Fatal(err)
	}
	var fields, want map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(*got, &fields), json.Unmarshal([]byte(answer), &want)); err != nil {
		t.Fatal(err)
	}
	if len(fields) != len(want) {
		t.Errorf("%s, want %s", *got, answer)
	}
	if string(fields["ids"]) != string(want["ids"]) {
		t.Errorf("ids %s, want %s", fields["ids"], want["ids"])
	}
}

// A call without a request is signed too.
func TestNoBody(t *testing.T) {
	p := newPlatform(t)
	if err := ping.Exec(t.Context(), p.client(testKeys(t)), nil); err != nil {
		t.Fatal(err)
	}
	if got := p.requests()[0]; len(got.fields) != 3 {
		t.Errorf("fields %v, want the platform's own three", got.fields)
	}
}

// The real methods go through a signed channel to the mock platform and back.
func TestMiniProgram(t *testing.T) {
	server := mock.NewServer(miniprogram.Endpoints()...)
	app := wechat.App{ID: appID, Secret: "secret"}
	server.App(app, "miniprogram")
	p := newPlatform(t)
	// Token calls are not signed and go to the mock.
	p.instead = func(r *http.Request) *http.Response {
		if r.Header.Get("Wechatmp-Signature") != "" {
			return nil
		}
		resp, err := server.Transport().RoundTrip(r)
		if err != nil {
			t.Error(err)
		}
		return resp
	}
	p.answer = func(map[string]json.RawMessage) string { return `{"errcode":0,"risk_rank":3,"unoin_id":2258658297}` }
	client := wechat.New(wechat.WithTransport(apisign.Transport(testKeys(t)), func(http.RoundTripper) http.RoundTripper { return p }))
	risk, err := miniprogram.New(client, app).GetUserRiskRank(t.Context(), &miniprogram.UserRiskRequest{OpenID: "o1", ClientIP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (miniprogram.UserRisk{RiskRank: 3, QueryID: 2258658297}); *risk != want {
		t.Errorf("%+v, want %+v", *risk, want)
	}
	if n := server.TokensIssued(app.ID); n != 1 {
		t.Errorf("%d tokens issued, want 1", n)
	}
}

// A reply that is not surely the platform's own is refused: a read is tried again, the outcome of a send is unknown.
func TestRefusedReplies(t *testing.T) {
	flip := func(text string) string { // another valid base64 text
		if text[0] == 'A' {
			return "B" + text[1:]
		}
		return "A" + text[1:]
	}
	change := func(field string) func(http.Header, []byte) []byte {
		return func(_ http.Header, body []byte) []byte {
			var e map[string]string
			if err := json.Unmarshal(body, &e); err != nil {
				t.Error(err)
			}
			e[field] = flip(e[field])
			b, _ := json.Marshal(e)
			return b
		}
	}
	set := func(name, value string) func(http.Header, []byte) []byte {
		return func(h http.Header, body []byte) []byte { h.Set(name, value); return body }
	}
	unsigned := func(body string) func(*http.Request) *http.Response {
		return func(r *http.Request) *http.Response { return reply(r, 200, nil, []byte(body)) }
	}
	other := newKey()
	for name, c := range map[string]struct {
		changes changes
		reason  error
	}{
		"iv changed":   {changes{outside: change("iv")}, apisign.ErrSignature},
		"data changed": {changes{outside: change("data")}, apisign.ErrSignature},
		"tag changed":  {changes{outside: change("authtag")}, apisign.ErrSignature},
		"signature changed": {changes{outside: func(h http.Header, b []byte) []byte {
			h.Set("Wechatmp-Signature", flip(h.Get("Wechatmp-Signature")))
			return b
		}}, apisign.ErrSignature},
		"signature is text": {changes{outside: set("Wechatmp-Signature", "!")}, apisign.ErrSignature},
		"space added":       {changes{outside: func(_ http.Header, b []byte) []byte { return append(b, ' ') }}, apisign.ErrSignature},
		"signed by another": {changes{certify: func(h http.Header, sign func(*rsa.PrivateKey) string) {
			h.Set("Wechatmp-Serial", serial)
			h.Set("Wechatmp-Signature", sign(other))
		}}, apisign.ErrSignature},
		"unknown serial": {changes{outside: set("Wechatmp-Serial", "33333333333333333333333333333333")}, apisign.ErrSerial},
		"no serial":      {changes{outside: func(h http.Header, b []byte) []byte { h.Del("Wechatmp-Serial"); return b }}, apisign.ErrSerial},
		"both serials unknown": {changes{certify: func(h http.Header, sign func(*rsa.PrivateKey) string) {
			h.Set("Wechatmp-Serial", "4")
			h.Set("Wechatmp-Signature", sign(platformKey()))
			h.Set("Wechatmp-Serial-Deprecated", "5")
			h.Set("Wechatmp-Signature-Deprecated", sign(platformKey()))
		}}, apisign.ErrSerial},
		"another app":          {changes{outside: set("Wechatmp-Appid", "wxffffffffffffffff")}, apisign.ErrReplay},
		"no app":               {changes{outside: func(h http.Header, b []byte) []byte { h.Del("Wechatmp-Appid"); return b }}, apisign.ErrReplay},
		"too old":              {changes{skew: -301 * time.Second}, apisign.ErrReplay},
		"from the future":      {changes{skew: 301 * time.Second}, apisign.ErrReplay},
		"no time":              {changes{outside: func(h http.Header, b []byte) []byte { h.Del("Wechatmp-TimeStamp"); return b }}, apisign.ErrReplay},
		"time is text":         {changes{outside: set("Wechatmp-TimeStamp", "now")}, apisign.ErrReplay},
		"time out of range":    {changes{outside: set("Wechatmp-TimeStamp", "-9223372036854775808")}, apisign.ErrReplay},
		"time changed":         {changes{outside: func(h http.Header, b []byte) []byte { h.Set("Wechatmp-TimeStamp", later(h)); return b }}, apisign.ErrSignature},
		"another time inside":  {changes{inside: func(f map[string]any) { f["_timestamp"] = f["_timestamp"].(int64) - 1 }}, apisign.ErrReplay},
		"no time inside":       {changes{inside: func(f map[string]any) { delete(f, "_timestamp") }}, apisign.ErrReplay},
		"another app inside":   {changes{inside: func(f map[string]any) { f["_appid"] = "wxffffffffffffffff" }}, apisign.ErrReplay},
		"no app inside":        {changes{inside: func(f map[string]any) { delete(f, "_appid") }}, apisign.ErrReplay},
		"time inside is text":  {changes{inside: func(f map[string]any) { f["_timestamp"] = "x" }}, apisign.ErrDecrypt},
		"HTML":                 {changes{instead: unsigned("<html>ok</html>")}, apisign.ErrUnsigned},
		"empty":                {changes{instead: unsigned("")}, apisign.ErrUnsigned},
		"unsigned success":     {changes{instead: unsigned(`{"errcode":0,"errmsg":"ok","msgid":1}`)}, apisign.ErrUnsigned},
		"unsigned, no errcode": {changes{instead: unsigned(`{"msgid":1}`)}, apisign.ErrUnsigned},
		"unsigned list":        {changes{instead: unsigned(`[{"errcode":40001}]`)}, apisign.ErrUnsigned},
		"unsigned envelope":    {changes{instead: unsigned(sampleReply)}, apisign.ErrUnsigned},
		"unsigned envelope that calls itself an error": {changes{instead: unsigned(`{"errcode":40001,"iv":"","data":"","authtag":""}`)}, apisign.ErrUnsigned},
		"signature removed":                            {changes{outside: func(h http.Header, b []byte) []byte { h.Del("Wechatmp-Signature"); return b }}, apisign.ErrUnsigned},
		"error in place of the signed body":            {changes{outside: func(http.Header, []byte) []byte { return []byte(`{"errcode":45009,"errmsg":"limit"}`) }}, apisign.ErrSignature},
	} {
		t.Run(name, func(t *testing.T) {
			keys := testKeys(t)
			synctest.Test(t, func(t *testing.T) {
				p := newPlatform(t)
				p.changes = c.changes
				if p.certify == nil {
					p.certify = certifyOnce
				}
				client := p.client(keys)

				_, err := send.Do(t.Context(), client, &message{ToUser: "o1"})
				var refused *apisign.ReplyError
				var failed *wechat.Error
				if !errors.Is(err, c.reason) || !errors.As(err, &refused) || !errors.As(err, &failed) {
					t.Errorf("send: %v, want a *ReplyError, %v, in a *wechat.Error", err, c.reason)
				}
				if !errors.Is(err, wechat.ErrOutcomeUnknown) {
					t.Errorf("send: %v is not ErrOutcomeUnknown", err)
				}
				if n := len(p.requests()); n != 1 {
					t.Errorf("sent %d times", n)
				}

				_, err = ask.Do(t.Context(), client, &message{ToUser: "o1"})
				if !errors.Is(err, c.reason) || errors.Is(err, wechat.ErrOutcomeUnknown) {
					t.Errorf("read: %v, want %v", err, c.reason)
				}
				if n := len(p.requests()); n != 1+3 {
					t.Errorf("%d attempts of a read, want 3", n-1)
				}
			})
		})
	}
}

func later(h http.Header) string {
	n, _ := strconv.Atoi(h.Get("Wechatmp-TimeStamp"))
	return strconv.Itoa(n + 1)
}

// A reply to one call is none to another call.
func TestReplyOfAnotherCall(t *testing.T) {
	p := newPlatform(t)
	var captured *http.Response
	var body []byte
	p.outside = func(h http.Header, b []byte) []byte {
		captured, body = &http.Response{Header: h.Clone()}, b
		return b
	}
	c := p.client(testKeys(t))
	if _, err := ask.Do(t.Context(), c, &message{ToUser: "o1"}); err != nil {
		t.Fatal(err)
	}
	p.instead = func(r *http.Request) *http.Response { return reply(r, 200, captured.Header, body) }
	if _, err := send.Do(t.Context(), c, &message{ToUser: "o1"}); !errors.Is(err, apisign.ErrSignature) {
		t.Errorf("%v, want ErrSignature", err)
	}
}

// A second read after a reply that did not verify gets through.
func TestReadAgain(t *testing.T) {
	keys := testKeys(t)
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(t)
		p.outside = func(_ http.Header, b []byte) []byte { p.outside = nil; return append(b, ' ') }
		if _, err := ask.Do(t.Context(), p.client(keys), &message{ToUser: "o1"}); err != nil {
			t.Error(err)
		}
		got := p.requests()
		if len(got) != 2 || got[0].body == got[1].body || string(got[0].fields["_n"]) == string(got[1].fields["_n"]) {
			t.Errorf("%d attempts; each must have an iv and a nonce of its own", len(got))
		}
	})
}

func TestClockSkew(t *testing.T) {
	keys := testKeys(t)
	for _, skew := range []time.Duration{-300 * time.Second, 300 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlatform(t)
			p.skew = skew
			if _, err := send.Do(t.Context(), p.client(keys), &message{ToUser: "o1"}); err != nil {
				t.Errorf("%v: %v", skew, err)
			}
		})
	}
}

// While one platform certificate replaces another, either is enough; the caller hears of the one that is going.
func TestCertificateRotation(t *testing.T) {
	both := func(h http.Header, sign func(*rsa.PrivateKey) string) {
		h.Set("Wechatmp-Serial", serial)
		h.Set("Wechatmp-Signature", sign(platformKey()))
		h.Set("Wechatmp-Serial-Deprecated", formerSerial)
		h.Set("Wechatmp-Signature-Deprecated", sign(formerKey()))
	}
	former, current := verifierOf(t, formerKey()), verifierOf(t, platformKey())
	for name, c := range map[string]struct {
		platform   map[string]apisign.Verifier
		certify    func(http.Header, func(*rsa.PrivateKey) string)
		deprecated []string
		err        error
	}{
		"the new one":                       {platform: map[string]apisign.Verifier{serial: current}, certify: both},
		"the old one":                       {platform: map[string]apisign.Verifier{formerSerial: former}, certify: both, deprecated: []string{appID + " " + formerSerial}},
		"both":                              {platform: map[string]apisign.Verifier{serial: current, formerSerial: former}, certify: both},
		"the new signature does not verify": {platform: map[string]apisign.Verifier{serial: former, formerSerial: former}, certify: both, err: apisign.ErrSignature},
		"the old signature does not verify": {platform: map[string]apisign.Verifier{formerSerial: current}, certify: both, err: apisign.ErrSignature},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			p.certify = c.certify
			keys := testKeys(t)
			keys.Platform = c.platform
			var deprecated []string
			client := p.client(keys, apisign.OnDeprecated(func(_ context.Context, appID, serial string) {
				deprecated = append(deprecated, appID+" "+serial)
			}))
			if _, err := send.Do(t.Context(), client, &message{ToUser: "o1"}); !errors.Is(err, c.err) {
				t.Errorf("%v, want %v", err, c.err)
			}
			if !slices.Equal(deprecated, c.deprecated) {
				t.Errorf("deprecated %v, want %v", deprecated, c.deprecated)
			}
		})
	}
}

// An error without envelope is the platform's refusal, signed or not.
func TestPlainErrors(t *testing.T) {
	p := newPlatform(t)
	c := p.client(testKeys(t))
	for name, instead := range map[string]func(*http.Request) *http.Response{
		"unsigned": func(r *http.Request) *http.Response { return failure(r, 40240, "expired timestamp") },
		"code in text": func(r *http.Request) *http.Response {
			return reply(r, 200, nil, []byte("\ufeff{\"errcode\":\"40240\",\"errmsg\":\"a\tb\"}"))
		},
		"HTTP status": func(r *http.Request) *http.Response {
			return reply(r, 403, nil, []byte(`{"errcode":40240,"errmsg":""}`))
		},
	} {
		p.instead = instead
		_, err := send.Do(t.Context(), c, &message{ToUser: "o1"})
		if !errors.Is(err, wechat.Code(40240)) || errors.Is(err, wechat.ErrOutcomeUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A signed error without envelope is one too.
func TestSignedPlainError(t *testing.T) {
	keys := testKeys(t)
	keys.Platform[serial] = accept{}
	p := newPlatform(t)
	p.outside = func(http.Header, []byte) []byte { return []byte(`{"errcode":48001,"errmsg":"api unauthorized"}`) }
	if _, err := send.Do(t.Context(), p.client(keys), &message{ToUser: "o1"}); !errors.Is(err, wechat.Code(48001)) {
		t.Error(err)
	}
}

// What is signed and no envelope is refused.
func TestSignedWithoutEnvelope(t *testing.T) {
	keys := testKeys(t)
	keys.Platform[serial] = accept{}
	for name, body := range map[string]string{
		"success":    `{"errcode":0,"errmsg":"ok","msgid":1}`,
		"HTML":       "<html>ok</html>",
		"empty":      "",
		"short iv":   `{"iv":"AAAA","data":"","authtag":"AAAAAAAAAAAAAAAAAAAAAA=="}`,
		"short tag":  `{"iv":"AAAAAAAAAAAAAAAA","data":"","authtag":"AAAA"}`,
		"not base64": `{"iv":"AAAAAAAAAAAAAAAA","data":"!","authtag":"AAAAAAAAAAAAAAAAAAAAAA=="}`,
		"not ours":   `{"iv":"AAAAAAAAAAAAAAAA","data":"AAAA","authtag":"AAAAAAAAAAAAAAAAAAAAAA=="}`,
	} {
		p := newPlatform(t)
		p.outside = func(http.Header, []byte) []byte { return []byte(body) }
		if _, err := send.Do(t.Context(), p.client(keys), &message{ToUser: "o1"}); !errors.Is(err, apisign.ErrDecrypt) {
			t.Errorf("%s: %v, want ErrDecrypt", name, err)
		}
	}
}

// accept takes any signature.
type accept struct{}

func (accept) Verify([]byte, []byte) error { return nil }

// A token that the platform refuses is replaced although that answer is not signed, and the call goes out again.
func TestTokenRefused(t *testing.T) {
	p := newPlatform(t)
	p.instead = func(r *http.Request) *http.Response {
		if r.URL.Query().Get("access_token") == "OLD" {
			return failure(r, 40001, "invalid credential")
		}
		return nil
	}
	source := wechat.TokenFunc(func(_ context.Context, refused wechat.Token) (wechat.Token, error) {
		if refused.Value == "" {
			return wechat.Token{Value: "OLD", Expiry: time.Now().Add(time.Hour)}, nil
		}
		return wechat.Token{Value: "NEW", Expiry: time.Now().Add(time.Hour)}, nil
	})
	client := wechat.New(wechat.WithTransport(apisign.Transport(testKeys(t)), func(http.RoundTripper) http.RoundTripper { return p }))
	c := wechat.Bind(client, &wechat.Product{Name: "miniprogram", BaseURL: "https://api.weixin.qq.com"}, wechat.App{ID: appID, TokenSource: source})
	if _, err := send.Do(t.Context(), c, &message{ToUser: "o1"}); err != nil {
		t.Fatal(err)
	}
	if got := p.requests(); len(got) != 2 || !strings.HasSuffix(got[1].url, "?access_token=NEW") {
		t.Errorf("%d requests", len(got))
	}
}

// Gateways do not sign; their statuses mean what they always mean.
func TestGateways(t *testing.T) {
	keys := testKeys(t)
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(t)
		p.instead = func(r *http.Request) *http.Response {
			p.instead = nil
			return reply(r, 429, header("Retry-After", "2", "Content-Type", "text/html"), []byte("<html>"))
		}
		began := time.Now()
		if _, err := send.Do(t.Context(), p.client(keys), &message{ToUser: "o1"}); err != nil {
			t.Errorf("after a 429: %v", err)
		}
		if waited := time.Since(began); waited < 2*time.Second {
			t.Errorf("waited %v of the 2s asked for", waited)
		}
		p.instead = func(r *http.Request) *http.Response { return reply(r, 502, nil, []byte("<html>")) }
		if _, err := send.Do(t.Context(), p.client(keys), &message{ToUser: "o1"}); !errors.Is(err, wechat.ErrOutcomeUnknown) {
			t.Errorf("after a 502: %v", err)
		}
	})
}

// GETs, uploads, calls without token and other apps go out as they are.
func TestNotSigned(t *testing.T) {
	p := newPlatform(t)
	p.answer = func(map[string]json.RawMessage) string { return `{"errcode":0,"msgid":7}` }
	c := p.client(testKeys(t))
	file := wechat.FileOf("a.txt", []byte("hello"))
	other := bind(wechat.New(wechat.WithTransport(apisign.Transport(testKeys(t)),
		func(http.RoundTripper) http.RoundTripper { return p })), "wxffffffffffffffff")
	for name, call := range map[string]func() (*receipt, error){
		"GET":         func() (*receipt, error) { return look.Do(t.Context(), c, &question{"x"}) },
		"upload":      func() (*receipt, error) { return push.Do(t.Context(), c, &upload{file}) },
		"no token":    func() (*receipt, error) { return open.Do(t.Context(), c, &message{ToUser: "o1"}) },
		"another app": func() (*receipt, error) { return send.Do(t.Context(), other, &message{ToUser: "o1"}) },
	} {
		if res, err := call(); err != nil || res.MsgID != 7 {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
	for _, got := range p.requests() {
		if got.header.Get("Wechatmp-Signature") != "" || strings.Contains(got.body, "authtag") {
			t.Errorf("%s was signed", got.url)
		}
	}
}

// Requests that are no call of a client are none of this package's business.
func TestForeignRequest(t *testing.T) {
	p := newPlatform(t)
	transport := apisign.Transport(testKeys(t))(p)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://example.com/", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if got := p.requests()[0]; got.body != "{}" || got.header.Get("Wechatmp-Signature") != "" {
		t.Errorf("%+v", got)
	}
}

func TestOnly(t *testing.T) {
	keys := testKeys(t)
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(t)
		c := p.client(keys, apisign.Only("Send", "Look"), apisign.Only("Push", "Open"))
		if _, err := send.Do(t.Context(), c, &message{ToUser: "o1"}); err != nil {
			t.Error(err)
		}
		if _, err := ask.Do(t.Context(), c, &message{ToUser: "o1"}); err != nil {
			t.Error(err)
		}
		got := p.requests()
		if got[0].header.Get("Wechatmp-Signature") == "" || got[1].header.Get("Wechatmp-Signature") != "" {
			t.Error("Send must be signed, Ask must not")
		}
		// The named ones that cannot be signed do not go out unprotected.
		_, err := look.Do(t.Context(), c, &question{"x"})
		if !errors.Is(err, apisign.ErrRequest) {
			t.Errorf("GET: %v, want ErrRequest", err)
		}
		_, err = push.Do(t.Context(), c, &upload{wechat.FileOf("a.txt", []byte("hello"))})
		if !errors.Is(err, apisign.ErrRequest) || errors.Is(err, wechat.ErrOutcomeUnknown) {
			t.Errorf("upload: %v, want ErrRequest", err)
		}
		if _, err = open.Do(t.Context(), c, &message{ToUser: "o1"}); !errors.Is(err, apisign.ErrRequest) {
			t.Errorf("no token: %v, want ErrRequest", err)
		}
		if n := len(p.requests()); n != 2 {
			t.Errorf("%d requests, want 2", n)
		}
	})
}

// What cannot be signed is not sent, and a send of it is not unknown.
func TestRequestsThatCannotBeSigned(t *testing.T) {
	keys := testKeys(t)
	list := wechat.Endpoint[json.RawMessage, wechat.None]{Name: "List", Pattern: "POST /test/list", Effect: wechat.EffectSend}
	twice := wechat.Endpoint[struct {
		A string `json:"a"`
		B string `query:"a"`
	}, wechat.None]{Name: "Twice", Pattern: "POST /test/twice", Effect: wechat.EffectSend}
	own := wechat.Endpoint[map[string]string, wechat.None]{Name: "Own", Pattern: "POST /test/own", Effect: wechat.EffectSend}
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(t)
		c := p.client(keys)
		raw := json.RawMessage(`[1]`)
		for name, err := range map[string]error{
			"list": list.Exec(t.Context(), c, &raw),
			"query and body": twice.Exec(t.Context(), c, &struct {
				A string `json:"a"`
				B string `query:"a"`
			}{"1", "2"}),
			"the platform's name": own.Exec(t.Context(), c, &map[string]string{"_appid": "x"}),
		} {
			if !errors.Is(err, apisign.ErrRequest) || errors.Is(err, wechat.ErrOutcomeUnknown) {
				t.Errorf("%s: %v, want ErrRequest", name, err)
			}
		}
		// A transport in between may have made the URL one that cannot be carried over.
		for _, query := range []string{"a=1&a=2", "a=%zz"} {
			spoil := func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					r.URL.RawQuery = query
					return next.RoundTrip(r)
				})
			}
			client := wechat.New(wechat.WithTransport(spoil, apisign.Transport(keys), func(http.RoundTripper) http.RoundTripper { return p }))
			if _, err := send.Do(t.Context(), bind(client, appID), &message{ToUser: "o1"}); !errors.Is(err, apisign.ErrRequest) {
				t.Errorf("%s: %v, want ErrRequest", query, err)
			}
		}
		if n := len(p.requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

// Keys that cannot be had fail the call before anything is sent; a passing trouble passes.
func TestSourceFails(t *testing.T) {
	keys := testKeys(t)
	broken := errors.New("vault is sealed")
	for name, source := range map[string]apisign.Source{
		"error": func(context.Context, string) (apisign.Keys, error) { return apisign.Keys{}, broken },
		"zero":  func(context.Context, string) (apisign.Keys, error) { return apisign.Keys{}, nil },
		"another's": func(context.Context, string) (apisign.Keys, error) {
			k := keys
			k.AppID = "wxffffffffffffffff"
			return k, nil
		},
		"no cipher":   func(context.Context, string) (apisign.Keys, error) { k := keys; k.Cipher = nil; return k, nil },
		"no signer":   func(context.Context, string) (apisign.Keys, error) { k := keys; k.Signer = nil; return k, nil },
		"no platform": func(context.Context, string) (apisign.Keys, error) { k := keys; k.Platform = nil; return k, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlatform(t)
				_, err := send.Do(t.Context(), p.client(source), &message{ToUser: "o1"})
				if err == nil || errors.Is(err, wechat.ErrOutcomeUnknown) {
					t.Errorf("%v", err)
				}
				if name == "error" && !errors.Is(err, broken) {
					t.Errorf("%v does not say why", err)
				}
				if n := len(p.requests()); n != 0 {
					t.Errorf("%d requests", n)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(t)
		asked := 0
		source := apisign.Source(func(context.Context, string) (apisign.Keys, error) {
			if asked++; asked == 1 {
				return apisign.Keys{}, broken
			}
			return keys, nil
		})
		if _, err := send.Do(t.Context(), p.client(source), &message{ToUser: "o1"}); err != nil {
			t.Error(err)
		}
	})
}

// Keys are swapped while calls are under way: each reply is read with the keys of its own request.
func TestKeyRotation(t *testing.T) {
	const next = "fedcba9876543210fedcba9876543210"
	p := newPlatform(t)
	p.keys = append(p.keys, next)
	nextKey := newKey()
	p.signer = append(p.signer, &nextKey.PublicKey)
	p.certify = func(h http.Header, sign func(*rsa.PrivateKey) string) {
		h.Set("Wechatmp-Serial", serial)
		h.Set("Wechatmp-Signature", sign(platformKey()))
		h.Set("Wechatmp-Serial-Deprecated", formerSerial)
		h.Set("Wechatmp-Signature-Deprecated", sign(formerKey()))
	}
	old := testKeys(t)
	old.Platform = map[string]apisign.Verifier{formerSerial: verifierOf(t, formerKey())}
	fresh := testKeys(t)
	fresh.Cipher = cipherOf(t, next)
	fresh.Signer = signerOf(t, nextKey)

	var current atomic.Pointer[apisign.Keys]
	current.Store(&old)
	c := p.client(apisign.Source(func(context.Context, string) (apisign.Keys, error) { return *current.Load(), nil }))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 5 {
				if _, err := send.Do(t.Context(), c, &message{ToUser: "o1"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 20 {
		current.Store([]*apisign.Keys{&fresh, &old}[i%2])
		time.Sleep(time.Millisecond)
	}
	group.Wait()
	nonces := map[string]bool{}
	for _, got := range p.requests() {
		nonces[string(got.fields["_n"])] = true
	}
	if len(nonces) != 40 {
		t.Errorf("%d nonces in 40 requests", len(nonces))
	}
}

// Over HTTP, to a server on another host name and port, with a base path.
func TestOverHTTP(t *testing.T) {
	p := newPlatform(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Scheme, r.URL.Host = "http", r.Host
		if len(r.TransferEncoding) > 0 {
			t.Errorf("transfer encoding %v", r.TransferEncoding)
		}
		resp, err := p.RoundTrip(r)
		if err != nil {
			t.Error(err)
			return
		}
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		_, _ = fmt.Fprint(w, readAll(resp))
	}))
	defer server.Close()
	base, err := url.JoinPath(server.URL, "proxy")
	if err != nil {
		t.Fatal(err)
	}
	httpClient := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	c := bind(wechat.New(wechat.WithHTTPClient(httpClient), wechat.WithBaseURL("miniprogram", base), wechat.WithTransport(apisign.Transport(testKeys(t)))), appID)
	res, err := send.Do(t.Context(), c, &message{ToUser: "o1"})
	if err != nil || res.MsgID != 9007199254740993 {
		t.Errorf("%v, %v", res, err)
	}
}

func readAll(resp *http.Response) string {
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String()
		}
	}
}

// The connection is lost after the request: the error is the network's own.
func TestNetworkFails(t *testing.T) {
	lost := errors.New("connection reset")
	client := wechat.New(wechat.WithTransport(apisign.Transport(testKeys(t)), func(http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) { readBody(t, r); return nil, lost })
	}))
	if _, err := send.Do(t.Context(), bind(client, appID), &message{ToUser: "o1"}); !errors.Is(err, lost) || !errors.Is(err, wechat.ErrOutcomeUnknown) {
		t.Error(err)
	}
}

// Neither errors nor printed keys show a key, the token or what was encrypted.
func TestNoSecrets(t *testing.T) {
	keys := testKeys(t)
	texts := []string{}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		texts = append(texts, fmt.Sprintf(format, keys), fmt.Sprintf(format, &keys), fmt.Sprintf(format, struct{ keys apisign.Keys }{keys}))
	}
	if b, err := json.Marshal(keys); err == nil {
		texts = append(texts, string(b))
	}
	p := newPlatform(t)
	p.outside = func(_ http.Header, b []byte) []byte { return append(b, ' ') }
	_, err := send.Do(t.Context(), p.client(keys), &message{ToUser: "openid-of-somebody"})
	for ; err != nil; err = errors.Unwrap(err) {
		texts = append(texts, err.Error(), fmt.Sprintf("%+v", err))
	}
	_, err = apisign.NewAES256GCM(keyNumber, "c2VjcmV0LXNlY3JldC1zZWNyZXQ!")
	texts = append(texts, err.Error())
	private := appKey()
	for _, text := range texts {
		for name, secret := range map[string]string{
			"symmetric key":      base64.StdEncoding.EncodeToString(symmetricKey(keyNumber))[:12],
			"symmetric key, hex": fmt.Sprintf("%x", symmetricKey(keyNumber)[:6]),
			"symmetric key, raw": strings.Trim(fmt.Sprintf("%d", symmetricKey(keyNumber)[:6]), "[]"),
			"private key":        private.D.String()[:12],
			"private prime":      private.Primes[0].String()[:12],
			"token":              "TOKEN",
			"openid":             "openid-of-somebody",
			"bad key":            "c2VjcmV0",
		} {
			if strings.Contains(text, secret) {
				t.Errorf("%s in %s", name, text)
			}
		}
	}
}

// Nobody may say without a signature that an earlier attempt had arrived, which the client would take for success.
func TestUnsignedSuccessCodes(t *testing.T) {
	for _, status := range []int{200, 502} {
		p := newPlatform(t)
		p.instead = func(r *http.Request) *http.Response {
			return reply(r, status, nil, []byte(`{"errcode":45065,"errmsg":"clientmsgid exist","msg_id":1}`))
		}
		once := wechat.Endpoint[message, wechat.None]{
			Name: "SendOnce", Pattern: "POST /cgi-bin/message/template/send",
			Dedupe: func(m *message) *string { return &m.ToUser }, DedupeFor: time.Minute,
		}
		client := wechat.New(wechat.WithTransport(apisign.Transport(testKeys(t)), func(http.RoundTripper) http.RoundTripper { return p }),
			wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1}))
		if err := once.Exec(t.Context(), bind(client, appID), &message{ToUser: "o1"}); !errors.Is(err, apisign.ErrUnsigned) {
			t.Errorf("HTTP %d: %v", status, err)
		}
	}
}

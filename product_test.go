package wechat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// An API of another kind, such as payment: a header for the token, errors of its own.
func TestOwnProduct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		product := &wechat.Product{
			Name: "pay", BaseURL: "https://pay.example.invalid",
			Authorize: func(r *http.Request, token wechat.Token) { r.Header.Set("Authorization", token.Value.Reveal()) },
			Failure: func(status int, h http.Header, body []byte) (wechat.Code, string) {
				var e struct{ Code string }
				if status >= 400 && json.Unmarshal(body, &e) == nil && e.Code == "FREQUENCY_LIMITED" {
					return 7, "limited " + h.Get("Request-Id")
				}
				return 0, ""
			},
			Classify: func(_ wechat.Spec, _ int, code wechat.Code, _ string) wechat.Verdict {
				return wechat.Verdict{Kind: wechat.ErrRateLimited, Scope: ratelimit.ScopeApp, Window: 5 * time.Second}
			},
		}
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" && r.n == 1 {
				return answer{status: 429, body: `{"code":"FREQUENCY_LIMITED"}`, header: map[string]string{"Request-Id": "x1"}}
			}
			return nil
		}}
		c := wechat.Bind(p.client(), product, wechat.App{ID: "mch1", TokenSource: wechat.StaticToken("SIGNATURE")})
		began := time.Now()
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(began); d < 5*time.Second || d > 10*time.Second {
			t.Errorf("repeated after %v", d)
		}
		got := p.calls("/read")[0]
		if got.Header.Get("Authorization") != "SIGNATURE" || got.query.Has("access_token") {
			t.Errorf("header %q, query %v", got.Header.Get("Authorization"), got.query)
		}
	})
}

// A user knows better what a code means.
func TestWithClassify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" && r.n == 1 {
				return errcode(43100, "change template too frequently")
			}
			return nil
		}}
		c := p.caller(wechat.WithClassify(func(_ wechat.Spec, _ int, code wechat.Code, _ string) (wechat.Verdict, bool) {
			return wechat.Verdict{Kind: wechat.ErrRateLimited, Scope: ratelimit.ScopeEndpoint, Window: time.Second}, code == 43100
		}))
		if err := readOnce(t.Context(), c); err != nil {
			t.Error(err)
		}
	})
}

type denyAll struct{}

func (denyAll) Allow(_ context.Context, d ...ratelimit.Demand) (ratelimit.Decision, error) {
	return ratelimit.Decision{RetryAfter: time.Hour, Denied: d[0]}, nil
}

type brokenLimiter struct{}

func (brokenLimiter) Allow(context.Context, ...ratelimit.Demand) (ratelimit.Decision, error) {
	return ratelimit.Decision{}, errBroken
}

func TestWithLimiter(t *testing.T) {
	p := &platform{}
	a := app
	a.Limits = ratelimit.Limits{App: []ratelimit.Limit{ratelimit.PerSecond(1)}}
	bind := func(l ratelimit.Limiter) wechat.Caller {
		return wechat.Bind(p.client(wechat.WithLimiter(l)), newProduct("officialaccount"), a)
	}
	err := readOnce(t.Context(), bind(denyAll{}))
	if after, _ := wechat.RetryAfter(err); !errors.Is(err, wechat.ErrRateLimited) || after != time.Hour {
		t.Errorf("after %v: %v", after, err)
	}
	if err := readOnce(t.Context(), bind(brokenLimiter{})); !errors.Is(err, errBroken) {
		t.Errorf("err = %v", err)
	}
	if len(p.calls("/read")) != 0 {
		t.Error("a call that the limiter refused went out")
	}
}

// Where each field of a request travels.
func TestRequestFields(t *testing.T) {
	type shared struct {
		Lang string `query:"lang,omitempty"`
	}
	type nested struct {
		A int    `json:"a"`
		B string `json:"b,omitempty"`
	}
	type mixed struct {
		shared
		Name   string    `query:"name"`
		Big    int64     `query:"big"`
		Flag   bool      `query:"flag"`
		Number *int      `query:"number,omitempty"`
		List   []string  `json:"list,omitempty"`
		Nested nested    `json:"nested"`
		When   time.Time `json:"when,omitzero"`
		hidden string
	}
	type form struct {
		Text  string `form:"text"`
		Part  nested `form:"part"`
		Empty string `form:"empty,omitempty"`
	}
	p := &platform{}
	c := p.caller()
	endpoint := wechat.Endpoint[mixed, wechat.None]{Name: "Mixed", Pattern: "POST /mixed", Effect: wechat.EffectRead,
		Const: map[string]string{"version": "2", "?action": "get", "agent": wechat.ConstAgentID}}
	m := &mixed{shared: shared{"zh_CN"}, Name: "a&b 好", Big: 9007199254740993, Nested: nested{B: "<x>"}, hidden: "h"}
	if err := endpoint.Exec(t.Context(), c, m); !errors.Is(err, wechat.ErrInvalidRequest) || !strings.Contains(err.Error(), "AgentID") {
		t.Errorf("without an agent id: %v", err)
	}
	a := app
	a.AgentID = 1000002
	c = wechat.Bind(p.client(), newProduct("officialaccount"), a)
	if err := endpoint.Exec(t.Context(), c, m); err != nil {
		t.Fatal(err)
	}
	got := p.calls("/mixed")[0]
	if q := got.query; q.Get("name") != "a&b 好" || q.Get("big") != "9007199254740993" || q.Get("flag") != "false" || q.Has("number") || q.Get("lang") != "zh_CN" || q.Get("action") != "get" {
		t.Errorf("query %v", q)
	}
	var body map[string]any
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatalf("%s: %v", got.body, err)
	}
	if fmt.Sprint(body) != "map[agent:1.000002e+06 nested:map[a:0 b:<x>] version:2]" || !bytes.Contains(got.body, []byte("<x>")) {
		t.Errorf("body %s", got.body)
	}

	plain := wechat.Endpoint[form, wechat.None]{Name: "Form", Pattern: "POST /form", Effect: wechat.EffectRead, Const: map[string]string{"appid": wechat.ConstAppID}}
	if err := plain.Exec(t.Context(), c, &form{Text: "好 &", Part: nested{A: 1}}); err != nil {
		t.Fatal(err)
	}
	if got := p.calls("/form")[0]; string(got.body) != "appid=wx00112233445566ff&part=%7B%22a%22%3A1%7D&text=%E5%A5%BD+%26" || got.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		t.Errorf("%s: %s", got.Header.Get("Content-Type"), got.body)
	}

	bad := wechat.Endpoint[mixed, wechat.None]{Name: "Bad", Pattern: "GET /bad"}
	if err := bad.Exec(t.Context(), c, m); !errors.Is(err, wechat.ErrInvalidRequest) {
		t.Errorf("JSON fields in a GET: %v", err)
	}
	// P083: text that is not UTF-8 is refused before anything is sent.
	if err := endpoint.Exec(t.Context(), c, &mixed{Nested: nested{B: "\xff"}}); !errors.Is(err, wechat.ErrInvalidRequest) {
		t.Errorf("bad UTF-8: %v", err)
	}
}

func TestErrorTexts(t *testing.T) {
	err := &wechat.Error{Code: 45011, Kind: wechat.ErrRateLimited, Message: "api minute-quota", RequestID: "1-2-3", Endpoint: "Send", App: "wx1", Status: 429, After: time.Minute, Err: errBroken}
	if want := "wechat: Send: rate limited: errcode 45011: api minute-quota: HTTP status 429: broken (again in 1m0s)"; err.Error() != want {
		t.Errorf("%s\nwant %s", err, want)
	}
	if s := (&wechat.Error{Code: 7}).Error(); s != "wechat: refused: errcode 7" {
		t.Error(s)
	}
	if s := (&wechat.Error{Err: errBroken}).Error(); s != "wechat: failed: broken" {
		t.Error(s)
	}
	if s := fmt.Sprint(wechat.Code(40003), wechat.Kind(0), wechat.ErrContent, wechat.EffectUpload); s != "errcode 40003 unknown content refused upload" {
		t.Error(s)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "err", err)
	for _, want := range []string{"err.errcode=45011", "err.rid=1-2-3", "err.kind=\"rate limited\"", "err.after=1m0s", "err.status=429", "err.cause=broken"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s is not in %s", want, log.String())
		}
	}
	x := &wechat.RetryExhaustedError{Endpoint: "Send", Attempts: 3, Elapsed: time.Second, Err: &wechat.OutcomeUnknownError{Endpoint: "Send", Err: err}}
	if !errors.Is(x, wechat.ErrOutcomeUnknown) || !errors.Is(x, wechat.ErrRateLimited) || !errors.Is(x, wechat.Code(45011)) {
		t.Errorf("%v", x)
	}
	if after, ok := wechat.RetryAfter(x); !ok || after != time.Minute {
		t.Errorf("after = %v", after)
	}
}

func TestBatchPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" {
				return answer{status: 502}
			}
			return nil
		}}
		err := readOnce(wechat.ContextWithRetry(t.Context(), wechat.Batch()), p.caller())
		if n := len(p.calls("/read")); n != 9 || !errors.Is(err, wechat.ErrRetryExhausted) {
			t.Errorf("%d attempts: %v", n, err)
		}
	})
}

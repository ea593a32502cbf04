package wechat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

func TestCall(t *testing.T) {
	p := &platform{}
	r, err := send.Do(t.Context(), p.caller(), hello("o1"))
	if err != nil {
		t.Fatal(err)
	}
	if r.MsgID != 9007199254740993 { // P071: beyond 2^53
		t.Errorf("msgid = %d", r.MsgID)
	}
	got := p.calls("/send")
	if len(got) != 1 || got[0].query.Get("access_token") != "FAKE_TOKEN_1" {
		t.Errorf("requests: %v", got)
	}
	if want := `{"touser":"o1","text":"hi"}`; string(got[0].body) != want {
		t.Errorf("body = %s, want %s", got[0].body, want)
	}
	if got := got[0].Header.Get("Content-Type"); got != "application/json; charset=utf-8" { // P083
		t.Errorf("Content-Type = %q", got)
	}
}

func TestZeroClient(t *testing.T) {
	p := &platform{}
	var c wechat.Client // P127: nothing to configure
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := readOnce(ctx, wechat.Bind(&c, newProduct("officialaccount"), app)); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if len(p.requests) != 0 {
		t.Error("ctx is to be looked at first")
	}
}

// A call made by hand, for an endpoint that this SDK does not know (P061).
func TestCallByHand(t *testing.T) {
	p := &platform{}
	client := p.client()
	var reply map[string]any
	call := &wechat.Call{
		Spec:    wechat.Spec{Name: "Brandnew", Pattern: "POST /brand/new", Effect: wechat.EffectRead},
		Product: newProduct("officialaccount"), App: app,
		Request: &json.RawMessage{}, Response: &reply,
	}
	*call.Request.(*json.RawMessage) = json.RawMessage(`{"url":"https://example.invalid/a?x=1&y=<2>"}`)
	if err := client.Do(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	if got := p.calls("/brand/new"); string(got[0].body) != `{"url":"https://example.invalid/a?x=1&y=<2>"}` {
		t.Errorf("body = %s", got[0].body)
	}
	if got := fmt.Sprint(reply["msgid"]); got != "9007199254740993" {
		t.Errorf("msgid = %v", got)
	}
	var e *wechat.Error
	if err := client.Do(t.Context(), &wechat.Call{Spec: wechat.Spec{Name: "Odd", Pattern: "PUT /odd"}, Product: newProduct("x"), App: app}); !errors.As(err, &e) || e.Kind != wechat.ErrInvalidRequest {
		t.Errorf("a bad pattern: %v", err)
	}
}

// P035: calls that need no token go out without one; what the app knows is filled in.
func TestNoTokenAndConstants(t *testing.T) {
	p := &platform{}
	s, err := code.Do(t.Context(), p.caller(), &login{Code: "FAKE_CODE"})
	if err != nil || s.OpenID != "o1" {
		t.Fatalf("%+v, %v", s, err)
	}
	got := p.requests[0]
	want := map[string]string{"appid": app.ID, "secret": "FAKE_SECRET", "js_code": "FAKE_CODE", "grant_type": "authorization_code"}
	if len(p.requests) != 1 || len(got.query) != len(want) {
		t.Errorf("query = %v", got.query)
	}
	for k, v := range want {
		if got.query.Get(k) != v {
			t.Errorf("%s = %q, want %q", k, got.query.Get(k), v)
		}
	}
	if err := clearQuota.Exec(t.Context(), p.caller(), nil); err != nil {
		t.Fatal(err)
	}
	if got := p.calls("/clear")[0]; string(got.body) != `{"appid":"wx00112233445566ff"}` {
		t.Errorf("body = %s", got.body)
	}
}

// P093, P096, P097: a file or JSON is told by what came.
func TestDownload(t *testing.T) {
	jpeg := "\xff\xd8\xff\xe0\x00\x10JFIF"
	for name, tc := range map[string]struct {
		answer answer
		check  func(m *media, err error) bool
	}{
		"picture as text/plain": {
			answer{body: jpeg, header: map[string]string{"Content-Type": "text/plain", "Content-Disposition": `attachment; filename="图 1.jpg"`}},
			func(m *media, err error) bool {
				return err == nil && string(m.File.Data) == jpeg && m.File.ContentType == "image/jpeg" && m.File.Name == "图 1.jpg"
			},
		},
		"video address": {
			answer{body: `{"video_url":"http://203.0.113.9/FAKE"}`, header: map[string]string{"Content-Type": "text/plain"}},
			func(m *media, err error) bool { return err == nil && m.VideoURL != "" && m.File.Data == nil },
		},
		"failure": {
			answer{body: errcode(40007, "invalid media_id")},
			func(_ *media, err error) bool { return errors.Is(err, wechat.Code(40007)) },
		},
		"a file that begins with a brace": {
			answer{body: "{not json}"},
			func(m *media, err error) bool { return err == nil && string(m.File.Data) == "{not json}" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &platform{handle: func(r *request) any {
				if r.path == "/media" {
					return tc.answer
				}
				return nil
			}}
			m, err := download.Do(t.Context(), p.caller(), &lookup{Name: "M"})
			if !tc.check(m, err) {
				t.Errorf("%+v, %v", m, err)
			}
		})
	}
}

// P100: a reply without end is an error that is not repeated, and takes no more memory than the bound.
func TestReplyBounded(t *testing.T) {
	var read atomic.Int64
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "stable_token") {
			return (&platform{}).RoundTrip(r)
		}
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(endless{&read}), Request: r}, nil
	})
	c := wechat.Bind(wechat.New(wechat.WithHTTPClient(&http.Client{Transport: transport}), wechat.WithMaxBlob(1<<20)), newProduct("officialaccount"), app)
	if _, err := download.Do(t.Context(), c, &lookup{}); !errors.Is(err, wechat.ErrBadReply) || read.Load() > 2<<20 {
		t.Errorf("%d bytes read: %v", read.Load(), err)
	}
	read.Store(0)
	if err := readOnce(t.Context(), c); !errors.Is(err, wechat.ErrBadReply) || read.Load() > 11<<20 {
		t.Errorf("%d bytes read: %v", read.Load(), err)
	}
}

type endless struct{ n *atomic.Int64 }

func (e endless) Read(b []byte) (int, error) {
	e.n.Add(int64(len(b)))
	return len(b), nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// P076: a status that is no success and an API error in the body: the error has both.
func TestErrorWithStatus(t *testing.T) {
	p := &platform{handle: func(r *request) any {
		if r.path == "/read" {
			return answer{status: 412, body: errcode(40097, "invalid args rid: 65000000-0badcafe-00000001")}
		}
		return nil
	}}
	err := readOnce(t.Context(), p.caller())
	var e *wechat.Error
	if !errors.As(err, &e) || e.Status != 412 || e.Code != 40097 || e.RequestID != "65000000-0badcafe-00000001" {
		t.Errorf("err = %v", err)
	}
}

// P124, P137: the base URL covers every call, token included, with its prefix; a spare host is used for what was
// surely not sent.
func TestBaseURL(t *testing.T) {
	p := &platform{}
	c := p.caller(wechat.WithBaseURL("officialaccount", "https://relay.example.invalid/qyapi/"))
	if err := readOnce(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, r := range p.requests {
		if r.URL.Host != "relay.example.invalid" || !strings.HasPrefix(r.path, "/qyapi/") || strings.Contains(r.path, "//") {
			t.Errorf("went to %s", r.URL.Host+r.path)
		}
	}
}

func TestSpareHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		p := &platform{handle: func(r *request) any {
			if r.URL.Host == "first.example.invalid" && down {
				return errRefused
			}
			return nil
		}}
		c := p.caller(wechat.WithBaseURL("officialaccount", "https://first.example.invalid", "https://second.example.invalid"))
		began := time.Now()
		for range 3 {
			if _, err := send.Do(t.Context(), c, hello("o1")); err != nil {
				t.Fatal(err)
			}
		}
		if d := time.Since(began); d > time.Millisecond {
			t.Errorf("the spare host was used after %v", d)
		}
		hosts := map[string]int{}
		for _, r := range p.requests {
			hosts[r.URL.Host]++
		}
		if hosts["first.example.invalid"] != 1 {
			t.Errorf("hosts: %v", hosts)
		}
		down = false
		time.Sleep(31 * time.Second)
		if _, err := send.Do(t.Context(), c, hello("o1")); err != nil {
			t.Fatal(err)
		}
		if last := p.requests[len(p.requests)-1].URL.Host; last != "first.example.invalid" {
			t.Errorf("the first host is not used again: %s", last)
		}
	})
	p := &platform{handle: func(r *request) any {
		if r.path == "/send" {
			return errReset
		}
		return nil
	}}
	c := p.caller(wechat.WithBaseURL("officialaccount", "https://first.example.invalid", "https://second.example.invalid"))
	if _, err := send.Do(t.Context(), c, hello("o1")); !errors.Is(err, wechat.ErrOutcomeUnknown) || len(p.calls("/send")) != 1 {
		t.Errorf("a send that may have arrived went to the spare host: %v", err)
	}
}

// P131: nothing that is printed shows a secret: errors at every level, logs, and the values themselves.
func TestSecretsNeverShow(t *testing.T) {
	var log bytes.Buffer
	secrets := []string{"FAKE_SECRET", "FAKE_TOKEN", "FAKE_CODE", "STATIC", "FAKE_TICKET"}
	var texts []string
	add := func(x any) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			texts = append(texts, fmt.Sprintf(verb, x))
		}
		if b, err := json.Marshal(x); err == nil {
			texts = append(texts, string(b))
		}
	}
	var walk func(err error)
	walk = func(err error) {
		if err == nil {
			return
		}
		texts = append(texts, err.Error(), fmt.Sprintf("%+v", err))
		switch x := err.(type) { //nolint:errorlint // the walk itself
		case interface{ Unwrap() error }:
			walk(x.Unwrap())
		case interface{ Unwrap() []error }:
			for _, err := range x.Unwrap() {
				walk(err)
			}
		}
	}
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, fault := range []any{errRefused, errReset, errcode(40001, `bad {"access_token":"FAKE_TOKEN_1"} access_token=FAKE_TOKEN_1 secret=FAKE_SECRET`),
		answer{status: 502, body: "access_token=FAKE_TOKEN_1", header: map[string]string{"Content-Type": "text/html"}},
		answer{status: 302, header: map[string]string{"Location": "https://x/?access_token=FAKE_TOKEN_1"}}} {
		p := &platform{handle: func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				return nil
			}
			return fault
		}}
		c := p.caller(wechat.WithLogger(logger), wechat.WithRetry(wechat.RetryPolicy{BaseDelay: 1, MaxDelay: 1}))
		walk(readOnce(t.Context(), c))
		_, err := code.Do(t.Context(), c, &login{Code: "FAKE_CODE"})
		walk(err)
		p.handle = func(*request) any { return fault }
		walk(readOnce(t.Context(), p.caller(wechat.WithLogger(logger), wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1}))))
	}
	for _, answer := range []func(echo string) any{
		func(echo string) any { return errcode(40029, "no good: "+echo) },
		func(echo string) any {
			return answer{status: 502, body: echo, header: map[string]string{"Content-Type": "text/plain"}}
		},
	} {
		p := &platform{handle: func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				if r.n == 1 {
					return nil
				}
				return answer("FAKE_SECRET_2")
			}
			var echo strings.Builder
			for _, values := range r.query {
				echo.WriteString(values[0] + " ")
			}
			return answer(echo.String())
		}}
		c := p.caller(wechat.WithLogger(logger), wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1}))
		walk(readOnce(t.Context(), c))
		_, err := code.Do(t.Context(), c, &login{Code: "FAKE_CODE"})
		walk(err)
		app := wechat.App{ID: "wx2", Secret: "FAKE_SECRET_2"}
		walk(readOnce(t.Context(), wechat.Bind(p.client(wechat.WithLogger(logger), wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1})), newProduct("officialaccount"), app)))
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	walk(readOnce(t.Context(), wechat.Bind(wechat.New(wechat.WithBaseURL("officialaccount", closed.URL), wechat.WithLogger(logger), wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1})), newProduct("officialaccount"), app)))

	client := (&platform{}).client()
	_ = readOnce(t.Context(), wechat.Bind(client, newProduct("officialaccount"), app))
	static := wechat.StaticToken("STATIC")
	add(app)
	add(&app)
	add(client)
	add(static)
	add(wechat.App{ID: "x", TokenSource: static})
	add(wechat.Secret("FAKE_SECRET"))
	add(wechat.Bind(client, newProduct("officialaccount"), app))
	add(wechat.Call{App: app})
	texts = append(texts, log.String())
	for _, text := range texts {
		for _, secret := range secrets {
			if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
				t.Errorf("%s shows in %.300s", secret, text)
			}
		}
	}
	if log.Len() == 0 {
		t.Error("nothing was logged")
	}
}

// P133: a redirect is an error; nothing goes to the other host.
func TestRedirectNotFollowed(t *testing.T) {
	var evil atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { evil.Add(1) }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	defer server.Close()
	user := &http.Client{}
	a := wechat.App{ID: "x", TokenSource: wechat.StaticToken("STATIC")}
	client := wechat.New(wechat.WithBaseURL("officialaccount", server.URL), wechat.WithHTTPClient(user))
	err := readOnce(t.Context(), wechat.Bind(client, newProduct("officialaccount"), a))
	var e *wechat.Error
	if !errors.As(err, &e) || e.Status != 302 || evil.Load() != 0 {
		t.Errorf("%d calls at the other host: %v", evil.Load(), err)
	}
	if user.CheckRedirect != nil || user.Transport != nil {
		t.Error("the user's client was changed")
	}
}

// What precedes and surrounds: middleware once a call, the transport once an attempt, with the call at hand.
func TestMiddlewareAndTransport(t *testing.T) {
	p := &platform{handle: func(r *request) any {
		if r.path == "/send" && r.n == 1 {
			return errcode(42001, "expired")
		}
		return nil
	}}
	var order []string
	note := func(name string) wechat.Middleware {
		return func(next wechat.Caller) wechat.Caller {
			return wechat.CallerFunc(func(ctx context.Context, call *wechat.Call) error {
				order = append(order, name+" "+call.Spec.Name)
				return next.Do(ctx, call)
			})
		}
	}
	c := p.caller(wechat.WithMiddleware(note("outer"), note("inner")), wechat.WithTransport(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			call, ok := wechat.CallFrom(r.Context())
			if !ok || !strings.HasSuffix(r.URL.Path, call.Spec.Path()) || (r.URL.Query().Has("access_token") == call.Spec.NoToken) {
				t.Errorf("CallFrom: %v, %+v", ok, call)
			}
			order = append(order, "wire "+call.Spec.Name)
			return next.RoundTrip(r)
		})
	}))
	if _, err := send.Do(t.Context(), c, hello("o1")); err != nil {
		t.Fatal(err)
	}
	want := "outer Send, inner Send, outer StableToken, inner StableToken, wire StableToken, wire Send, outer StableToken, inner StableToken, wire StableToken, wire Send"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("order:\n%s\nwant\n%s", got, want)
	}
}

// The events of a call, in order.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			switch {
			case r.path != "/read":
			case r.n == 1:
				return answer{status: 502}
			case r.n == 2:
				return errcode(44990, "reach max api second frequence limit")
			}
			return nil
		}}
		var mu sync.Mutex
		var got []string
		c := p.caller(wechat.WithObserver(func(_ context.Context, e wechat.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Call != nil && e.Call.Spec.Name == "Read" && e.Type != wechat.EventTokenRefresh {
				got = append(got, fmt.Sprintf("%s %d", e.Type, e.Attempt))
			}
		}))
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		want := "attempt 1, retry 1, attempt 2, throttled 2, retry 2, limiterWait 0, attempt 3, recovered 3"
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("events: %s\nwant:   %s", s, want)
		}
	})
}

// P123, P139: clients are independent and safe for concurrent use; the race detector looks on.
func TestConcurrentClients(t *testing.T) {
	platforms := []*platform{{}, {}}
	var wg sync.WaitGroup
	for _, p := range platforms {
		client := p.client()
		for i := range 16 {
			wg.Go(func() {
				a := app
				a.ID = fmt.Sprint(i % 4)
				c := wechat.Bind(client, newProduct("officialaccount"), a)
				for range 50 {
					if _, err := send.Do(t.Context(), c, hello("o1")); err != nil {
						t.Error(err)
					}
					p.revoke("FAKE_TOKEN_1")
				}
			})
		}
	}
	wg.Wait()
	for _, p := range platforms {
		apps := map[string]bool{}
		for _, r := range p.calls("/cgi-bin/stable_token") {
			var body struct{ AppID string }
			_ = json.Unmarshal(r.body, &body)
			apps[body.AppID] = true
		}
		if got := slices.Sorted(maps.Keys(apps)); len(got) != 4 {
			t.Errorf("tokens were fetched for %v", got)
		}
	}
}

// P037, P130, P142: over real connections: many calls reuse few sockets, bodies are closed on every path, and idle
// connections are dropped before the server drops them.
func TestConnections(t *testing.T) {
	var opened atomic.Int32
	var received atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/send" {
			received.Add(1)
			time.Sleep(time.Millisecond)
		}
		if r.URL.Path == "/read" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, `{"errcode":0,"errmsg":"ok","msgid":1}`)
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	a := wechat.App{ID: "x", TokenSource: wechat.StaticToken("STATIC")}
	c := wechat.Bind(wechat.New(wechat.WithBaseURL("officialaccount", server.URL)), newProduct("officialaccount"), a)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 40 {
				if _, err := send.Do(t.Context(), c, hello("o1")); err != nil {
					t.Error(err)
				}
				_ = readOnce(t.Context(), c)
			}
		})
	}
	wg.Wait()
	if received.Load() != 2000 {
		t.Errorf("%d sends arrived, want 2000", received.Load())
	}
	if opened.Load() > 256 {
		t.Errorf("%d connections for 50 callers", opened.Load())
	}
}

// P088, P089: Content-Length on every request, empty bodies included, and nothing chunked, on the second attempt too.
func TestContentLengthOnTheWire(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.URL.Path]++
		if len(r.TransferEncoding) > 0 || r.Method == http.MethodPost && r.Header.Get("Content-Length") == "" && r.ContentLength < 0 {
			t.Errorf("%s: chunked %v, length %d", r.URL.Path, r.TransferEncoding, r.ContentLength)
		}
		b, _ := io.ReadAll(r.Body)
		if int64(len(b)) != r.ContentLength {
			t.Errorf("%s: %d bytes, Content-Length %d", r.URL.Path, len(b), r.ContentLength)
		}
		if seen[r.URL.Path] == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = io.WriteString(w, `{"errcode":0}`)
	}))
	defer server.Close()
	a := wechat.App{ID: "x", TokenSource: wechat.StaticToken("STATIC")}
	for _, do := range []func(c wechat.Caller) error{
		func(c wechat.Caller) error { _, err := send.Do(t.Context(), c, hello("o1")); return err },
		func(c wechat.Caller) error { _, err := other.Do(t.Context(), c, nil); return err },
		func(c wechat.Caller) error {
			_, err := put.Do(t.Context(), c, &upload{Media: wechat.File{Name: "考勤 表.xlsx", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("x")), nil }}})
			return err
		},
	} {
		c := wechat.Bind(wechat.New(wechat.WithBaseURL("officialaccount", server.URL)), newProduct("officialaccount"), a)
		if err := do(c); err != nil {
			t.Error(err)
		}
	}
}

// P143: a connection on which a call timed out is not used again.
func TestDeadConnectionNotReused(t *testing.T) {
	var n atomic.Int32
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 2 {
			<-release
		}
		_, _ = io.WriteString(w, `{"errcode":0}`)
	}))
	defer server.Close()
	defer close(release)
	a := wechat.App{ID: "x", TokenSource: wechat.StaticToken("STATIC")}
	c := wechat.Bind(wechat.New(wechat.WithBaseURL("officialaccount", server.URL), wechat.WithRetry(wechat.RetryPolicy{AttemptTimeout: 100 * time.Millisecond, BaseDelay: 1, MaxDelay: 1})), newProduct("officialaccount"), a)
	for range 3 {
		if err := readOnce(t.Context(), c); err != nil {
			t.Error(err)
		}
	}
}

// P141: the wait for a free connection ends with the caller's context.
func TestWaitForConnectionEnds(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	a := wechat.App{ID: "x", TokenSource: wechat.StaticToken("STATIC")}
	h := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer h.CloseIdleConnections()
	c := wechat.Bind(wechat.New(wechat.WithHTTPClient(h), wechat.WithBaseURL("officialaccount", server.URL)), newProduct("officialaccount"), a)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for _, err := range atOnce(2, func() error { _, err := send.Do(ctx, c, hello("o1")); return err }) {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
}

// 10,000 idle apps cost little memory and no goroutine. The bound is generous; bench/ has the figure.
func TestIdleApps(t *testing.T) {
	p := &platform{}
	client := p.client()
	_ = readOnce(t.Context(), wechat.Bind(client, newProduct("officialaccount"), app))
	heap := func() uint64 {
		p.mu.Lock()
		p.requests = nil
		p.mu.Unlock()
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, goroutines := heap(), runtime.NumGoroutine()
	for i := range 2000 {
		a := wechat.App{ID: fmt.Sprintf("wx%016d", i), Secret: "FAKE_SECRET"}
		if err := readOnce(t.Context(), wechat.Bind(client, newProduct("officialaccount"), a)); err != nil {
			t.Fatal(err)
		}
	}
	if each := int(heap()-before) / 2000; each > 4096 {
		t.Errorf("%d bytes an app", each)
	}
	if n := runtime.NumGoroutine() - goroutines; n > 2 {
		t.Errorf("%d goroutines more", n)
	}
	runtime.KeepAlive(client)
}

func TestPages(t *testing.T) {
	var asked []int
	page := func(_ context.Context, cursor int) ([]string, int, bool, error) {
		asked = append(asked, cursor)
		if cursor == 3 {
			return nil, 0, false, errBroken
		}
		return []string{fmt.Sprint(cursor, "a"), fmt.Sprint(cursor, "b")}, cursor + 1, true, nil
	}
	var got []string
	var last error
	for s, err := range wechat.Pages(t.Context(), 1, page) {
		if err != nil {
			last = err
			continue
		}
		got = append(got, s)
	}
	if len(got) != 4 || !errors.Is(last, errBroken) || len(asked) != 3 {
		t.Errorf("%v, %v, asked %v", got, last, asked)
	}
	for range wechat.Pages(t.Context(), 1, page) {
		break
	}
	if len(asked) != 4 {
		t.Errorf("a walk that was left asked for another page: %v", asked)
	}
}

func TestExplain(t *testing.T) {
	for _, tc := range []struct {
		product string
		code    wechat.Code
		kind    wechat.Kind
		chinese string
	}{
		{"officialaccount", 45009, wechat.ErrQuotaExhausted, "该接口当日额度用完"},
		{"work", 45009, wechat.ErrRateLimited, "接口频率超限"},
		{"miniprogram", -1, wechat.ErrBusy, "系统忙"},
		{"officialaccount", -1000, wechat.ErrBusy, "系统错误"},
		{"work", 60020, wechat.ErrCredential, "来源地址不可信"},
		{"officialaccount", 43004, wechat.ErrUnreachable, "用户未关注"},
	} {
		got, ok := wechat.Explain(tc.product, tc.code)
		if !ok || got.Kind != tc.kind || got.Chinese != tc.chinese || got.English == "" {
			t.Errorf("%s %d: %+v, %v", tc.product, tc.code, got, ok)
		}
	}
	if _, ok := wechat.Explain("officialaccount", 4); ok { // not a part of another code's row
		t.Error("4 is explained")
	}
	if got, ok := wechat.Explain("work", 45010); ok {
		t.Errorf("a code of another product: %+v", got)
	}
}

func TestErrorMatching(t *testing.T) {
	err := error(&wechat.Error{Code: 45009, Kind: wechat.ErrQuotaExhausted, Endpoint: "Send", Err: &ratelimit.ExceededError{}})
	for target, want := range map[error]bool{
		wechat.Code(45009): true, wechat.Code(45011): false, wechat.ErrQuotaExhausted: true, wechat.ErrRateLimited: false,
		ratelimit.ErrExceeded: true, wechat.Code(0): false, wechat.Kind(0): false,
	} {
		if errors.Is(err, target) != want {
			t.Errorf("Is(%v) = %v", target, !want)
		}
	}
}

// What came beside the errcode can be read, for calls that say in it for whom they failed.
func TestErrorReply(t *testing.T) {
	p := &platform{handle: func(r *request) any {
		if r.path == "/create" {
			return `{"errcode":45171,"errmsg":"some failed","fail_openid_list":["o1","o2"]}`
		}
		return nil
	}}
	_, err := create.Do(t.Context(), p.caller(), &found{})
	var e *wechat.Error
	var failed struct {
		OpenIDs []string `json:"fail_openid_list"`
	}
	if !errors.As(err, &e) || e.Reply(&failed) != nil || len(failed.OpenIDs) != 2 {
		t.Errorf("%+v: %v", failed, err)
	}
	if err := new(wechat.Error).Reply(&failed); err != nil {
		t.Error(err)
	}
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "考勤 表.txt")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []wechat.File{wechat.FileAt(path), wechat.FileOf("考勤 表.txt", []byte("content"))} {
		p := &platform{}
		if _, err := put.Do(t.Context(), p.caller(), &upload{Media: f}); err != nil {
			t.Fatal(err)
		}
		body := string(p.calls("/upload")[0].body)
		if !strings.Contains(body, `filename="考勤 表.txt"`) || !strings.Contains(body, "content") { // P086
			t.Errorf("body: %s", body)
		}
	}
}

package wechat_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// A send that the server confirmed with a reply that cannot be read is done: its key never sends again.
func TestUnreadableConfirmation(t *testing.T) {
	p := &platform{handle: func(r *request) any {
		if r.path == "/send" {
			return `{"errcode":0,"errmsg":"ok","msgid":{"x":1}}`
		}
		return nil
	}}
	c := p.caller()
	ctx := wechat.ContextWithIdempotencyKey(t.Context(), "order-1")
	if _, err := send.Do(ctx, c, hello("o1")); !errors.Is(err, wechat.ErrBadReply) || errors.Is(err, wechat.ErrOutcomeUnknown) {
		t.Errorf("err = %v", err)
	}
	_, err := send.Do(ctx, c, hello("o1"))
	if n := len(p.calls("/send")); n != 1 {
		t.Errorf("sent %d times with one key: %v", n, err)
	}
}

// A reply to a send that is too large to be read leaves the outcome unknown.
func TestTooLargeConfirmation(t *testing.T) {
	p := &platform{handle: func(r *request) any {
		if r.path == "/send" {
			return `{"errcode":0,"errmsg":"` + strings.Repeat("x", 11<<20) + `"}`
		}
		return nil
	}}
	c := p.caller()
	ctx := wechat.ContextWithIdempotencyKey(t.Context(), "order-1")
	for range 2 {
		if _, err := send.Do(ctx, c, hello("o1")); !errors.Is(err, wechat.ErrOutcomeUnknown) {
			t.Errorf("err = %v", err)
		}
	}
	if n := len(p.calls("/send")); n != 1 {
		t.Errorf("sent %d times with one key", n)
	}
}

// However the time passes between attempts, no repeat goes out after the server has forgotten the first.
func TestDedupeKeyForgottenWhileWaiting(t *testing.T) {
	for name, second := range map[string]any{
		"throttled": answer{status: 429, header: map[string]string{"Retry-After": "800"}},
		"unsent":    errRefused,
		"refused":   errcode(45011, "api minute-quota reach limit"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &platform{handle: func(r *request) any {
					switch {
					case r.path != "/send/once":
						return nil
					case r.n == 1:
						return errReset // carried out, and the reply is lost
					case r.n < 15:
						return second
					}
					return nil
				}}
				policy := wechat.Batch()
				policy.MaxAttempts, policy.NetworkAttempts = 20, 20
				policy.BaseDelay, policy.MaxDelay, policy.InstanceJitter = 200*time.Second, 1000*time.Second, 0
				_, err := sendOnce.Do(t.Context(), p.caller(wechat.WithRetry(policy)), hello("o1"))
				got := p.calls("/send/once")
				if d := got[len(got)-1].at.Sub(got[0].at); d > 8*time.Minute {
					t.Errorf("repeated after %v", d)
				}
				if !errors.Is(err, wechat.ErrOutcomeUnknown) {
					t.Errorf("err = %v", err)
				}
			})
		})
	}
}

// "101 Switching Protocols" holds nobody.
func TestSwitchingProtocols(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	stop := make(chan struct{})
	var served sync.WaitGroup
	defer served.Wait()
	defer close(stop)
	served.Go(func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		r, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		<-stop
	})
	a := wechat.App{ID: "x", TokenSource: wechat.StaticToken("STATIC")}
	c := wechat.Bind(wechat.New(wechat.WithBaseURL("officialaccount", "http://"+l.Addr().String())), newProduct("officialaccount"), a)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := send.Do(ctx, c, hello("o1")); !errors.Is(err, wechat.ErrOutcomeUnknown) || ctx.Err() != nil {
		t.Errorf("err = %v", err)
	}
}

type hangingStore struct{}

func (hangingStore) Load(ctx context.Context, _ string) (wechat.Token, error) {
	<-ctx.Done()
	return wechat.Token{}, ctx.Err()
}

func (hangingStore) Replace(ctx context.Context, _ string, _, _ wechat.Token) (wechat.Token, error) {
	<-ctx.Done()
	return wechat.Token{}, ctx.Err()
}

func (hangingStore) Lock(ctx context.Context, _ string, _ time.Duration) (func(), error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A store that does not answer costs some seconds and no call.
func TestTokenStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		c := p.caller(wechat.WithTokenStore(hangingStore{}))
		began := time.Now()
		for range 10 {
			if err := readOnce(t.Context(), c); err != nil {
				t.Fatalf("after %v: %v", time.Since(began), err)
			}
		}
		if d := time.Since(began); d > 20*time.Second || p.asked != 1 {
			t.Errorf("took %v and %d token requests", d, p.asked)
		}
	})
}

// lockedOnce keeps the first lock as a process does that died with it.
type lockedOnce struct {
	memoryStore
	until time.Time
}

func (s *lockedOnce) Lock(ctx context.Context, key string, ttl time.Duration) (func(), error) {
	if s.until.IsZero() {
		s.until = time.Now().Add(ttl)
	}
	if time.Now().Before(s.until) {
		return nil, wechat.ErrLocked
	}
	return s.memoryStore.Lock(ctx, key, ttl)
}

// A lock that a dead process took with the SDK's own time is waited for within one call.
func TestTokenLockOfDeadProcessOfOurOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		if err := readOnce(t.Context(), p.caller(wechat.WithTokenStore(new(lockedOnce)))); err != nil {
			t.Error(err)
		}
	})
}

type valueSource struct{ value string }

func (s valueSource) Token(context.Context, wechat.Token) (wechat.Token, error) {
	return wechat.Token{Value: wechat.Secret(s.value)}, nil
}

type funcSource func() string

func (f funcSource) Token(context.Context, wechat.Token) (wechat.Token, error) {
	return wechat.Token{Value: wechat.Secret(f())}, nil
}

// Sources of one type are told apart, whatever kind of type it is.
func TestTokenSourcesApart(t *testing.T) {
	p := &platform{}
	client := p.client()
	named := func(v string) funcSource { return func() string { return v } }
	for want, source := range map[string]wechat.TokenSource{
		"A": valueSource{"A"}, "B": valueSource{"B"}, "C": named("C"), "D": named("D"), "E": wechat.StaticToken("E"), "F": wechat.StaticToken("F"),
	} {
		a := app
		a.TokenSource = source
		if err := readOnce(t.Context(), wechat.Bind(client, newProduct("work"), a)); err != nil {
			t.Fatal(err)
		}
		got := p.calls("/read")
		if token := got[len(got)-1].query.Get("access_token"); token != want {
			t.Errorf("%T: token %q, want %q", source, token, want)
		}
	}
}

// What a token source says, or panics with, shows no secret.
func TestTokenSourceLeaks(t *testing.T) {
	for name, source := range map[string]func() error{
		"url": func() error {
			return &url.Error{Op: "Get", URL: "https://centre.example.invalid/token?appid=wx1&secret=S3CR3T", Err: errBroken}
		},
		"text":  func() error { return errors.New(`the centre said {"access_token":"S3CR3T"}`) },
		"panic": func() error { panic("bad reply access_token=S3CR3T") },
	} {
		var log strings.Builder
		p := &platform{}
		a := app
		a.TokenSource = wechat.TokenFunc(func(context.Context, wechat.Token) (wechat.Token, error) { return wechat.Token{}, source() })
		logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		err := readOnce(t.Context(), wechat.Bind(p.client(wechat.WithLogger(logger)), newProduct("officialaccount"), a))
		if s := fmt.Sprintf("%v %+v", err, err) + log.String(); strings.Contains(s, "S3CR3T") || log.Len() == 0 {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// The context that observers and adapters get can be printed.
func TestContextShowsNothing(t *testing.T) {
	p := &platform{}
	c := p.caller(wechat.WithObserver(func(ctx context.Context, _ wechat.Event) {
		below := context.WithValue(ctx, hangingStore{}, 1)
		if s := fmt.Sprintf("%v %+v %#v %v %+v", ctx, ctx, ctx, below, below); strings.Contains(s, "FAKE_TOKEN") || strings.Contains(s, "FAKE_SECRET") {
			t.Errorf("%.300s", s)
		}
	}))
	if err := readOnce(t.Context(), c); err != nil {
		t.Error(err)
	}
}

// A policy can say anything.
func TestPolicyExtremes(t *testing.T) {
	for name, policy := range map[string]wechat.RetryPolicy{
		"huge delays":   {BaseDelay: math.MaxInt64, MaxDelay: math.MaxInt64},
		"huge cap":      {BaseDelay: 1, MaxDelay: math.MaxInt64, MaxAttempts: 40, Budget: -1},
		"huge wait":     {MaxRetryAfter: math.MaxInt64},
		"all negative":  {MaxAttempts: -1, BaseDelay: -1, MaxDelay: -1, MaxRetryAfter: -1, MaxElapsed: -1, NetworkAttempts: -1, AttemptTimeout: -1, Budget: -1, InstanceJitter: -1},
		"huge attempts": {MaxAttempts: math.MaxInt, BaseDelay: 1, MaxDelay: 1, NetworkAttempts: math.MaxInt},
	} {
		for _, failure := range []any{answer{status: 502}, errReset, answer{status: 429, header: map[string]string{"Retry-After": "2"}}} {
			synctest.Test(t, func(t *testing.T) {
				p := &platform{handle: func(r *request) any {
					if r.path == "/read" && r.n <= 2 {
						return failure
					}
					return nil
				}}
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Hour)
				defer cancel()
				err := readOnce(ctx, p.caller(wechat.WithRetry(policy)))
				if name == "huge wait" && err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
}

// One mad Retry-After does not close an endpoint for ever.
func TestMadRetryAfter(t *testing.T) {
	for _, header := range []string{"99999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		synctest.Test(t, func(t *testing.T) {
			p := &platform{handle: func(r *request) any {
				if r.path == "/read" && r.n == 1 {
					return answer{status: 429, header: map[string]string{"Retry-After": header}}
				}
				return nil
			}}
			c := p.caller()
			if err := readOnce(t.Context(), c); !errors.Is(err, wechat.ErrRateLimited) {
				t.Error(err)
			}
			time.Sleep(25 * time.Hour)
			if err := readOnce(t.Context(), c); err != nil {
				t.Errorf("a day later: %v", err)
			}
		})
	}
}

// The agents of a company are apps of their own: keys and limits of one say nothing of another.
func TestAgentsApart(t *testing.T) {
	p := &platform{}
	client := p.client()
	ctx := wechat.ContextWithIdempotencyKey(t.Context(), "order-1")
	for i, agent := range []int64{1, 2} {
		a := wechat.App{ID: "ww1", Secret: wechat.Secret(fmt.Sprint("S", agent)), AgentID: agent}
		if _, err := send.Do(ctx, wechat.Bind(client, newProduct("work"), a), hello("u1")); err != nil {
			t.Error(err)
		}
		if n := len(p.calls("/send")); n != i+1 {
			t.Errorf("agent %d: %d sent", agent, n)
		}
	}
}

// A one-time code goes out once over any transport, also when a connection that was to be used again turns out closed.
func TestOneTimeCodeOverReusedConnection(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		c := r.URL.Query().Get("js_code")
		if seen[c]++; c == "second" {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = conn.Close()
			}
			return
		}
		_, _ = io.WriteString(w, `{"openid":"o","session_key":"k"}`)
	}))
	defer server.Close()
	base := http.DefaultTransport.(*http.Transport).Clone()
	defer base.CloseIdleConnections()
	for _, transport := range []http.RoundTripper{base, roundTripper(base.RoundTrip)} {
		mu.Lock()
		clear(seen)
		mu.Unlock()
		c := wechat.Bind(wechat.New(wechat.WithHTTPClient(&http.Client{Transport: transport}), wechat.WithBaseURL("officialaccount", server.URL)), newProduct("officialaccount"), app)
		if _, err := code.Do(t.Context(), c, &login{Code: "first"}); err != nil {
			t.Fatal(err)
		}
		if _, err := code.Do(t.Context(), c, &login{Code: "second"}); !errors.Is(err, wechat.ErrOutcomeUnknown) {
			t.Errorf("%T: %v", transport, err)
		}
		mu.Lock()
		if seen["second"] != 1 {
			t.Errorf("%T: the code went out %d times", transport, seen["second"])
		}
		mu.Unlock()
	}
}

// Whoever's code panics while a token is fetched, the process goes on.
func TestPanicWhileTokenIsFetched(t *testing.T) {
	for name, option := range map[string]wechat.Option{
		"observer": wechat.WithObserver(func(_ context.Context, e wechat.Event) {
			if e.Type == wechat.EventTokenRefresh {
				panic("observer")
			}
		}),
		"store": wechat.WithTokenStore(panickingStore{}),
		"middleware": wechat.WithMiddleware(func(next wechat.Caller) wechat.Caller {
			return wechat.CallerFunc(func(ctx context.Context, call *wechat.Call) error {
				if call.Spec.NoToken {
					panic("middleware")
				}
				return next.Do(ctx, call)
			})
		}),
	} {
		if err := readOnce(t.Context(), (&platform{}).caller(option)); err == nil || !strings.Contains(err.Error(), "panic") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type panickingStore struct{ hangingStore }

func (panickingStore) Load(context.Context, string) (wechat.Token, error) { panic("store") }

// A product that reads failures itself need not know of gateways: what is no reply of an API is none.
func TestOwnFailureAndGateway(t *testing.T) {
	product := newProduct("pay")
	product.Failure = func(int, http.Header, []byte) (wechat.Code, string) { return 0, "" }
	for _, body := range []string{"", html504, `{"msgid":1`, "not json"} {
		p := &platform{handle: func(r *request) any {
			if r.path == "/send" {
				return answer{body: body}
			}
			return nil
		}}
		c := wechat.Bind(p.client(), product, app)
		for range 2 {
			if _, err := send.Do(wechat.ContextWithIdempotencyKey(t.Context(), "k"), c, hello("o1")); !errors.Is(err, wechat.ErrOutcomeUnknown) {
				t.Errorf("%q: %v", body, err)
			}
		}
	}
}

// Equal sources that are plain values are one, asked once, also for calls made by hand.
func TestValueSourceIsKept(t *testing.T) {
	p := &platform{}
	client, product := p.client(), newProduct("officialaccount")
	source := &countingSource{}
	for range 20 {
		a := app
		a.TokenSource = struct{ *countingSource }{source}
		if err := readOnce(t.Context(), wechat.Bind(client, product, a)); err != nil {
			t.Fatal(err)
		}
		if err := client.Do(t.Context(), &wechat.Call{Spec: wechat.Spec{Name: "Hand", Pattern: "GET /hand", Effect: wechat.EffectRead}, Product: product, App: a}); err != nil {
			t.Fatal(err)
		}
	}
	if source.asked != 1 {
		t.Errorf("asked %d times", source.asked)
	}
}

type countingSource struct{ asked int }

func (s *countingSource) Token(context.Context, wechat.Token) (wechat.Token, error) {
	s.asked++
	return wechat.Token{Value: "KEPT"}, nil
}

// Every failure is an *Error, that of a ticket and of a context that had ended before too.
func TestEveryFailureIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(*request) any { return answer{delay: time.Hour} }}
		c := p.caller()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for name, err := range map[string]error{
			"ended":  readOnce(ended, c),
			"ticket": func() error { _, err := getTicket.Do(soon, c, &lookup{}); return err }(),
			"token":  readOnce(soon, c),
		} {
			var e *wechat.Error
			if !errors.As(err, &e) || e.Endpoint == "" || !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// Odd numbers and sizes from the server are bounded.
func TestOddSizes(t *testing.T) {
	if token := wechat.NewToken("T", math.MaxInt64, time.Now()); time.Until(token.Expiry) < 365*24*time.Hour {
		t.Errorf("expires %v", token.Expiry)
	}
	p := &platform{handle: func(r *request) any {
		if r.path == "/read" {
			return `{"errcode":40003,"errmsg":"` + strings.Repeat("好", 1<<20) + ` rid: 65000000-0badcafe-00000001"}`
		}
		return nil
	}}
	err := readOnce(t.Context(), p.caller())
	var e *wechat.Error
	if !errors.As(err, &e) || len(err.Error()) > 2<<10 || e.RequestID != "65000000-0badcafe-00000001" || !utf8.ValidString(e.Message) {
		t.Errorf("%d bytes, rid %q", len(err.Error()), e.RequestID)
	}
}

// Who is named twice in a call is reached once.
func TestRecipientNamedTwice(t *testing.T) {
	crowd := wechat.Endpoint[message, receipt]{
		Name: "Crowd", Pattern: "POST /crowd", Recipient: []ratelimit.Limit{ratelimit.PerMinute(1)},
		To: func(m *message) []string { return strings.Split(m.ToUser, "|") },
	}
	p := &platform{}
	if _, err := crowd.Do(t.Context(), p.caller(), &message{ToUser: strings.Repeat("a|b|", 40) + "c"}); err != nil {
		t.Error(err)
	}
}

package wechat_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

const dayQuota = `{"errcode":45009,"errmsg":"reach max api daily quota limit rid: 65000000-0badcafe-00000001"}`

// P027: a used-up day closes the path until 00:00 UTC+8 for all callers; other paths go on.
func TestQuotaClosesPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // begins at 2000-01-01T00:00:00Z, 08:00 UTC+8
		used := true
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" && used {
				return dayQuota
			}
			return nil
		}}
		client := p.client()
		c := wechat.Bind(client, newProduct("officialaccount"), app)
		err := readOnce(t.Context(), c)
		if after, _ := wechat.RetryAfter(err); !errors.Is(err, wechat.ErrQuotaExhausted) || after != 16*time.Hour {
			t.Fatalf("after %v: %v", after, err)
		}
		for range 100 {
			err := readOnce(t.Context(), c)
			after, _ := wechat.RetryAfter(err)
			if !errors.Is(err, wechat.ErrQuotaExhausted) || after > 16*time.Hour || after < 16*time.Hour-5*time.Minute {
				t.Fatalf("after %v: %v", after, err)
			}
			time.Sleep(time.Second)
		}
		if _, err := other.Do(t.Context(), c, nil); err != nil {
			t.Errorf("another path: %v", err)
		}
		if err := readOnce(t.Context(), wechat.Bind(client, newProduct("officialaccount"), wechat.App{ID: "another", Secret: "s"})); !errors.Is(err, wechat.ErrQuotaExhausted) {
			t.Errorf("another app: %v", err)
		}
		if n := len(p.calls("/read")); n != 2 {
			t.Errorf("%d requests, want one of each app", n)
		}

		time.Sleep(15 * time.Minute) // a probe is due
		errs := atOnce(50, func() error { return readOnce(t.Context(), c) })
		if n := len(p.calls("/read")); len(errs) != 50 || n != 3 {
			t.Errorf("%d errors, %d requests: want one probe", len(errs), n)
		}
		used = false
		time.Sleep(15 * time.Minute)
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatalf("the probe: %v", err)
		}
		if err := readOnce(t.Context(), c); err != nil {
			t.Errorf("after a probe that succeeded: %v", err)
		}
	})
}

// After midnight one probe goes first and the rest within five minutes.
func TestQuotaReopensAfterMidnight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		midnight := time.Now().Add(16 * time.Hour)
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" && time.Now().Before(midnight) {
				return dayQuota
			}
			return nil
		}}
		c := p.caller()
		time.Sleep(16*time.Hour - 10*time.Minute)
		_ = readOnce(t.Context(), c)
		time.Sleep(10*time.Minute + time.Second)
		errs := atOnce(20, func() error { return readOnce(t.Context(), c) })
		if len(errs) != 0 && len(errs) != 19 { // none, where the random while was under a second
			t.Errorf("%d of 20 failed right after midnight: %v", len(errs), errs[0])
		}
		time.Sleep(5 * time.Minute)
		if errs := atOnce(20, func() error { return readOnce(t.Context(), c) }); errs != nil {
			t.Errorf("five minutes later: %v", errs[0])
		}
	})
}

// P034: nothing clears quotas by itself; when the caller does, the paths open again, for all clients that share the barrier.
func TestQuotaCleared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		used := true
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" && used {
				return dayQuota
			}
			return nil
		}}
		shared := new(ratelimit.Local)
		a, b := p.caller(wechat.WithBarrier(shared)), p.caller(wechat.WithBarrier(shared))
		_ = readOnce(t.Context(), a)
		if err := readOnce(t.Context(), b); !errors.Is(err, wechat.ErrQuotaExhausted) || len(p.calls("/read")) != 1 {
			t.Fatalf("%d requests: %v", len(p.calls("/read")), err)
		}
		if len(p.calls("/clear")) != 0 {
			t.Fatal("the quota was cleared unasked")
		}
		used = false
		time.Sleep(time.Second)
		if err := clearQuota.Exec(t.Context(), b, nil); err != nil {
			t.Fatal(err)
		}
		if err := readOnce(t.Context(), a); err != nil {
			t.Errorf("after the clearing: %v", err)
		}
		used = true
		time.Sleep(time.Second)
		_ = readOnce(t.Context(), a)
		if err := readOnce(t.Context(), a); !errors.Is(err, wechat.ErrQuotaExhausted) || len(p.calls("/read")) != 3 {
			t.Errorf("used up again, %d requests: %v", len(p.calls("/read")), err)
		}
	})
}

// P028: the minute's limit is waited for and not counted as the day's.
func TestMinuteLimitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/send" && r.n == 1 {
				return errcode(45011, "api minute-quota reach limit mustslower retry next minute rid: 65000000-0badcafe-00000001")
			}
			return nil
		}}
		c := p.caller()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := send.Do(short, c, hello("o1"))
		if after, ok := wechat.RetryAfter(err); !errors.Is(err, wechat.ErrRateLimited) || !ok || after < 30*time.Second || time.Since(began) > time.Millisecond {
			t.Errorf("after %v: %v", after, err)
		}
		if _, err := send.Do(t.Context(), c, hello("o1")); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(began); d < 60*time.Second || d > 90*time.Second {
			t.Errorf("sent after %v", d)
		}
	})
}

// P036, and the codes that concern one person: final, and nobody else is slowed.
func TestLimitsOfOnePerson(t *testing.T) {
	for product, codes := range map[string][]int{"officialaccount": {45047, 45033, 45015}, "work": {95001}} {
		for _, code := range codes {
			synctest.Test(t, func(t *testing.T) {
				p := &platform{handle: func(r *request) any {
					if r.path == "/send" && strings.Contains(string(r.body), "o1") {
						return errcode(code, "out of response count limit")
					}
					return nil
				}}
				c := wechat.Bind(p.client(), newProduct(product), app)
				began := time.Now()
				if _, err := send.Do(t.Context(), c, hello("o1")); !errors.Is(err, wechat.ErrUnreachable) {
					t.Errorf("%d: %v", code, err)
				}
				if _, err := send.Do(t.Context(), c, hello("o2")); err != nil {
					t.Error(err)
				}
				if n := len(p.calls("/send")); n != 2 || time.Since(began) > time.Millisecond {
					t.Errorf("%d requests in %v", n, time.Since(began))
				}
			})
		}
	}
}

// 43108: two sends to one person at once; the repeats go one after another.
func TestSendsToOnePersonSerialised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		inFlight, refused := 0, 0
		p := &platform{}
		p.handle = func(r *request) any {
			if r.path != "/send" {
				return nil
			}
			mu.Lock()
			inFlight++
			busy := inFlight > 1
			if busy {
				refused++
			}
			mu.Unlock()
			defer func() { mu.Lock(); inFlight--; mu.Unlock() }()
			if busy {
				return errcode(43108, "concurrent sends")
			}
			time.Sleep(100 * time.Millisecond)
			return nil
		}
		c := wechat.Bind(p.client(), newProduct("miniprogram"), app)
		errs := atOnce(10, func() error { _, err := send.Do(t.Context(), c, hello("o1")); return err })
		if len(errs) > 0 {
			t.Errorf("%d failed: %v", len(errs), errs[0])
		}
		if refused > 30 {
			t.Errorf("%d refused", refused)
		}
	})
}

// 45011 on the login concerns one person, whom the reply does not name: nobody else waits.
func TestLoginLimitHoldsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.query.Get("js_code") == "often" {
				return errcode(45011, "api minute-quota reach limit")
			}
			return nil
		}}
		c := wechat.Bind(p.client(), newProduct("miniprogram"), app)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		if _, err := code.Do(ctx, c, &login{Code: "often"}); !errors.Is(err, wechat.ErrRateLimited) {
			t.Error(err)
		}
		if _, err := code.Do(ctx, c, &login{Code: "another"}); err != nil {
			t.Error(err)
		}
		if time.Since(began) > time.Millisecond {
			t.Errorf("took %v", time.Since(began))
		}
	})
}

// A limit for each recipient is taken once a call, by name, and never reaches the server.
func TestRecipientLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/send" && r.n == 1 {
				return errcode(42001, "access_token expired")
			}
			return nil
		}}
		client := p.client()
		a := app
		a.Limits = ratelimit.Limits{Recipients: map[string][]ratelimit.Limit{"Send": {ratelimit.PerMinute(2)}}, MaxWait: -1}
		c := wechat.Bind(client, newProduct("officialaccount"), a)
		for i := range 3 {
			_, err := send.Do(t.Context(), c, hello("o1"))
			if refused := i == 2; refused != (err != nil) {
				t.Fatalf("%d: %v", i, err)
			} else if refused {
				after, _ := wechat.RetryAfter(err)
				if !errors.Is(err, wechat.ErrRateLimited) || !errors.Is(err, ratelimit.ErrExceeded) || after <= 59*time.Second || after > time.Minute {
					t.Errorf("after %v: %v", after, err)
				}
			}
		}
		if _, err := send.Do(t.Context(), c, hello("o2")); err != nil {
			t.Errorf("another person: %v", err)
		}
		if n := len(p.calls("/send")); n != 4 {
			t.Errorf("%d requests, want 4", n)
		}
		// Other limits for the same app are a cheap new client away.
		a.Limits.Recipients = map[string][]ratelimit.Limit{"Send": {ratelimit.PerMinute(3)}}
		if _, err := send.Do(t.Context(), wechat.Bind(client, newProduct("officialaccount"), a), hello("o1")); err != nil {
			t.Errorf("with a larger limit: %v", err)
		}
	})
}

// P042: a refusal of our own names the limit; a day's limit is a quota.
func TestOwnLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		a := app
		a.Limits = ratelimit.Limits{Endpoints: map[string][]ratelimit.Limit{"Read": {ratelimit.PerDay(1)}}, App: []ratelimit.Limit{ratelimit.PerSecond(10)}}
		c := wechat.Bind(p.client(), newProduct("officialaccount"), a)
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		err := readOnce(t.Context(), c)
		var x *ratelimit.ExceededError
		if !errors.Is(err, wechat.ErrQuotaExhausted) || !errors.As(err, &x) || x.Decision.Denied.Scope != ratelimit.ScopeEndpoint {
			t.Errorf("err = %v", err)
		}
		if _, err := other.Do(t.Context(), c, nil); err != nil {
			t.Errorf("another endpoint: %v", err)
		}
	})
}

// Waiting for a token must not let granted turns pile up.
func TestTurnsDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				time.Sleep(5 * time.Second)
			}
			return nil
		}}
		a := app
		a.Limits = ratelimit.Limits{Endpoints: map[string][]ratelimit.Limit{"Read": {ratelimit.PerSecond(20)}}}
		c := wechat.Bind(p.client(), newProduct("officialaccount"), a)
		if errs := atOnce(100, func() error { return readOnce(t.Context(), c) }); errs != nil {
			t.Fatal(errs[0])
		}
		got := p.calls("/read")
		for i := range got[:len(got)-20] {
			if d := got[i+20].at.Sub(got[i].at); d < time.Second {
				t.Fatalf("21 calls in %v", d)
			}
		}
	})
}

// A 429 without an errcode on two endpoints of an app closes the app, and another app goes on.
func TestGatewayRefusalOnTwoEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/read" || r.path == "/other" {
				return answer{status: 429, header: map[string]string{"Retry-After": "30"}}
			}
			return nil
		}}
		client := p.client()
		c := wechat.Bind(client, newProduct("officialaccount"), app)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_ = readOnce(ctx, c)
		if _, err := send.Do(ctx, c, hello("o1")); err != nil {
			t.Errorf("one endpoint refused, another fails: %v", err)
		}
		_, _ = other.Do(ctx, c, nil)
		_, err := send.Do(ctx, c, hello("o1"))
		if after, ok := wechat.RetryAfter(err); !errors.Is(err, wechat.ErrRateLimited) || !ok || after < 25*time.Second {
			t.Errorf("two endpoints refused: %v", err)
		}
		if _, err := send.Do(ctx, wechat.Bind(client, newProduct("officialaccount"), wechat.App{ID: "another", Secret: "s"}), hello("o1")); err != nil {
			t.Errorf("another app: %v", err)
		}
	})
}

// A barrier that fails holds nobody back.
func TestBarrierFails(t *testing.T) {
	p := &platform{}
	if err := readOnce(t.Context(), p.caller(wechat.WithBarrier(brokenBarrier{}))); err != nil {
		t.Error(err)
	}
}

type brokenBarrier struct{}

var errBroken = errors.New("broken")

func (brokenBarrier) Raise(context.Context, string, time.Time) error   { return errBroken }
func (brokenBarrier) Lower(context.Context, string) error              { return errBroken }
func (brokenBarrier) Until(context.Context, string) (time.Time, error) { return time.Time{}, errBroken }

// Verify finds all that is wrong at once.
func TestVerify(t *testing.T) {
	specs := []wechat.Spec{send.Spec(), read.Spec()}
	good := app
	good.Limits = ratelimit.Limits{Endpoints: map[string][]ratelimit.Limit{"Send": {ratelimit.PerDay(80_000)}}, Recipient: []ratelimit.Limit{ratelimit.PerMinute(4)}, Reserve: 0.2}
	if err := wechat.Verify(good, specs...); err != nil {
		t.Error(err)
	}
	bad := wechat.App{ID: " wx1", Secret: "s\n", Limits: ratelimit.Limits{
		App:        []ratelimit.Limit{{Rate: 5}},
		Endpoints:  map[string][]ratelimit.Limit{"Sned": {ratelimit.PerSecond(0)}},
		Recipients: map[string][]ratelimit.Limit{"Send": {{Rate: -1, Period: time.Second}}},
		Reserve:    2,
	}}
	err := wechat.Verify(bad, specs...)
	for _, want := range []string{"white space", "Limits.App", `no endpoint "Sned"`, "Limits.Recipients[Send]", "Reserve"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if err := wechat.Verify(wechat.App{}); err == nil || !strings.Contains(err.Error(), "ID is empty") {
		t.Error(err)
	}
}

// The platform's own word on a quota is asked for once, on the first refusal, and kept to from then on.
func TestQuotaLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := map[int64]int{} // by natural second
		var mu sync.Mutex
		p := &platform{}
		p.handle = func(r *request) any {
			if r.path != "/read" {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			second := time.Now().Unix()
			if served[second] >= 10 {
				return errcode(44990, "reach max api second frequence limit")
			}
			served[second]++
			return nil
		}
		asked := 0
		product := newProduct("officialaccount")
		product.Quota = func(ctx context.Context, c wechat.Caller, path string) (wechat.Quota, error) {
			asked++
			if path != "/read" {
				t.Errorf("asked for %s", path)
			}
			return wechat.Quota{Rate: ratelimit.PerSecond(10), Daily: 1000, Used: 950}, nil
		}
		a := app
		a.Limits.MaxWait = time.Minute
		c := wechat.Bind(p.client(wechat.WithQuotaLookup()), product, a)
		if errs := atOnce(40, func() error { return readOnce(t.Context(), c) }); errs != nil {
			t.Fatal(errs[0])
		}
		refused := len(p.calls("/read")) - 40
		if asked != 1 || refused > 15 {
			t.Errorf("asked %d times, %d calls refused", asked, refused)
		}
		errs := atOnce(60, func() error { return readOnce(t.Context(), c) })
		if len(p.calls("/read")) > 40+refused+60 || len(errs) == 0 || !errors.Is(errs[0], wechat.ErrQuotaExhausted) {
			t.Errorf("of a day's 50, %d more calls failed: %v", len(errs), errs)
		}
	})
}

func TestSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[time.Duration]bool{}
		for range 20 {
			began := time.Now()
			if err := wechat.Spread(t.Context(), time.Hour); err != nil || time.Since(began) >= time.Hour {
				t.Fatal(err, time.Since(began))
			}
			seen[time.Since(began)] = true
		}
		if len(seen) < 15 {
			t.Errorf("%d different waits of 20", len(seen))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		if err := wechat.Spread(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

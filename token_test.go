package wechat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
)

// memoryStore is a TokenStore as another process would share it, with faults.
type memoryStore struct {
	mu     sync.Mutex
	tokens map[string]wechat.Token
	locks  map[string]time.Time
	loads  int

	failLoad, failReplace, failLock error
}

func (s *memoryStore) Load(_ context.Context, key string) (wechat.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	if s.failLoad != nil {
		return wechat.Token{}, s.failLoad
	}
	t, ok := s.tokens[key]
	if !ok {
		return wechat.Token{}, wechat.ErrNoToken
	}
	return t, nil
}

func (s *memoryStore) Replace(_ context.Context, key string, old, fresh wechat.Token) (wechat.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failReplace != nil {
		return wechat.Token{}, s.failReplace
	}
	if s.tokens == nil {
		s.tokens = map[string]wechat.Token{}
	}
	if s.tokens[key].Value == old.Value {
		s.tokens[key] = fresh
	}
	return s.tokens[key], nil
}

func (s *memoryStore) Lock(_ context.Context, key string, ttl time.Duration) (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failLock != nil {
		return nil, s.failLock
	}
	if s.locks == nil {
		s.locks = map[string]time.Time{}
	}
	if time.Now().Before(s.locks[key]) {
		return nil, wechat.ErrLocked
	}
	until := time.Now().Add(ttl)
	s.locks[key] = until
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.locks[key].Equal(until) {
			delete(s.locks, key)
		}
	}, nil
}

// atOnce runs n calls at once and returns their errors, nil ones left out.
func atOnce(n int, do func() error) (errs []error) {
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	for range n {
		wg.Go(func() {
			if err := do(); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errs
}

func readOnce(ctx context.Context, c wechat.Caller) error {
	_, err := read.Do(ctx, c, &lookup{Name: "n"})
	return err
}

// P001: many callers with an empty cache make one token request.
func TestTokenOneFetchForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				time.Sleep(100 * time.Millisecond)
			}
			return nil
		}}
		c := p.caller()
		if errs := atOnce(10000, func() error { return readOnce(t.Context(), c) }); errs != nil {
			t.Fatal(errs[0])
		}
		if p.asked != 1 {
			t.Errorf("token requests = %d, want 1", p.asked)
		}
		for _, r := range p.calls("/read") {
			if got := r.query.Get("access_token"); got != "FAKE_TOKEN_1" {
				t.Fatalf("access_token = %q", got)
			}
		}
	})
}

// P002: two clients that share a store make one fetch between them; the loser of the lock uses what the winner brought.
func TestTokenSharedStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{handle: func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				time.Sleep(time.Second)
			}
			return nil
		}}
		store := &memoryStore{}
		clients := []wechat.Caller{p.caller(wechat.WithTokenStore(store)), p.caller(wechat.WithTokenStore(store)), p.caller(wechat.WithTokenStore(store))}
		var next atomic.Int32
		errs := atOnce(300, func() error { return readOnce(t.Context(), clients[int(next.Add(1))%3]) })
		if errs != nil {
			t.Fatal(errs[0])
		}
		if p.asked != 1 {
			t.Errorf("token requests = %d, want 1", p.asked)
		}
	})
}

// P004: an answer that comes late never replaces a newer token in the store.
func TestTokenLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{}
		p := &platform{handle: func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				// Meanwhile a process that does without the lock has stored a newer one.
				key := onlyKey(t, store)
				store.tokens = map[string]wechat.Token{key: {Value: "NEWER", Expiry: time.Now().Add(2 * time.Hour)}}
			}
			return nil
		}}
		c := p.caller(wechat.WithTokenStore(store))
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if got := store.tokens[onlyKey(t, store)].Value.Reveal(); got != "NEWER" {
			t.Errorf("the store holds %q", got)
		}
		if got := p.calls("/read")[0].query.Get("access_token"); got != "NEWER" {
			t.Errorf("the call went out with %q", got)
		}
	})
}

// onlyKey is the key that the store was locked or asked for.
func onlyKey(t *testing.T, s *memoryStore) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.tokens {
		return key
	}
	for key := range s.locks {
		return key
	}
	t.Fatal("the store was not used")
	return ""
}

// P005, P009: each of the three codes leads to one refresh and one repeat, sends included.
func TestTokenRefusedCodes(t *testing.T) {
	for _, code := range []int{40001, 40014, 42001} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			p := &platform{handle: func(r *request) any {
				if r.path == "/send" && r.n == 1 {
					return errcode(code, "access_token is no good rid: 65000000-0badcafe-00000001")
				}
				return nil
			}}
			if _, err := send.Do(t.Context(), p.caller(), hello("o1")); err != nil {
				t.Fatal(err)
			}
			got := p.calls("/send")
			if len(got) != 2 || p.asked != 2 {
				t.Fatalf("%d sends and %d token requests, want 2 and 2", len(got), p.asked)
			}
			if got[1].query.Get("access_token") != "FAKE_TOKEN_2" || string(got[0].body) != string(got[1].body) {
				t.Errorf("the repeat: token %q, body %s", got[1].query.Get("access_token"), got[1].body)
			}
		})
	}
}

// P006: a token that is refused for ever is replaced once a call, and the API's error comes back as it is.
func TestTokenRefusedForEver(t *testing.T) {
	p := &platform{handle: func(r *request) any {
		if r.path == "/read" {
			return tokenInvalid
		}
		return nil
	}}
	err := readOnce(t.Context(), p.caller())
	var e *wechat.Error
	if !errors.As(err, &e) || e.Code != 40001 || !errors.Is(err, wechat.ErrTokenInvalid) || errors.Is(err, wechat.ErrRetryExhausted) {
		t.Errorf("err = %v", err)
	}
	if e.RequestID != "65000000-0badcafe-00000001" {
		t.Errorf("rid = %q", e.RequestID)
	}
	if len(p.calls("/read")) != 2 || p.asked != 2 {
		t.Errorf("%d reads and %d token requests, want 2 and 2", len(p.calls("/read")), p.asked)
	}
}

// P007: a storm of 40001 costs a handful of token requests.
func TestTokenRefusalStorm(t *testing.T) {
	for _, stable := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := &platform{stable: stable, handle: func(r *request) any {
				if r.path == "/read" {
					return tokenInvalid
				}
				return nil
			}}
			c := p.caller()
			for range 500 {
				if err := readOnce(t.Context(), c); !errors.Is(err, wechat.ErrTokenInvalid) {
					t.Fatal(err)
				}
			}
			if p.asked > 6 {
				t.Errorf("stable %v: %d token requests", stable, p.asked)
			}
		})
	}
}

// One refresh, and no failure, when a token dies under 1,000 calls in flight.
func TestTokenRevokedInFlight(t *testing.T) {
	for _, stable := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := &platform{stable: stable}
			p.handle = func(r *request) any {
				time.Sleep(50 * time.Millisecond)
				return nil
			}
			c := p.caller()
			if err := readOnce(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			p.revoke("FAKE_TOKEN_1")
			p.asked = 0
			errs := atOnce(1000, func() error {
				_, err := send.Do(t.Context(), c, hello("o1"))
				return err
			})
			if len(errs) > 0 {
				t.Fatalf("%d failed: %v", len(errs), errs[0])
			}
			want := 1
			if stable {
				want = 2 // the normal mode gives the refused value again, then it is forced
			}
			if p.asked != want {
				t.Errorf("stable %v: %d token requests, want %d", stable, p.asked, want)
			}
		})
	}
}

// A stable token is forced at most every 30 seconds; until then the caller is told when to come back.
func TestTokenForcedSparingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{stable: true}
		c := p.caller()
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		p.revoke("FAKE_TOKEN_1")
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		p.revoke("FAKE_TOKEN_2")
		err := readOnce(t.Context(), c)
		after, ok := wechat.RetryAfter(err)
		if !errors.Is(err, wechat.ErrTokenInvalid) || !ok || after > 20*time.Second || after < 19*time.Second {
			t.Fatalf("err = %v, after %v", err, after)
		}
		time.Sleep(after)
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if p.tokens != 3 {
			t.Errorf("%d tokens were issued, want 3", p.tokens)
		}
	})
}

// downStore is a token store that does not answer.
type downStore struct{}

var errStoreDown = errors.New("store is down")

func (downStore) Load(context.Context, string) (wechat.Token, error) {
	return wechat.Token{}, errStoreDown
}

func (downStore) Replace(context.Context, string, wechat.Token, wechat.Token) (wechat.Token, error) {
	return wechat.Token{}, errStoreDown
}

func (downStore) Lock(context.Context, string, time.Duration) (func(), error) {
	return nil, errStoreDown
}

// While the store does not answer a process keeps to what it has forced itself.
func TestTokenForcedSparinglyWithoutItsStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{stable: true}
		c := p.caller(wechat.WithTokenStore(downStore{}))
		for n, want := range []error{nil, nil, wechat.ErrTokenInvalid} {
			if n > 0 {
				p.revoke(fmt.Sprintf("FAKE_TOKEN_%d", n))
				time.Sleep(5 * time.Second)
			}
			if err := readOnce(t.Context(), c); !errors.Is(err, want) {
				t.Errorf("after %d tokens that were revoked: %v; want %v", n, err, want)
			}
		}
	})
}

// P008, P022, P033: a wrong secret is an error of its own, told to every caller with the platform's words, and
// remembered for a growing time.
func TestTokenWrongSecret(t *testing.T) {
	for _, code := range []int{40125, 40001, 40013} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			p := &platform{handle: func(r *request) any {
				asked++
				return errcode(code, "invalid appsecret rid: 65000000-0badcafe-00000001")
			}}
			c := p.caller()
			var err error
			for range 3000 {
				if err = readOnce(t.Context(), c); !errors.Is(err, wechat.ErrCredential) && code != 40013 {
					t.Fatalf("%d: %v", code, err)
				}
				time.Sleep(20 * time.Millisecond) // a minute in all
			}
			var e *wechat.Error
			if !errors.As(err, &e) || int(e.Code) != code || e.RequestID != "65000000-0badcafe-00000001" || e.Endpoint != "StableToken" {
				t.Errorf("err = %#v", e)
			}
			if after, ok := wechat.RetryAfter(err); !ok || after <= 0 {
				t.Errorf("no time to come back")
			}
			if asked > 8 {
				t.Errorf("%d: %d token requests in a minute", code, asked)
			}
		})
	}
}

// P120, P121: an address that is not allowed is a credential error.
func TestTokenAddressNotAllowed(t *testing.T) {
	p := &platform{handle: func(*request) any {
		return errcode(40164, "invalid ip 203.0.113.7 ipv6 ::ffff:203.0.113.7, not in whitelist rid: 65000000-0badcafe-00000001")
	}}
	err := readOnce(t.Context(), p.caller())
	if !errors.Is(err, wechat.ErrCredential) || !strings.Contains(err.Error(), "203.0.113.7") {
		t.Errorf("err = %v", err)
	}
}

// P013: the life of a token counts from before it was asked for.
func TestTokenLifeCountsFromBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		p.handle = func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				time.Sleep(8 * time.Second)
				p.mu.Lock()
				defer p.mu.Unlock()
				p.asked++
				return fmt.Sprintf(`{"access_token":"FAKE_TOKEN_%d","expires_in":10}`, p.asked)
			}
			return nil
		}
		c := p.caller()
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2500 * time.Millisecond) // second 10.5
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if got := p.calls("/read")[1].query.Get("access_token"); got != "FAKE_TOKEN_2" {
			t.Errorf("the second call went out with %s", got)
		}
	})
}

// P023: expiry is looked at on each use; a token is refreshed 120 s before its end, by one caller, while the others
// keep the old one.
func TestTokenRefreshedEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		p.handle = func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				time.Sleep(time.Second)
			}
			return nil
		}
		c := p.caller()
		at := func(d time.Duration) {
			t.Helper()
			time.Sleep(d)
			if err := readOnce(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		at(0)
		at(7078 * time.Second)
		if p.asked != 1 {
			t.Fatalf("refreshed %d times too early", p.asked-1)
		}
		time.Sleep(2 * time.Second)
		began := time.Now()
		waited := 0
		var mu sync.Mutex
		errs := atOnce(100, func() error {
			err := readOnce(t.Context(), c)
			if time.Since(began) > 0 {
				mu.Lock()
				waited++
				mu.Unlock()
			}
			return err
		})
		if errs != nil || p.asked != 2 || waited != 1 {
			t.Errorf("errors %v, %d token requests, %d callers waited; want none, 2, 1", errs, p.asked, waited)
		}
		at(7300 * time.Second) // far beyond the end, without any background job
		if got := p.calls("/read"); got[len(got)-1].query.Get("access_token") != "FAKE_TOKEN_3" {
			t.Error("an expired token was used")
		}
	})
}

// The margin never eats a token that lives for 300 s only.
func TestTokenShortLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		p.handle = func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.asked++
				return `{"access_token":"T","expires_in":100}`
			}
			return nil
		}
		c := p.caller()
		for range 49 {
			if err := readOnce(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if p.asked != 1 {
			t.Errorf("%d token requests in half of the token's life", p.asked)
		}
	})
}

// A refresh that fails leaves the living token in place and is not tried again at once.
func TestTokenRefreshFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		broken := false
		p.handle = func(r *request) any {
			if broken && r.path == "/cgi-bin/stable_token" {
				return errcode(40125, "invalid appsecret")
			}
			return nil
		}
		c := p.caller()
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		broken = true
		time.Sleep(7100 * time.Second)
		for range 20 {
			if err := readOnce(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(p.calls("/cgi-bin/stable_token")); n != 2 {
			t.Errorf("%d token requests, want 2", n)
		}
	})
}

// P014, P015, P140: what a store gives that is no token counts as a miss, and is overwritten.
func TestTokenStoreGivesRubbish(t *testing.T) {
	hour := time.Now().Add(time.Hour)
	for _, rubbish := range []wechat.Token{{}, {Value: "", Expiry: hour}, {Value: `"FAKE_TOKEN_1"`, Expiry: hour}, {Value: "x", Expiry: time.Now().Add(-time.Hour)},
		{Value: "no expiry"}, {Value: `{"access_token":"x"}`, Expiry: hour}, {Value: wechat.Secret(strings.Repeat("x", 5000)), Expiry: hour}} {
		p := &platform{}
		store := &memoryStore{}
		if err := readOnce(t.Context(), p.caller(wechat.WithTokenStore(store))); err != nil {
			t.Fatal(err)
		}
		key := onlyKey(t, store)
		store.tokens[key] = rubbish
		c := p.caller(wechat.WithTokenStore(store))
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		last := p.calls("/read")[1]
		if got := last.query.Get("access_token"); got != "FAKE_TOKEN_2" || store.tokens[key].Value.Reveal() != got {
			t.Errorf("%q led to %q in the call and %q in the store", rubbish.Value.Reveal(), got, store.tokens[key].Value.Reveal())
		}
	}
}

// P016: a store that fails never fails a call, and the token in hand is kept in memory.
func TestTokenStoreFails(t *testing.T) {
	down := errors.New("connection refused")
	for name, store := range map[string]*memoryStore{
		"everything": {failLoad: down, failReplace: down, failLock: down},
		"save":       {failReplace: down},
		"lock":       {failLock: down},
	} {
		t.Run(name, func(t *testing.T) {
			p := &platform{}
			var reported atomic.Int32
			c := p.caller(wechat.WithTokenStore(store), wechat.WithObserver(func(_ context.Context, e wechat.Event) {
				if e.Type == wechat.EventTokenRefresh && errors.Is(e.Err, down) {
					reported.Add(1)
				}
			}))
			for range 200 {
				if err := readOnce(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if p.asked != 1 {
				t.Errorf("%d token requests, want 1", p.asked)
			}
			if reported.Load() == 0 {
				t.Error("the failure was not reported")
			}
		})
	}
}

// P017: everything that decides the token is in its key, and the secret itself never is.
func TestTokenKey(t *testing.T) {
	p := &platform{}
	store := &memoryStore{}
	client := p.client(wechat.WithTokenStore(store))
	product, another := newProduct("work"), newProduct("officialaccount")
	apps := []wechat.App{
		{ID: "corp", Secret: "FAKE_SECRET_A"}, {ID: "corp", Secret: "FAKE_SECRET_B"}, {ID: "corp2", Secret: "FAKE_SECRET_A"},
		{ID: "corp", Secret: "FAKE_SECRET_A", Classic: true},
	}
	for _, a := range apps {
		if err := readOnce(t.Context(), wechat.Bind(client, product, a)); err != nil {
			t.Fatal(err)
		}
	}
	if err := readOnce(t.Context(), wechat.Bind(client, another, apps[0])); err != nil {
		t.Fatal(err)
	}
	if len(store.tokens) != 5 {
		t.Errorf("%d keys, want 5", len(store.tokens))
	}
	for key := range store.tokens {
		if strings.Contains(key, "SECRET") {
			t.Errorf("key %q shows the secret", key)
		}
	}
}

// P018: a lock whose holder died is waited for only as long as the caller can, and taken over after its time.
func TestTokenLockOfDeadProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		store := &memoryStore{}
		if err := readOnce(t.Context(), p.caller(wechat.WithTokenStore(store))); err != nil {
			t.Fatal(err)
		}
		key := onlyKey(t, store)
		store.tokens = nil
		if _, err := store.Lock(t.Context(), key, 20*time.Second); err != nil {
			t.Fatal(err)
		}
		c := p.caller(wechat.WithTokenStore(store))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		began := time.Now()
		for _, err := range atOnce(10, func() error { return readOnce(ctx, c) }) {
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "token") {
				t.Errorf("err = %v", err)
			}
		}
		if d := time.Since(began); d != 2*time.Second {
			t.Errorf("returned after %v", d)
		}
		if err := readOnce(t.Context(), c); err != nil {
			t.Error(err)
		}
		if d := time.Since(began); d < 20*time.Second || d > 21*time.Second {
			t.Errorf("the lock was taken over after %v", d)
		}
	})
}

// P019: the old token stays readable in the store until the new one is in.
func TestTokenStoreHasNoGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		store := &memoryStore{}
		c := p.caller(wechat.WithTokenStore(store))
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		p.handle = func(r *request) any {
			if r.path == "/cgi-bin/stable_token" {
				if got := store.tokens[onlyKey(t, store)].Value.Reveal(); got != "FAKE_TOKEN_1" {
					t.Errorf("during the refresh the store holds %q", got)
				}
			}
			return nil
		}
		p.revoke("FAKE_TOKEN_1")
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if got := store.tokens[onlyKey(t, store)].Value.Reveal(); got != "FAKE_TOKEN_2" {
			t.Errorf("the store holds %q", got)
		}
	})
}

// P021: clients leave no goroutine behind. TestMain looks at the end; this one counts.
func TestTokenNoGoroutines(t *testing.T) {
	p := &platform{}
	before := runtime.NumGoroutine()
	for range 1000 {
		if err := readOnce(t.Context(), p.caller()); err != nil {
			t.Fatal(err)
		}
	}
	if n := runtime.NumGoroutine() - before; n > 5 {
		t.Errorf("%d goroutines more", n)
	}
}

// P024: a ticket is fetched with a living token, kept for its own life, and a failure is never kept.
func TestTicket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{}
		c := p.caller()
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		p.revoke("FAKE_TOKEN_1")
		for i := range 100 {
			r, err := getTicket.Do(t.Context(), c, &lookup{Name: "jsapi"})
			if err != nil {
				t.Fatal(err)
			}
			if r.Ticket != "FAKE_TICKET" || r.ExpiresIn != int64(7200-i*10) {
				t.Fatalf("%d: %+v", i, r)
			}
			time.Sleep(10 * time.Second)
		}
		if n := len(p.calls("/ticket")); n != 2 { // one was refused for the token
			t.Errorf("%d ticket requests, want 2", n)
		}
		if _, err := getTicket.Do(t.Context(), c, &lookup{Name: "wx_card"}); err != nil {
			t.Fatal(err)
		}
		if n := len(p.calls("/ticket")); n != 3 {
			t.Errorf("another kind of ticket came from memory")
		}
		p.handle = func(r *request) any {
			if r.path == "/ticket" {
				return errcode(40097, "invalid args")
			}
			return nil
		}
		for range 2 {
			if _, err := getTicket.Do(t.Context(), c, &lookup{Name: "third"}); !errors.Is(err, wechat.Code(40097)) {
				t.Errorf("err = %v", err)
			}
		}
	})
}

// P026: a source that panics, or ends its goroutine, is an error for those who wait, and the next call starts afresh.
func TestTokenSourceDies(t *testing.T) {
	for name, die := range map[string]func(){"panic": func() { panic("boom") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			p := &platform{}
			broken := atomic.Bool{}
			broken.Store(true)
			a := wechat.App{ID: "wx1", TokenSource: wechat.TokenFunc(func(context.Context, wechat.Token) (wechat.Token, error) {
				if broken.Load() {
					die()
				}
				return wechat.Token{Value: "GOOD"}, nil
			})}
			c := wechat.Bind(p.client(), newProduct("officialaccount"), a)
			if errs := atOnce(5, func() error { return readOnce(t.Context(), c) }); len(errs) != 5 {
				t.Fatalf("%d of 5 failed", len(errs))
			}
			broken.Store(false)
			if err := readOnce(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
}

// One caller's cancel does not fail the others; when the last one leaves, the fetch ends.
func TestTokenCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		p := &platform{}
		a := wechat.App{ID: "wx1", TokenSource: wechat.TokenFunc(func(ctx context.Context, _ wechat.Token) (wechat.Token, error) {
			select {
			case <-time.After(10 * time.Second):
				return wechat.Token{Value: "T"}, nil
			case <-ctx.Done():
				ended <- ctx.Err()
				return wechat.Token{}, ctx.Err()
			}
		})}
		c := wechat.Bind(p.client(), newProduct("officialaccount"), a)
		first, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		second := make(chan error, 1)
		go func() {
			time.Sleep(500 * time.Millisecond)
			second <- readOnce(t.Context(), c)
		}()
		if err := readOnce(first, c); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the first caller: %v", err)
		}
		if err := <-second; err != nil {
			t.Errorf("the second caller: %v", err)
		}

		c = wechat.Bind(p.client(), newProduct("officialaccount"), a)
		alone, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := readOnce(alone, c); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the fetch ended with %v", err)
		}
	})
}

func TestTokenSources(t *testing.T) {
	p := &platform{}
	client := p.client()
	product := newProduct("officialaccount")
	static := wechat.Bind(client, product, wechat.App{ID: "a", TokenSource: wechat.StaticToken("STATIC")})
	if err := readOnce(t.Context(), static); err != nil {
		t.Fatal(err)
	}
	none := wechat.Bind(client, product, wechat.App{ID: "a", TokenSource: wechat.NoToken()})
	if err := readOnce(t.Context(), none); err != nil {
		t.Fatal(err)
	}
	another := wechat.Bind(client, product, wechat.App{ID: "a", TokenSource: wechat.StaticToken("ANOTHER")})
	if err := readOnce(t.Context(), another); err != nil {
		t.Fatal(err)
	}
	got := p.calls("/read")
	if got[0].query.Get("access_token") != "STATIC" || got[1].query.Has("access_token") || got[2].query.Get("access_token") != "ANOTHER" {
		t.Errorf("tokens: %q, %q, %q", got[0].query, got[1].query, got[2].query)
	}
	p.revoke("STATIC")
	if err := readOnce(t.Context(), static); !errors.Is(err, wechat.ErrTokenInvalid) {
		t.Errorf("a static token that was refused: %v", err)
	}
	empty := wechat.Bind(client, product, wechat.App{ID: "a", TokenSource: wechat.TokenFunc(func(context.Context, wechat.Token) (wechat.Token, error) { return wechat.Token{}, nil })})
	if err := readOnce(t.Context(), empty); err == nil {
		t.Error("an empty token reached the wire")
	}
	if p.asked != 0 {
		t.Errorf("%d tokens were fetched with a secret", p.asked)
	}
}

func TestTokenJSON(t *testing.T) {
	in := wechat.Token{Value: "FAKE_TOKEN", Expiry: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	b, err := json.Marshal(in)
	if err != nil || string(b) != `{"value":"FAKE_TOKEN","expiry":"2026-11-30T12:00:00Z"}` {
		t.Fatalf("%s, %v", b, err)
	}
	var out wechat.Token
	if err := json.Unmarshal(b, &out); err != nil || out != in {
		t.Errorf("%+v, %v", out.Value.Reveal(), err)
	}
	if err := json.Unmarshal([]byte(`{"value":{"x":"FAKE_TOKEN"}}`), &out); err == nil || strings.Contains(err.Error(), "FAKE_TOKEN") {
		t.Errorf("err = %v", err)
	}
	if s := fmt.Sprintf("%v %+v %#v %s", in, in, in, in); strings.Contains(s, "FAKE_TOKEN") {
		t.Errorf("printed as %s", s)
	}
}

// A product whose server gives the same token while it lives, as WeCom: what was refused is tried once more with it,
// and the server is asked again at most every 30 seconds.
func TestTokenSameValueAfterRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &platform{stable: true}
		product := newProduct("officialaccount")
		product.Forcible = false
		c := wechat.Bind(p.client(), product, app)
		if err := readOnce(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		p.revoke("FAKE_TOKEN_1")
		for range 20 {
			if err := readOnce(t.Context(), c); !errors.Is(err, wechat.ErrTokenInvalid) {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if p.asked != 2 || len(p.calls("/read")) > 1+1+20 {
			t.Errorf("%d token requests for %d reads", p.asked, len(p.calls("/read")))
		}
	})
}

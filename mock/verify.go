package mock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed175cf469/wechat"
)

// VerifyTokenStore holds a wechat.TokenStore against its contract and reports to t what it breaks: a miss that is no
// ErrNoToken, a value or an expiry that comes back changed, a Replace that is not one step, a lock that two can hold
// or that the wrong one can release. It uses keys that begin with "verify:" and needs about two seconds.
func VerifyTokenStore(t TB, store wechat.TokenStore) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	key := fmt.Sprintf("verify:%d", time.Now().UnixNano())
	soon := time.Now().Add(time.Hour)
	value := wechat.Secret("61_mock-Token_" + fmt.Sprint(time.Now().UnixNano()))

	if got, err := store.Load(ctx, key); !errors.Is(err, wechat.ErrNoToken) {
		t.Errorf("Load of a key that was never stored: %q, %v; want ErrNoToken", got.Value.Reveal(), err)
	}
	first := wechat.Token{Value: value, Expiry: soon}
	if got, err := store.Replace(ctx, key, wechat.Token{}, first); err != nil || got.Value != first.Value {
		t.Errorf("Replace where nothing stands: %q, %v; want the new token", got.Value.Reveal(), err)
	}
	if got, err := store.Load(ctx, key); err != nil || got.Value != first.Value {
		t.Errorf("Load: %q, %v; want %q", got.Value.Reveal(), err, first.Value.Reveal())
	} else if d := got.Expiry.Sub(soon); d < -time.Second || d > time.Second {
		t.Errorf("Load: the expiry is off by %v; is the unit right?", d)
	}
	if got, err := store.Replace(ctx, key, wechat.Token{Value: "another", Expiry: soon}, wechat.Token{Value: "third", Expiry: soon}); err != nil || got.Value != first.Value {
		t.Errorf("Replace of a token that does not stand: %q, %v; want what stands", got.Value.Reveal(), err)
	}
	if got, err := store.Replace(ctx, key, wechat.Token{}, wechat.Token{Value: "third", Expiry: soon}); err != nil || got.Value != first.Value {
		t.Errorf("Replace as if nothing stood: %q, %v; want what stands", got.Value.Reveal(), err)
	}

	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			mine := wechat.Token{Value: wechat.Secret(fmt.Sprintf("racer-%d", i)), Expiry: soon}
			if got, err := store.Replace(ctx, key, first, mine); err != nil {
				t.Errorf("Replace: %v", err)
			} else if got.Value == mine.Value {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 16 callers replaced the same token; want 1", won.Load())
	}
	verifyLock(ctx, t, store, key)
}

func verifyLock(ctx context.Context, t TB, store wechat.TokenStore, key string) {
	t.Helper()
	const ttl = time.Second
	lapsed, err := store.Lock(ctx, key, ttl)
	if err != nil {
		t.Errorf("Lock: %v", err)
		return
	}
	if _, err := store.Lock(ctx, key, ttl); !errors.Is(err, wechat.ErrLocked) {
		t.Errorf("Lock of what another holds: %v; want ErrLocked", err)
	}
	if unlock, err := store.Lock(ctx, key+":another", ttl); err != nil {
		t.Errorf("Lock of another key: %v", err)
	} else {
		unlock()
	}
	time.Sleep(ttl + ttl/2)
	unlock, err := store.Lock(ctx, key, time.Minute)
	if err != nil {
		t.Errorf("Lock after the holder's time: %v", err)
		return
	}
	lapsed() // whoever holds it now must not notice
	if _, err := store.Lock(ctx, key, ttl); !errors.Is(err, wechat.ErrLocked) {
		t.Errorf("Lock after a late unlock by an earlier holder: %v; want ErrLocked", err)
	}
	unlock()
	if unlock, err := store.Lock(ctx, key, ttl); err != nil {
		t.Errorf("Lock after unlock: %v", err)
	} else {
		unlock()
	}
}

// VerifyLedger holds a wechat.Ledger against its contract and reports to t what it breaks: a key that two callers can
// claim, an entry that comes back changed, a key that cannot be claimed again after Failed, or can after any other
// state. It uses keys that begin with "verify:".
func VerifyLedger(t TB, ledger wechat.Ledger) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	call := &wechat.Call{Spec: wechat.Spec{Name: "Verify"}}
	key := func(name string) string { return fmt.Sprintf("verify:%d:%s", time.Now().UnixNano(), name) }

	raced := key("race")
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			switch e, err := ledger.Begin(ctx, raced, call); {
			case err != nil:
				t.Errorf("Begin: %v", err)
			case e.State == "":
				won.Add(1)
			case e.State != wechat.Pending:
				t.Errorf("Begin of a key in progress: %q; want pending", e.State)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 16 callers claimed the same key; want 1", won.Load())
	}

	for _, state := range []wechat.State{wechat.Done, wechat.Unknown, wechat.Failed} {
		k := key(string(state))
		if e, err := ledger.Begin(ctx, k, call); err != nil || e.State != "" {
			t.Errorf("Begin of a new key: %q, %v", e.State, err)
		}
		want := wechat.Entry{State: state}
		if state == wechat.Done {
			want.Result = []byte(`{"msgid":9007199254740993,"text":"好 & <b>"}`)
		}
		if err := ledger.End(ctx, k, want); err != nil {
			t.Errorf("End: %v", err)
		}
		e, err := ledger.Begin(ctx, k, call)
		if state == wechat.Failed {
			want = wechat.Entry{}
		}
		if err != nil || e.State != want.State || string(e.Result) != string(want.Result) {
			t.Errorf("Begin after %s: %q %s, %v; want %q %s", state, e.State, e.Result, err, want.State, want.Result)
		}
	}
}

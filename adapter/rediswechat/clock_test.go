package rediswechat_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// Two processes whose clocks are decades apart share a real Redis, and whatever the one has done the other sees as it was:
// one of them lives in a bubble, where it is the year 2000.
func TestClocksApart(t *testing.T) {
	s := startRedis(t)
	const key = "{officialaccount:wx1}:SendX"
	demand := ratelimit.Demand{Key: key + ":openid", Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(4)}
	client := func() *redis.Client {
		return redis.NewClient(&redis.Options{Addr: s.addr, ContextTimeoutEnabled: true})
	}
	// allowed is how many turns are left of a person's minute.
	allowed := func(l *rediswechat.Limiter) (n int) {
		for {
			d, err := l.Allow(t.Context(), demand)
			if err != nil {
				t.Fatal(err)
			}
			if !d.OK {
				if !near(d.RetryAfter, time.Minute) {
					t.Errorf("the next turn comes in %v; want a minute", d.RetryAfter)
				}
				return n
			}
			n++
		}
	}

	synctest.Test(t, func(t *testing.T) {
		rdb := client()
		defer func() { _ = rdb.Close() }()
		fresh := wechat.Token{Value: "fresh", Expiry: time.Now().Add(time.Hour)}
		if _, err := rediswechat.NewTokenStore(rdb, patient).Replace(t.Context(), tokenKey, wechat.Token{}, fresh); err != nil {
			t.Fatal(err)
		}
		raise(t, rediswechat.NewBarrier(rdb, patient), key, time.Minute)
		l := rediswechat.NewLimiter(rdb, patient)
		for range 3 {
			if d, err := l.Allow(t.Context(), demand); err != nil || !d.OK {
				t.Fatal(d, err)
			}
		}
		if e, err := rediswechat.NewLedger(rdb, patient).Begin(t.Context(), key+":order", &wechat.Call{}); err != nil || e.State != "" {
			t.Fatal(e, err)
		}
	})

	rdb := client()
	defer func() { _ = rdb.Close() }()
	store := rediswechat.NewTokenStore(rdb, patient)
	if token, err := store.Load(t.Context(), tokenKey); err != nil || token.Value != "fresh" || !near(time.Until(token.Expiry), time.Hour) {
		t.Errorf("%v, %v; want the token, good for an hour", token, err)
	}
	b := rediswechat.NewBarrier(rdb, patient)
	if d := closed(t, b, key); !near(d, time.Minute) {
		t.Errorf("closed for %v; want a minute", d)
	}
	if n := allowed(rediswechat.NewLimiter(rdb, patient)); n != 1 {
		t.Errorf("%d turns left of four; want 1", n)
	}
	ledger := rediswechat.NewLedger(rdb, patient)
	if e, err := ledger.Begin(t.Context(), key+":order", &wechat.Call{}); err != nil || e.State != wechat.Pending || !near(time.Since(e.Updated), 0) {
		t.Errorf("%+v, %v; want a call that was begun just now", e, err)
	}
	if err := b.Lower(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	learned(t, []ratelimit.Pacer{b}) // in real time

	synctest.Test(t, func(t *testing.T) {
		rdb := client()
		defer func() { _ = rdb.Close() }()
		ctx := t.Context()
		done, err := rediswechat.NewBarrier(rdb, patient).Admit(ctx, paceKey, ratelimit.Normal)
		if err != nil {
			t.Fatal(err)
		}
		done(ratelimit.Outcome{Refused: true, RetryAfter: time.Minute})
	})
	time.Sleep(150 * time.Millisecond) // until the barriers are looked at again
	if d := closed(t, b, paceKey); !near(d, time.Minute) {
		t.Errorf("refused there, and closed for %v here; want a minute", d)
	}
}

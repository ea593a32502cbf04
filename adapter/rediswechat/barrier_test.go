package rediswechat_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// closed reports for how long key is closed, by what b knows.
func closed(t *testing.T, b *rediswechat.Barrier, key string) time.Duration {
	t.Helper()
	until, err := b.Until(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	if until.IsZero() {
		return 0
	}
	return time.Until(until)
}

func raise(t *testing.T, b *rediswechat.Barrier, key string, d time.Duration) {
	t.Helper()
	if err := b.Raise(context.Background(), key, time.Now().Add(d)); err != nil {
		t.Fatal(err)
	}
}

func near(got, want time.Duration) bool { return (got - want).Abs() < 3*time.Second }

const cache = 30 * time.Millisecond

func twoBarriers(rdb redis.UniversalClient) (a, b *rediswechat.Barrier) {
	fast := rediswechat.WithBarrierCache(cache)
	return rediswechat.NewBarrier(rdb, patient, fast), rediswechat.NewBarrier(rdb, patient, fast)
}

func TestBarrierHoldsForAll(t *testing.T) {
	m, rdb := mini(t)
	m.SetTime(time.Now().Add(2 * time.Minute)) // its clock is another than ours
	a, b := twoBarriers(rdb)
	key := app(1) + ":SendX"
	if d := closed(t, b, key); d != 0 {
		t.Fatalf("closed for %v before anything", d)
	}
	raise(t, a, key, time.Minute)
	raise(t, a, key, time.Second) // shortens nothing
	if d := closed(t, a, key); !near(d, time.Minute) {
		t.Errorf("here it is closed for %v; want a minute at once", d)
	}
	time.Sleep(2 * cache)
	if d := closed(t, b, key); !near(d, time.Minute) {
		t.Errorf("elsewhere it is closed for %v; want a minute", d)
	}
	for _, other := range []string{app(1), app(1) + ":SendY", app(2) + ":SendX"} {
		if d := closed(t, b, other); d != 0 {
			t.Errorf("%s is closed for %v", other, d)
		}
	}
	raise(t, b, key, time.Hour)
	time.Sleep(2 * cache)
	if d := closed(t, a, key); !near(d, time.Hour) {
		t.Errorf("closed for %v; want an hour", d)
	}
	if err := a.Lower(context.Background(), key); err != nil {
		t.Fatal(err)
	}
	if d := closed(t, a, key); d != 0 {
		t.Errorf("lowered here, and closed for %v", d)
	}
	time.Sleep(2 * cache)
	if d := closed(t, b, key); d != 0 {
		t.Errorf("lowered elsewhere, and closed for %v", d)
	}
}

func TestBarriersEnd(t *testing.T) {
	m, rdb := mini(t)
	a, _ := twoBarriers(rdb)
	raise(t, a, app(1)+":SendX", time.Minute)
	raise(t, a, app(1)+":SendY", time.Hour)
	for _, k := range m.Keys() {
		if ttl := m.TTL(k); ttl < 59*time.Minute || ttl > time.Hour {
			t.Errorf("%s ends in %v; want an hour", k, ttl)
		}
	}
	m.SetTime(time.Now().Add(2 * time.Minute))
	raise(t, a, app(1)+":SendZ", time.Minute)
	fields, _ := m.HKeys("wechat:v1:" + app(1) + ":barrier")
	if len(fields) != 2 {
		t.Errorf("%v stand; what is over was to be forgotten", fields)
	}
}

// Any number of looks at any number of keys of an app is one question to Redis in a while.
func TestHotPathDoesNotAsk(t *testing.T) {
	m, rdb := mini(t)
	b := rediswechat.NewBarrier(rdb, patient, rediswechat.WithBarrierCache(time.Hour))
	closed(t, b, app(1))
	before := m.CommandCount()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				for _, key := range []string{app(1), app(1) + ":SendX", app(1) + ":/cgi-bin/x:day"} {
					_, _ = b.Until(context.Background(), key)
				}
				done, err := b.Admit(context.Background(), app(1)+":SendX", ratelimit.Normal)
				if err != nil {
					t.Error(err)
					return
				}
				done(ratelimit.Outcome{})
			}
		})
	}
	wg.Wait()
	if n := m.CommandCount() - before; n > 0 {
		t.Errorf("Redis was asked %d times", n)
	}
}

func TestRefusalHoldsAllProcesses(t *testing.T) {
	_, rdb := mini(t)
	a, b := twoBarriers(rdb)
	ctx := context.Background()
	key := app(1) + ":SendX"
	done, err := a.Admit(ctx, key, ratelimit.Normal)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, b, key)
	refused := time.Now()
	done(ratelimit.Outcome{Refused: true, RetryAfter: 300 * time.Millisecond})
	time.Sleep(2 * cache)
	done, err = b.Admit(ctx, key, ratelimit.Normal)
	if err != nil {
		t.Fatal(err)
	}
	done(ratelimit.Outcome{})
	if d := time.Since(refused); d < 300*time.Millisecond {
		t.Errorf("the other process called after %v; want 300ms", d)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	raise(t, a, key, time.Minute)
	time.Sleep(2 * cache)
	if _, err := b.Admit(short, key, ratelimit.Normal); err == nil {
		t.Error("a call that cannot wait so long was let through")
	}
	if err := a.Lower(ctx, key); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * cache)
	began := time.Now()
	if done, err := b.Admit(ctx, key, ratelimit.Normal); err != nil {
		t.Error(err)
	} else if done(ratelimit.Outcome{}); time.Since(began) > 5*time.Second {
		t.Errorf("lowered elsewhere, and still closed here after %v", time.Since(began))
	}
}

func TestBarrierOfAnOutageIsToldLater(t *testing.T) {
	m, rdb := mini(t)
	logger, _ := newLog()
	fast := rediswechat.WithBarrierCache(cache)
	a := rediswechat.NewBarrier(rdb, fast, rediswechat.WithLogger(logger))
	b := rediswechat.NewBarrier(rdb, patient, fast)
	key := app(1) + ":SendX"
	closed(t, a, key)
	m.SetError("LOADING Redis is loading the dataset in memory")
	raise(t, a, key, time.Minute)
	if d := closed(t, a, key); !near(d, time.Minute) {
		t.Errorf("closed for %v; want a minute in this process at least", d)
	}
	m.SetError("")
	for began := time.Now(); !near(closed(t, b, key), time.Minute); time.Sleep(cache) {
		closed(t, a, key) // any call tells Redis
		if time.Since(began) > 10*time.Second {
			t.Fatal("after the outage the others do not see that it is closed")
		}
	}
}

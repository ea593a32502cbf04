package rediswechat_test

import (
	"context"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
)

var _ wechat.RetryBudget = (*rediswechat.RetryBudget)(nil)

// A fifth of the calls of both processes together may be repeated, or ten, in 10 to 20 seconds.
func TestRetryBudget(t *testing.T) {
	m, rdb := mini(t)
	now := time.Unix(1_800_000_000, 0)
	m.SetTime(now)
	a, b := rediswechat.NewRetryBudget(rdb, patient), rediswechat.NewRetryBudget(rdb, patient)
	granted := func(calls int) (n int) {
		for i := range 100 {
			spender := a
			if i%2 > 0 {
				spender = b
			}
			ok, err := spender.Spend(context.Background(), app(1), 0.2, calls)
			if err != nil {
				t.Fatal(err)
			}
			if calls = 0; ok {
				n++
			}
		}
		return n
	}
	for _, step := range []struct {
		after     time.Duration
		calls     int
		wantTaken int
	}{
		{0, 20, 10},                   // the floor
		{time.Second, 130, 20},        // a fifth of 150 are 30
		{10 * time.Second, 0, 0},      // they count for a window more
		{10 * time.Second, 0, 10},     // and no longer
		{time.Minute, 1000, 100},      // more than were asked for
		{-2 * time.Minute, 0, 10},     // the clock of another node
		{100 * 24 * time.Hour, 0, 10}, // long after
	} {
		now = now.Add(step.after)
		m.SetTime(now)
		if n := granted(step.calls); n != step.wantTaken {
			t.Errorf("after %v and %d calls %d repeats; want %d", step.after, step.calls, n, step.wantTaken)
		}
	}
	if ttl := m.TTL("wechat:v1:" + app(1) + ":repeats"); ttl != 20*time.Second {
		t.Errorf("kept for %v; want two windows", ttl)
	}
	if ok, err := a.Spend(context.Background(), app(2), 0.2, 0); !ok || err != nil {
		t.Errorf("another app: %v, %v; want a budget of its own", ok, err)
	}
	m.SetError("LOADING Redis is loading the dataset in memory")
	if _, err := a.Spend(context.Background(), app(1), 0.2, 0); err == nil {
		t.Error("without Redis the client's own budget has to decide")
	}
}

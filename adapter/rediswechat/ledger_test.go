package rediswechat_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/mock"
)

func TestLedgerContract(t *testing.T) {
	t.Run("single", func(t *testing.T) { mock.VerifyLedger(t, rediswechat.NewLedger(startRedis(t).client(), patient)) })
	t.Run("cluster", func(t *testing.T) { mock.VerifyLedger(t, rediswechat.NewLedger(startCluster(t), patient)) })
	t.Run("miniredis", func(t *testing.T) {
		_, rdb := mini(t)
		mock.VerifyLedger(t, rediswechat.NewLedger(rdb, patient))
	})
}

func begin(t *testing.T, l wechat.Ledger, key string) wechat.State {
	t.Helper()
	e, err := l.Begin(context.Background(), key, &wechat.Call{})
	if err != nil {
		t.Fatal(err)
	}
	return e.State
}

func TestPendingOfADeadProcessIsUnknown(t *testing.T) {
	m, rdb := mini(t)
	now := time.Now()
	m.SetTime(now)
	l := rediswechat.NewLedger(rdb, patient, rediswechat.WithLedgerLease(time.Minute))
	const key = "{officialaccount:wx1}:SendTemplateMessage:order 1"
	if s := begin(t, l, key); s != "" {
		t.Fatalf("a new key is %q", s)
	}
	if s := begin(t, l, key); s != wechat.Pending {
		t.Errorf("before the lease is over it is %q; want pending", s)
	}
	m.SetTime(now.Add(time.Minute + time.Second))
	for range 2 { // it is never claimed again by itself
		if s := begin(t, l, key); s != wechat.Unknown {
			t.Errorf("after the lease it is %q; want unknown", s)
		}
	}
	if err := l.End(context.Background(), key, wechat.Entry{State: wechat.Failed}); err != nil { // it lived, and knows
		t.Fatal(err)
	}
	if s := begin(t, l, key); s != "" {
		t.Errorf("after Failed it is %q; want a new beginning", s)
	}
}

func TestLedgerForgets(t *testing.T) {
	m, rdb := mini(t)
	l := rediswechat.NewLedger(rdb, patient)
	for _, s := range []wechat.State{wechat.Done, wechat.Failed, wechat.Unknown, wechat.Pending} {
		key := "{work:ww1}:SendMessage:" + string(s)
		begin(t, l, key)
		if s != wechat.Pending {
			_ = l.End(context.Background(), key, wechat.Entry{State: s})
		}
	}
	for _, k := range m.Keys() {
		if ttl := m.TTL(k); ttl <= 6*24*time.Hour || ttl > 7*24*time.Hour {
			t.Errorf("%s is kept for %v; want 7 days", k, ttl)
		}
	}
	m.FastForward(7 * 24 * time.Hour)
	if keys := m.Keys(); len(keys) != 0 {
		t.Errorf("left after 7 days: %v", keys)
	}
}

func TestLedgerScan(t *testing.T) {
	ctx := context.Background()
	rdb := startCluster(t)
	l := rediswechat.NewLedger(rdb, patient, rediswechat.WithLedgerLease(time.Second))
	want := map[wechat.State][]string{}
	for app := range 10 { // on all nodes
		for i, s := range []wechat.State{wechat.Done, wechat.Unknown, wechat.Failed, wechat.Pending} {
			key := fmt.Sprintf("{officialaccount:wx%d}:SendTemplateMessage:%d", app, i)
			begin(t, l, key)
			if s != wechat.Pending {
				if err := l.End(ctx, key, wechat.Entry{State: s, Result: []byte("{}")}); err != nil {
					t.Fatal(err)
				}
			}
			want[s] = append(want[s], key)
		}
	}
	rdb.Set(ctx, "wechat:v1:{officialaccount:wx1}:window:ledger:x", "another's", time.Minute)
	scan := func(s wechat.State, before time.Time) []string {
		keys := map[string]bool{}
		for key, err := range l.Scan(ctx, s, before) {
			if err != nil {
				t.Fatal(err)
			}
			keys[key] = true
		}
		return slices.Sorted(maps.Keys(keys))
	}
	later := time.Now().Add(time.Second)
	for s, keys := range want {
		if got := scan(s, later); !slices.Equal(got, keys) {
			t.Errorf("%s: %v; want %v", s, got, keys)
		}
		if got := scan(s, later.Add(-time.Hour)); len(got) != 0 {
			t.Errorf("%s, an hour ago: %v", s, got)
		}
	}
	time.Sleep(1100 * time.Millisecond) // the lease, by the clock of Redis
	if got := scan(wechat.Unknown, time.Now().Add(time.Second)); len(got) != len(want[wechat.Unknown])+len(want[wechat.Pending]) {
		t.Errorf("after the lease %d are unknown; want those that were pending too", len(got))
	}
}

func TestLedgerWithoutRedis(t *testing.T) {
	m, rdb := mini(t)
	m.Close()
	logger, _ := newLog()
	ctx := context.Background()
	const key = "{work:ww1}:SendMessage:1"
	closed := rediswechat.NewLedger(rdb, rediswechat.WithLogger(logger))
	if _, err := closed.Begin(ctx, key, &wechat.Call{}); err == nil {
		t.Error("a call is let through that may have been made already")
	}
	open := rediswechat.NewLedger(rdb, rediswechat.WithLogger(logger), rediswechat.WithLedgerOpen())
	if s := begin(t, open, key); s != "" {
		t.Errorf("%q; want the call to go on", s)
	}
	if s := begin(t, open, key); s != wechat.Pending {
		t.Errorf("%q; this process knows that it is pending", s)
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if err := open.End(short, key, wechat.Entry{State: wechat.Done}); err == nil {
		t.Error("End says nothing of its failure")
	}
	if s := begin(t, open, key); s != wechat.Done {
		t.Errorf("%q; this process knows that it is done", s)
	}
}

package rediswechat_test

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// Whatever becomes of Redis in the middle, every call succeeds, none waits long for it, the log has one line, and
// afterwards the limits are shared again.
func TestOutages(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		name     string
		fail     func(s *server)
		mend     func(s *server)
		silently bool // nothing fails
	}{
		{"stopped", func(s *server) { s.signal(syscall.SIGSTOP) }, func(s *server) { s.signal(syscall.SIGCONT) }, false},
		{"killed", (*server).kill, (*server).start, false},
		{"out of memory", func(s *server) { s.client().ConfigSet(ctx, "maxmemory", "1") },
			func(s *server) { s.client().ConfigSet(ctx, "maxmemory", "0") }, false},
		{"a replica after a failover", func(s *server) { s.client().ReplicaOf(ctx, "127.0.0.1", "1") },
			func(s *server) { s.client().ReplicaOf(ctx, "NO", "ONE") }, false},
		{"flushed", func(s *server) { s.client().FlushAll(ctx) }, func(*server) {}, true},
		{"scripts forgotten", func(s *server) { s.client().ScriptFlush(ctx) }, func(*server) {}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startRedis(t)
			rdb := s.client()
			platform := mock.NewServer(officialaccount.Endpoints()...)
			account := wechat.App{ID: "wx1", Secret: "s", Limits: ratelimit.Limits{App: []ratelimit.Limit{ratelimit.PerMinute(100_000)}}}
			platform.App(account)
			logger, text := newLog()
			client := wechat.New(append(platform.Options(), rediswechat.Options(rdb, rediswechat.WithLogger(logger))...)...)
			oa := officialaccount.New(client, account)
			call := func() time.Duration {
				t.Helper()
				began := time.Now()
				if _, err := oa.GetMaterialCount(ctx); err != nil {
					t.Error(err)
				}
				return time.Since(began)
			}
			call()
			tt.fail(s)
			began, calls, slow := time.Now(), 0, 0
			for time.Since(began) < 1500*time.Millisecond {
				calls++
				if call() > 40*time.Millisecond {
					slow++
				}
				time.Sleep(2 * time.Millisecond)
			}
			t.Logf("%d calls meanwhile, %d of them over 40 ms", calls, slow)
			if slow > 12 {
				t.Errorf("%d of %d calls were slow", slow, calls)
			}
			if lines := strings.Count(text.String(), "WARN"); !tt.silently && lines != 1 || lines > 1 {
				t.Errorf("%d lines in the log:\n%s", lines, text)
			}
			tt.mend(s)
			mended := time.Now()
			window := func() string {
				return rdb.HGet(ctx, "wechat:v1:{officialaccount:wx1}:window:app:60000000us", "n").Val()
			}
			for {
				before := window()
				call()
				if window() != before {
					break
				}
				if time.Since(mended) > 5*time.Second {
					t.Fatal("the limits do not come back to Redis")
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Logf("back after %v", time.Since(mended).Round(time.Millisecond))
			if n := platform.TokensIssued("wx1"); n != 1 {
				t.Errorf("%d tokens were fetched; want 1", n)
			}
		})
	}
}

// Without Redis each of two processes takes half of a limit, and a person's limit is kept whole.
func TestShareOfAnInstance(t *testing.T) {
	m, rdb := mini(t)
	m.Close()
	logger, _ := newLog()
	l := rediswechat.NewLimiter(rdb, rediswechat.WithInstances(2), rediswechat.WithLogger(logger))
	granted := func(scope ratelimit.Scope, limit ratelimit.Limit) (n int) {
		for {
			d, err := l.Allow(context.Background(), ratelimit.Demand{Key: app(1) + ":" + string(scope), Scope: scope, Limit: limit})
			if err != nil {
				t.Fatal(err)
			}
			if !d.OK {
				if d.Denied.Limit != limit {
					t.Errorf("refused by %v; want the limit as it was asked for", d.Denied.Limit)
				}
				return n
			}
			n++
		}
	}
	for _, tt := range []struct {
		scope ratelimit.Scope
		limit ratelimit.Limit
		want  int
	}{
		{ratelimit.ScopeApp, ratelimit.PerHour(21), 10},
		{ratelimit.ScopeEndpoint, ratelimit.PerDay(8), 4},
		{ratelimit.ScopeEndpoint, ratelimit.PerHour(1), 1},
		{ratelimit.ScopeRecipient, ratelimit.PerHour(5), 5},
	} {
		if n := granted(tt.scope, tt.limit); n != tt.want {
			t.Errorf("%s %v: %d; want %d", tt.scope, tt.limit, n, tt.want)
		}
	}
	if d, err := l.Allow(context.Background(), ratelimit.Demand{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(10), N: 8}); err != nil || !d.OK {
		t.Errorf("8 at once of 10, where a share is 5: %v, %v; a call would fail only because Redis did", d, err)
	}
}

// An outage begins with what this process has used before, and after it the windows that Redis may have lost are kept too.
func TestWindowsOutliveAnOutage(t *testing.T) {
	m, rdb := mini(t)
	logger, _ := newLog()
	l := rediswechat.NewLimiter(rdb, rediswechat.WithLogger(logger), rediswechat.WithBudget(time.Second))
	ask := func() bool {
		d, err := l.Allow(context.Background(), ratelimit.Demand{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(10)})
		if err != nil {
			t.Fatal(err)
		}
		return d.OK
	}
	take := func() (n int) {
		for ask() {
			n++
		}
		return n
	}
	for range 6 {
		ask()
	}
	m.SetError("READONLY You can't write against a read only replica.")
	if n := take(); n != 4 {
		t.Errorf("%d more without Redis; want the 4 that were left", n)
	}
	m.FlushAll()
	m.SetError("")
	time.Sleep(1100 * time.Millisecond) // until Redis is asked again
	if n := take(); n != 0 {
		t.Errorf("%d more after Redis has lost everything; want none in this minute", n)
	}
}

package rediswechat_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// TestMemory says what windows of a million openids take in Redis. It runs with REDISWECHAT_FIGURES=1.
func TestMemory(t *testing.T) {
	if os.Getenv("REDISWECHAT_FIGURES") == "" {
		t.Skip("figures are taken with REDISWECHAT_FIGURES=1")
	}
	ctx := context.Background()
	s := startRedis(t)
	rdb := s.client()
	l := rediswechat.NewLimiter(rdb, patient)
	used := func() int {
		for line := range strings.Lines(rdb.Info(ctx, "memory").Val()) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), "used_memory:"); ok {
				return must(strconv.Atoi(v))
			}
		}
		return 0
	}
	const people = 1_000_000
	limit := ratelimit.Limit{Rate: 4, Period: time.Hour} // an hour, as it takes longer than a minute to make them all
	for each, took := 1, time.Duration(0); each <= 4; each++ {
		before := used()
		began := time.Now()
		// Ten people a call, as in a message to many.
		for i := 0; i < people; i += 10 {
			demands := make([]ratelimit.Demand, 10)
			for k := range demands {
				demands[k] = ratelimit.Demand{Key: app(1) + ":SendTemplateMessage:oABCDEFGHIJKLMNOPQRS" + strconv.Itoa(10_000_000+i+k),
					Scope: ratelimit.ScopeRecipient, Limit: limit}
			}
			if d, err := l.Allow(ctx, demands...); err != nil || !d.OK {
				t.Fatal(d, err)
			}
		}
		took = time.Since(began)
		t.Logf("message %d to each: %d keys, %d bytes a key more, %v a person", each, rdb.DBSize(ctx).Val(), (used()-before)/people, took/people)
	}
}

// TestRoundTrips counts how often a call asks Redis: once for the turns of its recipients, once for those of app and endpoint,
// twice for the ledger where it has a key, and in a while for barriers.
func TestRoundTrips(t *testing.T) {
	m, rdb := mini(t)
	wx := mock.NewServer(officialaccount.Endpoints()...)
	account := wechat.App{ID: "wx1", Secret: "s", Limits: ratelimit.Limits{
		App:       []ratelimit.Limit{ratelimit.PerMinute(100_000)},
		Endpoints: map[string][]ratelimit.Limit{"SendTemplateMessage": {ratelimit.PerSecond(10_000), ratelimit.PerDay(1_000_000)}},
	}}
	wx.App(account)
	client := wechat.New(append(wx.Options(), rediswechat.Options(rdb, patient, rediswechat.WithBarrierCache(time.Hour))...)...)
	oa := officialaccount.New(client, account)
	n := 0
	send := func(ctx context.Context) int {
		n++
		before := m.CommandCount()
		_, err := oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{ToUser: "o" + strconv.Itoa(n), TemplateID: "t",
			Data: map[string]officialaccount.TemplateValue{"x": {Value: "y"}}})
		if err != nil {
			t.Fatal(err)
		}
		return m.CommandCount() - before
	}
	send(t.Context()) // scripts, connections, the token
	// A script's own commands count too: TIME, MGET and a SET for each of one and three windows.
	if got, want := send(t.Context()), (1+2+1)+(1+2+3); got > want {
		t.Errorf("%d commands a call; want at most %d in 2 round trips", got, want)
	}
	keyed := wechat.ContextWithIdempotencyKey(t.Context(), "order 1")
	send(keyed)
	keyed = wechat.ContextWithIdempotencyKey(t.Context(), "order 2")
	if got, want := send(keyed), (1+2+1)+(1+2+3)+(1+3)+(1+2); got > want {
		t.Errorf("%d commands a call with a key; want at most %d in 4 round trips", got, want)
	}
}

package rediswechat_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// BenchmarkMemory says what windows of a million openids take in Redis, after one message to each and after four.
func BenchmarkMemory(b *testing.B) {
	ctx := context.Background()
	const people = 1_000_000
	limit := ratelimit.Limit{Rate: 4, Period: time.Hour} // an hour, as it takes longer than a minute to make them all
	for b.Loop() {
		rdb := startRedis(b).client()
		l := rediswechat.NewLimiter(rdb, patient)
		used := func() int {
			for line := range strings.Lines(rdb.Info(ctx, "memory").Val()) {
				if v, ok := strings.CutPrefix(strings.TrimSpace(line), "used_memory:"); ok {
					return must(strconv.Atoi(v))
				}
			}
			return 0
		}
		empty := used()
		for message := 1; message <= limit.Rate; message++ {
			// Ten people a call, as in a message to many.
			for i := 0; i < people; i += 10 {
				demands := make([]ratelimit.Demand, 10)
				for k := range demands {
					demands[k] = ratelimit.Demand{Key: app(1) + ":SendTemplateMessage:oABCDEFGHIJKLMNOPQRS" + strconv.Itoa(10_000_000+i+k),
						Scope: ratelimit.ScopeRecipient, Limit: limit}
				}
				if d, err := l.Allow(ctx, demands...); err != nil || !d.OK {
					b.Fatal(d, err)
				}
			}
			b.ReportMetric(float64(used()-empty)/people, fmt.Sprintf("B/openid-%d", message))
		}
	}
}

// TestRoundTrips counts how often a call asks Redis: once for the turns of its recipients, once for those of app and endpoint,
// twice for the ledger where it has a key, and in a while for barriers.
func TestRoundTrips(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr(), ContextTimeoutEnabled: true}) // or hooks see nothing
	defer func() { _ = rdb.Close() }()
	var trips roundTrips
	rdb.AddHook(&trips)
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
		before := trips.n.Load()
		_, err := oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{ToUser: "o" + strconv.Itoa(n), TemplateID: "t",
			Data: map[string]officialaccount.TemplateValue{"x": {Value: "y"}}})
		if err != nil {
			t.Fatal(err)
		}
		return int(trips.n.Load() - before)
	}
	send(t.Context()) // scripts, connections, the token
	if got := send(t.Context()); got != 2 {
		t.Errorf("%d round trips a call; want 2", got)
	}
	keyed := wechat.ContextWithIdempotencyKey(t.Context(), "order 1")
	send(keyed)
	keyed = wechat.ContextWithIdempotencyKey(t.Context(), "order 2")
	if got := send(keyed); got != 4 {
		t.Errorf("%d round trips a call with a key; want 4", got)
	}
}

// roundTrips is a hook that counts commands.
type roundTrips struct{ n atomic.Int32 }

func (r *roundTrips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (r *roundTrips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		r.n.Add(1)
		return next(ctx, cmd)
	}
}

func (r *roundTrips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		r.n.Add(1)
		return next(ctx, cmds)
	}
}

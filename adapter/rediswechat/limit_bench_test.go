package rediswechat_test

import (
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/go-redis/redis_rate/v10"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// The same Redis, the same client: one window by redis_rate, and up to the three of a template message here. The client asks for
// that of the recipient by itself, and then for the two others together.
func BenchmarkAllow(b *testing.B) {
	ctx := context.Background()
	rdb := startRedis(b).client()
	l := rediswechat.NewLimiter(rdb, rediswechat.WithLogger(slog.New(slog.DiscardHandler)))
	rate := redis_rate.NewLimiter(rdb)
	var i atomic.Int64
	run := func(name string, allow func(openid string) bool) {
		call := func(b *testing.B) {
			if !allow("openid" + strconv.FormatInt(i.Add(1), 10)) {
				b.Error("refused")
			}
		}
		b.Run(name, func(b *testing.B) {
			rdb.FlushAll(ctx)
			b.ReportAllocs()
			for b.Loop() {
				call(b)
			}
		})
		b.Run(name+", parallel", func(b *testing.B) {
			rdb.FlushAll(ctx)
			b.SetParallelism(32)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					call(b)
				}
			})
		})
	}
	endpoint := app(1) + ":SendTemplateMessage"
	recipient := func(openid string) ratelimit.Demand {
		return ratelimit.Demand{Key: endpoint + ":" + openid, Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(4)}
	}
	shared := []ratelimit.Demand{
		{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(1_000_000)},
		{Key: endpoint, Scope: ratelimit.ScopeEndpoint, Limit: ratelimit.PerDay(100_000_000)},
	}
	ask := func(demands ...ratelimit.Demand) bool {
		d, err := l.Allow(ctx, demands...)
		return err == nil && d.OK
	}
	run("recipient", func(openid string) bool { return ask(recipient(openid)) })
	run("app and endpoint", func(string) bool { return ask(shared...) })
	run("all three", func(openid string) bool { return ask(recipient(openid), shared[0], shared[1]) })
	run("redis_rate", func(openid string) bool {
		r, err := rate.Allow(ctx, openid, redis_rate.PerMinute(4))
		return err == nil && r.Allowed == 1
	})
	run("redis_rate, three times", func(openid string) bool {
		for _, key := range []string{openid, "app", "endpoint"} {
			if _, err := rate.Allow(ctx, key, redis_rate.PerMinute(1_000_000)); err != nil {
				return false
			}
		}
		return true
	})
	run("ping", func(string) bool { return rdb.Ping(ctx).Err() == nil })
}

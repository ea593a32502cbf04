package rediswechat_test

import (
	"context"
	"log/slog"
	"strconv"
	"testing"

	"github.com/go-redis/redis_rate/v10"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// The same Redis, the same client: one window by redis_rate, and up to the three windows of a template message here.
func BenchmarkAllow(b *testing.B) {
	ctx := context.Background()
	rdb := startRedis(b).client()
	var i int
	run := func(name string, allow func(openid string) bool) {
		b.Run(name, func(b *testing.B) {
			rdb.FlushAll(ctx)
			b.ReportAllocs()
			for b.Loop() {
				if i++; !allow("openid" + strconv.Itoa(i)) {
					b.Fatal("refused")
				}
			}
		})
	}
	l := rediswechat.NewLimiter(rdb, rediswechat.WithLogger(slog.New(slog.DiscardHandler)))
	wx := app(1)
	all := []ratelimit.Demand{
		{Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(4)},
		{Key: wx, Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(1_000_000)},
		{Key: wx + ":SendTemplateMessage", Scope: ratelimit.ScopeEndpoint, Limit: ratelimit.PerDay(100_000_000)},
	}
	for n := range len(all) {
		run("demands="+strconv.Itoa(n+1), func(openid string) bool {
			all[0].Key = wx + ":SendTemplateMessage:" + openid
			d, err := l.Allow(ctx, all[:n+1]...)
			return err == nil && d.OK
		})
	}
	rate := redis_rate.NewLimiter(rdb)
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

func BenchmarkAllowParallel(b *testing.B) {
	ctx := context.Background()
	rdb := startRedis(b).client()
	l := rediswechat.NewLimiter(rdb, rediswechat.WithLogger(slog.New(slog.DiscardHandler)))
	wx := app(1)
	b.Run("demands=3", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(p *testing.PB) {
			all := []ratelimit.Demand{
				{Key: wx + ":SendTemplateMessage:openid", Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(1_000_000)},
				{Key: wx, Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(1_000_000)},
				{Key: wx + ":SendTemplateMessage", Scope: ratelimit.ScopeEndpoint, Limit: ratelimit.PerDay(100_000_000)},
			}
			for p.Next() {
				if d, err := l.Allow(ctx, all...); err != nil || !d.OK {
					b.Error(d, err)
				}
			}
		})
	})
	rate := redis_rate.NewLimiter(rdb)
	b.Run("redis_rate", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				if _, err := rate.Allow(ctx, "openid", redis_rate.PerMinute(1_000_000)); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

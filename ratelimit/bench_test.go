package ratelimit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// openids are keys of 28 characters, as openids have, in one piece, so that a benchmark measures how a limiter
// finds a key and not how it finds the string.
type openids string

func newOpenids(n int) openids {
	all := make([]byte, 0, 28*n)
	for i := range n {
		all = fmt.Appendf(all, "o6_bmjrPTlm6_2sgVt7h%08x", uint32(i)*2654435761)
	}
	return openids(all)
}

func (o openids) len() int { return len(o) / 28 }

func (o openids) at(i int) string { return string(o[i*28 : (i+1)*28]) }

func (o openids) random(r *rand.Rand) string { return o.at(r.IntN(o.len())) }

// heap returns the bytes that are in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkRecipients is a window of 4 a minute for each of a million openids in random order.
func BenchmarkRecipients(b *testing.B) {
	keys := newOpenids(1_000_000)
	ctx := context.Background()
	for _, limit := range []ratelimit.Limit{ratelimit.PerMinute(4), ratelimit.PerHour(1000)} {
		b.Run(limit.String(), func(b *testing.B) {
			before := heap()
			l := new(ratelimit.Local)
			for i := range keys.len() {
				_, _ = l.Allow(ctx, ratelimit.Demand{Key: keys.at(i), Scope: ratelimit.ScopeRecipient, Limit: limit})
			}
			bytes := float64(heap() - before)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				r := rand.New(rand.NewPCG(rand.Uint64(), 1))
				for pb.Next() {
					_, _ = l.Allow(ctx, ratelimit.Demand{Key: keys.random(r), Scope: ratelimit.ScopeRecipient, Limit: limit})
				}
			})
			b.ReportMetric(bytes/float64(keys.len()), "B/openid")
			runtime.KeepAlive(l)
		})
	}
}

// BenchmarkNewKeys is the first call to each of a million openids.
func BenchmarkNewKeys(b *testing.B) {
	keys := newOpenids(1_000_000)
	ctx := context.Background()
	l, n := new(ratelimit.Local), 0
	b.ReportAllocs()
	for b.Loop() {
		if n++; n == keys.len() {
			l, n = new(ratelimit.Local), 0
		}
		_, _ = l.Allow(ctx, ratelimit.Demand{Key: keys.at(n), Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(4)})
	}
}

func BenchmarkHotKey(b *testing.B) {
	ctx := context.Background()
	for _, limit := range []ratelimit.Limit{
		ratelimit.PerSecond(20),
		{Rate: 20, Period: time.Second, Burst: 5},
		ratelimit.PerMinute(100_000_000),
		ratelimit.PerDay(1_000_000_000),
	} {
		b.Run(limit.String(), func(b *testing.B) {
			l := new(ratelimit.Local)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, _ = l.Allow(ctx, ratelimit.Demand{Key: "wx1", Scope: ratelimit.ScopeApp, Limit: limit})
				}
			})
		})
	}
}

// BenchmarkThreeDemands is a call under the limits of an app, an endpoint and one of a hundred thousand recipients.
func BenchmarkThreeDemands(b *testing.B) {
	keys := newOpenids(100_000)
	ctx := context.Background()
	l := new(ratelimit.Local)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		r := rand.New(rand.NewPCG(rand.Uint64(), 1))
		for pb.Next() {
			_, _ = l.Allow(ctx,
				ratelimit.Demand{Key: "wx1", Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(100_000_000)},
				ratelimit.Demand{Key: "wx1:SendTemplateMessage", Scope: ratelimit.ScopeEndpoint, Limit: ratelimit.PerDay(1_000_000_000)},
				ratelimit.Demand{Key: keys.random(r), Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(4)})
		}
	})
}

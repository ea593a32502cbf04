package bench_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/patrickmn/go-cache"
	"golang.org/x/time/rate"

	"github.com/seed175cf469/wechat/ratelimit"
)

const (
	perMinute = 4
	people    = 1_000_000
)

// allow takes a turn of the window of one openid.
type allow func(openid string) bool

// heap is what is in use, in bytes.
func heap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkRecipients is a window of 4 a minute for each of a million openids, which come in random order. All have
// been seen once before.
func BenchmarkRecipients(b *testing.B) {
	ids := newOpenids(people)
	for _, peer := range []struct {
		name string
		make func() allow
	}{
		{"wechat", local},
		{"go-cache", limitersInCache},
		{"x-time-rate", limitersInMap},
		{"time-stamps", timeStamps},
	} {
		var take allow // made once, however often the benchmark is tried with a larger b.N
		var each float64
		b.Run(peer.name, func(b *testing.B) {
			if take == nil {
				before := heap()
				take = peer.make()
				for i := range people {
					take(ids.at(i))
				}
				each = (heap() - before) / people
			}
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				r := rand.New(rand.NewPCG(rand.Uint64(), 1))
				for pb.Next() {
					take(ids.at(r.IntN(people)))
				}
			})
			b.ReportMetric(each, "B/openid")
		})
	}
}

// local is this SDK's window.
func local() allow {
	l := new(ratelimit.Local)
	return func(openid string) bool {
		d, err := l.Allow(context.Background(), ratelimit.Demand{
			Key: openid, Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(perMinute),
		})
		return err == nil && d.OK
	}
}

// timeStamps keeps the times of the last minute.
func timeStamps() allow {
	var mu sync.Mutex
	times := map[string][]time.Time{}
	return func(openid string) bool {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		list := times[openid]
		for len(list) > 0 && now.Sub(list[0]) >= time.Minute {
			list = list[1:]
		}
		ok := len(list) < perMinute
		if ok {
			list = append(list, now)
		}
		times[openid] = list
		return ok
	}
}

func newLimiter() *rate.Limiter { return rate.NewLimiter(rate.Every(time.Minute/perMinute), perMinute) }

func limitersInMap() allow {
	var mu sync.Mutex
	limiters := map[string]*rate.Limiter{}
	return func(openid string) bool {
		mu.Lock()
		l := limiters[openid]
		if l == nil {
			l = newLimiter()
			limiters[openid] = l
		}
		mu.Unlock()
		return l.Allow()
	}
}

func limitersInCache() allow {
	c := cache.New(10*time.Minute, 0)
	return func(openid string) bool {
		x, ok := c.Get(openid)
		if !ok {
			x = newLimiter()
			if c.Add(openid, x, cache.DefaultExpiration) != nil { // another was faster
				x, _ = c.Get(openid)
			}
		}
		return x.(*rate.Limiter).Allow()
	}
}

// BenchmarkGate is what each call passes before it goes out, when nothing was refused.
func BenchmarkGate(b *testing.B) {
	pass := func(b *testing.B, l *ratelimit.Local) {
		done, err := l.Admit(context.Background(), "{officialaccount:wx0123456789abcdef}:SendTemplateMessage", ratelimit.Normal)
		if err != nil {
			b.Error(err)
			return
		}
		done(ratelimit.Outcome{})
	}
	b.Run("alone", func(b *testing.B) {
		l := new(ratelimit.Local)
		b.ReportAllocs()
		for b.Loop() {
			pass(b, l)
		}
	})
	b.Run("together", func(b *testing.B) {
		l := new(ratelimit.Local)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				pass(b, l)
			}
		})
	})
}

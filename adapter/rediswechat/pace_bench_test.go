package rediswechat_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// A turn and its outcome, alone and at a pace that all processes share.
func BenchmarkAdmit(b *testing.B) {
	s := startRedis(b)
	rdb := redis.NewClient(&redis.Options{Addr: s.addr, ContextTimeoutEnabled: true})
	defer func() { _ = rdb.Close() }()
	barrier := rediswechat.NewBarrier(rdb)
	call := func(b *testing.B, o ratelimit.Outcome) {
		done, err := barrier.Admit(b.Context(), paceKey, ratelimit.Normal)
		if err != nil {
			b.Fatal(err)
		}
		done(o)
	}
	run := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call(b, ratelimit.Outcome{})
		}
	}
	b.Run("alone", run)
	if err := rdb.FlushAll(b.Context()).Err(); err != nil {
		b.Fatal(err)
	}
	barrier = rediswechat.NewBarrier(rdb)
	call(b, ratelimit.Outcome{Refused: true}) // the first call of all: no pace can be learned from it
	time.Sleep(1100 * time.Millisecond)
	call(b, ratelimit.Outcome{})
	b.Run("shared", run)
	b.Log(rdb.Info(b.Context(), "commandstats").Val())
}

package rediswechat_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
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

package main

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

const limiterCalls = 3000

// limiterCost is what asking the limiter takes, beside the least that asking Redis anything takes.
type limiterCost struct {
	allow, ping time.Duration // medians
	roundTrips  float64       // of a call
}

// measureLimiter asks for the three turns that a template message may need: its recipient's, the app's and the endpoint's.
func measureLimiter(ctx context.Context, rdb *redis.Client) (c limiterCost, err error) {
	const app = "{officialaccount:wxffffffffffffffff}"
	trips := new(tripCounter)
	rdb.AddHook(trips)
	l := rediswechat.NewLimiter(rdb)
	demands := []ratelimit.Demand{
		{Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(4)},
		{Key: app, Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(1_000_000)},
		{Key: app + ":" + sending, Scope: ratelimit.ScopeEndpoint, Limit: ratelimit.PerDay(100_000_000)},
	}
	allow := func(i int) error {
		demands[0].Key = app + ":" + sending + ":o" + strconv.Itoa(i)
		_, err := l.Allow(ctx, demands...)
		return err
	}
	if err := allow(limiterCalls); err != nil { // loads the script
		return c, err
	}
	before := trips.n.Load()
	if c.allow, err = median(allow); err != nil {
		return c, err
	}
	c.roundTrips = float64(trips.n.Load()-before) / limiterCalls
	c.ping, err = median(func(int) error { return rdb.Ping(ctx).Err() })
	return c, err
}

// median is how long do takes.
func median(do func(i int) error) (time.Duration, error) {
	all := make([]time.Duration, limiterCalls)
	for i := range all {
		began := time.Now()
		if err := do(i); err != nil {
			return 0, err
		}
		all[i] = time.Since(began)
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}

// tripCounter counts what is sent to Redis.
type tripCounter struct{ n atomic.Int64 }

// DialHook changes nothing.
func (c *tripCounter) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook counts a command.
func (c *tripCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook counts commands that are sent together.
func (c *tripCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmds)
	}
}

package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// A call is under the limits of its app and of its endpoint at once: it takes a turn of both, or of none.
func ExampleLocal_Allow() {
	var l ratelimit.Local
	ctx := context.Background()
	for range 3 {
		d, err := l.Allow(ctx,
			ratelimit.Demand{Key: "wx1", Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(5000)},
			ratelimit.Demand{Key: "wx1:SendTemplateMessage", Scope: ratelimit.ScopeEndpoint, Limit: ratelimit.PerHour(2)},
		)
		if err != nil {
			fmt.Println(err)
			return
		}
		if d.OK {
			fmt.Println("send; turns left:", d.Remaining)
		} else {
			fmt.Printf("%v of the %s: come back in %v\n", d.Denied.Limit, d.Denied.Scope, d.RetryAfter.Round(time.Minute))
		}
	}
	// Output:
	// send; turns left: 1
	// send; turns left: 0
	// 2/h of the endpoint: come back in 1h0m0s
}

// Wait waits only for turns that come in time, and else says at once when to come back.
func ExampleWait() {
	var l ratelimit.Local
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	send := func(limit ratelimit.Limit) {
		for range 2 {
			err := ratelimit.Wait(ctx, &l, 0, ratelimit.Demand{Key: "wx1", Scope: ratelimit.ScopeApp, Limit: limit})
			var exceeded *ratelimit.ExceededError
			switch {
			case err == nil:
				fmt.Println("sent")
			case errors.As(err, &exceeded):
				fmt.Println("not sent, as the deadline comes before the turn:", errors.Is(err, context.DeadlineExceeded))
				fmt.Println("come back in", exceeded.Decision.RetryAfter.Round(time.Second))
			}
		}
	}
	send(ratelimit.Limit{Rate: 1, Period: 100 * time.Millisecond})
	send(ratelimit.PerMinute(1))
	// Output:
	// sent
	// sent
	// sent
	// not sent, as the deadline comes before the turn: true
	// come back in 1m0s
}

// Each openid has a window of its own, of about 32 bytes, which is forgotten when its time has passed.
func ExampleLocal_recipients() {
	var l ratelimit.Local
	for _, openid := range []string{"alice", "bob", "alice", "alice", "alice", "alice"} {
		d, err := l.Allow(context.Background(), ratelimit.Demand{
			Key:   "wx1:SendTemplateMessage:" + openid,
			Scope: ratelimit.ScopeRecipient,
			Limit: ratelimit.PerMinute(4),
		})
		fmt.Println(openid, d.OK, err)
	}
	// Output:
	// alice true <nil>
	// bob true <nil>
	// alice true <nil>
	// alice true <nil>
	// alice true <nil>
	// alice false <nil>
}

// A reservation is a turn in the future that can be given back.
func ExampleLocal_Reserve() {
	var l ratelimit.Local
	ctx := context.Background()
	d := ratelimit.Demand{Key: "wx1", Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(1)}
	for range 2 {
		r, err := l.Reserve(ctx, time.Minute, d)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer r.Cancel()
		fmt.Println("turn in", r.Delay().Round(time.Second))
	}
	_, err := l.Reserve(ctx, time.Minute, d)
	fmt.Println(errors.Is(err, ratelimit.ErrExceeded))
	// Output:
	// turn in 0s
	// turn in 1m0s
	// true
}

package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

func recipient(key string, limit ratelimit.Limit) ratelimit.Demand {
	return ratelimit.Demand{Key: key, Scope: ratelimit.ScopeRecipient, Limit: limit, N: 1}
}

func TestLimitValidate(t *testing.T) {
	valid := []ratelimit.Limit{
		{}, ratelimit.PerSecond(1), ratelimit.PerMinute(4), ratelimit.PerHour(1000), ratelimit.PerDay(100_000),
		{Rate: 5, Period: time.Second, Burst: 5}, {Rate: 5, Period: 366 * 24 * time.Hour},
		{Rate: math.MaxInt32, Period: 1}, {Rate: 9, Period: 24 * time.Hour, Calendar: true, Burst: 3},
	}
	for _, l := range valid {
		if err := l.Validate(); err != nil {
			t.Errorf("%v: %v", l, err)
		}
	}
	invalid := map[string]ratelimit.Limit{
		"Rate must be positive":                      {Period: time.Second},
		"Rate must be positive ":                     {Rate: -1, Period: time.Second},
		"Rate must be less than 2^31":                {Rate: math.MaxInt32 + 1, Period: time.Second},
		"Period must be positive":                    {Rate: 1},
		"Period must be positive ":                   {Rate: 1, Period: -time.Second},
		"Period must be at most 366 days":            {Rate: 1, Period: 367 * 24 * time.Hour},
		"a Calendar limit must have a Period of 24h": {Rate: 1, Period: time.Hour, Calendar: true},
		"Burst must not be negative":                 {Rate: 1, Period: time.Second, Burst: -1},
		"Burst must not be more than Rate":           {Rate: 1, Period: time.Second, Burst: 2},
	}
	for want, l := range invalid {
		want = strings.TrimSpace(want)
		var e *ratelimit.LimitError
		if err := l.Validate(); !errors.As(err, &e) || e.Reason != want || e.Limit != l {
			t.Errorf("%v: %v, want %s", l, err, want)
		}
		d, err := new(ratelimit.Local).Allow(context.Background(), app(ratelimit.PerSecond(1)), app(l))
		if !errors.As(err, &e) || e.Reason != want || errors.Is(err, ratelimit.ErrExceeded) || d.OK || d.Denied != app(l) {
			t.Errorf("Allow under %v = %+v, %v", l, d, err)
		}
	}
}

func TestAllowOfWhatCanNeverBe(t *testing.T) {
	demand := func(n int, l ratelimit.Limit) ratelimit.Demand {
		return ratelimit.Demand{Key: "wx1", Scope: ratelimit.ScopeApp, Limit: l, N: n}
	}
	reserved := demand(8, ratelimit.PerMinute(10))
	reserved.Priority, reserved.Reserve = ratelimit.Background, 0.3
	tests := map[string][]ratelimit.Demand{
		"5 turns at once are more than the 4 that there are":                {demand(5, ratelimit.PerMinute(4))},
		"5 turns at once are more than the 4 that there are ":               {demand(2, ratelimit.PerMinute(4)), demand(3, ratelimit.PerMinute(4))},
		"3 turns at once are more than the 2 that there are":                {demand(3, ratelimit.Limit{Rate: 10, Period: time.Second, Burst: 2})},
		"8 turns at once are more than the 7 that there are for Background": {reserved},
	}
	for want, demands := range tests {
		l := new(ratelimit.Local)
		var e *ratelimit.LimitError
		if d, err := l.Allow(context.Background(), demands...); !errors.As(err, &e) || e.Reason != strings.TrimSpace(want) || d.OK || d.Denied.Key != "wx1" {
			t.Errorf("Allow = %+v, %v, want %s", d, err, want)
		} else if s := err.Error(); !strings.Contains(s, e.Limit.String()) || !strings.Contains(s, e.Reason) {
			t.Errorf("%q does not say what is wrong", s)
		}
		if _, err := l.Reserve(context.Background(), time.Hour, demands...); !errors.As(err, &e) {
			t.Errorf("Reserve = %v, want a LimitError", err)
		}
	}
}

func TestAllowWithoutLimit(t *testing.T) {
	l := new(ratelimit.Local)
	for _, demands := range [][]ratelimit.Demand{nil, {{Key: "wx1", N: 1000}}} {
		if d := mustAllow(t, l, demands...); d.Remaining != math.MaxInt {
			t.Errorf("Remaining = %d, want no bound", d.Remaining)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Allow(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Allow with an ended context = %v", err)
	}
	if _, err := l.Reserve(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Reserve with an ended context = %v", err)
	}
}

// A window slides: no more than Rate in any Period, and a turn is free again to the instant.
func TestSlidingWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, d := new(ratelimit.Local), recipient("openid", ratelimit.PerMinute(4))
		mustAllow(t, l, d)
		time.Sleep(59 * time.Second)
		for want := 2; want >= 0; want-- {
			if got := mustAllow(t, l, d).Remaining; got != want {
				t.Errorf("Remaining = %d, want %d", got, want)
			}
		}
		if got := mustRefuse(t, l, d); got.RetryAfter != time.Second || got.Denied != d || got.Remaining != 0 {
			t.Errorf("Decision = %+v, want RetryAfter 1s", got)
		}
		time.Sleep(time.Second)
		mustAllow(t, l, d)
		if got := mustRefuse(t, l, d).RetryAfter; got != 59*time.Second {
			t.Errorf("RetryAfter = %v, want 59s", got)
		}
	})
}

// P043: days are those of UTC+8, whatever the zone of the machine.
func TestCalendarDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // begins at 2000-01-01 00:00 UTC, which is 08:00 in UTC+8
		l, d := new(ratelimit.Local), app(ratelimit.PerDay(3))
		time.Sleep(15 * time.Hour)
		d.N = 2
		if got := mustAllow(t, l, d).Remaining; got != 1 {
			t.Errorf("Remaining = %d, want 1", got)
		}
		if got := mustRefuse(t, l, d).RetryAfter; got != time.Hour {
			t.Errorf("RetryAfter at 23:00 UTC+8 = %v, want 1h", got)
		}
		time.Sleep(time.Hour - time.Nanosecond)
		mustRefuse(t, l, d)
		time.Sleep(time.Nanosecond)
		if got := mustAllow(t, l, d).Remaining; got != 1 {
			t.Errorf("Remaining = %d, want 1", got)
		}
		if got := mustRefuse(t, l, d).RetryAfter; got != 24*time.Hour {
			t.Errorf("RetryAfter at 00:00 UTC+8 = %v, want 24h", got)
		}
	})
}

func TestBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, d := new(ratelimit.Local), app(ratelimit.Limit{Rate: 20, Period: time.Second, Burst: 5})
		began := time.Now()
		turns := 0
		for time.Since(began) < time.Second {
			got, err := l.Allow(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if got.OK {
				turns++
				continue
			}
			if turns == 5 && got.RetryAfter != 50*time.Millisecond {
				t.Errorf("after a burst RetryAfter = %v, want 50ms", got.RetryAfter)
			}
			time.Sleep(got.RetryAfter)
		}
		if turns != 20 {
			t.Errorf("%d turns in a second, want 20", turns)
		}
	})
}

func TestAllOrNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ratelimit.Local)
		all, ep, who := app(ratelimit.PerSecond(10)), endpoint("Send", ratelimit.PerMinute(10)), recipient("openid", ratelimit.PerMinute(4))
		for range 4 {
			mustAllow(t, l, all, ep, who)
		}
		for range 10 {
			if d := mustRefuse(t, l, all, ep, who); d.Denied != who || d.RetryAfter != time.Minute {
				t.Fatalf("Decision = %+v, want %+v to be denied", d, who)
			}
		}
		all.N, ep.N = 6, 6
		mustAllow(t, l, all, ep)
		if d := mustRefuse(t, l, all, ep); d.Denied != ep {
			t.Errorf("denied %+v, want the endpoint, which takes longest", d.Denied)
		}
	})
}

// A call that reaches a person twice takes two turns; two limits on one window are both kept.
func TestDemandsForOneWindow(t *testing.T) {
	l := new(ratelimit.Local)
	who := recipient("openid", ratelimit.PerMinute(4))
	if got := mustAllow(t, l, who, recipient("other", ratelimit.PerMinute(4)), who).Remaining; got != 2 {
		t.Errorf("Remaining = %d, want 2", got)
	}
	mustAllow(t, l, who, who)
	mustRefuse(t, l, who)

	for want := 4; want >= 0; want-- {
		if got := mustAllow(t, l, app(ratelimit.PerMinute(30)), app(ratelimit.PerMinute(5))).Remaining; got != want {
			t.Errorf("Remaining = %d, want %d", got, want)
		}
	}
	if d := mustRefuse(t, l, app(ratelimit.PerMinute(30)), app(ratelimit.PerMinute(5))); d.Denied.Limit.Rate != 5 {
		t.Errorf("denied %v, want 5 a minute", d.Denied.Limit)
	}

	two, three := endpoint("Send", ratelimit.PerMinute(5)), endpoint("Send", ratelimit.PerMinute(7))
	two.N, three.N = 2, 3
	if got := mustAllow(t, l, two, three).Remaining; got != 2 {
		t.Errorf("Remaining = %d, want 2 of 5: 3 turns have been taken", got)
	}
}

func TestKeysAndScopesAreApart(t *testing.T) {
	l := new(ratelimit.Local)
	for _, key := range []string{"wx1", "wx2", ""} {
		for _, scope := range []ratelimit.Scope{ratelimit.ScopeApp, ratelimit.ScopeEndpoint, ratelimit.ScopeRecipient, ""} {
			for _, limit := range []ratelimit.Limit{ratelimit.PerMinute(1), ratelimit.PerHour(1), {Rate: 1, Period: 24 * time.Hour}, ratelimit.PerDay(1)} {
				d := ratelimit.Demand{Key: key, Scope: scope, Limit: limit}
				mustAllow(t, l, d)
				mustRefuse(t, l, d)
			}
		}
	}
}

// What has happened counts under a new limit, be it wider or narrower, and in whatever way the events are kept.
func TestLimitsChange(t *testing.T) {
	rates := []int{1, 4, 5, 30, 60, 61, 100, 1000}
	for _, before := range rates {
		for _, now := range rates {
			synctest.Test(t, func(t *testing.T) {
				l := new(ratelimit.Local)
				for range before {
					mustAllow(t, l, app(ratelimit.PerMinute(before)))
				}
				for range now - before {
					mustAllow(t, l, app(ratelimit.PerMinute(now)))
				}
				mustRefuse(t, l, app(ratelimit.PerMinute(now)))
				time.Sleep(time.Minute)
				for range now {
					mustAllow(t, l, app(ratelimit.PerMinute(now)))
				}
				mustRefuse(t, l, app(ratelimit.PerMinute(now)))
			})
		}
	}
}

func TestReserveShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := new(ratelimit.Local), newRoll()
		share := app(ratelimit.PerMinute(10))
		share.Reserve = 0.3
		campaign, urgent := with(share, ratelimit.Background), with(share, ratelimit.Urgent)
		for want := 6; want >= 0; want-- {
			if got := mustAllow(t, l, campaign).Remaining; got != want {
				t.Errorf("Remaining for Background = %d, want %d", got, want)
			}
		}
		mustRefuse(t, l, campaign)
		r.queueUp(t, l, "campaign", campaign)
		for want := 2; want >= 0; want-- {
			if got := mustAllow(t, l, urgent).Remaining; got != want {
				t.Errorf("Remaining for Urgent = %d, want %d", got, want)
			}
		}
		mustRefuse(t, l, urgent)
		time.Sleep(time.Minute)
		if got := r.order(); got != "campaign" {
			t.Errorf("served %q after a minute, want campaign", got)
		}
	})
	tests := []struct {
		d    ratelimit.Demand
		want int // turns for Background
	}{
		{ratelimit.Demand{Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(100), Reserve: 0.9}, 10},
		{ratelimit.Demand{Scope: ratelimit.ScopeEndpoint, Limit: ratelimit.PerMinute(10), Reserve: 0.25}, 7},
		{ratelimit.Demand{Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(10), Reserve: 1}, 1},
		{ratelimit.Demand{Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(10), Reserve: 7}, 1},
		{ratelimit.Demand{Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(10), Reserve: -1}, 10},
		{ratelimit.Demand{Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(10), Reserve: math.NaN()}, 10},
		{ratelimit.Demand{Scope: ratelimit.ScopeApp, Limit: ratelimit.PerDay(10), Reserve: 0.5}, 10},
		{ratelimit.Demand{Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(10), Reserve: 0.5}, 10},
		{ratelimit.Demand{Scope: ratelimit.ScopeApp, Limit: ratelimit.Limit{Rate: 10, Period: time.Minute, Burst: 4}, Reserve: 0.5}, 2},
	}
	for _, tt := range tests {
		l := new(ratelimit.Local)
		for range tt.want {
			mustAllow(t, l, with(tt.d, ratelimit.Background))
		}
		mustRefuse(t, l, with(tt.d, ratelimit.Background))
	}
}

// However much the others take, one turn in eight comes out of what is kept from Background.
func TestReserveShareStarvesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := new(ratelimit.Local), newRoll()
		share := app(ratelimit.PerMinute(10))
		share.Reserve = 0.9
		mustAllow(t, l, share)
		r.queueUp(t, l, "campaign", with(share, ratelimit.Background))
		for i := range 7 {
			if got := r.order(); got != "" {
				t.Fatalf("served %q after %d turns of others", got, i)
			}
			mustAllow(t, l, share)
		}
		if got := r.order(); got != "campaign" || r.times[0] != 0 {
			t.Errorf("served %q at %v after 7 turns of others, want campaign at once", got, r.times)
		}
		mustAllow(t, l, share)
		mustRefuse(t, l, share)
	})
}

func TestReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, d := new(ratelimit.Local), app(ratelimit.PerMinute(2))
		var turns []ratelimit.Reservation
		for i, want := range []time.Duration{0, 0, time.Minute, time.Minute, 2 * time.Minute} {
			r, err := l.Reserve(t.Context(), 2*time.Minute, d)
			if err != nil || r.Delay() != want {
				t.Fatalf("reservation %d: %v, %v, want a delay of %v", i, r, err, want)
			}
			turns = append(turns, r)
		}
		d.N = 2
		_, err := l.Reserve(t.Context(), 2*time.Minute, d)
		var e *ratelimit.ExceededError
		if !errors.As(err, &e) || e.Decision.RetryAfter != 3*time.Minute || e.Decision.Denied != d {
			t.Errorf("Reserve = %v, want an ExceededError with 3m", err)
		}
		d.N = 1

		turns[2].Cancel()
		turns[2].Cancel()
		if r, err := l.Reserve(t.Context(), time.Minute, d); err != nil || r.Delay() != time.Minute {
			t.Errorf("what was given back is not there: %v", err)
		}
		time.Sleep(time.Minute)
		if got := turns[4].Delay(); got != time.Minute {
			t.Errorf("Delay = %v, want 1m: it keeps its time", got)
		}
		turns[0].Cancel()
		turns[3].Cancel() // its time has come
		if got := mustRefuse(t, l, d).RetryAfter; got != time.Minute {
			t.Errorf("RetryAfter = %v, want 1m: turns whose time has come are used", got)
		}
		if got := turns[0].Delay(); got != 0 {
			t.Errorf("Delay = %v after the turn", got)
		}
	})
}

// A turn in the future of a slow window leaves a fast one free until then.
func TestReserveLeavesGaps(t *testing.T) {
	for _, limit := range []ratelimit.Limit{
		ratelimit.PerSecond(1), ratelimit.PerSecond(100), {Rate: 10, Period: time.Second, Burst: 1}, ratelimit.PerDay(100_000),
	} {
		synctest.Test(t, func(t *testing.T) {
			l, all, slow := new(ratelimit.Local), app(limit), endpoint("slow", ratelimit.PerMinute(1))
			mustAllow(t, l, slow)
			r, err := l.Reserve(t.Context(), time.Minute, all, slow)
			if err != nil || r.Delay() != time.Minute {
				t.Fatalf("Reserve = %v, %v, want a delay of 1m", r, err)
			}
			for range 59 {
				mustAllow(t, l, all)
				time.Sleep(time.Second)
			}
			if limit.Rate == 1 {
				if d := mustAllow(t, l, all); d.Remaining != 0 {
					t.Errorf("Remaining = %d, want 0: the next turn is booked", d.Remaining)
				}
				time.Sleep(500 * time.Millisecond)
				if d := mustRefuse(t, l, all); d.RetryAfter != 1500*time.Millisecond {
					t.Errorf("RetryAfter = %v, want 1.5s: a turn is booked in between", d.RetryAfter)
				}
			}
		})
	}
}

func TestCancelServesThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, d, r := new(ratelimit.Local), app(ratelimit.PerMinute(1)), newRoll()
		mustAllow(t, l, d)
		booked, err := l.Reserve(t.Context(), time.Hour, d)
		if err != nil {
			t.Fatal(err)
		}
		r.queueUp(t, l, "waiter", d)
		booked.Cancel()
		time.Sleep(time.Minute)
		if got := r.order(); got != "waiter" {
			t.Errorf("served %q after a minute, want waiter", got)
		}
		time.Sleep(time.Minute)

		// Who reserves comes behind those who wait.
		mustAllow(t, l, d)
		r.queueUp(t, l, "second waiter", d)
		if booked, err := l.Reserve(t.Context(), time.Hour, d); err != nil || booked.Delay() != 2*time.Minute {
			t.Errorf("Reserve = %v, %v, want a delay of 2m", booked, err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
	})
}

func TestExceededError(t *testing.T) {
	l := new(ratelimit.Local)
	mustAllow(t, l, app(ratelimit.PerDay(1)), recipient("o6_bmjrPTlm6_2sgVt7hMZOPfL2M", ratelimit.PerDay(1)))
	for _, d := range []ratelimit.Demand{app(ratelimit.PerDay(1)), recipient("o6_bmjrPTlm6_2sgVt7hMZOPfL2M", ratelimit.PerDay(1))} {
		_, err := l.Reserve(context.Background(), 0, d)
		if err == nil {
			t.Fatal("no error")
		}
		s := err.Error()
		if !strings.Contains(s, string(d.Scope)) || !strings.Contains(s, "1/day") {
			t.Errorf("%q does not name the limit", s)
		}
		if strings.Contains(s, "o6_bm") {
			t.Errorf("%q names a person", s)
		}
	}
}

// An openid costs less than 48 bytes, and nothing a while after they were used.
func TestOpenidsAreSmallAndForgotten(t *testing.T) {
	const n = 100_000
	keys := newOpenids(n)
	synctest.Test(t, func(t *testing.T) {
		l := new(ratelimit.Local)
		before := heap()
		for range 4 {
			for i := range n {
				mustAllow(t, l, recipient(keys.at(i), ratelimit.PerMinute(4)))
			}
		}
		if got := float64(heap()-before) / n; got > 48 {
			t.Errorf("%.1f bytes an openid, want at most 48", got)
		}
		time.Sleep(time.Minute)
		// Whatever comes in then makes room, also on one key of another kind.
		for range 300 {
			mustAllow(t, l, app(ratelimit.PerSecond(100)))
			time.Sleep(100 * time.Millisecond)
		}
		if got := int64(heap() - before); got > 1<<16 {
			t.Errorf("%d bytes are left of %d openids that were forgotten", got, n)
		}
		runtime.KeepAlive(l)
	})
	runtime.KeepAlive(keys)
}

// Campaigns that go on and on do not grow what is kept beyond the openids of one period.
func TestOpenidsOfOnePeriodAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ratelimit.Local)
		before := heap()
		for i := range 300_000 {
			mustAllow(t, l, recipient(fmt.Sprint("openid", i), ratelimit.PerMinute(4)))
			if i%500 == 0 {
				time.Sleep(time.Second) // 30,000 in a period
			}
		}
		if got := float64(heap()-before) / 30_000; got > 100 {
			t.Errorf("%.1f bytes for each openid of a period, want at most 100", got)
		}
		runtime.KeepAlive(l)
	})
}

func TestIdleAppsCostNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ratelimit.Local)
		before := heap()
		for i := range 10_000 {
			d := app(ratelimit.PerSecond(20))
			d.Key = fmt.Sprint("wx", i)
			mustAllow(t, l, d)
			r, err := l.Reserve(t.Context(), 0, d)
			if err != nil {
				t.Fatal(err)
			}
			r.Cancel()
		}
		if got := (heap() - before) / 10_000; got > 100 {
			t.Errorf("%d bytes an app", got)
		}
		runtime.KeepAlive(l)
	})
}

func TestAllowDoesNotAllocate(t *testing.T) {
	l := new(ratelimit.Local)
	ctx := context.Background()
	limit := ratelimit.PerHour(math.MaxInt32)
	demands := []ratelimit.Demand{app(limit), endpoint("Send", ratelimit.PerDay(math.MaxInt32)), recipient("openid", ratelimit.PerMinute(4))}
	if got := testing.AllocsPerRun(1000, func() { _, _ = l.Allow(ctx, demands...) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}

// No limit is broken when everybody comes at once, by the real clock.
func TestLocalConcurrently(t *testing.T) {
	l, model := new(ratelimit.Local), timelines{}
	demands := []ratelimit.Demand{
		app(ratelimit.Limit{Rate: 40, Period: 20 * time.Millisecond}),
		endpoint("a", ratelimit.Limit{Rate: 100, Period: 30 * time.Millisecond}),
		endpoint("b", ratelimit.Limit{Rate: 10, Period: 10 * time.Millisecond, Burst: 3}),
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			for n := 0; ctx.Err() == nil; n++ {
				mine := []ratelimit.Demand{with(demands[0], ratelimit.Priority(i%3-1)), demands[1+n%2]}
				switch n % 4 {
				case 0:
					if r, err := l.Reserve(ctx, 5*time.Millisecond, mine...); err == nil {
						r.Cancel()
					}
					continue
				case 1:
					if d, err := l.Allow(ctx, mine...); err != nil || !d.OK {
						continue
					}
				default:
					if err := ratelimit.Wait(ctx, l, 10*time.Millisecond, mine...); err != nil {
						continue
					}
				}
				mu.Lock()
				model.add(time.Now(), mine)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	// The turns were taken a little before they were noted, so that only counts over a long time can be checked.
	for _, d := range demands {
		most := d.Limit.Rate * int(400*time.Millisecond/d.Limit.Period)
		if got := len(model[window(d)]); got == 0 || got > most {
			t.Errorf("%d turns in 0.3s under %v, want 1 to %d", got, d.Limit, most)
		}
	}
}

// However many turns are asked for, the answer is no and not a wrapped sum.
func TestDemandsThatOverflow(t *testing.T) {
	var l ratelimit.Local
	d := ratelimit.Demand{Key: "k", Limit: ratelimit.PerHour(1), N: math.MaxInt}
	var impossible *ratelimit.LimitError
	if _, err := l.Allow(t.Context(), d, d); !errors.As(err, &impossible) {
		t.Errorf("err = %v", err)
	}
}

package rediswechat_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// naive is a limiter as one would write it down: all events, and a look at each of them.
type naive struct{ events map[string][]time.Time }

func (n *naive) window(d ratelimit.Demand) string {
	return fmt.Sprint(d.Key, d.Scope, d.Limit.Period, d.Limit.Calendar)
}

func (n *naive) wait(d ratelimit.Demand, now time.Time) time.Duration {
	events := n.events[n.window(d)]
	china := time.FixedZone("", 8*60*60)
	if d.Limit.Calendar {
		y, m, day := now.In(china).Date()
		midnight := time.Date(y, m, day, 0, 0, 0, 0, china)
		today := 0
		for _, e := range events {
			if !e.Before(midnight) {
				today++
			}
		}
		if today+d.N > d.Limit.Rate {
			return midnight.Add(24 * time.Hour).Sub(now)
		}
		return 0
	}
	var live []time.Time
	for _, e := range events {
		if e.Add(d.Limit.Period).After(now) {
			live = append(live, e)
		}
	}
	if over := len(live) + d.N - d.Limit.Rate; over > 0 {
		return live[over-1].Add(d.Limit.Period).Sub(now)
	}
	return 0
}

func (n *naive) allow(now time.Time, demands []ratelimit.Demand) (wait time.Duration) {
	for _, d := range demands {
		wait = max(wait, n.wait(d, now))
	}
	if wait == 0 {
		for _, d := range demands {
			for range d.N {
				n.events[n.window(d)] = append(n.events[n.window(d)], now)
			}
		}
	}
	return wait
}

func TestLimiterIsExact(t *testing.T) {
	m, rdb := mini(t)
	l := rediswechat.NewLimiter(rdb, patient)
	model := naive{events: map[string][]time.Time{}}
	r := rand.New(rand.NewPCG(1, 2))
	limits := []ratelimit.Limit{
		ratelimit.PerSecond(1), ratelimit.PerSecond(20), ratelimit.PerMinute(4), ratelimit.PerHour(60), ratelimit.PerDay(300),
		{Rate: 7, Period: 1500 * time.Microsecond},
	}
	now := time.Date(2026, 3, 1, 15, 58, 0, 0, time.UTC) // two minutes before midnight in China
	refused := 0
	for step := range 6000 {
		now = now.Add(time.Duration(r.ExpFloat64() * float64([]time.Duration{
			300 * time.Microsecond, 20 * time.Millisecond, 3 * time.Second}[step/100%3])).Truncate(time.Microsecond))
		m.SetTime(now)
		var demands []ratelimit.Demand
		for range 1 + r.IntN(3) {
			limit := limits[r.IntN(len(limits))]
			d := ratelimit.Demand{Key: app(r.IntN(2)), Scope: []ratelimit.Scope{ratelimit.ScopeApp, ratelimit.ScopeRecipient}[r.IntN(2)],
				Limit: limit, N: 1 + r.IntN(min(3, limit.Rate))}
			if !slices.ContainsFunc(demands, func(o ratelimit.Demand) bool { return model.window(o) == model.window(d) }) {
				demands = append(demands, d)
			}
		}
		want := model.allow(now, demands)
		d, err := l.Allow(context.Background(), demands...)
		if err != nil {
			t.Fatal(err)
		}
		if d.OK != (want == 0) || d.RetryAfter != want {
			t.Fatalf("step %d, %v: %v, wait %v; want wait %v", step, demands, d.OK, d.RetryAfter, want)
		}
		if !d.OK {
			refused++
		}
	}
	if refused < 500 || refused > 5500 {
		t.Errorf("%d of 6000 were refused; the test tests little", refused)
	}
}

// Both limiters of the SDK answer alike, so that one can stand in for the other.
func TestLimiterAgreesWithLocal(t *testing.T) {
	m := miniredis.RunT(t)
	synctest.Test(t, func(t *testing.T) {
		rdb := redis.NewClient(&redis.Options{Addr: m.Addr()})
		defer func() { _ = rdb.Close() }()
		l := rediswechat.NewLimiter(rdb, patient)
		var local ratelimit.Local
		r := rand.New(rand.NewPCG(5, 6))
		limits := []ratelimit.Limit{ratelimit.PerSecond(3), ratelimit.PerMinute(30), ratelimit.PerDay(200),
			{Rate: 10, Period: time.Second, Burst: 3}, {Rate: 40, Period: time.Minute, Burst: 1}}
		refused := 0
		for range 3000 {
			time.Sleep(time.Duration(r.ExpFloat64() * float64(200*time.Millisecond)).Truncate(time.Millisecond))
			m.SetTime(time.Now())
			var demands []ratelimit.Demand
			for i, limit := range limits {
				if r.IntN(2) == 0 {
					demands = append(demands, ratelimit.Demand{Key: app(i), Scope: ratelimit.ScopeEndpoint, Limit: limit, N: 1,
						Priority: ratelimit.Priority(r.IntN(3) - 1), Reserve: 0.4})
				}
			}
			before := time.Now()
			got, err := l.Allow(t.Context(), demands...)
			if d := time.Since(before); d > 0 {
				t.Fatal("time passed", d)
			}
			want, err2 := local.Allow(t.Context(), demands...)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if got.OK != want.OK || (got.RetryAfter-want.RetryAfter).Abs() > time.Microsecond ||
				min(got.Remaining, 1<<20) != min(want.Remaining, 1<<20) || got.Denied != want.Denied {
				t.Fatalf("%v:\n%+v; Local says\n%+v", demands, got, want)
			}
			if !got.OK {
				refused++
			}
		}
		if refused < 300 || refused > 2700 {
			t.Errorf("%d of 3000 were refused; the test tests little", refused)
		}
	})
}

// A window of many events is never too generous, and too strict by at most a 126th of its period, whatever becomes of its limit.
func TestLargeWindows(t *testing.T) {
	for scope, key := range map[ratelimit.Scope]string{ratelimit.ScopeApp: app(1), ratelimit.ScopeRecipient: app(1) + ":SendX:o1"} {
		t.Run(string(scope), func(t *testing.T) {
			m, rdb := mini(t)
			l := rediswechat.NewLimiter(rdb, patient)
			r := rand.New(rand.NewPCG(3, 4))
			limit := ratelimit.Limit{Rate: 500, Period: time.Minute}
			var events []time.Time
			now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			refused := 0
			for step := range 4000 {
				now = now.Add(time.Duration(r.ExpFloat64() * float64(100*time.Millisecond)).Truncate(time.Microsecond))
				if step%1000 == 999 {
					now = now.Add(2 * time.Minute)
					limit.Rate = []int{40, 500, 80, 500}[step/1000]
				}
				m.SetTime(now)
				n := 1 + r.IntN(3)
				since := func(period time.Duration) (n int) {
					for _, e := range slices.Backward(events) {
						if !e.Add(period).After(now) {
							break
						}
						n++
					}
					return n
				}
				d, err := l.Allow(context.Background(), ratelimit.Demand{Key: key, Scope: scope, Limit: limit, N: n})
				switch exact, strict := since(limit.Period), since(limit.Period+limit.Period/126); {
				case err != nil:
					t.Fatal(err)
				case d.OK && exact+n > limit.Rate:
					t.Fatalf("step %d: %d of %d in a window", step, exact+n, limit.Rate)
				case !d.OK && strict+n <= limit.Rate:
					t.Fatalf("step %d: refused with %d in the window and a 126th", step, strict)
				}
				if d.OK {
					for range n {
						events = append(events, now)
					}
				} else {
					refused++
				}
			}
			if refused < 500 || refused > 3500 {
				t.Errorf("%d of 4000 were refused; the test tests little", refused)
			}
			for _, k := range m.Keys() {
				if m.Type(k) != "hash" {
					t.Errorf("%s has no cells", k)
				} else if size := len(m.HGet(k, "old")); size > 4+128*8 {
					t.Errorf("a window takes %d bytes", size)
				}
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestLimitsThatChange(t *testing.T) {
	m, rdb := mini(t)
	l := rediswechat.NewLimiter(rdb, patient)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	m.SetTime(now)
	ask := func(rate, n int) bool {
		d, err := l.Allow(context.Background(), ratelimit.Demand{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(rate), N: n})
		if err != nil {
			t.Fatal(err)
		}
		return d.OK
	}
	for _, tt := range []struct {
		rate, n int
		ok      bool
	}{{50, 40, true}, {50, 11, false}, {100, 40, true}, {100, 21, false}, {100, 20, true}, {50, 1, false}, {101, 1, true}} {
		if ok := ask(tt.rate, tt.n); ok != tt.ok {
			t.Fatalf("%d under %d a minute: %v; what happened must count under the new limit", tt.n, tt.rate, ok)
		}
	}
	m.SetTime(now.Add(time.Minute + time.Minute/126))
	if !ask(50, 50) {
		t.Error("after a minute and a 126th there are not 50 again")
	}
}

func TestBurst(t *testing.T) {
	m, rdb := mini(t)
	l := rediswechat.NewLimiter(rdb, patient)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	limit := ratelimit.Limit{Rate: 60, Period: time.Minute, Burst: 5}
	demand := ratelimit.Demand{Key: app(1), Scope: ratelimit.ScopeEndpoint, Limit: limit}
	granted := func(at time.Duration) (n int, wait time.Duration) {
		m.SetTime(now.Add(at))
		for {
			d, err := l.Allow(context.Background(), demand)
			if err != nil {
				t.Fatal(err)
			}
			if !d.OK {
				return n, d.RetryAfter
			}
			n++
		}
	}
	for _, tt := range []struct {
		at   time.Duration
		n    int
		wait time.Duration
	}{{0, 5, time.Second}, {500 * time.Millisecond, 0, 500 * time.Millisecond}, {time.Second, 1, time.Second}, {10 * time.Second, 5, time.Second}} {
		if n, wait := granted(tt.at); n != tt.n || wait != tt.wait {
			t.Errorf("after %v: %d, then wait %v; want %d and %v", tt.at, n, wait, tt.n, tt.wait)
		}
	}
}

func TestReserveIsKeptFromBackground(t *testing.T) {
	_, rdb := mini(t)
	l := rediswechat.NewLimiter(rdb, patient)
	granted := func(p ratelimit.Priority) (n int) {
		for {
			d, err := l.Allow(context.Background(), ratelimit.Demand{Key: app(1), Scope: ratelimit.ScopeApp,
				Limit: ratelimit.PerMinute(100), Priority: p, Reserve: 0.3})
			if err != nil {
				t.Fatal(err)
			}
			if !d.OK {
				return n
			}
			n++
		}
	}
	if n := granted(ratelimit.Background); n != 70 {
		t.Errorf("Background got %d of 100; want 70", n)
	}
	if n := granted(ratelimit.Normal); n != 30 {
		t.Errorf("Normal got %d more; want 30", n)
	}
}

func TestAllOrNone(t *testing.T) {
	_, rdb := mini(t)
	l := rediswechat.NewLimiter(rdb, patient)
	ctx := context.Background()
	wide := ratelimit.Demand{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(10)}
	narrow := ratelimit.Demand{Key: app(1) + ":SendX:o1", Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(1)}
	for i := range 5 {
		d, err := l.Allow(ctx, wide, narrow)
		if err != nil || d.OK != (i == 0) {
			t.Fatal(i, d, err)
		}
		if !d.OK && d.Denied.Key != narrow.Key {
			t.Errorf("denied is %v", d.Denied)
		}
	}
	if d, _ := l.Allow(ctx, wide); d.Remaining != 8 {
		t.Errorf("%d left; what was refused has taken turns", d.Remaining)
	}
	var bad *ratelimit.LimitError
	if _, err := l.Allow(ctx, ratelimit.Demand{Key: "x", Limit: ratelimit.PerMinute(3), N: 4}); !errors.As(err, &bad) {
		t.Errorf("4 at once of 3: %v", err)
	}
}

// Whatever kinds of windows take part, a refused call leaves all as they were.
func TestWhatIsRefusedIsGivenBack(t *testing.T) {
	ctx := context.Background()
	limits := []ratelimit.Limit{ratelimit.PerMinute(12), ratelimit.PerMinute(90), ratelimit.PerDay(12), {Rate: 400, Period: time.Hour, Burst: 9}}
	for name, rdb := range map[string]redis.UniversalClient{"miniredis": second(mini(t)), "redis": startRedis(t).client()} {
		t.Run(name, func(t *testing.T) {
			l := rediswechat.NewLimiter(rdb, patient)
			left := func(d ratelimit.Demand) int {
				got, err := l.Allow(ctx, d)
				if err != nil || !got.OK {
					t.Fatal(got, err)
				}
				return got.Remaining
			}
			for i, scope := range []ratelimit.Scope{ratelimit.ScopeApp, ratelimit.ScopeRecipient} {
				for k, limit := range limits {
					// Keys before and behind that of the full window, used and not.
					full := ratelimit.Demand{Key: app(1) + fmt.Sprint(":M", i, k), Scope: ratelimit.ScopeEndpoint, Limit: limits[(k+1)%3]}
					if n := left(full); n > 0 {
						full.N = n
						left(full)
					}
					full.N = 1
					for _, key := range []string{"A", "Z"} {
						for _, n := range []int{1, 3} {
							d := ratelimit.Demand{Key: app(1) + fmt.Sprint(":", key, k, n), Scope: scope, Limit: limit, N: n}
							lower := d
							lower.Limit.Rate-- // the same window under another limit, too
							want := limit.Rate
							if limit.Burst > 0 {
								want = limit.Burst
							}
							for want -= n; want >= n; want -= n {
								for _, demands := range [][]ratelimit.Demand{{d, full}, {d, lower, full}} {
									got, err := l.Allow(ctx, demands...)
									if err != nil || got.OK || got.Denied.Key != full.Key {
										t.Fatalf("%v: %+v, %v", demands, got, err)
									}
								}
								if got := left(d); got != want {
									t.Fatalf("%v: %d left, want %d", d, got, want)
								}
							}
						}
					}
				}
			}
		})
	}
}

func second[A, B any](_ A, b B) B { return b }

// After a failover the clock may be behind that of the node that wrote. Windows are not too generous then.
func TestClockGoesBack(t *testing.T) {
	m, rdb := mini(t)
	l := rediswechat.NewLimiter(rdb, patient)
	now := time.Date(2026, 3, 1, 16, 0, 20, 0, time.UTC) // 20 s after midnight in China
	for _, d := range []ratelimit.Demand{
		{Key: app(1) + ":SendX:o1", Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(6)},
		{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(90)},
		{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.PerDay(90)},
	} {
		third := d.Limit.Rate / 3
		ask := func(at time.Duration, n int) bool {
			m.SetTime(now.Add(at))
			d.N = n
			got, err := l.Allow(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			return got.OK
		}
		if !ask(0, third) || !ask(-30*time.Second, third) || !ask(-30*time.Second, third) {
			t.Errorf("%v: there are not three thirds", d.Limit)
		}
		if ask(-30*time.Second, 1) || ask(0, 1) {
			t.Errorf("%v: too generous after the clock went back", d.Limit)
		}
	}
}

func TestAllKeysEnd(t *testing.T) {
	m, rdb := mini(t)
	l := rediswechat.NewLimiter(rdb, patient)
	longest := map[ratelimit.Limit]time.Duration{
		ratelimit.PerSecond(20): time.Second, ratelimit.PerMinute(5000): time.Minute, ratelimit.PerDay(10): 24 * time.Hour,
		{Rate: 60, Period: time.Hour, Burst: 2}: time.Hour,
	}
	for limit, end := range longest {
		m.FlushAll()
		for _, scope := range []ratelimit.Scope{ratelimit.ScopeApp, ratelimit.ScopeRecipient} {
			if _, err := l.Allow(context.Background(), ratelimit.Demand{Key: app(1) + ":SendX:o1", Scope: scope, Limit: limit}); err != nil {
				t.Fatal(err)
			}
		}
		for _, k := range m.Keys() {
			if ttl := m.TTL(k); ttl <= 0 || ttl > end+end/126+time.Millisecond {
				t.Errorf("%v: %s ends in %v", limit, k, ttl)
			}
		}
	}
}

func TestLimiterOfManyCallers(t *testing.T) {
	for name, rdb := range map[string]redis.UniversalClient{"single": startRedis(t).client(), "cluster": startCluster(t)} {
		t.Run(name, func(t *testing.T) {
			// A minute, so that no window slides while the test runs.
			demands := []ratelimit.Demand{
				{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.PerMinute(300)},
				{Key: app(1) + ":SendX", Scope: ratelimit.ScopeEndpoint, Limit: ratelimit.PerMinute(50)},
				{Key: app(1) + ":SendX", Scope: ratelimit.ScopeEndpoint, Limit: ratelimit.Limit{Rate: 200, Period: time.Hour}},
			}
			var ok atomic.Int32
			var wg sync.WaitGroup
			for range 8 { // as many processes
				l := rediswechat.NewLimiter(rdb, patient)
				for range 8 {
					wg.Go(func() {
						for range 3 {
							d, err := l.Allow(context.Background(), demands...)
							if err != nil {
								t.Error(err)
							}
							if d.OK {
								ok.Add(1)
							}
						}
					})
				}
			}
			wg.Wait()
			if ok.Load() != 50 {
				t.Errorf("%d calls went through a window of 50", ok.Load())
			}
		})
	}
}

// Two limiters on one Redis wait for 20 a second. No sliding second has more, and none is left unused.
func TestWaitForASharedWindow(t *testing.T) {
	rdb := startRedis(t).client()
	ctx := context.Background()
	demand := ratelimit.Demand{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.PerSecond(20), Priority: ratelimit.Background}
	var mu sync.Mutex
	var at []time.Time
	var wg sync.WaitGroup
	began := time.Now()
	for range 2 {
		l := rediswechat.NewLimiter(rdb, patient)
		for range 40 {
			wg.Go(func() {
				if err := ratelimit.Wait(ctx, l, 0, demand); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				at = append(at, time.Now())
			})
		}
	}
	wg.Wait()
	if took := time.Since(began); took < 3*time.Second || took > 3*time.Second+750*time.Millisecond {
		t.Errorf("80 calls at 20 a second took %v; want 3 s and little more", took)
	}
	slices.SortFunc(at, time.Time.Compare)
	const late = 100 * time.Millisecond // from the grant until it is seen here
	for i := 20; i < len(at); i++ {
		if d := at[i].Sub(at[i-20]); d < time.Second-late {
			t.Errorf("21 calls in %v", d)
		}
	}
}

func TestWhoWaitsIsServedByPriority(t *testing.T) {
	_, rdb := mini(t)
	l := rediswechat.NewLimiter(rdb, patient)
	ctx := context.Background()
	demand := ratelimit.Demand{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.Limit{Rate: 1, Period: 100 * time.Millisecond}}
	if d, _ := l.Allow(ctx, demand); !d.OK {
		t.Fatal("the first is refused")
	}
	var mu sync.Mutex
	var order []ratelimit.Priority
	var wg sync.WaitGroup
	for _, p := range []ratelimit.Priority{ratelimit.Background, ratelimit.Background, ratelimit.Normal, ratelimit.Urgent} {
		wg.Go(func() {
			d := demand
			d.Priority = p
			if err := ratelimit.Wait(ctx, l, 10*time.Second, d); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			order = append(order, p)
		})
		time.Sleep(10 * time.Millisecond) // they come in this order
	}
	wg.Wait()
	want := []ratelimit.Priority{ratelimit.Urgent, ratelimit.Normal, ratelimit.Background, ratelimit.Background}
	if !slices.Equal(order, want) {
		t.Errorf("served: %v; want %v", order, want)
	}
}

func TestWhoCannotBeServedInTimeFailsAtOnce(t *testing.T) {
	_, rdb := mini(t)
	l := rediswechat.NewLimiter(rdb, patient)
	ctx, cancel := context.WithCancel(context.Background())
	demand := ratelimit.Demand{Key: app(1), Scope: ratelimit.ScopeApp, Limit: ratelimit.Limit{Rate: 2, Period: 2 * time.Second}}
	for range 2 {
		_, _ = l.Allow(ctx, demand)
	}
	var wg sync.WaitGroup
	for range 4 { // they take the turns of the next two periods
		wg.Go(func() {
			if err := ratelimit.Wait(ctx, l, time.Minute, demand); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	began := time.Now()
	var exceeded *ratelimit.ExceededError
	if err := ratelimit.Wait(ctx, l, 3*time.Second, demand); !errors.As(err, &exceeded) || exceeded.Decision.RetryAfter < 3*time.Second {
		t.Errorf("a turn that is more than 5 s away: %v", err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it failed after %v", took)
	}
	cancel()
	wg.Wait()
}

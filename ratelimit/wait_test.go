package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

func app(limit ratelimit.Limit) ratelimit.Demand {
	return ratelimit.Demand{Key: "wx1", Scope: ratelimit.ScopeApp, Limit: limit, N: 1}
}

func endpoint(name string, limit ratelimit.Limit) ratelimit.Demand {
	return ratelimit.Demand{Key: "wx1:" + name, Scope: ratelimit.ScopeEndpoint, Limit: limit, N: 1}
}

func with(d ratelimit.Demand, p ratelimit.Priority) ratelimit.Demand {
	d.Priority = p
	return d
}

// mustAllow takes turns that are there.
func mustAllow(t *testing.T, l ratelimit.Limiter, demands ...ratelimit.Demand) ratelimit.Decision {
	t.Helper()
	d, err := l.Allow(context.Background(), demands...)
	if err != nil || !d.OK {
		t.Fatalf("Allow = %+v, %v, want OK", d, err)
	}
	return d
}

// mustRefuse asks for turns that are not there.
func mustRefuse(t *testing.T, l ratelimit.Limiter, demands ...ratelimit.Demand) ratelimit.Decision {
	t.Helper()
	d, err := l.Allow(context.Background(), demands...)
	if err != nil || d.OK {
		t.Fatalf("Allow = %+v, %v, want a refusal", d, err)
	}
	return d
}

// roll notes who got a turn, and when.
type roll struct {
	mu    sync.Mutex
	began time.Time
	names []string
	times []time.Duration
}

func newRoll() *roll { return &roll{began: time.Now()} }

func (r *roll) note(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = append(r.names, name)
	r.times = append(r.times, time.Since(r.began))
}

// queueUp starts somebody who waits, and returns when it does.
func (r *roll) queueUp(t *testing.T, l ratelimit.Limiter, name string, demands ...ratelimit.Demand) {
	go func() {
		if err := ratelimit.Wait(context.Background(), l, time.Hour, demands...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r.note(name)
	}()
	synctest.Wait()
}

func (r *roll) order() string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.names, " ")
}

func TestWaitUsesEachTurn(t *testing.T) {
	for _, limit := range []ratelimit.Limit{ratelimit.PerSecond(20), {Rate: 20, Period: time.Second, Burst: 5}} {
		synctest.Test(t, func(t *testing.T) {
			l, r := new(ratelimit.Local), newRoll()
			var wg sync.WaitGroup
			for range 200 {
				wg.Go(func() {
					if err := ratelimit.Wait(t.Context(), l, 0, app(limit)); err != nil {
						t.Error(err)
					}
					r.note("")
				})
			}
			wg.Wait()
			if d := time.Since(r.began); d < 9*time.Second || d > 10*time.Second {
				t.Errorf("%v: 200 turns took %v, want 9s to 10s", limit, d)
			}
			for i, at := range r.times[20:] {
				if at-r.times[i] < time.Second {
					t.Fatalf("%v: 21 turns within %v", limit, at-r.times[i])
				}
			}
		})
	}
}

func TestWaitServesByPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := new(ratelimit.Local), newRoll()
		d := app(ratelimit.PerSecond(1))
		mustAllow(t, l, d)
		for _, who := range []struct {
			name     string
			priority ratelimit.Priority
		}{
			{"b1", ratelimit.Background}, {"n1", ratelimit.Normal}, {"b2", ratelimit.Background},
			{"u1", ratelimit.Urgent}, {"n2", ratelimit.Normal}, {"u2", ratelimit.Urgent},
		} {
			r.queueUp(t, l, who.name, with(d, who.priority))
		}
		time.Sleep(6 * time.Second)
		if got, want := r.order(), "u1 u2 n1 n2 b1 b2"; got != want {
			t.Errorf("served %s, want %s", got, want)
		}
	})
}

func TestAllowDoesNotPassTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := new(ratelimit.Local), newRoll()
		d := app(ratelimit.PerSecond(1))
		five := app(ratelimit.PerMinute(5))
		mustAllow(t, l, five)
		five.N = 5
		r.queueUp(t, l, "five", five)
		if d := mustRefuse(t, l, app(ratelimit.PerMinute(5))); d.RetryAfter < time.Minute {
			t.Errorf("a newcomer behind five turns is told to come back in %v, want at least 1m", d.RetryAfter)
		}
		mustAllow(t, l, with(app(ratelimit.PerMinute(5)), ratelimit.Urgent))
		mustAllow(t, l, d)
		time.Sleep(time.Minute)
		if got := r.order(); got != "five" {
			t.Errorf("served %q, want five", got)
		}
	})
}

// At least one turn in eight goes to a lower priority, to whoever has waited longest.
func TestNobodyStarves(t *testing.T) {
	tests := map[string]func(ctx context.Context, wg *sync.WaitGroup, l *ratelimit.Local, d ratelimit.Demand){
		"behind others that wait": func(ctx context.Context, wg *sync.WaitGroup, l *ratelimit.Local, d ratelimit.Demand) {
			for range 5 {
				wg.Go(func() {
					for ratelimit.Wait(ctx, l, time.Hour, d) == nil {
					}
				})
			}
		},
		"behind others that only ask": func(ctx context.Context, wg *sync.WaitGroup, l *ratelimit.Local, d ratelimit.Demand) {
			wg.Go(func() {
				for ctx.Err() == nil {
					_, _ = l.Allow(ctx, d)
					time.Sleep(time.Second)
				}
			})
		},
	}
	for name, crowd := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var wg sync.WaitGroup
				defer wg.Wait()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				l := new(ratelimit.Local)
				d := app(ratelimit.PerSecond(1))
				crowd(ctx, &wg, l, with(d, ratelimit.Urgent))
				synctest.Wait()
				r := newRoll()
				names := []string{"b1", "n1", "n2", "b2"}
				r.queueUp(t, l, "b1", with(d, ratelimit.Background))
				r.queueUp(t, l, "n1", with(d, ratelimit.Normal))
				r.queueUp(t, l, "n2", with(d, ratelimit.Normal))
				r.queueUp(t, l, "b2", with(d, ratelimit.Background))
				time.Sleep(40 * time.Second)
				served := strings.Fields(r.order())
				for i, name := range names {
					j := slices.Index(served, name)
					if most := time.Duration(i+1) * 8 * time.Second; j < 0 || r.times[j] > most {
						t.Errorf("%s was not served within %v: %v at %v", name, most, served, r.times)
					}
				}
			})
		})
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := new(ratelimit.Local), newRoll()
		d := app(ratelimit.PerMinute(1))
		mustAllow(t, l, d)
		ctx, cancel := context.WithCancel(t.Context())
		var err error
		go func() {
			err = ratelimit.Wait(ctx, l, time.Hour, d)
			r.note("cancelled")
		}()
		synctest.Wait()
		r.queueUp(t, l, "next", d)
		time.Sleep(10 * time.Second)
		cancel()
		synctest.Wait()
		if !errors.Is(err, context.Canceled) || errors.Is(err, ratelimit.ErrExceeded) {
			t.Errorf("Wait = %v, want an error around context.Canceled", err)
		}
		if want := "1/min"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say that it waited for %s", err, want)
		}
		time.Sleep(50 * time.Second)
		if got := r.order(); got != "cancelled next" || r.times[0] != 10*time.Second || r.times[1] != time.Minute {
			t.Errorf("served %s at %v, want cancelled after 10s, next after 1m", got, r.times)
		}
	})
}

// limiters are a Local, and limiters that Wait can only reserve from or poll.
var limiters = map[string]func() ratelimit.Limiter{
	"local":    func() ratelimit.Limiter { return new(ratelimit.Local) },
	"reserver": func() ratelimit.Limiter { return reserver{new(ratelimit.Local)} },
	"poll":     func() ratelimit.Limiter { return poll{new(ratelimit.Local)} },
}

type poll struct{ l *ratelimit.Local }

func (p poll) Allow(ctx context.Context, demands ...ratelimit.Demand) (ratelimit.Decision, error) {
	return p.l.Allow(ctx, demands...)
}

type reserver struct{ l *ratelimit.Local }

func (r reserver) Allow(ctx context.Context, demands ...ratelimit.Demand) (ratelimit.Decision, error) {
	return r.l.Allow(ctx, demands...)
}

func (r reserver) Reserve(ctx context.Context, maxWait time.Duration, demands ...ratelimit.Demand) (ratelimit.Reservation, error) {
	return r.l.Reserve(ctx, maxWait, demands...)
}

func TestWaitLooksBeforeItWaits(t *testing.T) {
	const far = time.Hour
	tests := []struct {
		name     string
		period   time.Duration
		maxWait  time.Duration
		deadline time.Duration // 0: none
		priority ratelimit.Priority
		waits    bool
		late     bool // the deadline comes too early
	}{
		{"within maxWait", 5 * time.Second, 5 * time.Second, 0, ratelimit.Normal, true, false},
		{"beyond maxWait", 5 * time.Second, 5*time.Second - 1, 0, ratelimit.Normal, false, false},
		{"never", time.Second, -1, far, ratelimit.Background, false, false},
		{"before the deadline", 5 * time.Second, far, 6 * time.Second, ratelimit.Normal, true, false},
		{"after the deadline", 5 * time.Second, far, 4 * time.Second, ratelimit.Normal, false, true},
		{"beyond both, maxWait less", 5 * time.Second, time.Second, 2 * time.Second, ratelimit.Normal, false, false},
		{"urgent within 1s", time.Second, 0, far, ratelimit.Urgent, true, false},
		{"urgent beyond 1s", time.Second + 1, 0, far, ratelimit.Urgent, false, false},
		{"normal within 10s", 10 * time.Second, 0, far, ratelimit.Normal, true, false},
		{"normal beyond 10s", 10*time.Second + 1, 0, far, ratelimit.Normal, false, false},
		{"background however long", 100 * time.Hour, 0, 0, ratelimit.Background, true, false},
		{"background after the deadline", 2 * far, 0, far, ratelimit.Background, false, true},
	}
	for kind, newLimiter := range limiters {
		for _, tt := range tests {
			t.Run(kind+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := newLimiter()
					d := with(app(ratelimit.Limit{Rate: 1, Period: tt.period}), tt.priority)
					mustAllow(t, l, d)
					ctx := t.Context()
					if tt.deadline > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, tt.deadline)
						defer cancel()
					}
					began := time.Now()
					err := ratelimit.Wait(ctx, l, tt.maxWait, d)
					took := time.Since(began)
					if tt.waits {
						if err != nil || took < tt.period || took > tt.period+time.Millisecond {
							t.Fatalf("Wait = %v after %v, want a turn after %v", err, took, tt.period)
						}
						return
					}
					var e *ratelimit.ExceededError
					if !errors.As(err, &e) || !errors.Is(err, ratelimit.ErrExceeded) || took != 0 {
						t.Fatalf("Wait = %v after %v, want an ExceededError at once", err, took)
					}
					if after := e.Decision.RetryAfter; after < tt.period || after > tt.period+time.Millisecond || e.Decision.OK {
						t.Errorf("Decision = %+v, want RetryAfter %v", e.Decision, tt.period)
					}
					if e.Decision.Denied != d {
						t.Errorf("Denied = %+v, want %+v", e.Decision.Denied, d)
					}
					if got := errors.Is(err, context.DeadlineExceeded); got != tt.late {
						t.Errorf("errors.Is(err, DeadlineExceeded) = %v, want %v", got, tt.late)
					}
				})
			})
		}
	}
}

func TestWaitPassesErrors(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for kind, newLimiter := range limiters {
		l := newLimiter()
		d := app(ratelimit.PerMinute(1))
		if err := ratelimit.Wait(ended, l, 0, d); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Wait with an ended context = %v", kind, err)
		}
		mustAllow(t, l, d)
		d.N = 2
		var e *ratelimit.LimitError
		if err := ratelimit.Wait(context.Background(), l, 0, d); !errors.As(err, &e) {
			t.Errorf("%s: Wait for 2 turns of 1 = %v, want a LimitError", kind, err)
		}
	}
}

func TestWaitingElsewhereEndsWithContext(t *testing.T) {
	for kind, newLimiter := range limiters {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLimiter()
				d := app(ratelimit.PerMinute(1))
				mustAllow(t, l, d)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(10*time.Second, cancel)
				began := time.Now()
				err := ratelimit.Wait(ctx, l, time.Hour, d)
				if !errors.Is(err, context.Canceled) || time.Since(began) != 10*time.Second {
					t.Errorf("Wait = %v after %v, want context.Canceled after 10s", err, time.Since(began))
				}
				time.Sleep(50 * time.Second)
				mustAllow(t, l, d)
			})
		})
	}
}

func TestWaitCountsThoseAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := new(ratelimit.Local), newRoll()
		d := app(ratelimit.PerSecond(2))
		d.N = 2
		mustAllow(t, l, d)
		d.N = 1
		for i := range 20 { // the last two are served after 10 s
			r.queueUp(t, l, fmt.Sprint(i), d)
		}
		err := ratelimit.Wait(t.Context(), l, 0, d)
		var e *ratelimit.ExceededError
		if !errors.As(err, &e) || e.Decision.RetryAfter != 11*time.Second {
			t.Errorf("Wait behind 20 others = %v, want an ExceededError with 11s", err)
		}
		err = ratelimit.Wait(t.Context(), l, 0, with(d, ratelimit.Urgent))
		if at := time.Since(r.began); err != nil || at != time.Second {
			t.Errorf("an urgent one got %v after %v, want a turn after 1s", err, at)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
	})
}

// Turns that lie beyond all time can be asked for.
func TestWaitOfAges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ratelimit.Local)
		d := with(app(ratelimit.Limit{Rate: 1, Period: 366 * 24 * time.Hour}), ratelimit.Background)
		mustAllow(t, l, d)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 300 {
			wg.Go(func() {
				if err := ratelimit.Wait(ctx, l, 0, d); !errors.Is(err, context.Canceled) {
					t.Errorf("Wait = %v, want context.Canceled", err)
				}
			})
		}
		synctest.Wait()
		d.Priority = ratelimit.Normal
		if got := mustRefuse(t, l, d).RetryAfter; got != d.Limit.Period {
			t.Errorf("RetryAfter = %v, want %v", got, d.Limit.Period)
		}
		d.Priority = ratelimit.Background
		if got := mustRefuse(t, l, d).RetryAfter; got < 70*d.Limit.Period {
			t.Errorf("RetryAfter behind 300 others = %v, want at least 70 years", got)
		}
		cancel()
		wg.Wait()
	})
}

// Those who were there in time but have been passed too often give up when their time is over.
func TestWaitGivesUpAfterMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := new(ratelimit.Local), newRoll()
		d := app(ratelimit.PerSecond(1))
		mustAllow(t, l, d)
		var err error
		go func() {
			err = ratelimit.Wait(t.Context(), l, 3*time.Second, d)
			r.note("normal")
		}()
		synctest.Wait()
		for range 6 {
			r.queueUp(t, l, "urgent", with(d, ratelimit.Urgent))
		}
		time.Sleep(7 * time.Second)
		synctest.Wait()
		i := slices.Index(r.names, "normal")
		if !errors.Is(err, ratelimit.ErrExceeded) || i < 0 || r.times[i] > 3*time.Second {
			t.Errorf("Wait = %v at %v, want ErrExceeded within 3s", err, r.times)
		}
	})
}

func TestWaitHoldsNothingWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := new(ratelimit.Local), newRoll()
		all, slow, fast := app(ratelimit.PerSecond(1)), endpoint("slow", ratelimit.PerMinute(1)), endpoint("fast", ratelimit.PerSecond(10))
		mustAllow(t, l, slow)
		r.queueUp(t, l, "slow", all, slow)
		time.Sleep(500 * time.Millisecond)
		for range 59 {
			mustAllow(t, l, all, fast)
			time.Sleep(time.Second)
		}
		mustAllow(t, l, all, fast)
		r.queueUp(t, l, "fast", all, fast)
		// After a minute slow has to wait for the app as well, and goes before fast: it came first.
		time.Sleep(2 * time.Second)
		if got := r.order(); got != "slow fast" || r.times[0] != 60500*time.Millisecond || r.times[1] != 61500*time.Millisecond {
			t.Errorf("served %s at %v, want slow fast after 60.5s and 61.5s", got, r.times)
		}
	})
}

// Random callers with random demands, priorities and patience: no limit is broken, and nobody waits for ever.
func TestWaitAtRandom(t *testing.T) {
	demands := []ratelimit.Demand{
		app(ratelimit.PerSecond(5)),
		endpoint("a", ratelimit.PerSecond(2)),
		endpoint("b", ratelimit.Limit{Rate: 10, Period: 3 * time.Second, Burst: 3}),
		endpoint("c", ratelimit.Limit{Rate: 70, Period: 20 * time.Second}),
		app(ratelimit.PerDay(100)),
	}
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			l, model := new(ratelimit.Local), timelines{}
			var mu sync.Mutex
			var wg sync.WaitGroup
			for range 150 {
				var mine []ratelimit.Demand
				p := ratelimit.Priority(r.IntN(3) - 1)
				for _, i := range r.Perm(len(demands))[:1+r.IntN(3)] {
					d := with(demands[i], p)
					d.N = 1 + r.IntN(2)
					mine = append(mine, d)
				}
				start, patience := time.Duration(r.IntN(20_000))*time.Millisecond, time.Duration(r.IntN(60))*time.Second
				how := r.IntN(8)
				wg.Go(func() {
					time.Sleep(start)
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					switch how {
					case 0:
						if v, err := l.Reserve(ctx, patience, mine...); err == nil {
							at := time.Now().Add(v.Delay())
							if v.Delay() > 0 && patience%2 == 0 {
								v.Cancel()
								return
							}
							mu.Lock()
							model.add(at, mine)
							mu.Unlock()
						}
					case 1:
						time.AfterFunc(patience/2, cancel)
						fallthrough
					default:
						maxWait := 2 * patience
						if err := ratelimit.Wait(ctx, l, maxWait, mine...); err == nil {
							mu.Lock()
							model.add(time.Now(), mine)
							mu.Unlock()
						} else if !errors.Is(err, ratelimit.ErrExceeded) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			for _, d := range demands {
				if !keeps(d.Limit, model[window(d)], false) {
					t.Errorf("seed %d breaks %v: %v", seed, d.Limit, model[window(d)])
				}
			}
		})
	}
}

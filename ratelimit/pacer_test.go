package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var (
	_ Barrier = (*Local)(nil)
	_ Pacer   = (*Local)(nil)
)

// admit takes a turn of key "a" that must be granted at once.
func admit(t *testing.T, l *Local) func(Outcome) {
	t.Helper()
	begin := time.Now()
	done := await(t, l)
	if d := time.Since(begin); d > 0 {
		t.Fatalf("Admit took %v, want no wait", d)
	}
	return done
}

// await takes a turn of key "a".
func await(t *testing.T, l *Local) func(Outcome) {
	t.Helper()
	done, err := l.Admit(t.Context(), "a", Normal)
	if err != nil {
		t.Fatalf("Admit: %v", err)
	}
	return done
}

// closedFor returns how long key "a" stays closed.
func closedFor(t *testing.T, l *Local) time.Duration {
	t.Helper()
	until, err := l.Until(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if until.IsZero() {
		return 0
	}
	return time.Until(until)
}

// closed returns a Local whose key "a" has been refused.
func closed(t *testing.T, o Outcome) *Local {
	t.Helper()
	l := new(Local)
	o.Refused = true
	admit(t, l)(o)
	return l
}

// paced returns a Local that has learned a quota for key "a", and is open.
func paced(t *testing.T, quota int, window time.Duration) *Local {
	t.Helper()
	l := new(Local)
	for range quota {
		admit(t, l)(Outcome{})
	}
	admit(t, l)(Outcome{Refused: true, RetryAfter: window})
	time.Sleep(window)
	admit(t, l)(Outcome{})
	return l
}

func TestAdmitRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Outcome
		want time.Duration
	}{
		{"nothing told", Outcome{}, time.Second},
		{"Retry-After", Outcome{RetryAfter: 7 * time.Second}, 7 * time.Second},
		{"a second named", Outcome{Window: time.Second}, time.Second},
		{"a minute named", Outcome{Window: time.Minute}, time.Minute},
		{"Retry-After in a named minute", Outcome{RetryAfter: 7 * time.Second, Window: time.Minute}, 7 * time.Second},
		{"a day named", Outcome{Window: 24 * time.Hour}, time.Hour},
		{"a negative Retry-After", Outcome{RetryAfter: -time.Second}, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := closed(t, tt.o)
				if got := closedFor(t, l); got != tt.want {
					t.Errorf("closed for %v, want %v", got, tt.want)
				}
				time.Sleep(tt.want)
				admit(t, l)(Outcome{})
			})
		})
	}
}

// A trial that is refused waits a window and a tenth, then twice that, up to an hour. A success ends it.
func TestAdmitRefusedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := closed(t, Outcome{Window: time.Minute})
		time.Sleep(closedFor(t, l))
		for _, want := range []time.Duration{66, 132, 264, 528, 1056, 2112, 3600, 3600} {
			admit(t, l)(Outcome{Refused: true, Window: time.Minute})
			if got := closedFor(t, l); got != want*time.Second {
				t.Errorf("closed for %v, want %v", got, want*time.Second)
			}
			time.Sleep(want * time.Second)
		}
		admit(t, l)(Outcome{})
		time.Sleep(time.Second)
		admit(t, l)(Outcome{Refused: true, Window: time.Minute})
		if got := closedFor(t, l); got != time.Minute {
			t.Errorf("closed for %v, want a minute after a success", got)
		}
	})
}

// Calls that were in flight together are refused together: that is one refusal, and the latest time counts.
func TestAdmitRefusedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		a, b, c := l.grow(t, 3)[0], admit(t, l), admit(t, l)
		a(Outcome{Refused: true, RetryAfter: 3 * time.Second})
		time.Sleep(100 * time.Millisecond)
		b(Outcome{Refused: true, RetryAfter: 3 * time.Second})
		c(Outcome{Refused: true, RetryAfter: time.Second})
		if got := closedFor(t, l); got != 3*time.Second {
			t.Errorf("closed for %v, want 3s", got)
		}

		l = new(Local)
		a, b = admit(t, l), admit(t, l)
		a(Outcome{Refused: true})
		time.Sleep(100 * time.Millisecond)
		b(Outcome{Refused: true})
		if got := closedFor(t, l); got != 900*time.Millisecond {
			t.Errorf("closed for %v, want what is left of 1s", got)
		}
	})
}

// A server that tells nothing is waited for half as long as it took the last time.
func TestAdmitRefusedUntold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := closed(t, Outcome{})
		for _, want := range []time.Duration{1000, 1100, 2200, 4400} {
			if got := closedFor(t, l); got != want*time.Millisecond {
				t.Errorf("closed for %v, want %v", got, want*time.Millisecond)
			}
			time.Sleep(closedFor(t, l))
			if want < 4400 {
				admit(t, l)(Outcome{Refused: true})
			}
		}
		for _, want := range []time.Duration{2200, 1100, 1000} {
			admit(t, l)(Outcome{})
			time.Sleep(time.Minute)
			admit(t, l)(Outcome{Refused: true})
			if got := closedFor(t, l); got != want*time.Millisecond {
				t.Errorf("closed for %v, want %v", got, want*time.Millisecond)
			}
			time.Sleep(closedFor(t, l))
		}
	})
}

// grow has calls succeed until n may be in flight, and returns one turn.
func (l *Local) grow(t *testing.T, n int) []func(Outcome) {
	t.Helper()
	for l.limit("a") < n {
		var dones []func(Outcome)
		for range max(2, l.limit("a")) {
			dones = append(dones, admit(t, l))
		}
		time.Sleep(breath)
		for _, done := range dones {
			done(Outcome{})
		}
	}
	return []func(Outcome){admit(t, l)}
}

// limit returns how many calls of key may be in flight.
func (l *Local) limit(key string) int {
	l.paces.mu.RLock()
	defer l.paces.mu.RUnlock()
	k := l.paces.paces[key]
	if k == nil {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current().limit
}

// When the barrier opens one call goes ahead, and the others follow when it has succeeded.
func TestAdmitTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers, trip = 20, 40 * time.Millisecond
		l := closed(t, Outcome{RetryAfter: time.Second})
		var inFlight atomic.Int32
		begin := time.Now()
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				done, err := l.Admit(t.Context(), "a", Normal)
				if err != nil {
					t.Error(err)
					return
				}
				at := time.Since(begin)
				if n := inFlight.Add(1); at < time.Second+trip && n > 1 {
					t.Errorf("%d calls in flight during the trial", n)
				}
				if at < time.Second {
					t.Errorf("a call was let go after %v, want 1s", at)
				}
				time.Sleep(trip)
				inFlight.Add(-1)
				done(Outcome{})
			})
		}
		wg.Wait()
	})
}

// A trial that hangs lets one more go four times a second.
func TestAdmitTrialHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := closed(t, Outcome{RetryAfter: time.Second})
		var gone atomic.Int32
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				done, err := l.Admit(t.Context(), "a", Normal)
				if err != nil {
					t.Error(err)
					return
				}
				gone.Add(1)
				time.Sleep(10 * time.Second)
				done(Outcome{})
			})
		}
		time.Sleep(3 * time.Second)
		if n := gone.Load(); n < 7 || n > 9 {
			t.Errorf("%d calls went out in the 2s of a trial, want 8", n)
		}
		wg.Wait()
	})
}

// A trial that was not used is left to the next caller.
func TestAdmitUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := closed(t, Outcome{RetryAfter: time.Second})
		time.Sleep(time.Second)
		for range 10 {
			admit(t, l)(Outcome{Unused: true})
		}
		admit(t, l)(Outcome{})

		// Nor does it cost a turn at the pace.
		l = paced(t, 10, time.Second)
		time.Sleep(time.Second)
		for range 10 {
			admit(t, l)(Outcome{Unused: true})
		}
		admit(t, l)
	})
}

// The pace is what succeeded from the first call to the end of the barrier, or in the window named, spread evenly.
func TestAdmitPace(t *testing.T) {
	for _, tt := range []struct {
		name   string
		told   Outcome
		trials int // that are refused too
		rate   float64
	}{
		{"Retry-After", Outcome{Refused: true, RetryAfter: 30 * time.Second}, 0, 60. / 30},
		{"window", Outcome{Refused: true, Window: 30 * time.Second}, 0, 60. / 30},
		{"both", Outcome{Refused: true, RetryAfter: 10 * time.Second, Window: 30 * time.Second}, 0, 60. / 30},
		{"wrong window", Outcome{Refused: true, Window: 10 * time.Second}, 2, 60. / (10 + 11 + 22)},
		{"nothing", Outcome{Refused: true}, 0, 60},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := new(Local)
				for range 60 {
					admit(t, l)(Outcome{})
				}
				for range 1 + tt.trials {
					admit(t, l)(tt.told)
					time.Sleep(closedFor(t, l))
				}
				admit(t, l)(Outcome{})
				begin := time.Now()
				for i := range 50 {
					await(t, l)(Outcome{})
					want := time.Duration(float64(i+1) / (tt.rate * margin) * float64(time.Second))
					if got := time.Since(begin); got < want*99/100 || got > want*101/100 {
						t.Fatalf("call %d after %v, want %v", i, got, want)
					}
				}
			})
		})
	}
}

// A pace that is refused becomes a lower one: by little if it was kept up for long, by more if not.
func TestAdmitPaceRefused(t *testing.T) {
	for _, tt := range []struct {
		calls    int
		min, max float64 // of the pace before
	}{
		{15, 0.85, 0.91},
		{90, 0.93, 0.97},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := paced(t, 10, time.Second)
			begin := time.Now()
			for range tt.calls {
				await(t, l)(Outcome{})
			}
			before := time.Since(begin) / time.Duration(tt.calls)
			await(t, l)(Outcome{Refused: true, RetryAfter: time.Second})
			time.Sleep(time.Second)
			admit(t, l)(Outcome{})
			begin = time.Now()
			await(t, l)(Outcome{})
			if got := before.Seconds() / time.Since(begin).Seconds(); got < tt.min || got > tt.max {
				t.Errorf("after %d calls the pace falls to %.2f of what it was, want %.2f to %.2f", tt.calls, got, tt.min, tt.max)
			}
		})
	}
}

// The number in flight that was reached before a refusal is kept.
func TestAdmitKeepsFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		l.grow(t, 16)[0](Outcome{Refused: true, RetryAfter: time.Second})
		time.Sleep(time.Second)
		admit(t, l)(Outcome{})
		if got := l.limit("a"); got < 16 {
			t.Errorf("%d in flight, want 16", got)
		}
	})
}

// A call or two that are refused say nothing about the pace of an idle app.
func TestAdmitFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		for range 3 {
			admit(t, l)(Outcome{})
			time.Sleep(time.Hour)
		}
		admit(t, l)(Outcome{Refused: true, Window: time.Minute})
		time.Sleep(time.Minute)
		for range 100 {
			admit(t, l)(Outcome{})
		}

		l = paced(t, 10, time.Second)
		for range 3 {
			time.Sleep(time.Hour)
			admit(t, l)(Outcome{})
		}
		await(t, l)(Outcome{Refused: true, Window: time.Minute})
		time.Sleep(time.Minute)
		begin := time.Now()
		for range 10 {
			await(t, l)(Outcome{})
		}
		if d := time.Since(begin); d > 1100*time.Millisecond {
			t.Errorf("10 calls at 10 a second took %v", d)
		}
	})
}

// Demand below the pace is not taken for success at the pace.
func TestAdmitIdleDoesNotGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := paced(t, 10, time.Second)
		for range 1000 {
			time.Sleep(200 * time.Millisecond)
			admit(t, l)(Outcome{})
		}
		begin := time.Now()
		for range 11 {
			await(t, l)(Outcome{})
		}
		if d := time.Since(begin); d < 900*time.Millisecond {
			t.Errorf("11 calls at 10 a second took %v", d)
		}
	})
}

// Refusals for concurrency lower what is in flight, once for those that were in flight together.
func TestAdmitConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		dones := l.grow(t, 8)
		for len(dones) < 8 {
			dones = append(dones, admit(t, l))
		}
		for _, done := range dones[:4] {
			done(Outcome{Refused: true, Concurrency: true})
		}
		for _, done := range dones[4:] {
			done(Outcome{})
		}
		if got := l.limit("a"); got != 6 {
			t.Errorf("%d in flight, want 6", got)
		}
		if d := closedFor(t, l); d != 0 {
			t.Errorf("closed for %v", d)
		}
		for range 100 { // no pace
			admit(t, l)(Outcome{})
		}

		// The limit is kept even if the calls take long, and tried again after many of them.
		flight := func() (dones []func(Outcome)) {
			for range l.limit("a") {
				dones = append(dones, admit(t, l))
			}
			return dones
		}
		dones = flight()
		begin := time.Now()
		time.AfterFunc(10*time.Second, func() { dones[0](Outcome{}) })
		done, err := l.Admit(t.Context(), "a", Normal)
		if err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begin); d != 10*time.Second {
			t.Errorf("a seventh call was let go after %v, want 10s", d)
		}
		done(Outcome{})
		for _, done := range dones[1:] {
			done(Outcome{})
		}
		n := 0
		for ; l.limit("a") == 6 && n < 1000; n++ {
			for _, done := range flight() {
				done(Outcome{})
			}
		}
		if got := l.limit("a"); got != 7 || n < fullFlights {
			t.Errorf("%d in flight after %d full flights, want 7 after many", got, n)
		}
	})
}

// The last one in flight is refused: others use up what there is, so everybody waits a second.
func TestAdmitConcurrencyOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		admit(t, l)(Outcome{Refused: true, Concurrency: true})
		if d := closedFor(t, l); d != time.Second {
			t.Errorf("closed for %v, want 1s", d)
		}
		time.Sleep(time.Second)
		admit(t, l)(Outcome{Refused: true, Concurrency: true, RetryAfter: 5 * time.Second})
		if d := closedFor(t, l); d != 5*time.Second {
			t.Errorf("closed for %v, want 5s", d)
		}
	})
}

// Admit honours what Raise has closed, and Lower opens it for those who wait.
func TestAdmitBarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		begin := time.Now()
		_ = l.Raise(t.Context(), "a", begin.Add(time.Hour))
		done, err := l.Admit(t.Context(), "b", Normal)
		if err != nil || time.Since(begin) > 0 {
			t.Errorf("another key: %v after %v", err, time.Since(begin))
		}
		done(Outcome{})

		time.AfterFunc(time.Minute, func() { _ = l.Lower(context.Background(), "a") })
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				done, err := l.Admit(t.Context(), "a", Normal)
				if err != nil {
					t.Error(err)
					return
				}
				done(Outcome{})
			})
		}
		wg.Wait()
		if d := time.Since(begin); d != time.Minute {
			t.Errorf("let go after %v, want 1m", d)
		}
	})
}

// A context that ends ends the wait at once, and the others move up.
func TestAdmitContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := closed(t, Outcome{RetryAfter: time.Minute})
		begin := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := l.Admit(ctx, "a", Urgent); !errors.Is(err, context.Canceled) {
					t.Errorf("err = %v, want context.Canceled", err)
				}
				if d := time.Since(begin); d != time.Second {
					t.Errorf("ended after %v, want 1s", d)
				}
			})
		}
		synctest.Wait()
		wg.Go(func() {
			done, err := l.Admit(t.Context(), "a", Background)
			if err != nil {
				t.Error(err)
				return
			}
			if d := time.Since(begin); d != time.Minute {
				t.Errorf("let go after %v, want 1m", d)
			}
			done(Outcome{})
		})
		time.Sleep(time.Second)
		cancel()
		wg.Wait()
		if _, err := l.Admit(ctx, "a", Normal); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want context.Canceled", err)
		}
	})
}

// exceeded checks that Admit has failed at once because the turn comes too late.
func exceeded(t *testing.T, err error, begin time.Time, want time.Duration) {
	t.Helper()
	var e *ExceededError
	if !errors.As(err, &e) || !errors.Is(err, ErrExceeded) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v, want an ExceededError that matches context.DeadlineExceeded", err)
		return
	}
	if got := e.Decision.RetryAfter; got < want*95/100 || got > want*105/100 {
		t.Errorf("RetryAfter = %v, want %v", got, want)
	}
	if e.Decision.Denied.Key != "a" || e.Decision.Denied.Scope != ScopeEndpoint {
		t.Errorf("Denied = %+v", e.Decision.Denied)
	}
	if d := time.Since(begin); d > 0 {
		t.Errorf("failed after %v, want at once", d)
	}
}

// A wait that the deadline cannot hold is not begun.
func TestAdmitDeadline(t *testing.T) {
	t.Run("barrier", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := closed(t, Outcome{RetryAfter: time.Minute})
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			begin := time.Now()
			_, err := l.Admit(ctx, "a", Normal)
			exceeded(t, err, begin, time.Minute)
		})
	})
	t.Run("queue", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := paced(t, 10, time.Second)
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() {
					done, err := l.Admit(t.Context(), "a", Normal)
					if err != nil {
						t.Error(err)
						return
					}
					done(Outcome{})
				})
			}
			synctest.Wait()
			begin := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
			defer cancel()
			_, err := l.Admit(ctx, "a", Normal)
			exceeded(t, err, begin, 51*time.Second*10/96)
			done, err := l.Admit(ctx, "a", Urgent) // passes them
			if err != nil {
				t.Fatalf("urgent: %v", err)
			}
			done(Outcome{})
			wg.Wait()
		})
	})
	t.Run("barrier raised meanwhile", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := new(Local)
			a, b := admit(t, l), admit(t, l)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			var patient, wg sync.WaitGroup
			patient.Go(func() {
				done, err := l.Admit(t.Context(), "a", Normal)
				if err != nil {
					t.Error(err)
					return
				}
				done(Outcome{})
			})
			synctest.Wait()
			for range 3 {
				wg.Go(func() {
					_, err := l.Admit(ctx, "a", Normal)
					if !errors.Is(err, ErrExceeded) {
						t.Errorf("err = %v, want ErrExceeded", err)
					}
				})
			}
			synctest.Wait()
			begin := time.Now()
			a(Outcome{Refused: true, RetryAfter: time.Minute})
			wg.Wait()
			if d := time.Since(begin); d > 0 {
				t.Errorf("failed after %v, want at once", d)
			}
			b(Outcome{})
			patient.Wait()
		})
	})
}

// Urgent callers pass Normal ones, which pass Background ones; one turn in eight goes to whoever has waited longest.
func TestAdmitPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := paced(t, 10, time.Second)
		admit := func(p Priority) (came time.Time) {
			done, err := l.Admit(t.Context(), "a", p)
			if err != nil {
				t.Error(err)
				return
			}
			done(Outcome{})
			return time.Now()
		}
		var mu sync.Mutex
		var order []Priority
		var wg sync.WaitGroup
		for _, p := range []Priority{Background, Normal, Urgent} {
			for range 24 {
				wg.Go(func() {
					admit(p)
					mu.Lock()
					order = append(order, p)
					mu.Unlock()
				})
			}
			synctest.Wait()
		}
		wg.Wait()
		for i, p := range order[:24] {
			want := Urgent
			if i%fairness == fairness-1 {
				want = Background
			}
			if p != want {
				t.Errorf("turn %d went to priority %d, want %d: %v", i, p, want, order)
				break
			}
		}
		if i := slices.Index(order, Normal); i < 24 || slices.Contains(order[i+24:], Urgent) {
			t.Errorf("Normal and Urgent mixed: %v", order)
		}
	})
}

// With m others waiting, nobody waits for more than 8(m+1) turns, however many urgent callers come.
func TestAdmitStarvation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const others = 3
		l := paced(t, 20, time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		var turns atomic.Int64
		var wg sync.WaitGroup
		for range others {
			wg.Go(func() {
				for {
					done, err := l.Admit(ctx, "a", Urgent)
					if err != nil {
						return
					}
					turns.Add(1)
					time.Sleep(time.Millisecond)
					done(Outcome{})
				}
			})
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		before := turns.Load()
		done, err := l.Admit(t.Context(), "a", Background)
		if err != nil {
			t.Fatal(err)
		}
		done(Outcome{})
		if n := turns.Load() - before; n > fairness*(others+1) {
			t.Errorf("a Background caller waited for %d turns, want at most %d", n, fairness*(others+1))
		}
		cancel()
		wg.Wait()
	})
}

// Idle keys are forgotten after ten minutes or ten windows, when another key comes in. Closed ones are kept, and those
// with calls in flight.
func TestAdmitForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := paced(t, 100, 2*time.Minute)
		visit := func(key string) func(Outcome) {
			done, err := l.Admit(t.Context(), key, Normal)
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		for i := range 1000 {
			visit(fmt.Sprint(i))(Outcome{})
		}
		visit("closed")(Outcome{})
		_ = l.Raise(t.Context(), "closed", time.Now().Add(24*time.Hour))
		flying := visit("flying")

		want := func(keys ...string) {
			t.Helper()
			got := slices.Sorted(maps.Keys(l.paces.paces))
			if !slices.Equal(got, keys) {
				t.Errorf("kept %d keys %.40q, want %q", len(got), got, keys)
			}
		}
		time.Sleep(10 * time.Minute)
		visit("x")(Outcome{})
		time.Sleep(10 * time.Minute)
		visit("y")(Outcome{})
		want("a", "closed", "flying", "x", "y")
		time.Sleep(10 * time.Minute)
		visit("z")(Outcome{})
		want("closed", "flying", "y", "z")
		flying(Outcome{})
	})
}

// Many callers with deadlines, refusals of all kinds and barriers from outside: everybody gets an answer, nothing
// stays in flight or in a queue. The bubble fails the test if anybody waits for ever.
func TestAdmitChaos(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		keys := []string{"a", "b", "c"}
		var wg sync.WaitGroup
		for range 300 {
			wg.Go(func() {
				for range 20 {
					key := keys[rand.N(len(keys))]
					ctx, cancel := context.WithTimeout(t.Context(), rand.N(20*time.Second))
					done, err := l.Admit(ctx, key, Priority(rand.N(3)-1))
					if err == nil {
						time.Sleep(rand.N(50 * time.Millisecond))
						var o Outcome
						switch rand.N(40) {
						case 0:
							o = Outcome{Refused: true, RetryAfter: rand.N(3 * time.Second)}
						case 1:
							o = Outcome{Refused: true, Window: time.Second}
						case 2, 3:
							o = Outcome{Refused: true, Concurrency: true}
						case 4, 5:
							o = Outcome{Unused: true}
						}
						done(o)
					}
					cancel()
					switch rand.N(100) {
					case 0:
						_ = l.Raise(t.Context(), key, time.Now().Add(rand.N(2*time.Second)))
					case 1:
						_ = l.Lower(t.Context(), key)
					}
				}
			})
		}
		wg.Wait()
		for key, k := range l.paces.paces {
			if k.queue.n > 0 || k.cycle.flying != 0 || k.current().flying != 0 {
				t.Errorf("%s: %d in the queue, %d in flight", key, k.queue.n, k.current().flying)
			}
		}
	})
}

func TestAdmitAllocates(t *testing.T) {
	l := new(Local)
	if n := testing.AllocsPerRun(1000, func() {
		done, _ := l.Admit(context.Background(), "a", Normal)
		done(Outcome{})
	}); n > 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// BenchmarkAdmit is a call that nothing is in the way of.
func BenchmarkAdmit(b *testing.B) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	b.Run("serial", func(b *testing.B) {
		l := new(Local)
		b.ReportAllocs()
		for b.Loop() {
			done, _ := l.Admit(ctx, "a", Normal)
			done(Outcome{})
		}
	})
	b.Run("parallel", func(b *testing.B) {
		l := new(Local)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				done, _ := l.Admit(ctx, "a", Normal)
				done(Outcome{})
			}
		})
	})
	b.Run("parallel keys", func(b *testing.B) {
		l := new(Local)
		var n atomic.Int32
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			key := fmt.Sprint(n.Add(1))
			for pb.Next() {
				done, _ := l.Admit(ctx, key, Normal)
				done(Outcome{})
			}
		})
	})
}

// BenchmarkIdleKeys reports what a key costs that was used once.
func BenchmarkIdleKeys(b *testing.B) {
	const keys = 10_000
	for b.Loop() {
		l := new(Local)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range keys {
			done, _ := l.Admit(context.Background(), fmt.Sprint("wx0123456789abcdef/", i), Normal)
			done(Outcome{})
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/keys, "B/key")
		runtime.KeepAlive(l)
	}
}

// What was counted is told with the time that it took.
func TestTallies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Local)
		if got := l.Tallies("a"); got != nil {
			t.Errorf("%v of a key that nobody has used", got)
		}
		for range 30 {
			admit(t, l)(Outcome{})
			time.Sleep(100 * time.Millisecond)
		}
		got := l.Tallies("a")
		if len(got) != 6 {
			t.Fatalf("%v; want two tallies for each span", got)
		}
		for i, tally := range got {
			if tally.N != int(tally.In/(100*time.Millisecond)) && tally.N != 30 || i < 2 && tally.In > 2*time.Second {
				t.Errorf("tally %d: %+v; want ten in a second", i, tally)
			}
		}
	})
}

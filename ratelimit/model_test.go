package ratelimit_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// tolerance is how much stricter than the letter an exact window may be.
const tolerance = time.Millisecond

// event is n turns at a time.
type event struct {
	at time.Time
	n  int
}

// timelines are all events of each window, past and booked: the plain truth that Local is compared with.
type timelines map[string][]event

func window(d ratelimit.Demand) string {
	return fmt.Sprint(d.Key, d.Scope, d.Limit.Period, d.Limit.Calendar)
}

// with returns the timelines with demands added at a time.
func (l timelines) with(at time.Time, demands []ratelimit.Demand) timelines {
	added := timelines{}
	for _, d := range demands {
		w := window(d)
		events, ok := added[w]
		if !ok {
			events = slices.Clone(l[w])
		}
		events = append(events, event{at, max(d.N, 1)})
		slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
		added[w] = events
	}
	return added
}

// add makes demands part of the timelines.
func (l timelines) add(at time.Time, demands []ratelimit.Demand) {
	maps.Copy(l, l.with(at, demands))
}

// remove takes demands at a time out again.
func (l timelines) remove(at time.Time, demands []ratelimit.Demand) {
	for _, d := range demands {
		w := window(d)
		if i := slices.Index(l[w], event{at, max(d.N, 1)}); i >= 0 {
			l[w] = slices.Delete(l[w], i, i+1)
		}
	}
}

// fits reports whether demands could be added at a time. If strict, windows are longer by as much as
// Local may be too strict.
func (l timelines) fits(at time.Time, demands []ratelimit.Demand, strict bool) bool {
	added := l.with(at, demands)
	return !slices.ContainsFunc(demands, func(d ratelimit.Demand) bool {
		return !keeps(d.Limit, added[window(d)], strict)
	})
}

// keeps reports whether events keep to a limit.
func keeps(l ratelimit.Limit, events []event, strict bool) bool {
	if l.Calendar {
		days := map[string]int{}
		for _, e := range events {
			date := e.at.In(time.FixedZone("UTC+8", 8*60*60)).Format(time.DateOnly)
			if days[date] += e.n; days[date] > l.Rate {
				return false
			}
		}
	} else {
		period := l.Period
		if strict {
			period += tolerance
			if l.Rate > 60 {
				period += l.Period/126 + 1
			}
		}
		sum, first := 0, 0
		for _, e := range events {
			for sum += e.n; !events[first].at.After(e.at.Add(-period)); first++ {
				sum -= events[first].n
			}
			if sum > l.Rate {
				return false
			}
		}
	}
	if l.Burst > 0 && len(events) > 0 {
		every := time.Duration((int64(l.Period) + int64(l.Rate) - 1) / int64(l.Rate))
		var rest time.Time
		for _, e := range events {
			if rest.Before(e.at) {
				rest = e.at
			}
			rest = rest.Add(time.Duration(e.n) * every)
			if rest.Sub(e.at) > time.Duration(l.Burst)*every {
				return false
			}
		}
	}
	return true
}

// left is the number of turns that fit now under each of demands.
func (l timelines) left(at time.Time, demands []ratelimit.Demand, strict bool) int {
	n := 0
	for {
		more := slices.Clone(demands)
		for i := range more {
			if more[i].N = n + 1; !l.fits(at, more[i:i+1], strict) {
				return n
			}
		}
		n++
	}
}

// source is where a run takes its decisions from.
type source interface{ IntN(n int) int }

// bytesSource is a source for fuzzing. It gives 0 when it is used up.
type bytesSource []byte

func (s *bytesSource) IntN(n int) int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b) % n
}

var modelLimits = [][]ratelimit.Limit{
	{ratelimit.PerMinute(4)},
	{ratelimit.PerMinute(30), ratelimit.PerHour(1000)},
	{ratelimit.PerSecond(1)},
	{ratelimit.PerMinute(60)},
	{ratelimit.PerSecond(20), ratelimit.PerDay(150)},
	{ratelimit.PerMinute(100)},
	{ratelimit.PerSecond(61)},
	{{Rate: 20, Period: time.Second, Burst: 5}},
	{{Rate: 90, Period: time.Minute, Burst: 10}, ratelimit.PerSecond(3)},
	{{Rate: 7, Period: 40 * time.Hour}},
	{{Rate: 100, Period: 24 * time.Hour, Calendar: true, Burst: 40}},
}

// runModel does random things to a Local and compares it with the timelines.
func runModel(t *testing.T, r source, steps int) {
	ctx := context.Background()
	l := new(ratelimit.Local)
	model := timelines{}
	type booked struct {
		r       ratelimit.Reservation
		at      time.Time
		demands []ratelimit.Demand
	}
	var bookings []booked
	few := [...]int{r.IntN(len(modelLimits)), r.IntN(len(modelLimits)), r.IntN(len(modelLimits))}
	for range steps {
		var demands []ratelimit.Demand
		for range 1 + r.IntN(3)/2 {
			i := few[r.IntN(len(few))]
			for _, limit := range modelLimits[i] {
				n := r.IntN(3)
				if r.IntN(8) == 0 {
					n = 1 + r.IntN(limit.Rate)
				}
				if limit.Burst > 0 {
					n = min(n, limit.Burst)
				}
				demands = append(demands, ratelimit.Demand{
					Key: fmt.Sprint("key ", i, r.IntN(2)), Scope: ratelimit.ScopeApp, Limit: limit, N: n,
				})
			}
		}
		period := demands[r.IntN(len(demands))].Limit.Period
		switch what := r.IntN(16); what {
		case 0:
			time.Sleep(period)
		case 1:
			time.Sleep(period/2 + 1)
		case 2:
			time.Sleep(period*2 + time.Duration(r.IntN(100))*time.Microsecond)
		case 3, 4, 5:
			time.Sleep(period / 50)
		case 6:
			time.Sleep(time.Duration(r.IntN(200)) * time.Millisecond)
		case 7, 8:
			maxWait := time.Duration(r.IntN(4)) * period
			v, err := l.Reserve(ctx, maxWait, demands...)
			var exceeded *ratelimit.ExceededError
			var impossible *ratelimit.LimitError
			switch {
			case err == nil:
				at := time.Now().Add(v.Delay())
				if v.Delay() > maxWait {
					t.Fatalf("reserved %v ahead where at most %v was asked for", v.Delay(), maxWait)
				}
				if !model.fits(at, demands, false) {
					t.Fatalf("reservation in %v breaks a limit at %v: %v\n%v", v.Delay(), at, demands, model[window(demands[0])])
				}
				model.add(at, demands)
				bookings = append(bookings, booked{v, at, demands})
			case errors.As(err, &exceeded):
				if exceeded.Decision.RetryAfter <= maxWait {
					t.Fatalf("refused %v, but %v would do", maxWait, exceeded.Decision.RetryAfter)
				}
			case !errors.As(err, &impossible):
				t.Fatal(err)
			}
		case 9:
			if len(bookings) > 0 {
				b := bookings[r.IntN(len(bookings))]
				if b.at.After(time.Now()) && b.demands != nil {
					model.remove(b.at, b.demands)
				}
				b.r.Cancel()
				bookings = slices.DeleteFunc(bookings, func(o booked) bool { return o.r == b.r })
			}
		default:
			for range 1 + r.IntN(5) {
				checkAllow(t, l, model, demands, len(bookings) == 0)
			}
		}
	}
	for w, events := range model {
		if !slices.IsSortedFunc(events, func(a, b event) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) }) {
			t.Fatalf("timeline of %s is not sorted", w)
		}
	}
}

// checkAllow asks for demands and compares the answer.
func checkAllow(t *testing.T, l *ratelimit.Local, model timelines, demands []ratelimit.Demand, alone bool) {
	t.Helper()
	now := time.Now()
	d, err := l.Allow(context.Background(), demands...)
	var impossible *ratelimit.LimitError
	if errors.As(err, &impossible) {
		if (timelines{}).fits(now, demands, false) {
			t.Fatalf("%v for what fits into empty windows: %v", err, demands)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if d.OK {
		if !model.fits(now, demands, false) {
			t.Fatalf("granted what breaks a limit: %v", demands)
		}
		model.add(now, demands)
	} else {
		if model.fits(now, demands, true) {
			t.Fatalf("refused for %v what fits at %v: %v\n%v\n%v", d.RetryAfter, now.UnixNano(), demands, d, model[window(demands[0])])
		}
		if d.RetryAfter <= 0 {
			t.Fatalf("refused with RetryAfter %v", d.RetryAfter)
		}
		if model.fits(now.Add(d.RetryAfter-1), demands, true) {
			t.Fatalf("RetryAfter %v is too long: %v", d.RetryAfter, demands)
		}
		if !model.fits(now.Add(d.RetryAfter), demands, false) {
			t.Fatalf("RetryAfter %v is too short: %v", d.RetryAfter, demands)
		}
	}
	if alone && len(demands) == 1 {
		least, most := model.left(now, demands, true), model.left(now, demands, false)
		if d.Remaining < least || d.Remaining > most {
			t.Fatalf("Remaining is %d, want %d to %d: %v", d.Remaining, least, most, demands)
		}
	}
}

func TestAgainstModel(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runModel(t, rand.New(rand.NewPCG(seed, 1)), 250)
			})
		})
	}
}

func FuzzLocal(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			s := bytesSource(data)
			runModel(t, &s, len(data)/6)
		})
	})
}

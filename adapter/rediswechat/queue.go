package rediswechat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

const (
	fairness   = 8 // one turn in so many goes to whoever has waited longest, whatever its priority
	shortRetry = time.Millisecond
)

// Reserve waits for the turns of demands and takes them. It fails at once where they lie further ahead than maxWait, as far
// as one can know, with an *ratelimit.ExceededError, and else when that shows. The reservation is due when it is returned:
// a turn in a shared window cannot be given back.
//
// Those who wait in this process for the same window are served by priority, then by arrival, but one turn in eight goes to
// whoever has waited longest, even from what Demand.Reserve keeps from it. Only the first of them asks Redis, when Redis said
// that it can succeed. Between processes there is no order.
func (l *Limiter) Reserve(ctx context.Context, maxWait time.Duration, demands ...ratelimit.Demand) (ratelimit.Reservation, error) {
	w := l.queues.newcomer(demands)
	defer l.queues.leave(w)
	until := time.Now().Add(max(maxWait, 0))
	for _, d := range demands {
		if l.queues.join(w, &d, false) {
			break // others wait already
		}
	}
	timer := time.NewTimer(0)
	timer.Stop()
	defer timer.Stop()
	for {
		first, due, ahead := l.queues.turn(w)
		wait := time.Until(until) // until somebody wakes it
		if first {
			d, err := l.Allow(ctx, asks(demands, due)...)
			if err != nil {
				return nil, err
			}
			if d.OK {
				l.queues.served(w)
				return taken{}, nil
			}
			w.denied = d
			l.queues.join(w, &d.Denied, true)
			if left := time.Until(until); d.RetryAfter > left || left <= 0 {
				return nil, &ratelimit.ExceededError{Decision: d}
			}
			wait = max(d.RetryAfter, shortRetry)
		} else if d := ahead; d.RetryAfter > wait || wait <= 0 {
			return nil, &ratelimit.ExceededError{Decision: d}
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-w.look:
		case <-ctx.Done():
			return nil, fmt.Errorf("rediswechat: waiting for a turn: %w", ctx.Err())
		}
	}
}

// asks are demands; whole gives Background what is kept from it.
func asks(demands []ratelimit.Demand, whole bool) []ratelimit.Demand {
	if !whole {
		return demands
	}
	demands = slices.Clone(demands)
	for i := range demands {
		demands[i].Reserve = 0
	}
	return demands
}

// taken is a reservation whose time has come.
type taken struct{}

func (taken) Delay() time.Duration { return 0 }
func (taken) Cancel()              {}

// queues are those of this process that wait, each for the window for which it has to wait longest. The zero value is ready.
type queues struct {
	mu   sync.Mutex
	of   map[windowName]*queue
	came uint64
}

// windowName names a window; the limits of one differ in rate only.
type windowName struct {
	key    string
	scope  ratelimit.Scope
	period time.Duration
	day    bool
}

func nameOf(d *ratelimit.Demand) windowName {
	return windowName{d.Key, d.Scope, d.Limit.Period, d.Limit.Calendar}
}

type queue struct {
	name   windowName
	lines  [3][]*waiter // Background, Normal, Urgent
	head   *waiter      // who is first, as far as it has been told
	passed int          // turns in a row that went past somebody of lower priority
	last   ratelimit.Decision
	opens  time.Time // when the first may have a turn, by the last word of Redis
}

type waiter struct {
	line   int
	came   uint64
	at     *queue        // nil: it waits nowhere
	look   chan struct{} // look again
	denied ratelimit.Decision
}

func (q *queues) newcomer(demands []ratelimit.Demand) *waiter {
	p := ratelimit.Normal
	if len(demands) > 0 {
		p = slices.MaxFunc(demands, func(a, b ratelimit.Demand) int { return cmp.Compare(a.Priority, b.Priority) }).Priority
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.came++
	return &waiter{line: int(min(max(p, ratelimit.Background), ratelimit.Urgent) - ratelimit.Background), came: q.came,
		look: make(chan struct{}, 1)}
}

// join puts w into the queue of d's window, and reports whether it has. Unless d was refused, it does so only where somebody
// waits already.
func (q *queues) join(w *waiter, d *ratelimit.Demand, refused bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	name := nameOf(d)
	k := q.of[name]
	if k == nil {
		if !refused {
			return false
		}
		k = &queue{name: name}
		if q.of == nil {
			q.of = map[windowName]*queue{}
		}
		q.of[name] = k
	}
	if refused {
		k.last, k.opens = w.denied, time.Now().Add(w.denied.RetryAfter)
	}
	if w.at == k {
		return true
	}
	q.out(w)
	i, _ := slices.BinarySearchFunc(k.lines[w.line], w, func(a, b *waiter) int { return cmp.Compare(a.came, b.came) })
	k.lines[w.line] = slices.Insert(k.lines[w.line], i, w)
	w.at = k
	k.look(w)
	return true
}

// leave takes w out of its queue, if any.
func (q *queues) leave(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.out(w)
}

func (q *queues) out(w *waiter) {
	k := w.at
	if k == nil {
		return
	}
	w.at = nil
	l := k.lines[w.line]
	if l[0] == w { // usual, and cheap however long the line is
		l[0] = nil
		l = l[1:]
	} else {
		i := slices.Index(l, w)
		l = slices.Delete(l, i, i+1)
	}
	k.lines[w.line] = l
	if k.look(nil); k.head == nil {
		delete(q.of, k.name)
	}
}

// look wakes who is first since the last look; by knows already that it is.
func (k *queue) look(by *waiter) {
	next, _ := k.first()
	if next != k.head && next != by && next != nil {
		next.wake()
	}
	k.head = next
}

func (w *waiter) wake() {
	select {
	case w.look <- struct{}{}:
	default:
	}
}

// turn reports whether w may ask: it is first where it waits, or waits nowhere. due gives it even what is kept from its
// priority. Else ahead is what can be expected, if those ahead of it take all turns that come.
func (q *queues) turn(w *waiter) (first, due bool, ahead ratelimit.Decision) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.at == nil {
		return true, false, ratelimit.Decision{}
	}
	next, due := w.at.first()
	if next == w {
		return true, due, ratelimit.Decision{}
	}
	return false, false, w.at.expect(w)
}

// served counts a turn that w got.
func (q *queues) served(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	k := w.at
	if k == nil {
		return
	}
	lower := false
	for _, l := range k.lines[:w.line] {
		lower = lower || len(l) > 0
	}
	if lower && k.passed < fairness-1 {
		k.passed++
	} else {
		k.passed = 0
	}
}

// first is who is served next, or nil; due says that it is for having waited longest.
func (k *queue) first() (next *waiter, due bool) {
	due = k.passed >= fairness-1
	for _, l := range k.lines {
		if len(l) > 0 && (next == nil || !due || l[0].came < next.came) {
			next = l[0]
		}
	}
	return next, due
}

// expect is the least that w has to wait.
func (k *queue) expect(w *waiter) ratelimit.Decision {
	ahead := 0
	for i := w.line + 1; i < len(k.lines); i++ {
		ahead += len(k.lines[i])
	}
	i, _ := slices.BinarySearchFunc(k.lines[w.line], w, func(a, b *waiter) int { return cmp.Compare(a.came, b.came) })
	ahead += i
	d := k.last
	limit := d.Denied.Limit
	// From the first turn on each period is at best like the one before.
	d.RetryAfter = max(time.Until(k.opens), 0) + time.Duration(ahead/max(limit.Rate, 1))*limit.Period
	return d
}

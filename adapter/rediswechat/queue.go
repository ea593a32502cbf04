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

const shortRetry = time.Millisecond

// Reserve waits for the turns of demands and takes them. It fails at once where they lie further ahead than maxWait, as far
// as one can know, with an *ratelimit.ExceededError, and else when that shows. The reservation is due when it is returned:
// a turn in a shared window cannot be given back.
//
// Those who wait in this process for the same window are served by priority, then by arrival, but one turn in eight goes to
// whoever has waited longest, even from what Demand.Reserve keeps from it. Only the first of them asks Redis, when Redis said
// that it can succeed. Between processes there is no order.
func (l *Limiter) Reserve(ctx context.Context, maxWait time.Duration, demands ...ratelimit.Demand) (ratelimit.Reservation, error) {
	c := l.queues.newcomer(demands)
	defer l.queues.leave(c)
	until := time.Now().Add(max(maxWait, 0))
	for _, d := range demands {
		if l.queues.join(c, &d, false) {
			break // others wait already
		}
	}
	timer := time.NewTimer(0)
	timer.Stop()
	defer timer.Stop()
	for {
		first, due, ahead := l.queues.turn(c)
		wait := time.Until(until) // until somebody wakes it
		if first {
			d, err := l.Allow(ctx, asks(demands, due)...)
			if err != nil {
				return nil, err
			}
			if d.OK {
				l.queues.served(c)
				return taken{}, nil
			}
			c.denied = d
			l.queues.join(c, &d.Denied, true)
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
		case <-c.look:
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

// queue is who waits for one window.
type queue struct {
	line
	name  windowName
	last  ratelimit.Decision
	opens time.Time // when the first may have a turn, by the last word of Redis
}

// caller waits in one queue at a time.
type caller struct {
	waiter
	at     *queue // nil: it waits nowhere
	denied ratelimit.Decision
}

func (q *queues) newcomer(demands []ratelimit.Demand) *caller {
	p := ratelimit.Normal
	if len(demands) > 0 {
		p = slices.MaxFunc(demands, func(a, b ratelimit.Demand) int { return cmp.Compare(a.Priority, b.Priority) }).Priority
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.came++
	return &caller{waiter: newWaiter(p, q.came)}
}

// join puts c into the queue of d's window, and reports whether it has. Unless d was refused, it does so only where somebody
// waits already.
func (q *queues) join(c *caller, d *ratelimit.Demand, refused bool) bool {
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
		k.last, k.opens = c.denied, time.Now().Add(c.denied.RetryAfter)
	}
	if c.at == k {
		return true
	}
	q.out(c)
	c.at = k
	k.join(&c.waiter)
	return true
}

// leave takes c out of its queue, if any.
func (q *queues) leave(c *caller) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.out(c)
}

func (q *queues) out(c *caller) {
	k := c.at
	if k == nil {
		return
	}
	c.at = nil
	if k.leave(&c.waiter); k.head == nil {
		delete(q.of, k.name)
	}
}

// turn reports whether c may ask: it is first where it waits, or waits nowhere. due gives it even what is kept from its
// priority. Else ahead is what can be expected, if those ahead of it take all turns that come.
func (q *queues) turn(c *caller) (first, due bool, ahead ratelimit.Decision) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.at == nil {
		return true, false, ratelimit.Decision{}
	}
	next, due := c.at.first()
	if next == &c.waiter {
		return true, due, ratelimit.Decision{}
	}
	return false, false, c.at.expect(c)
}

// served counts a turn that c got.
func (q *queues) served(c *caller) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.at != nil {
		c.at.served(&c.waiter)
	}
}

// expect is the least that c has to wait.
func (k *queue) expect(c *caller) ratelimit.Decision {
	d := k.last
	limit := d.Denied.Limit
	// From the first turn on each period is at best like the one before.
	d.RetryAfter = max(time.Until(k.opens), 0) + time.Duration(k.ahead(&c.waiter)/max(limit.Rate, 1))*limit.Period
	return d
}

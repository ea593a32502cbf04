package ratelimit

import (
	"context"
	"math"
	"time"
)

// free reports whether nothing stands in a caller's way. It reads no clock: most keys are never refused.
func (k *pace) free() bool {
	return k.rate == 0 && k.trial == nil && k.queue.n == 0 && k.cycle.flying < k.cycle.limit && k.barriers.opens(k.key).IsZero()
}

// current returns the cycle that the next call belongs to.
func (k *pace) current() *cycle {
	if k.trial != nil {
		return k.trial
	}
	return k.cycle
}

// gate returns after how long the first in the queue should look again; 0: it may go.
func (k *pace) gate(now time.Duration) time.Duration {
	if d := k.closed(); d > 0 {
		if k.trial == nil {
			k.trial = k.newCycle(1)
		}
		return d
	}
	if d := k.full(now); d > 0 {
		return d
	}
	if d := k.next - now; d > 0 && k.paced() {
		k.held = true
		return d
	}
	return 0
}

// full returns how long to wait for a call in flight to come back; 0: another may go.
func (k *pace) full(now time.Duration) time.Duration {
	c := k.current()
	was := c.blocked
	c.blocked = c.flying >= c.limit
	switch {
	case !c.blocked:
		return 0
	case k.narrow && c != k.trial:
		return longest // the call that comes back wakes the queue
	case !was:
		c.since = now
	}
	if d := c.since + patience - now; d > 0 {
		return d
	}
	if c != k.trial { // more than one more would be no trial
		c.limit *= 2
	}
	c.blocked = false
	return 0
}

// grant lets one call go.
func (k *pace) grant(now time.Duration) func(Outcome) {
	c := k.current()
	if c == k.trial && c.flying == 0 {
		c.begin(now)
	}
	c.flying++
	if k.paced() {
		interval := k.interval()
		k.next = max(k.next, now-max(slack, interval/2)) + interval
		if k.held {
			k.progress += min(1, 1/(k.rate*k.window.Seconds()))
		}
	}
	k.held = false
	return c.done
}

// wait queues for a turn. The lock is held when it is called and when it returns, not in between.
func (k *pace) wait(ctx context.Context, p Priority) (func(Outcome), error) {
	now := k.now()
	if k.queue.n == 0 && k.gate(now) <= 0 {
		return k.grant(now), nil
	}
	if err := k.reach(ctx, p, k.known(now, p)); err != nil {
		return nil, err
	}
	w := k.queue.push(p)
	timer := time.NewTimer(longest)
	timer.Stop() // until w is first
	defer timer.Stop()
	for {
		if k.queue.first() == w {
			now := k.now()
			d := k.gate(now)
			if d <= 0 {
				k.queue.turn(w)
				done := k.grant(now)
				k.queue.wake()
				return done, nil
			}
			timer.Reset(d)
		}
		k.mu.Unlock()
		select {
		case <-w.look:
		case <-timer.C:
		case <-ctx.Done():
		}
		k.mu.Lock()
		err := ctx.Err()
		if err == nil {
			err = k.reach(ctx, p, k.closed())
		}
		if err != nil {
			k.queue.remove(w)
			k.queue.wake()
			return nil, err
		}
	}
}

// known returns the wait that is certain already for a newcomer.
func (k *pace) known(now time.Duration, p Priority) time.Duration {
	d := k.closed()
	if k.paced() {
		d = max(d, k.next-now)
	}
	if k.rate > 0 {
		d += time.Duration(k.queue.ahead(p)) * k.interval()
	}
	return d
}

// reach fails where ctx ends before the wait does.
func (k *pace) reach(ctx context.Context, p Priority, wait time.Duration) error {
	end, ok := ctx.Deadline()
	if !ok || wait <= 0 || time.Until(end) >= wait {
		return nil
	}
	denied := Demand{Key: k.key, Scope: ScopeEndpoint, N: 1, Priority: p}
	if k.rate > 0 {
		denied.Limit = Limit{Rate: max(1, int(math.Round(k.rate*k.window.Seconds()))), Period: k.window}
	}
	return &ExceededError{Decision: Decision{RetryAfter: wait, Denied: denied}, Err: context.DeadlineExceeded}
}

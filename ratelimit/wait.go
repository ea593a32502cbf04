package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// The longest waits for a turn where none is given.
const (
	urgentWait = time.Second
	normalWait = 10 * time.Second
)

// Wait takes a turn for each of demands, all at once, and waits for them where it has to.
//
// It waits at most maxWait. Less than 0 is no wait at all; 0 leaves it to the highest priority among
// demands: 1 s for Urgent, 10 s for Normal, as long as ctx allows for Background. Before it waits it looks whether
// the turn comes within maxWait and ctx's deadline, as far as one can know; if not, it fails at once with
// an *ExceededError that says when to come back, which matches context.DeadlineExceeded too if it was the
// deadline that comes too early. If ctx ends later on, Wait returns an error around ctx.Err() at once
// and has taken nothing.
//
// A [Local] serves those who wait for the same limit by priority. Of other limiters Wait reserves a turn if they
// are a [Reserver], and else asks again when they said that it can succeed.
func Wait(ctx context.Context, l Limiter, maxWait time.Duration, demands ...Demand) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	longest, byDeadline := longestWait(ctx, maxWait, demands)
	var err error
	switch l := l.(type) {
	case queuer:
		err = l.wait(ctx, longest, demands)
	case Reserver:
		err = waitReserved(ctx, l, longest, demands)
	default:
		err = waitPolling(ctx, l, longest, demands)
	}
	var exceeded *ExceededError
	if byDeadline && errors.As(err, &exceeded) {
		return &ExceededError{Decision: exceeded.Decision, Err: context.DeadlineExceeded}
	}
	return err
}

// A queuer is a Limiter that knows who waits.
type queuer interface {
	wait(ctx context.Context, longest time.Duration, demands []Demand) error
}

// longestWait is how long a turn may be waited for, and whether it is ctx's deadline that says so.
func longestWait(ctx context.Context, maxWait time.Duration, demands []Demand) (longest time.Duration, byDeadline bool) {
	switch p := highest(demands); {
	case maxWait < 0:
		return 0, false
	case maxWait > 0:
		longest = maxWait
	case p > Normal:
		longest = urgentWait
	case p == Normal:
		longest = normalWait
	default:
		longest = math.MaxInt64
	}
	if deadline, ok := ctx.Deadline(); ok {
		if d := max(time.Until(deadline), 0); d < longest {
			return d, true
		}
	}
	return longest, false
}

// highest is the highest priority among demands.
func highest(demands []Demand) Priority {
	if len(demands) == 0 {
		return Normal
	}
	p := demands[0].Priority
	for i := range demands {
		p = max(p, demands[i].Priority)
	}
	return p
}

func waitReserved(ctx context.Context, l Reserver, longest time.Duration, demands []Demand) error {
	r, err := l.Reserve(ctx, longest, demands...)
	if err != nil {
		return err
	}
	for d := r.Delay(); d > 0; d = r.Delay() {
		if err := sleep(ctx, d); err != nil {
			r.Cancel()
			return fmt.Errorf("ratelimit: waiting for a turn: %w", err)
		}
	}
	return nil
}

func waitPolling(ctx context.Context, l Limiter, longest time.Duration, demands []Demand) error {
	began := time.Now()
	for {
		d, err := l.Allow(ctx, demands...)
		if err != nil || d.OK {
			return err
		}
		left := longest - time.Since(began)
		if left <= 0 || d.RetryAfter > left {
			return &ExceededError{Decision: d}
		}
		if err := sleep(ctx, max(d.RetryAfter, shortRetry)); err != nil {
			return waitError(d.Denied, err)
		}
	}
}

// sleep waits for d, or until ctx ends: then it returns ctx.Err().
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitError says what was waited for when ctx ended.
func waitError(d Demand, err error) error {
	return fmt.Errorf("ratelimit: waiting for the %s limit %v: %w", d.Scope, d.Limit, err)
}

// wait takes turns as Wait does, in the order of the queues of the windows it has to wait for.
func (l *Local) wait(ctx context.Context, longest time.Duration, demands []Demand) error {
	l.once.Do(l.init)
	var buf [4]claim
	claims, _, err := l.claims(buf[:0], demands)
	if err != nil {
		return err
	}
	began := time.Now()
	if d := l.try(claims, demands); d.OK {
		return nil
	} else if d.RetryAfter > longest {
		return &ExceededError{Decision: d}
	}
	c := &caller{
		claims: slices.Clone(claims),
		line:   line(highest(demands)),
		came:   l.came.Add(1),
		wake:   make(chan struct{}, 1),
	}
	timer := time.NewTimer(longest)
	defer timer.Stop()
	for {
		held, next, err := l.advance(c, longest-time.Since(began), demands)
		if held < 0 {
			return err
		}
		timer.Reset(next)
		select {
		case <-timer.C:
		case <-c.wake:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil {
			l.quit(c)
			return waitError(demands[c.claims[held].demand], err)
		}
	}
}

// advance takes c's turns if it is time, or gives up if they come later than in left, or puts c where it has to wait
// next: for claim held, for at most so long. Less than 0: c does not wait any more.
func (l *Local) advance(c *caller, left time.Duration, demands []Demand) (held int, next time.Duration, err error) {
	l.lock(c.claims)
	defer l.unlock(c.claims)
	now := l.now()
	a := l.ask(c.claims, c, now)
	next = a.at - now
	switch {
	case a.held < 0:
		l.take(c.claims, c, now)
		c.leave()
		return -1, 0, nil
	case next > left:
		c.leave()
		return -1, 0, &ExceededError{Decision: l.refusal(c.claims, demands, a, now)}
	}
	k := &c.claims[a.held]
	b := l.shard(k).newBacklog(k)
	if b != c.at {
		c.leave()
		b.join(c, k.n)
	}
	if b.first(nil) != c {
		next = left // until somebody wakes it
	}
	return a.held, next, nil
}

// quit takes c out of the queue.
func (l *Local) quit(c *caller) {
	l.lock(c.claims)
	defer l.unlock(c.claims)
	c.leave()
}

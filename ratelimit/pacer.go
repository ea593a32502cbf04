package ratelimit

import (
	"context"
	"math"
	"sync"
	"time"
)

// The pacer learns what a server takes, from nothing but its answers. What it has to find out and how:
//
// How much at once, while nothing is known. Two calls may be in flight; as often as a full flight has come
// back the number doubles, and once proven it stays. So a small quota is exceeded by a few calls and not by
// all callers, and a thousand callers are at full speed after ten round trips. A flight from which nobody
// returns doubles by itself four times a second: a call that hangs must not hold the others.
//
// When to come back. The first refusal raises the barrier of the key for everybody: for the time that the
// server tells, else for the window that the refusal names, else for what worked last time, from one second
// on. When it opens, one call goes ahead as a trial and the crowd waits for its outcome. If the trial is
// refused, the window is longer than thought or its edge lies later: it waits a window and a tenth, then
// twice that, up to an hour.
//
// How fast. The calls between two barriers are a cycle. If n of them succeeded in the time d until the
// refusal, and the server then stayed closed for c, it sustains n in d+c, whatever windows it counts in:
// a cycle begins when the barrier opens, and so does a natural window, while a sliding one is empty then.
// The first cycle is different, as it may begin late in a window of the server or have lasted for days.
// Therefore successes are counted back to several marks, and the best rate that any of them shows is taken.
// That may be too high, never much too low, and the next cycle, which does begin with a window, puts it
// right. The count is taken when the trial has succeeded, so that calls which were still in flight at the
// refusal are in it. Nothing is learned from a lack of demand: only a refusal lowers the pace, and only
// calls that the pace has held raise it.
//
// How to go on. Calls are spread evenly, as natural, sliding and shifted windows all take an even stream,
// at a little less than the learned rate (margin: latency moves calls over the edge of a window). After
// plateau windows of such calls without a refusal the pace grows by curiosity and the steps double with each
// window, so that a steady quota costs one refusal in some twenty windows and a doubled quota is found five
// windows later. Windows are counted in calls that the pace has held, not by the clock.
//
// Too many in flight is another matter: it lowers the flight by a quarter, which from then on grows by one
// after many flights, and leaves the pace alone.
const (
	firstFlight = 2                      // calls in flight while nothing is known
	patience    = 250 * time.Millisecond // a full flight without a success doubles after this
	flights     = 32                     // full flights until one more is tried once a limit of concurrency is known

	shortest = time.Second // no window is taken to be shorter; also what a Retry-After of whole seconds cannot tell from nothing
	longest  = time.Hour   // longest wait for a server that tells no time

	margin    = 0.96 // of the learned rate is used
	curiosity = 0.02 // of the learned rate is the first step beyond, after plateau windows; each window doubles it
	plateau   = 20   // windows
	haste     = 2    // windows in place of plateau while the rate rests on a first look at fewer than few successes
	few       = 8
	slack     = 10 * time.Millisecond // lateness that the next calls make up for: timers and schedulers are not exact

	forgetAfter = 10 * time.Minute // and ten windows: a key without calls is forgotten
)

// paceSet holds what is known of each key. The zero value is ready. No goroutine serves it: timers belong
// to the callers that wait, and what is idle is dropped when a new key comes in.
type paceSet struct {
	mu    sync.RWMutex
	paces map[string]*pace
	swept time.Time
}

// admit waits for key's turn; see Pacer. The keys closed in b are waited for as well.
func (s *paceSet) admit(ctx context.Context, b *barrierSet, key string, p Priority) (func(Outcome), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k := s.lock(b, key)
	if k.free() {
		c := k.cycle
		c.flying++
		k.mu.Unlock()
		return c.done, nil
	}
	defer k.mu.Unlock()
	return k.wait(ctx, p)
}

// wake makes those who wait for key look again whether it is closed.
func (s *paceSet) wake(key string) {
	s.mu.RLock()
	k := s.paces[key]
	s.mu.RUnlock()
	if k != nil {
		k.mu.Lock()
		k.queue.wakeAll()
		k.mu.Unlock()
	}
}

// lock returns the pace of key with its lock held.
func (s *paceSet) lock(b *barrierSet, key string) *pace {
	for {
		s.mu.RLock()
		k := s.paces[key]
		s.mu.RUnlock()
		if k == nil {
			k = s.add(b, key)
		}
		k.mu.Lock()
		if !k.gone {
			k.used = true
			return k
		}
		k.mu.Unlock() // forgotten between the look-up and the lock
	}
}

func (s *paceSet) add(b *barrierSet, key string) *pace {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.paces[key]; k != nil {
		return k
	}
	if s.paces == nil {
		s.paces = make(map[string]*pace)
		s.swept = now
	}
	if now.Sub(s.swept) >= forgetAfter {
		s.swept = now
		for key, k := range s.paces {
			if k.forget() {
				delete(s.paces, key)
			}
		}
	}
	k := &pace{key: key, barrier: b, born: now}
	k.cycle = k.newCycle(firstFlight)
	s.paces[key] = k
	return k
}

// pace is what is known of one key. Times are counted from born.
type pace struct {
	key     string
	barrier *barrierSet
	born    time.Time

	mu   sync.Mutex
	gone bool          // forgotten: look it up again
	used bool          // since the last sweep
	idle time.Duration // when a sweep first found it unused

	cycle   *cycle   // the calls since the barrier was last passed
	trial   *cycle   // those that try whether it is open again; nil: it is open
	trials  int      // that were refused since it was open
	refusal *refusal // what closed it; nil: nothing to learn from
	narrow  bool     // calls in flight are limited by the server

	rate     float64       // calls a second that the server was seen to sustain; 0: unknown
	window   time.Duration // best guess at the server's window
	plateau  float64       // windows for which the pace is kept
	progress float64       // windows' worth of calls that the pace has held since rate was learned
	next     time.Duration // when the pace allows the next call
	held     bool          // the pace holds the first in the queue

	queue queue
}

// refusal is a time of refusals, from the first one to the trial that succeeds.
type refusal struct {
	at     time.Duration // the first one
	pace   float64       // then; 0: none
	named  time.Duration // the window that it named; 0: none, or it proved wrong
	closed time.Duration // how long the server is known to have taken nothing
}

func (k *pace) now() time.Duration { return time.Since(k.born) }

// free reports whether nothing at all stands in a caller's way. It reads no clock: most keys are never refused.
func (k *pace) free() bool {
	return k.rate == 0 && k.trial == nil && k.cycle.flying < k.cycle.limit && k.queue.n == 0 && k.barrier.opens(k.key).IsZero()
}

// gate returns how long the first in the queue has to wait as far as one can know; 0: it may go.
func (k *pace) gate(now time.Duration) time.Duration {
	if d := k.closed(); d > 0 {
		if k.trial == nil {
			k.trial = k.newCycle(1)
		}
		return d
	}
	c := k.current()
	if d := c.full(now, k.narrow); d > 0 {
		return d
	}
	if d := k.next - now; d > 0 && k.paced() {
		k.held = true
		return d
	}
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
		k.next = max(k.next, now-slack) + k.interval()
		if k.held {
			k.progress += 1 / (k.rate * k.window.Seconds())
		}
	}
	k.held = false
	return c.done
}

// finish takes in what became of a call of c.
func (k *pace) finish(c *cycle, o Outcome) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	crowded := c.blocked || c.flying >= c.limit
	c.flying--
	if c.settling > 0 {
		c.settling--
	}
	switch {
	case o.Unused:
		if c == k.cycle && k.paced() {
			k.next -= k.interval()
		}
		k.queue.wake()
	case o.Concurrency:
		k.tooMany(c, now, o)
	case o.Refused:
		k.refuse(c, now, o)
	default:
		c.succeed(now, crowded, k.narrow)
		if c == k.trial {
			k.open(now)
		}
	}
	if c.blocked {
		k.queue.wake()
	}
}

// refuse closes the key for everybody.
func (k *pace) refuse(c *cycle, now time.Duration, o Outcome) {
	wait := o.RetryAfter
	switch r := k.refusal; {
	case c == k.cycle && r == nil:
		k.window = max(o.Window, o.RetryAfter, k.window/2, shortest)
		if o.Window > 0 {
			k.window = o.Window
		}
		if wait == 0 {
			wait = k.window
		}
		k.refusal = &refusal{at: now, pace: k.pace(), named: o.Window}
		k.trial = k.newCycle(1)
		k.queue.wakeAll()
	case c == k.trial:
		grown := 2 * k.window
		if k.trials == 0 {
			grown = max(k.window, shortest) * 11 / 10
		}
		k.window = min(max(grown, o.Window), longest)
		k.trials++
		wait = max(wait, k.window)
		if r != nil { // else others raised the barrier, and it says nothing about the last cycle
			r.named = 0
			r.closed = now - r.at + wait
		}
		k.trial = k.newCycle(1)
		k.queue.wakeAll()
	}
	if r := k.refusal; r != nil && o.RetryAfter > shortest {
		r.closed = max(r.closed, now-r.at+o.RetryAfter)
	}
	k.raise(now, wait)
}

// open begins the next cycle with the trial that has succeeded, at the pace that the last one teaches.
func (k *pace) open(now time.Duration) {
	last := k.cycle
	k.cycle, k.trial, k.trials = k.trial, nil, 0
	k.cycle.limit = max(k.cycle.limit, last.limit)
	if r := k.refusal; r != nil {
		k.refusal = nil
		k.plateau = plateau
		if r.pace == 0 && last.n < few {
			k.plateau = haste
		}
		k.rate = last.rate(r)
		if r.pace > 0 {
			k.rate = min(k.rate, r.pace)
		}
		k.progress = 0
	}
	if k.rate > 0 {
		k.next = k.cycle.start + k.interval()
	}
	k.queue.wake()
}

// tooMany lowers the number in flight. Those that were in flight with the refused call say nothing new.
func (k *pace) tooMany(c *cycle, now time.Duration, o Outcome) {
	k.narrow = true
	wait := o.RetryAfter
	if c.settling == 0 {
		flying := min(c.limit, c.flying+1)
		if flying == 1 {
			wait = max(wait, shortest) // others fill it: nothing is left to lower
		}
		c.limit = max(1, flying*3/4)
		c.wins = 0
		c.settling = c.flying
	}
	if wait > 0 {
		k.raise(now, wait)
	} else {
		k.queue.wake()
	}
}

func (k *pace) raise(now, wait time.Duration) {
	k.barrier.raise(k.key, k.born.Add(now+wait))
}

// closed returns how long the barrier of the key still stands.
func (k *pace) closed() time.Duration {
	if t := k.barrier.opens(k.key); !t.IsZero() {
		return time.Until(t)
	}
	return 0
}

// current returns the cycle that the next call belongs to.
func (k *pace) current() *cycle {
	if k.trial != nil {
		return k.trial
	}
	return k.cycle
}

// paced reports whether calls are spread. A trial is not: it goes when the barrier opens.
func (k *pace) paced() bool { return k.rate > 0 && k.trial == nil }

// pace returns how many calls a second are let go; 0: no pace is known.
func (k *pace) pace() float64 {
	return k.rate * (margin + curiosity*math.Exp2(k.progress-k.plateau))
}

// interval returns the time between two calls.
func (k *pace) interval() time.Duration {
	return time.Duration(float64(time.Second) / k.pace())
}

// forget reports whether the key has been idle long enough to drop, and marks it as gone if so.
func (k *pace) forget() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if k.used || k.queue.n > 0 || k.current().flying > 0 || k.closed() > 0 {
		k.used, k.idle = false, now
		return false
	}
	k.gone = now-k.idle >= max(forgetAfter, 10*k.window)
	return k.gone
}

// wait queues for a turn, with the lock held, which is given up while it waits.
func (k *pace) wait(ctx context.Context, p Priority) (func(Outcome), error) {
	now := k.now()
	if k.queue.n == 0 && k.gate(now) <= 0 {
		return k.grant(now), nil
	}
	if err := k.reach(ctx, p, k.known(now, k.queue.ahead(p))); err != nil {
		return nil, err
	}
	w := k.queue.push(p)
	var timer *time.Timer
	var expired <-chan time.Time
	for {
		if k.queue.first() == w {
			now := k.now()
			d := k.gate(now)
			if d <= 0 {
				k.queue.remove(w)
				k.queue.turn()
				done := k.grant(now)
				k.queue.wake()
				return done, nil
			}
			if timer == nil {
				timer = time.NewTimer(d)
				defer timer.Stop()
				expired = timer.C
			} else {
				timer.Reset(d)
			}
		}
		k.mu.Unlock()
		select {
		case <-w.look:
		case <-expired:
		case <-ctx.Done():
		}
		k.mu.Lock()
		err := ctx.Err()
		if err == nil {
			err = k.reach(ctx, p, k.closed())
		}
		if err != nil {
			k.queue.remove(w)
			k.current().blocked = false
			k.queue.wake()
			return nil, err
		}
	}
}

// known returns the wait that is already certain for a caller behind so many others.
func (k *pace) known(now time.Duration, ahead int) time.Duration {
	d := k.closed()
	if k.rate > 0 {
		if k.trial == nil {
			d = max(d, k.next-now)
		}
		d += time.Duration(ahead) * k.interval()
	}
	return d
}

// reach fails where ctx ends before the wait is over.
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

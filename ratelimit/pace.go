package ratelimit

import (
	"math"
	"sync"
	"time"
)

// pace is what is known of one key. Times in it are counted from born: reading such a clock costs half of
// time.Now.
type pace struct {
	key      string
	barriers *barrierSet
	born     time.Time

	mu   sync.Mutex
	used bool          // since the last sweep
	idle time.Duration // when a sweep last found it used
	gone bool          // forgotten: whoever still holds it looks the key up again

	cycle   *cycle   // calls since the barrier was last passed
	trial   *cycle   // calls that try whether the server takes some again; nil: it does
	trials  int      // those refused in a row
	refusal *refusal // the refusal that closed cycle; nil: none
	narrow  bool     // calls in flight were refused for their number

	rate     float64       // calls a second that the server was seen to sustain; 0: unknown
	window   time.Duration // the best guess at the server's window
	progress float64       // windows' worth of calls that the pace has held since rate was learned
	next     time.Duration // when the pace lets the next call go
	held     bool          // the pace holds the first in the queue

	queue queue
}

// refusal is what there is to learn from a refusal, and from those that follow until a trial succeeds.
type refusal struct {
	at     time.Duration
	speed  float64       // of the calls then, a second; 0: none was set
	window time.Duration // that it named; 0: none
	closed time.Duration // how long the server took nothing from then on, as far as it showed
}

func newPace(barriers *barrierSet, key string, now time.Time) *pace {
	k := &pace{key: key, barriers: barriers, born: now}
	k.cycle = k.newCycle(firstFlight)
	return k
}

func (k *pace) now() time.Duration { return time.Since(k.born) }

// finish takes in what became of a call of c.
func (k *pace) finish(c *cycle, o Outcome) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	full := c.blocked || c.flying >= c.limit
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
		k.narrowed(c, o)
	case o.Refused:
		k.refused(c, now, o)
	default:
		c.succeeded(now)
		if full {
			c.grow(now, k.narrow)
		}
		if c == k.trial {
			k.open()
		}
	}
	if c.blocked {
		k.queue.wake()
	}
}

// refused closes the key for everybody. Calls that were in flight together are refused together: only the
// first refusal of a cycle, and each of a trial, says something new. The others can but tell a later time.
func (k *pace) refused(c *cycle, now time.Duration, o Outcome) {
	wait := max(o.RetryAfter, 0)
	switch {
	case c == k.cycle && k.refusal == nil:
		k.refusal = &refusal{at: now, speed: k.speed(), window: o.Window}
		k.window = max(o.RetryAfter, k.window/2, shortest)
		if o.Window > 0 {
			k.window = o.Window
		}
		if wait == 0 {
			wait = min(k.window, longest)
		}
		k.try()
	case c == k.trial:
		grown := 2 * k.window
		if k.trials == 0 {
			grown = max(k.window, shortest) * 11 / 10
		}
		k.trials++
		k.window = min(max(grown, o.Window), longest)
		wait = max(wait, k.window)
		if r := k.refusal; r != nil {
			r.closed = now - r.at + wait
		}
		k.try()
	}
	if r := k.refusal; r != nil && o.RetryAfter > shortest {
		r.closed = max(r.closed, now-r.at+o.RetryAfter)
	}
	k.raise(wait)
}

// try lets nothing but a trial go from now on.
func (k *pace) try() {
	k.trial = k.newCycle(1)
	k.queue.wakeAll() // some may not have the time to wait for it
}

// open makes the trial, which has succeeded, the beginning of the next cycle.
func (k *pace) open() {
	last := k.cycle
	k.cycle, k.trial, k.trials = k.trial, nil, 0
	k.cycle.limit = max(k.cycle.limit, last.limit)
	if k.refusal != nil {
		k.learn(last, k.refusal)
		k.refusal = nil
	}
	if k.rate > 0 {
		k.next = k.cycle.start + k.interval()
	}
	k.queue.wake()
}

// learn sets the pace by what succeeded in c until r.
func (k *pace) learn(c *cycle, r *refusal) {
	rate, n := c.sustained(r)
	measured := n >= few || c.tried && r.at-c.start <= k.window
	if r.speed > 0 {
		lasted := max(k.window, r.at-c.start)
		lower := r.speed * (1 - retreat*float64(k.window)/float64(lasted))
		if !measured {
			rate = lower
		}
		rate = min(rate, lower)
	} else if !measured {
		k.cycle.limit = firstFlight // feel it out again, from the barrier on
		return
	}
	k.rate, k.progress = rate, 0
}

// narrowed lowers the number of calls in flight. Those that were in flight with the refused one say nothing
// new.
func (k *pace) narrowed(c *cycle, o Outcome) {
	k.narrow = true
	wait := o.RetryAfter
	if c.settling == 0 {
		flying := min(c.limit, c.flying+1)
		if flying == 1 {
			wait = max(wait, shortest) // others take all there is
		}
		c.limit = max(1, flying*3/4)
		c.wins, c.settling = 0, c.flying
	}
	k.raise(wait)
}

// raise closes the key for everybody, for so long from now on.
func (k *pace) raise(wait time.Duration) {
	if wait > 0 {
		k.barriers.raise(k.key, time.Now().Add(wait))
	}
}

// closed returns how long the key stays closed.
func (k *pace) closed() time.Duration {
	if t := k.barriers.opens(k.key); !t.IsZero() {
		return time.Until(t)
	}
	return 0
}

// paced reports whether calls are spread.
func (k *pace) paced() bool { return k.rate > 0 && k.trial == nil }

// speed returns how many calls a second are let go; 0: any number.
func (k *pace) speed() float64 {
	return k.rate * (margin + curiosity*math.Exp2(min(k.progress-plateau, doublings)))
}

// interval returns the time between two calls.
func (k *pace) interval() time.Duration {
	return time.Duration(float64(time.Second) / k.speed())
}

// forget reports whether the key has been idle for long. It is gone then.
func (k *pace) forget() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if k.used || k.queue.n > 0 || k.current().flying > 0 || k.closed() > 0 {
		k.used, k.idle = false, now
	}
	k.gone = now-k.idle >= max(forgetAfter, 10*k.window)
	return k.gone
}

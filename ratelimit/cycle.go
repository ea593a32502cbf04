package ratelimit

import "time"

// cycle is what has been let go since a barrier opened. Outcomes that come in late still count for the
// cycle that their calls belong to, as each cycle has a done of its own.
type cycle struct {
	done   func(Outcome)
	flying int // calls in flight
	limit  int // of flying

	blocked  bool          // limit holds the first in the queue
	since    time.Duration // when it began to, or the last success or growth after that
	wins     int           // successes of full flights since limit grew
	settling int           // calls in flight that still know nothing of a lower limit

	start time.Duration
	n     int // successes
	marks [len(spans)][2]mark
	roll  time.Duration // when marks are looked at next
}

// mark remembers how many calls had succeeded at a time.
type mark struct {
	at time.Duration
	n  int
}

// spans are the windows that servers count in. For each, the two last marks that lie at least a span apart
// are kept, so that one of them is between one and two spans old.
var spans = [...]time.Duration{time.Second, time.Minute, time.Hour}

func (k *pace) newCycle(limit int) *cycle {
	c := &cycle{limit: limit}
	c.done = func(o Outcome) { k.finish(c, o) }
	return c
}

// begin sets all marks to the start of the cycle.
func (c *cycle) begin(now time.Duration) {
	c.start = now
	for i := range c.marks {
		c.marks[i] = [2]mark{{at: now}, {at: now}}
	}
	c.roll = now + spans[0]
}

// full returns how long c has to wait for a call to come back; 0: not at all. A flight that is full for
// long without a success doubles.
func (c *cycle) full(now time.Duration, narrow bool) time.Duration {
	was := c.blocked
	c.blocked = c.flying >= c.limit
	if !c.blocked {
		return 0
	}
	if !was {
		c.since = now
	}
	if narrow {
		return longest // a call that comes back wakes the queue earlier
	}
	if d := c.since + patience - now; d > 0 {
		return d
	}
	c.limit *= 2
	c.blocked = false
	return 0
}

// succeed counts a success. A flight that was full and came back lets more go at once.
func (c *cycle) succeed(now time.Duration, full, narrow bool) {
	if now >= c.roll {
		c.roll = now + spans[0]
		for i, span := range spans {
			if m := &c.marks[i]; now-m[1].at >= span {
				m[0], m[1] = m[1], mark{now, c.n}
			}
		}
	}
	c.n++
	c.since = now
	if !full {
		return
	}
	c.wins++
	switch {
	case !narrow && c.wins >= c.limit:
		c.limit *= 2
		c.wins = 0
	case narrow && c.wins >= flights*c.limit:
		c.limit++
		c.wins = 0
	}
}

// rate returns the best sustained rate that c, closed by r, gives evidence of, in calls a second.
func (c *cycle) rate(r *refusal) float64 {
	var best float64
	for _, marks := range c.marks {
		for _, m := range marks {
			took := max(shortest, r.named, r.at-m.at+r.closed)
			best = max(best, float64(max(1, c.n-m.n))/took.Seconds())
		}
	}
	return best
}

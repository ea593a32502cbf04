package ratelimit

import "time"

// cycle counts the calls that were let go between two barriers. Each cycle has a done of its own, so that
// the outcome of a call that comes in late still goes to the cycle that the call belongs to.
type cycle struct {
	done func(Outcome)

	flying   int           // calls in flight
	limit    int           // of them
	wins     int           // successes of full flights since limit grew
	grew     time.Duration // when it did
	blocked  bool          // limit holds the first in the queue
	since    time.Duration // when it began to; the last success if that is later
	settling int           // calls in flight that were let go under a higher limit

	tried bool // it began with a trial, at start
	start time.Duration
	n     int // successes
	marks [len(spans)][2]mark
	roll  time.Duration // when marks are to be moved
}

// mark remembers how many calls had succeeded at a time.
type mark struct {
	at time.Duration
	n  int
}

// spans are the windows in which servers count. The last two marks at least a span apart are kept for each,
// so that one lies between one and two spans back.
var spans = [...]time.Duration{time.Second, time.Minute, time.Hour}

func (k *pace) newCycle(limit int) *cycle {
	c := &cycle{limit: limit}
	c.done = func(o Outcome) { k.finish(c, o) }
	return c
}

// begin starts the cycle with a trial.
func (c *cycle) begin(now time.Duration) {
	c.tried, c.start = true, now
	for i := range c.marks {
		c.marks[i] = [2]mark{{at: now}, {at: now}}
	}
}

// succeeded counts a success.
func (c *cycle) succeeded(now time.Duration) {
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
}

// tallies returns how many calls succeeded since each of the marks.
func (c *cycle) tallies(now time.Duration) []Tally {
	if c.n == 0 {
		return nil
	}
	var tallies []Tally
	for _, marks := range c.marks {
		for _, m := range marks {
			tallies = append(tallies, Tally{N: c.n - m.n, In: now - m.at})
		}
	}
	return tallies
}

// grow counts a success while the flight was full, and lets more fly after enough of them.
func (c *cycle) grow(now time.Duration, narrow bool) {
	c.wins++
	switch {
	case narrow && c.wins >= fullFlights*c.limit:
		c.limit++
		c.wins = 0
	case !narrow && c.wins >= c.limit && now-c.grew >= breath:
		c.limit *= 2
		c.wins, c.grew = 0, now
	}
}

// sustained returns the best rate in calls a second for which the cycle, which r has ended, gives evidence,
// and the number of successes that it rests on.
func (c *cycle) sustained(r *refusal) (rate float64, n int) {
	for _, marks := range c.marks {
		for _, m := range marks {
			took := max(shortest, r.window, r.at-m.at+r.closed).Seconds()
			if x := float64(max(1, c.n-m.n)) / took; x > rate {
				rate, n = x, c.n-m.n
			}
		}
	}
	return rate, n
}

package ratelimit

import "time"

// A form is a way to count the events of a window.
type form uint8

const (
	formSliding form = iota // the last period
	formDaily               // a day in UTC+8
	formSpread              // a burst, and then an event each so often
)

// kind tells windows of one key apart.
type kind struct {
	form   form
	period time.Duration
}

// counter keeps the windows of one kind: of each key in a shard the events that have happened. It is used
// under the shard's lock. Times are counted from the beginning of a Local by a clock that never steps. The
// arguments are values, so that a call on the interface allocates nothing.
type counter interface {
	// refresh sets the time, which never runs backwards, for what follows, and forgets what is over now and then.
	refresh(now time.Duration)
	// earliest is when n events of c fit, with at most rate of them in the window, at or after from. What
	// is booked keeps its time.
	earliest(c claim, rate, n int, from time.Duration, booked []booking) time.Duration
	// record notes that n events happened at a time between the last one recorded and now, and returns used.
	record(hash uint64, every, at time.Duration, n int) (used int)
	// used is the number of events in the window now.
	used(hash uint64, every time.Duration) int
	// empty reports whether nothing is left.
	empty() bool
}

// newCounter returns a counter of windows of a kind. Those that are pinned have a backlog.
func newCounter(k kind, pinned func(hash uint64) bool) counter {
	switch k.form {
	case formDaily:
		return newDaily()
	case formSpread:
		return newSpread(k.period, pinned)
	default:
		return newSliding(k.period)
	}
}

// aging decides when a counter forgets. Nothing in it matters for longer than life after it was recorded.
type aging struct {
	life    time.Duration
	touched time.Duration
	swept   time.Duration
}

// due notes a use and reports whether nothing is left to remember, and else whether to look for what is over.
func (a *aging) due(now time.Duration) (forget, sweep bool) {
	forget = now-a.touched >= a.life
	sweep = now-a.swept >= a.life/2
	a.touched = now
	if forget || sweep {
		a.swept = now
	}
	return forget, sweep
}

package ratelimit

import (
	"cmp"
	"slices"
	"time"
)

// A backlog is who waits for one window and what is booked in it. A window has one only while there is
// something in it.
//
// The callers are served by priority, then in the order in which they came. One turn in fairness, though,
// goes to a caller of lower priority, to whoever of them has waited longest. Only the first in line looks
// after a timer; who is first changes only when somebody joins, leaves or is served, and each of these
// wakes the new first.
type backlog struct {
	lines  [3][]*caller // by line(priority)
	needs  [3]int       // turns that a line waits for
	passed int          // turns in a row that went past a caller of lower priority
	booked []booking    // by time
}

// A caller waits in one backlog at a time: that of the window for which it has to wait longest.
type caller struct {
	claims []claim
	line   int
	came   uint64 // order of arrival
	wake   chan struct{}
	at     *backlog // where it waits
	need   int      // turns it needs there
}

// A booking is a number of events that will happen.
type booking struct {
	at    time.Duration
	n     int
	every time.Duration
	by    *reservation
}

// idle reports whether b may be forgotten.
func (b *backlog) idle() bool {
	return len(b.lines[0])+len(b.lines[1])+len(b.lines[2])+len(b.booked) == 0
}

// join puts c, which waits nowhere, in its place.
func (b *backlog) join(c *caller, need int) {
	i, _ := slices.BinarySearchFunc(b.lines[c.line], c, func(a, b *caller) int { return cmp.Compare(a.came, b.came) })
	b.lines[c.line] = slices.Insert(b.lines[c.line], i, c)
	b.needs[c.line] += need
	c.at, c.need = b, need
}

// leave takes c out of the backlog in which it waits, if any, and lets the next one look.
func (c *caller) leave() {
	b := c.at
	if b == nil {
		return
	}
	switch l := b.lines[c.line]; {
	case len(l) == 1:
		b.lines[c.line] = nil
	case l[0] == c: // usual, and cheap however long the line is
		l[0] = nil
		b.lines[c.line] = l[1:]
	default:
		i := slices.Index(l, c)
		b.lines[c.line] = slices.Delete(l, i, i+1)
	}
	b.needs[c.line] -= c.need
	c.at = nil
	b.wakeFirst()
}

// first is who is served next, if c, which need not wait here, comes as well. c may be nil.
func (b *backlog) first(c *caller) *caller {
	top := c
	for i := len(b.lines) - 1; i >= 0 && (top == nil || top.line <= i); i-- {
		if l := b.lines[i]; len(l) > 0 && (top == nil || i > top.line || l[0].came < top.came) {
			top = l[0]
		}
	}
	if b.passed < fairness-1 || top == nil {
		return top
	}
	longest := top
	for _, l := range b.lines[:top.line] {
		if len(l) > 0 && (longest == top || l[0].came < longest.came) {
			longest = l[0]
		}
	}
	return longest
}

// due reports whether it is c's turn even if what is kept from its priority is all that is left: c waits
// here, has been passed often enough, and is next.
func (b *backlog) due(c *caller) bool {
	return b.passed >= fairness-1 && c.at == b && b.first(nil) == c
}

// served counts a turn that c got.
func (b *backlog) served(c *caller) {
	lower := false
	for _, l := range b.lines[:c.line] {
		lower = lower || len(l) > 0
	}
	if !lower || b.passed >= fairness-1 {
		b.passed = 0
		return
	}
	if b.passed++; b.passed >= fairness-1 {
		b.wakeFirst()
	}
}

// ahead is the number of turns that those need who are served before c.
func (b *backlog) ahead(c *caller) int {
	n := 0
	for i := c.line + 1; i < len(b.lines); i++ {
		n += b.needs[i]
	}
	if l := b.lines[c.line]; len(l) > 0 && l[len(l)-1].came < c.came {
		return n + b.needs[c.line]
	}
	for _, o := range b.lines[c.line] {
		if o.came >= c.came {
			break
		}
		n += o.need
	}
	return n
}

// wakeFirst lets the first in line look again.
func (b *backlog) wakeFirst() {
	if c := b.first(nil); c != nil {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
}

// book adds what is to happen.
func (b *backlog) book(k booking) {
	i, _ := slices.BinarySearchFunc(b.booked, k.at, func(b booking, at time.Duration) int {
		if b.at <= at { // behind its equals
			return -1
		}
		return 1
	})
	b.booked = slices.Insert(b.booked, i, k)
}

// unbook takes out what r has booked, and lets the first in line look whether that helps.
func (b *backlog) unbook(r *reservation) {
	b.booked = slices.DeleteFunc(b.booked, func(k booking) bool { return k.by == r })
	b.wakeFirst()
}

// settle records what was booked and has happened by now.
func (b *backlog) settle(hash uint64, in counter, now time.Duration) {
	done := 0
	for _, k := range b.booked {
		if k.at > now {
			break
		}
		in.record(hash, k.every, k.at, k.n)
		done++
	}
	b.booked = slices.Delete(b.booked, 0, done)
}

// soon is the number of turns that are booked before a time.
func (b *backlog) soon(before time.Duration) int {
	n := 0
	for _, k := range b.booked {
		if k.at >= before {
			break
		}
		n += k.n
	}
	return n
}

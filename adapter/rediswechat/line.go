package rediswechat

import (
	"cmp"
	"slices"

	"github.com/seed175cf469/wechat/ratelimit"
)

const fairness = 8 // one turn in so many goes to whoever has waited longest, whatever its priority

// line is who waits in this process for one thing: by priority, then by arrival, but one turn in eight goes to whoever has
// waited longest.
type line struct {
	by     [3][]*waiter // Background, Normal, Urgent
	head   *waiter      // who is first, as far as it has been told
	passed int          // turns in a row that went past somebody of lower priority
}

type waiter struct {
	priority int // index of line.by
	came     uint64
	look     chan struct{} // look again
}

func newWaiter(p ratelimit.Priority, came uint64) waiter {
	return waiter{priority: int(min(max(p, ratelimit.Background), ratelimit.Urgent) - ratelimit.Background), came: came,
		look: make(chan struct{}, 1)}
}

func (w *waiter) wake() {
	select {
	case w.look <- struct{}{}:
	default:
	}
}

func byArrival(a, b *waiter) int { return cmp.Compare(a.came, b.came) }

// join puts w in its place.
func (l *line) join(w *waiter) {
	i, _ := slices.BinarySearchFunc(l.by[w.priority], w, byArrival)
	l.by[w.priority] = slices.Insert(l.by[w.priority], i, w)
	l.wakeFirst(w)
}

// leave takes w out.
func (l *line) leave(w *waiter) {
	same := l.by[w.priority]
	if same[0] == w { // usual, and cheap however long the line is
		same[0] = nil
		same = same[1:]
	} else {
		i := slices.Index(same, w)
		same = slices.Delete(same, i, i+1)
	}
	l.by[w.priority] = same
	l.wakeFirst(nil)
}

// wakeFirst wakes who is first since the last time; by knows already that it is.
func (l *line) wakeFirst(by *waiter) {
	next, _ := l.first()
	if next != l.head && next != by && next != nil {
		next.wake()
	}
	l.head = next
}

// wakeAll has everybody look again.
func (l *line) wakeAll() {
	for _, same := range l.by {
		for _, w := range same {
			w.wake()
		}
	}
}

// first is who is served next, or nil; due says that it is for having waited longest.
func (l *line) first() (next *waiter, due bool) {
	due = l.passed >= fairness-1
	for _, same := range l.by {
		if len(same) > 0 && (next == nil || !due || same[0].came < next.came) {
			next = same[0]
		}
	}
	return next, due
}

// served counts a turn that w got.
func (l *line) served(w *waiter) {
	lower := false
	for _, same := range l.by[:w.priority] {
		lower = lower || len(same) > 0
	}
	if lower && l.passed < fairness-1 {
		l.passed++
	} else {
		l.passed = 0
	}
}

// waiting is how many there are.
func (l *line) waiting() int { return len(l.by[0]) + len(l.by[1]) + len(l.by[2]) }

// ahead is how many are served before w, at least.
func (l *line) ahead(w *waiter) int {
	n := 0
	for _, same := range l.by[w.priority+1:] {
		n += len(same)
	}
	i, _ := slices.BinarySearchFunc(l.by[w.priority], w, byArrival)
	return n + i
}

package ratelimit

import "slices"

// fairness: one turn in so many goes to whoever has waited longest, whatever its priority. A caller that finds
// m others waiting therefore gets one of the next fairness*(m+1) turns.
const fairness = 8

// queue orders those who wait for a turn: by priority, then by arrival. Whoever is first looks after its
// own timer; the others sleep until they are woken.
type queue struct {
	lines [3][]*waiter // Background, Normal, Urgent
	n     int          // waiters in all lines
	came  uint64       // waiters that ever came
	turns int          // turns given, modulo fairness
}

type waiter struct {
	line int
	came uint64
	look chan struct{} // look again
}

func line(p Priority) int { return int(min(max(p, Background), Urgent) - Background) }

func (q *queue) push(p Priority) *waiter {
	q.came++
	w := &waiter{line: line(p), came: q.came, look: make(chan struct{}, 1)}
	q.lines[w.line] = append(q.lines[w.line], w)
	q.n++
	return w
}

func (q *queue) remove(w *waiter) {
	l := q.lines[w.line]
	if l[0] == w { // usual, and cheap however long the line is
		l[0] = nil
		l = l[1:]
	} else {
		i := slices.Index(l, w)
		l = slices.Delete(l, i, i+1)
	}
	if len(l) == 0 {
		l = nil
	}
	q.lines[w.line] = l
	q.n--
}

// ahead returns how many go before a newcomer of priority p.
func (q *queue) ahead(p Priority) int {
	n := 0
	for _, l := range q.lines[line(p):] {
		n += len(l)
	}
	return n
}

// first returns whose turn is next, or nil.
func (q *queue) first() *waiter {
	var w *waiter
	for _, l := range q.lines {
		if len(l) > 0 && (w == nil || q.turns < fairness-1 || l[0].came < w.came) {
			w = l[0]
		}
	}
	return w
}

// turn takes w, which is first, out of the queue.
func (q *queue) turn(w *waiter) {
	q.turns = (q.turns + 1) % fairness
	q.remove(w)
}

// wake lets the first look at the gate.
func (q *queue) wake() {
	if w := q.first(); w != nil {
		w.wake()
	}
}

// wakeAll lets everybody look how long the gate stays closed.
func (q *queue) wakeAll() {
	for _, l := range q.lines {
		for _, w := range l {
			w.wake()
		}
	}
}

func (w *waiter) wake() {
	select {
	case w.look <- struct{}{}:
	default:
	}
}

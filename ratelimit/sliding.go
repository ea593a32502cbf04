package ratelimit

import (
	"cmp"
	"slices"
	"time"
)

// exactMax is the number of events up to which a window is exact.
const exactMax = 60

// exactWidths are the numbers of time stamps in a slot. A key moves to a wider slot when it needs one, so
// a thousand an hour costs as little as four a minute until it is used.
var exactWidths = [...]int{4, 12, 30, exactMax}

// coarse is the index of the table whose slots hold buckets.
const coarse = len(exactWidths)

// sliding counts the events of windows that slide. A window with up to 60 events is exact: its slot
// holds their time stamps, newest first. Above that the slot holds buckets. A bucket takes the events of a
// 126th of the period, and all of them count until the last one has left the window, so that it is at most
// that much too strict and never too generous.
//
// A time stamp is a count of ticks modulo 2^32, rounded up; 0 is none. There are at most 2^30 ticks in a
// period, so that a stamp is unambiguous from three periods ago to one period ahead. Nothing older is ever
// looked at: slots are swept each half period, all of them are dropped after a period without use, and each
// record drops the old stamps of its slot.
type sliding struct {
	aging
	period time.Duration
	tick   time.Duration
	now    time.Duration // when it was refreshed last
	last   int64         // ticks until a period after now
	tables [coarse + 1]table
}

func newSliding(period time.Duration) *sliding {
	s := &sliding{aging: aging{life: period}, period: period, tick: tick(period)}
	for i, w := range exactWidths {
		s.tables[i].stride = header + w
	}
	s.tables[coarse].stride = bucketWords
	return s
}

// find returns the slot of hash and the index of its table, or nil.
func (s *sliding) find(hash uint64) (int, []uint32) {
	for i := range s.tables {
		if slot := s.tables[i].find(hash); slot != nil {
			return i, slot
		}
	}
	return 0, nil
}

func (s *sliding) earliest(c claim, rate, n int, from time.Duration, booked []booking) time.Duration {
	size, slot := s.find(c.hash)
	switch {
	case len(booked) > 0:
		return s.between(s.points(size, slot, booked), rate, n, from)
	case slot == nil:
		return from
	case size == coarse:
		b := s.open(slot)
		over := int(*b.total) + n - rate
		for i := 0; over > 0; i++ {
			stamp, count := b.at(i)
			from = max(from, s.time(*stamp)+s.period)
			over -= int(*count)
		}
		return from
	}
	// With n more, the stamp that was number rate-n before would be one too many.
	stamps := slot[header:]
	if i := rate - n; i < len(stamps) && stamps[i] != 0 {
		return max(from, s.time(stamps[i])+s.period)
	}
	return from
}

// A point is a number of events at one time.
type point struct {
	at time.Duration
	n  int
}

// points returns the events of a window in order: those that happened, and those that are booked. What is rounded
// up must not get behind now: a run that ends there would seem longer than it is.
func (s *sliding) points(size int, slot []uint32, booked []booking) []point {
	var points []point
	switch {
	case slot == nil:
	case size == coarse:
		b := s.open(slot)
		for i := range int(*b.used) {
			stamp, count := b.at(i)
			points = append(points, point{min(s.time(*stamp), s.now), int(*count)})
		}
	default:
		for _, stamp := range slices.Backward(slot[header:]) {
			if s.live(stamp) {
				points = append(points, point{min(s.time(stamp), s.now), 1})
			}
		}
	}
	for _, b := range booked {
		points = append(points, point{b.at, b.n})
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
	return points
}

// between returns the earliest time not before from at which n events fit among points.
//
// Each run of points that lies within a period and leaves no room for n more closes the time from a period
// before its end to a period after its beginning. It is enough to look at the shortest such run that ends at
// each point, and as both ends of these times only ever grow, at each of them once.
func (s *sliding) between(points []point, rate, n int, from time.Duration) time.Duration {
	sum, first := 0, 0
	for _, last := range points {
		sum += last.n
		for sum-points[first].n+n > rate {
			sum -= points[first].n
			first++
		}
		begin := points[first].at
		full := sum+n > rate && last.at-begin < s.period
		if full && last.at-s.period < from && from < begin+s.period {
			from = begin + s.period
		}
	}
	return from
}

func (s *sliding) used(hash uint64, _ time.Duration) int {
	size, slot := s.find(hash)
	switch {
	case slot == nil:
		return 0
	case size == coarse:
		return int(*s.open(slot).total)
	}
	return s.count(slot[header:])
}

func (s *sliding) record(hash uint64, _, at time.Duration, n int) int {
	if at+s.period <= s.now {
		return s.used(hash, 0) // booked, but settled so late that it does not count any more
	}
	size, slot := s.find(hash)
	used := 0
	switch {
	case slot == nil:
		size = s.fits(n)
		slot = s.add(size, hash)
	case size != coarse:
		stamps := slot[header:]
		used = s.count(stamps)
		clear(stamps[used:])
		if used+n > len(stamps) {
			size, slot = s.widen(size, slot, used+n)
		}
	}
	if size == coarse {
		b := s.open(slot)
		b.add(s.stamp(at), n)
		return int(*b.total)
	}
	stamps := slot[header:]
	copy(stamps[n:], stamps[:used])
	stamp := s.stamp(at)
	for i := range n {
		stamps[i] = stamp
	}
	return used + n
}

// count returns the number of stamps that are still in the window.
func (s *sliding) count(stamps []uint32) int {
	n := 0
	for n < len(stamps) && s.live(stamps[n]) {
		n++
	}
	return n
}

// live reports whether a stamp is still in the window.
func (s *sliding) live(stamp uint32) bool {
	return stamp != 0 && s.time(stamp)+s.period > s.now
}

// fits returns the table whose slots hold n events.
func (s *sliding) fits(n int) int {
	for i, w := range exactWidths {
		if n <= w {
			return i
		}
	}
	return coarse
}

// add makes an empty slot for hash.
func (s *sliding) add(size int, hash uint64) []uint32 {
	t := &s.tables[size]
	if t.full() {
		t.prune(func(slot []uint32) bool { return s.alive(size, slot) })
	}
	return t.insert(hash)
}

// widen moves a slot to a table where it can hold n events.
func (s *sliding) widen(size int, slot []uint32, n int) (int, []uint32) {
	hash, wide := slotHash(slot), s.fits(n)
	moved := s.add(wide, hash)
	if wide == coarse {
		b := s.open(moved)
		for _, stamp := range slices.Backward(slot[header:]) {
			if stamp != 0 {
				b.add(stamp, 1)
			}
		}
	} else {
		copy(moved[header:], slot[header:])
	}
	s.tables[size].remove(hash)
	return wide, moved
}

// alive reports whether a slot has an event in the window.
func (s *sliding) alive(size int, slot []uint32) bool {
	if size == coarse {
		return *s.open(slot).total > 0
	}
	return s.live(slot[header])
}

func (s *sliding) refresh(now time.Duration) {
	if now == s.now {
		return
	}
	s.now = now
	s.last = int64(now/s.tick) + 1<<30
	forget, sweep := s.due(now)
	if !forget && !sweep {
		return
	}
	for size := range s.tables {
		t := &s.tables[size]
		t.sweep(func(slot []uint32) bool { return !forget && s.alive(size, slot) })
	}
}

func (s *sliding) empty() bool {
	return !slices.ContainsFunc(s.tables[:], func(t table) bool { return t.used > 0 })
}

// tick returns how long a tick is: the shortest time of 1, 2 or 5 times a power of ten nanoseconds of which a
// period has at most 2^30. Being round, it leaves round times as they are.
func tick(period time.Duration) time.Duration {
	for t := time.Duration(1); ; t *= 10 {
		for _, tick := range [...]time.Duration{t, 2 * t, 5 * t} {
			if period/tick < 1<<30 {
				return tick
			}
		}
	}
}

// stamp rounds up, and skips 0.
func (s *sliding) stamp(at time.Duration) uint32 {
	return max(uint32((at+s.tick-1)/s.tick), 1)
}

// time is the time of a stamp that lies between three periods ago and one period ahead.
func (s *sliding) time(stamp uint32) time.Duration {
	return time.Duration(s.last-int64(uint32(s.last)-stamp)) * s.tick
}

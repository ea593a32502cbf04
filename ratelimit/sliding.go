package ratelimit

import (
	"cmp"
	"math/bits"
	"slices"
	"time"
)

// Sizes of the slots of sliding windows.
const (
	buckets     = 128 // counts in a coarse slot, for windows with more than exactMax events
	bucketWords = header + 2 + buckets
	exactMax    = 60 // most time stamps in an exact slot
)

// exactWidths are the numbers of time stamps in a slot. A key moves to a wider slot when it needs one, so
// a thousand an hour costs as little as four a minute until it is used.
var exactWidths = [...]int{4, 12, 30, exactMax}

// coarse is the index of the table with buckets.
const coarse = len(exactWidths)

// sliding counts the events of windows that slide. A window with up to 60 events is exact: its slot
// holds their time stamps, newest first. Above that the slot holds counts of events in buckets of about a
// 126th of the period, and each event counts until the last of its bucket has left the window, so that it is
// at most that much too strict and never too generous.
//
// A time stamp is a count of ticks modulo 2^32, rounded up, with a tick of less than 2^-29 of the period; 0 is
// none. It is unambiguous from three periods ago to one period ahead, and aging makes sure that nothing
// older is ever looked at: slots are swept each half period, and a record drops the old stamps of its slot.
type sliding struct {
	aging
	ticks
	period time.Duration
	width  time.Duration // of a bucket
	tables [coarse + 1]table
}

func newSliding(period time.Duration) *sliding {
	s := &sliding{
		// An event in a bucket lives longer than the period, by no more than a bucket.
		aging:  aging{life: period + period/64 + 1},
		ticks:  newTicks(period),
		period: period,
		width:  (period + 125) / 126,
	}
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

func (s *sliding) earliest(c claim, rate, n int, now moment, from time.Duration, booked []booking) time.Duration {
	size, slot := s.find(c.hash)
	switch {
	case len(booked) > 0:
		return s.between(s.points(size, slot, now, booked), rate, n, from)
	case slot == nil:
		return from
	case size == coarse:
		b := s.open(slot, now)
		over := b.total() + n - rate
		if over <= 0 {
			return from
		}
		for i := b.first(); ; i++ {
			if over -= b.count(i); over <= 0 {
				return max(from, s.leaves(i))
			}
		}
	}
	// With n more, the stamp that was number rate-n before would be one too many.
	stamps := slot[header:]
	if i := rate - n; i < len(stamps) && stamps[i] != 0 {
		return max(from, s.time(stamps[i], now)+s.period)
	}
	return from
}

// A point is a number of events at one time.
type point struct {
	at time.Duration
	n  int
}

// points returns the events of a window in order: those that happened, and those that are booked.
func (s *sliding) points(size int, slot []uint32, now moment, booked []booking) []point {
	var points []point
	switch {
	case slot == nil:
	case size == coarse:
		b := s.open(slot, now)
		for i := b.first(); i < b.first()+buckets; i++ {
			if n := b.count(i); n > 0 {
				points = append(points, point{s.leaves(i) - s.period, n})
			}
		}
	default:
		for _, stamp := range slices.Backward(slot[header:]) {
			if s.live(stamp, now) {
				points = append(points, point{s.time(stamp, now), 1})
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
// Each run of points that leaves no room for n more closes the time from a period before its end to a period
// after its beginning. It is enough to look at the shortest such run that ends at each point, and as both
// ends of these times only ever grow, at each of them once.
func (s *sliding) between(points []point, rate, n int, from time.Duration) time.Duration {
	sum, first := 0, 0
	for _, last := range points {
		sum += last.n
		for sum-points[first].n+n > rate {
			sum -= points[first].n
			first++
		}
		if begin := points[first].at; sum+n > rate && last.at-s.period < from && from < begin+s.period {
			from = begin + s.period
		}
	}
	return from
}

func (s *sliding) used(hash uint64, _ time.Duration, now moment) int {
	size, slot := s.find(hash)
	switch {
	case slot == nil:
		return 0
	case size == coarse:
		return s.open(slot, now).total()
	}
	return s.count(slot[header:], now)
}

func (s *sliding) record(hash uint64, _, at time.Duration, n int, now moment) int {
	size, slot := s.find(hash)
	used := 0
	switch {
	case slot == nil:
		size = s.fits(n)
		slot = s.add(size, hash, now)
	case size != coarse:
		stamps := slot[header:]
		used = s.count(stamps, now)
		clear(stamps[used:])
		if used+n > len(stamps) {
			size, slot = s.widen(size, slot, used+n, now)
		}
	}
	if size == coarse {
		b := s.open(slot, now)
		b.add(at, n)
		return b.total()
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
func (s *sliding) count(stamps []uint32, now moment) int {
	n := 0
	for n < len(stamps) && s.live(stamps[n], now) {
		n++
	}
	return n
}

// live reports whether a stamp is still in the window.
func (s *sliding) live(stamp uint32, now moment) bool {
	return stamp != 0 && s.time(stamp, now)+s.period > now.at
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
func (s *sliding) add(size int, hash uint64, now moment) []uint32 {
	t := &s.tables[size]
	if t.full() {
		t.prune(func(slot []uint32) bool { return s.alive(size, slot, now) })
	}
	return t.insert(hash)
}

// widen moves a slot to a table where it can hold n events.
func (s *sliding) widen(size int, slot []uint32, n int, now moment) (int, []uint32) {
	hash, wide := slotHash(slot), s.fits(n)
	moved := s.add(wide, hash, now)
	if wide == coarse {
		b := s.open(moved, now)
		for _, stamp := range slot[header:] {
			if stamp != 0 {
				b.add(s.time(stamp, now), 1)
			}
		}
	} else {
		copy(moved[header:], slot[header:])
	}
	s.tables[size].remove(hash)
	return wide, moved
}

// alive reports whether a slot has an event in the window.
func (s *sliding) alive(size int, slot []uint32, now moment) bool {
	if size == coarse {
		return s.open(slot, now).total() > 0
	}
	return s.live(slot[header], now)
}

func (s *sliding) refresh(now moment) {
	forget, sweep := s.due(now)
	if !forget && !sweep {
		return
	}
	for size := range s.tables {
		t := &s.tables[size]
		t.sweep(func(slot []uint32) bool { return !forget && s.alive(size, slot, now) })
	}
}

func (s *sliding) empty() bool {
	return !slices.ContainsFunc(s.tables[:], func(t table) bool { return t.used > 0 })
}

// bucketed is a slot with buckets: the number of its first bucket that is in the window, the sum of the
// counts, and the counts. Numbers are those of the bucket widths since the beginning, modulo 2^32.
type bucketed struct {
	s    *sliding
	slot []uint32
	head int64
}

// open drops the buckets that have left the window.
func (s *sliding) open(slot []uint32, now moment) bucketed {
	b := bucketed{s, slot, int64((now.at - s.period) / s.width)}
	if b.total() > 0 {
		gone := min(uint32(b.head)-slot[header], buckets)
		for i := range gone {
			b.take(slot[header] + i)
		}
	}
	slot[header] = uint32(b.head)
	return b
}

func (b bucketed) total() int { return int(b.slot[header+1]) }

// first is the number of the first bucket in the window.
func (b bucketed) first() int64 { return b.head }

func (b bucketed) count(i int64) int { return int(*b.at(uint32(i))) }

func (b bucketed) at(i uint32) *uint32 { return &b.slot[header+2+i%buckets] }

func (b bucketed) take(i uint32) {
	b.slot[header+1] -= *b.at(i)
	*b.at(i) = 0
}

func (b bucketed) add(at time.Duration, n int) {
	i := int64(at / b.s.width)
	if i < b.head {
		return // it has left the window already
	}
	*b.at(uint32(i)) += uint32(n)
	b.slot[header+1] += uint32(n)
}

// leaves is when bucket i leaves the window.
func (s *sliding) leaves(i int64) time.Duration { return time.Duration(i+1)*s.width + s.period }

// ticks turn times into words and back.
type ticks struct{ shift uint8 }

// newTicks returns ticks of a power of two of nanoseconds, at most 2^30 of them in a period.
func newTicks(period time.Duration) ticks {
	return ticks{uint8(bits.Len64(uint64(period) >> 30))}
}

// stamp rounds up, and skips 0.
func (t ticks) stamp(at time.Duration) uint32 {
	stamp := uint32((at + 1<<t.shift - 1) >> t.shift)
	if stamp == 0 {
		stamp = 1
	}
	return stamp
}

// time is the time of a stamp that lies between three periods ago and one period ahead.
func (t ticks) time(stamp uint32, now moment) time.Duration {
	last := int64(now.at>>t.shift) + 1<<30
	return time.Duration(last-int64(uint32(last)-stamp)) << t.shift
}

package ratelimit

import "time"

// spread holds back what comes after a burst. A slot holds one time: when the window would be at rest, were
// each event to take its share of the period. An event may come before that time by as much as a burst
// takes. (The generic cell rate algorithm.)
type spread struct {
	aging
	now    time.Duration // when it was refreshed last
	pinned func(hash uint64) bool
	table  table
}

const spreadWords = header + 2

// newSpread returns a spread that keeps what is pinned.
func newSpread(period time.Duration, pinned func(hash uint64) bool) *spread {
	return &spread{aging: aging{life: period}, pinned: pinned, table: table{stride: spreadWords}}
}

// rest is when the window of a slot is at rest.
func rest(slot []uint32) time.Duration {
	return time.Duration(uint64(slot[header]) | uint64(slot[header+1])<<32)
}

// after is when a window is at rest if n events come at a time.
func after(rest, at time.Duration, n int, every time.Duration) time.Duration {
	return max(rest, at) + times(n, every)
}

func (s *spread) earliest(c claim, rate, n int, from time.Duration, booked []booking) time.Duration {
	var rested time.Duration
	if slot := s.table.find(c.hash); slot != nil {
		rested = rest(slot)
	}
	for {
		from = max(from, rested+times(n-rate, c.every))
		if len(booked) == 0 || from <= booked[0].at && keeps(booked, c, after(rested, from, n, c.every)) {
			return from
		}
		rested = after(rested, booked[0].at, booked[0].n, c.every)
		from = max(from, booked[0].at)
		booked = booked[1:]
	}
}

// keeps reports whether everything that is booked can come in its time.
func keeps(booked []booking, c claim, rested time.Duration) bool {
	for _, b := range booked {
		if b.at < rested+times(b.n-c.full, c.every) {
			return false
		}
		rested = after(rested, b.at, b.n, c.every)
	}
	return true
}

func (s *spread) record(hash uint64, every, at time.Duration, n int) int {
	slot := s.table.find(hash)
	if slot == nil {
		if s.table.full() {
			s.table.prune(s.live)
		}
		slot = s.table.insert(hash)
	}
	rested := uint64(after(rest(slot), at, n, every))
	slot[header], slot[header+1] = uint32(rested), uint32(rested>>32)
	return s.used(hash, every)
}

func (s *spread) used(hash uint64, every time.Duration) int {
	slot := s.table.find(hash)
	if slot == nil {
		return 0
	}
	return int((max(rest(slot)-s.now, 0) + every - 1) / every)
}

// live reports whether the window of a slot is not at rest, or may not have been when something was booked
// that is not recorded yet.
func (s *spread) live(slot []uint32) bool { return rest(slot) > s.now || s.pinned(slotHash(slot)) }

func (s *spread) refresh(now time.Duration) {
	s.now = now
	if forget, sweep := s.due(now); forget || sweep {
		s.table.sweep(s.live)
	}
}

func (s *spread) empty() bool { return s.table.used == 0 }

package ratelimit

import "time"

// The words of a slot with buckets: four of bookkeeping, and a ring of stamps and counts.
const (
	buckets     = 128 // of which a window touches at most all
	bucketWords = header + 4 + 2*buckets
)

// bucketed is a view of a slot with buckets.
type bucketed struct {
	s     *sliding
	total *uint32 // events in all buckets
	first *uint32 // place of the oldest bucket in ring
	used  *uint32 // number of buckets
	began *uint32 // stamp of the first event in the newest bucket
	ring  []uint32
}

// open drops the buckets that have left the window.
func (s *sliding) open(slot []uint32) bucketed {
	w := slot[header:]
	b := bucketed{s, &w[0], &w[1], &w[2], &w[3], w[4:]}
	for *b.used > 0 {
		stamp, count := b.at(0)
		if s.live(*stamp) {
			break
		}
		*b.total -= *count
		*b.first = (*b.first + 1) % buckets
		*b.used--
	}
	return b
}

// at returns the stamp of the last event in the i-th oldest bucket, and their number.
func (b bucketed) at(i int) (stamp, count *uint32) {
	at := (int(*b.first) + i) % buckets * 2
	return &b.ring[at], &b.ring[at+1]
}

// add notes n events, which are the newest.
func (b bucketed) add(at uint32, n int) {
	width := (b.s.period + buckets - 3) / (buckets - 2)
	newest := int(*b.used) - 1
	if newest < 0 || b.age(at) >= width && *b.used < buckets {
		newest++
		*b.used++
		*b.began = at
		_, count := b.at(newest)
		*count = 0
	}
	stamp, count := b.at(newest)
	*stamp = at
	*count += uint32(n)
	*b.total += uint32(n)
}

// age is how long the newest bucket has been open at the time of a stamp.
func (b bucketed) age(at uint32) time.Duration {
	return b.s.time(at) - b.s.time(*b.began)
}

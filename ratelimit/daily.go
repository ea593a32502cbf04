package ratelimit

import "time"

// daily counts the events of calendar days. A slot holds the day, counted from 1970-01-01, and the number
// of its events. Where the wall clock is set back over midnight, the later day's events go on to count; where it
// is set back further, it was wrong before, and they are forgotten.
type daily struct {
	aging
	now   time.Duration // when it was refreshed last
	wall  time.Duration // the same since 1970-01-01 00:00 UTC+8
	table table
}

const dailyWords = header + 2

func newDaily() *daily {
	return &daily{aging: aging{life: day}, table: table{stride: dailyWords}}
}

// date is the number of the day of a time.
func (d *daily) date(at time.Duration) uint32 { return uint32((d.wall + at - d.now) / day) }

// begin is the first time of a day.
func (d *daily) begin(date uint32) time.Duration { return d.now + time.Duration(date)*day - d.wall }

func (d *daily) earliest(c claim, rate, n int, from time.Duration, booked []booking) time.Duration {
	slot := d.table.find(c.hash)
	for {
		date, sum := d.date(from), n
		if slot != nil && d.live(slot) && slot[header] >= date {
			sum += int(slot[header+1])
		}
		for _, b := range booked {
			if d.date(b.at) == date {
				sum += b.n
			}
		}
		if sum <= rate {
			return from
		}
		from = d.begin(date + 1)
	}
}

func (d *daily) used(hash uint64, _ time.Duration) int {
	if slot := d.table.find(hash); slot != nil && d.live(slot) {
		return int(slot[header+1])
	}
	return 0
}

func (d *daily) record(hash uint64, _, at time.Duration, n int) int {
	slot := d.table.find(hash)
	if slot == nil {
		if d.table.full() {
			d.table.prune(d.live)
		}
		slot = d.table.insert(hash)
	}
	if date := d.date(at); slot[header] < date || !d.live(slot) {
		slot[header], slot[header+1] = date, 0
	}
	slot[header+1] += uint32(n)
	return int(slot[header+1])
}

// live reports whether the day of a slot is today, or tomorrow by a clock that was fast.
func (d *daily) live(slot []uint32) bool {
	today := d.date(d.now)
	return slot[header] >= today && slot[header] <= today+1
}

func (d *daily) refresh(now time.Duration) {
	d.now = now
	d.wall = time.Duration(time.Now().UnixNano()) + 8*time.Hour
	if forget, sweep := d.due(now); forget || sweep {
		d.table.sweep(d.live)
	}
}

func (d *daily) empty() bool { return d.table.used == 0 }

package ratelimit

import "time"

// daily counts the events of calendar days. A slot holds the day, counted from 1970-01-01, and the number
// of its events. Where the wall clock is set back over midnight, the later day's events go on to count.
type daily struct {
	aging
	now   moment // when it was refreshed last
	table table
}

const dailyWords = header + 2

func newDaily() *daily {
	return &daily{aging: aging{life: day}, table: table{stride: dailyWords}}
}

// date is the number of the day of a time that is given as at.
func (now moment) date(at time.Duration) uint32 { return uint32((now.wall + at - now.at) / day) }

// begin is the first time of a day.
func (now moment) begin(date uint32) time.Duration {
	return now.at + time.Duration(date)*day - now.wall
}

func (d *daily) earliest(c claim, rate, n int, from time.Duration, booked []booking) time.Duration {
	slot := d.table.find(c.hash)
	for {
		date, sum := d.now.date(from), n
		if slot != nil && slot[header] >= date {
			sum += int(slot[header+1])
		}
		for _, b := range booked {
			if d.now.date(b.at) == date {
				sum += b.n
			}
		}
		if sum <= rate {
			return from
		}
		from = d.now.begin(date + 1)
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
	if date := d.now.date(at); slot[header] < date {
		slot[header], slot[header+1] = date, 0
	}
	slot[header+1] += uint32(n)
	return int(slot[header+1])
}

func (d *daily) live(slot []uint32) bool { return slot[header] >= d.now.date(d.now.at) }

func (d *daily) refresh(now moment) {
	d.now = now
	if forget, sweep := d.due(now); forget || sweep {
		d.table.sweep(d.live)
	}
}

func (d *daily) empty() bool { return d.table.used == 0 }

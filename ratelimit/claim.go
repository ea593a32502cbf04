package ratelimit

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"time"
)

// A claim is what a demand asks of one window. A demand makes one, or two if its limit has a Burst; demands
// for the same window under the same limit make one together.
type claim struct {
	hash   uint64 // of key and scope
	kind   kind
	rate   int           // most events in the window that the demand may see; of a burst: at once
	full   int           // the same before the reserve is taken off
	every  time.Duration // share of an event in the period, where there is a burst
	n      int           // events asked for
	record int           // events to note: 0 where another claim on the same window does so
	demand int           // index of the demand
}

// never is a time that is not reached. Twice as much does not overflow.
const never time.Duration = 1 << 61

// times returns n times d, or never.
func times(n int, d time.Duration) time.Duration {
	if d > 0 && int64(n) > int64(never/d) {
		return never
	}
	return time.Duration(n) * d
}

// claims appends the claims of demands to buf, by hash, which is also the order in which shards are locked. On an
// error it returns the index of the demand.
func (l *Local) claims(buf []claim, demands []Demand) ([]claim, int, error) {
	for i := range demands {
		d := &demands[i]
		limit := d.Limit
		if limit.IsZero() {
			continue
		}
		if err := limit.Validate(); err != nil {
			return nil, i, err
		}
		c := claim{
			hash:   l.hash(d),
			kind:   kind{formSliding, limit.Period},
			rate:   d.sees(limit.Rate),
			full:   limit.Rate,
			every:  0,
			n:      max(d.N, 1),
			demand: i,
		}
		if limit.Calendar {
			c.kind.form = formDaily
		}
		buf = append(buf, c)
		if limit.Burst > 0 && limit.Burst < limit.Rate {
			c.kind.form = formSpread
			c.rate, c.full = d.sees(limit.Burst), limit.Burst
			c.every = (limit.Period + time.Duration(limit.Rate) - 1) / time.Duration(limit.Rate)
			buf = append(buf, c)
		}
	}
	if len(buf) > 0 {
		buf = merge(buf)
	}
	for i := range buf {
		if c := &buf[i]; c.n > c.rate {
			return nil, c.demand, impossible(c, &demands[c.demand])
		}
	}
	return buf, 0, nil
}

// merge sorts claims, adds up those that are the same, and settles which of those on one window records.
func merge(claims []claim) []claim {
	slices.SortFunc(claims, func(a, b claim) int {
		return cmp.Or(
			cmp.Compare(a.hash, b.hash),
			cmp.Compare(a.kind.form, b.kind.form),
			cmp.Compare(a.kind.period, b.kind.period),
			cmp.Compare(a.rate, b.rate),
			cmp.Compare(a.every, b.every),
		)
	})
	merged := claims[:1]
	first := 0 // of the claims on the current window: the one with the lowest rate, which records
	claims[0].record = claims[0].n
	for _, c := range claims[1:] {
		last := &merged[len(merged)-1]
		switch {
		case c.hash != last.hash || c.kind != last.kind:
			first = len(merged)
			merged = append(merged, c)
		case c.rate == last.rate && c.every == last.every:
			if last.n += c.n; last.n < c.n {
				last.n = math.MaxInt // more than there are in any case
			}
		default:
			merged = append(merged, c)
		}
		merged[first].record = max(merged[first].record, merged[len(merged)-1].n)
	}
	return merged
}

func impossible(c *claim, d *Demand) error {
	reason := fmt.Sprintf("%d turns at once are more than the %d that there are", c.n, c.rate)
	if c.rate < c.full {
		reason += " for Background"
	}
	return &LimitError{Limit: d.Limit, Reason: reason}
}

// hash is that of d's key and scope.
func (l *Local) hash(d *Demand) uint64 {
	h := maphash.String(l.seed, d.Key)*31 + maphash.String(l.seed, string(d.Scope))
	return max(h, 1) // 0 is an empty slot
}

// sees is how much of rate may be used by d's priority.
func (d *Demand) sees(rate int) int {
	if d.Priority >= Normal || !(d.Reserve > 0) || d.Limit.Calendar || d.Scope == ScopeRecipient {
		return rate
	}
	const rounding = 1e-9 // 100 with a reserve of 0.9 leaves 10, not 9
	return max(1, int(math.Floor(float64(rate)*(1-min(d.Reserve, 1))+rounding)))
}

// turn is when k's events fit, at or after from, if those of others go ahead, each as soon as it can.
func (k *claim) turn(in counter, rate, ahead int, from time.Duration, booked []booking) time.Duration {
	n := ahead + k.n
	if ahead == 0 || k.kind.form == formSpread {
		return in.earliest(*k, rate, n, from, booked)
	}
	// From then on each period is like the one before.
	rounds := (n - 1) / rate
	return in.earliest(*k, rate, n-rounds*rate, from, booked) + times(rounds, k.kind.period)
}

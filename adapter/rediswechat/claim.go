package rediswechat

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// A claim is what a demand asks of one window. A demand makes one, or two if its limit has a Burst; demands for the same
// window under the same limit make one together.
type claim struct {
	key    string
	kind   kind
	rate   int   // most events in the window that the demand may see; of a burst: at once
	period int64 // microseconds; of a burst: those that an event takes from it
	n      int   // events asked for
	passes bool  // another claim on the same window notes the events
	demand int   // index of the demand
}

// A kind of window, as the script knows it.
type kind byte

const (
	sliding kind = iota
	fresh        // sliding, and most likely empty
	counted      // sliding, and wide enough that its events are counted by cells from the first one on
	daily
	burst

	look kind = 128 // more where another claim notes the events
)

// exact is up to how many events windows are exact.
const exact = 60

// claims turns demands into claims, which it appends to claims. On an error it returns the index of the demand.
func (l *Limiter) claims(claims []claim, demands []ratelimit.Demand) ([]claim, int, error) {
	for i := range demands {
		d := &demands[i]
		limit := d.Limit
		if limit.IsZero() {
			continue
		}
		if err := limit.Validate(); err != nil {
			return nil, i, err
		}
		c := claim{key: l.window(d), rate: sees(d, limit.Rate), period: micros(limit.Period), n: max(d.N, 1), demand: i}
		switch {
		case limit.Calendar:
			c.kind = daily
		case d.Scope == ratelimit.ScopeRecipient:
			c.kind = fresh
		case limit.Rate > exact:
			c.kind = counted
		}
		claims = append(claims, c)
		if limit.Burst > 0 && limit.Burst < limit.Rate {
			c.key += ":burst"
			c.kind = burst
			c.rate = sees(d, limit.Burst)
			c.period = micros((limit.Period + time.Duration(limit.Rate) - 1) / time.Duration(limit.Rate))
			claims = append(claims, c)
		}
	}
	if len(claims) > 1 {
		claims = merge(claims)
	}
	for i := range claims {
		if c := &claims[i]; c.n > c.rate {
			return nil, c.demand, &ratelimit.LimitError{Limit: demands[c.demand].Limit,
				Reason: fmt.Sprintf("%d turns at once are more than the %d that there are", c.n, c.rate)}
		}
	}
	return claims, 0, nil
}

// merge adds up claims that are the same, and settles which of those on one window records. Those that only look come first,
// and see the window as it was.
func merge(claims []claim) []claim {
	slices.SortFunc(claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.rate, b.rate), cmp.Compare(a.period, b.period))
	})
	merged := claims[:1]
	most := 0 // index of the claim on the current window that asks for most
	passes := false
	for _, c := range claims[1:] {
		switch last := &merged[len(merged)-1]; {
		case c.key != last.key:
			most = len(merged)
			merged = append(merged, c)
		case c.rate == last.rate && c.period == last.period:
			last.n += c.n
		default:
			merged = append(merged, c)
		}
		if n := len(merged) - 1; n != most {
			if merged[n].n > merged[most].n {
				n, most = most, n
			}
			merged[n].passes, merged[most].passes = true, false
			passes = true
		}
	}
	if passes {
		slices.SortStableFunc(merged, func(a, b claim) int {
			switch {
			case a.passes == b.passes:
				return 0
			case a.passes:
				return -1
			}
			return 1
		})
	}
	return merged
}

// pack writes claims as the script reads them.
func pack(claims []claim) []byte {
	b := make([]byte, 0, 15*len(claims))
	for i := range claims {
		c := &claims[i]
		k := c.kind
		if k == fresh && c.n > 1 {
			k = sliding
		}
		if c.passes {
			k += look
		}
		b = append(b, byte(k))
		b = binary.BigEndian.AppendUint32(b, uint32(c.n))
		b = binary.BigEndian.AppendUint32(b, uint32(c.rate))
		b = binary.BigEndian.AppendUint16(b, uint16(c.period>>32))
		b = binary.BigEndian.AppendUint32(b, uint32(c.period))
	}
	return b
}

// window is the Redis key of a demand's window. There are many recipients: theirs is short, and does not show who they
// are. With an app id of 18 characters it fits into 64 bytes with all that Redis adds.
func (l *Limiter) window(d *ratelimit.Demand) string {
	var buf [128]byte
	if d.Scope != ratelimit.ScopeRecipient {
		b := l.conn.appendName(buf[:0], "window", d.Key)
		b = append(append(append(b, ':'), d.Scope...), ':')
		return string(appendLength(b, d.Limit))
	}
	tag, rest := cutTag(d.Key)
	sum := sha256.Sum256(appendLength(append(append(buf[:0], rest...), 0), d.Limit))
	b := append(append(buf[:0], l.conn.prefix...), tag...)
	return string(base64.RawURLEncoding.AppendEncode(b, sum[:10]))
}

// appendLength appends the period of a window in words.
func appendLength(b []byte, limit ratelimit.Limit) []byte {
	if limit.Calendar {
		return append(b, "day"...)
	}
	return append(strconv.AppendInt(b, micros(limit.Period), 10), "us"...)
}

// micros rounds up.
func micros(d time.Duration) int64 {
	n := int64(d / time.Microsecond)
	if d%time.Microsecond > 0 {
		n++
	}
	return n
}

// sees is how much of rate may be used by d's priority.
func sees(d *ratelimit.Demand, rate int) int {
	if d.Priority >= ratelimit.Normal || !(d.Reserve > 0) || d.Limit.Calendar || d.Scope == ratelimit.ScopeRecipient {
		return rate
	}
	const rounding = 1e-9 // 100 with a reserve of 0.9 leaves 10, not 9
	return max(1, int(math.Floor(float64(rate)*(1-min(d.Reserve, 1))+rounding)))
}

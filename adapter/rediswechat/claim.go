package rediswechat

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
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
	rate   int   // most events in the window that the demand may see; of a burst: at once
	period int64 // microseconds; 0: a day in UTC+8; less: those that an event takes from a burst
	n      int   // events asked for
	passes bool  // another claim on the same window notes the events
	demand int   // index of the demand
}

// claims turns demands into claims. On an error it returns the index of the demand.
func (l *Limiter) claims(demands []ratelimit.Demand) ([]claim, int, error) {
	claims := make([]claim, 0, len(demands))
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
		if limit.Calendar {
			c.period = 0
		}
		claims = append(claims, c)
		if limit.Burst > 0 && limit.Burst < limit.Rate {
			c.key += ":burst"
			c.rate = sees(d, limit.Burst)
			c.period = -micros((limit.Period + time.Duration(limit.Rate) - 1) / time.Duration(limit.Rate))
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

// merge sorts claims, adds up those that are the same, and settles which of those on one window records.
func merge(claims []claim) []claim {
	slices.SortFunc(claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.rate, b.rate), cmp.Compare(a.period, b.period))
	})
	merged := claims[:1]
	most := 0 // index of the claim on the current window that asks for most
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
		}
	}
	return merged
}

// window is the Redis key of a demand's window. There are many recipients: theirs is short, and does not show who they
// are. With an app id of 18 characters it fits into 64 bytes with all that Redis adds.
func (l *Limiter) window(d *ratelimit.Demand) string {
	length := strconv.FormatInt(micros(d.Limit.Period), 10) + "us"
	if d.Limit.Calendar {
		length = "day"
	}
	if d.Scope != ratelimit.ScopeRecipient {
		return l.conn.name("window", d.Key) + ":" + string(d.Scope) + ":" + length
	}
	tag, rest := cutTag(d.Key)
	var buf [128]byte
	text := append(append(append(buf[:0], rest...), 0), length...)
	sum := sha256.Sum256(text)
	return l.conn.prefix + tag + base64.RawURLEncoding.EncodeToString(sum[:10])
}

// micros rounds up.
func micros(d time.Duration) int64 { return int64((d + time.Microsecond - 1) / time.Microsecond) }

// sees is how much of rate may be used by d's priority.
func sees(d *ratelimit.Demand, rate int) int {
	if d.Priority >= ratelimit.Normal || !(d.Reserve > 0) || d.Limit.Calendar || d.Scope == ratelimit.ScopeRecipient {
		return rate
	}
	const rounding = 1e-9 // 100 with a reserve of 0.9 leaves 10, not 9
	return max(1, int(math.Floor(float64(rate)*(1-min(d.Reserve, 1))+rounding)))
}

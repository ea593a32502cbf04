package rediswechat

import (
	"context"
	_ "embed"
	"math"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Limiter keeps limits that many processes share. All demands of an Allow are one script and one round trip, and time is
// that of Redis.
//
// Limits of up to 60 events, and those of a recipient with no more events, are exact to the microsecond. Else events are
// counted by 126ths of the period, so that a window is at most that much too strict, and never too generous. A window that is
// not used is gone after its period, a large one after a 126th more.
//
// While Redis does not answer, a [ratelimit.Local] takes its place, which has counted this process's turns all along.
// Limits of app and endpoint are divided by the number of instances for it; those of recipients are not, as a share of a
// few a minute is less than one, and a call would fail only because Redis did. Sliding windows of up to a minute are kept by
// both for a minute after Redis is back, which may have lost what it knew.
type Limiter struct {
	conn      *conn
	instances int
	local     ratelimit.Local
	queues    queues
}

//go:embed limit.lua
var limitSource string

var limitScript = writing(limitSource)

// careful is for how long after an outage the local windows count too.
const careful = time.Minute

func newLimiter(n *conn, c *config) *Limiter { return &Limiter{conn: n, instances: c.instances} }

// Allow takes a turn for each of demands if all can be had now, and none otherwise. It does not look at who waits. Its error
// is that of ctx if ctx has ended, or a *ratelimit.LimitError where no wait would help.
func (l *Limiter) Allow(ctx context.Context, demands ...ratelimit.Demand) (ratelimit.Decision, error) {
	if err := ctx.Err(); err != nil {
		return ratelimit.Decision{}, err
	}
	var buf [4]claim
	claims, bad, err := l.claims(buf[:0], demands)
	if err != nil {
		return ratelimit.Decision{Denied: demands[bad]}, err
	}
	if len(claims) == 0 {
		return ratelimit.Decision{OK: true, Remaining: math.MaxInt}, nil
	}
	rest := demands // of which the local windows do not know yet
	if l.conn.lately(careful) {
		var short []ratelimit.Demand
		short, rest = splitShort(demands)
		if d := l.alone(short); !d.OK {
			return d, nil
		}
	}
	d, refused, known := l.ask(ctx, claims)
	switch {
	case ctx.Err() != nil:
		return ratelimit.Decision{}, ctx.Err()
	case !known:
		return l.alone(rest), nil
	case d.OK:
		l.alone(rest) // so that they know, should Redis be gone the next time
	default:
		d.Denied = demands[refused.demand]
	}
	return d, nil
}

// ask runs the script. It answers with the claim that has to wait longest, if one has to. It does not know where Redis does not
// answer, as the log says.
func (l *Limiter) ask(ctx context.Context, claims []claim) (d ratelimit.Decision, refused *claim, known bool) {
	keys := make([]string, len(claims))
	for i := range claims {
		keys[i] = claims[i].key
	}
	reply, err := l.conn.run(ctx, l.conn.budget, limitScript, keys, pack(claims))
	if err != nil {
		return d, nil, false
	}
	switch reply := reply.(type) {
	case int64:
		d.OK, d.Remaining = true, int(reply)
		return d, nil, true
	case []any:
		var answer [3]int64 // which key, how long, and what is left
		for i := range min(len(reply), len(answer)) {
			answer[i], _ = reply[i].(int64)
		}
		if i := int(answer[0]) - 1; i >= 0 && i < len(claims) {
			d.RetryAfter, d.Remaining = time.Duration(answer[1])*time.Microsecond, int(answer[2])
			return d, &claims[i], true
		}
	}
	return d, nil, false
}

// splitShort parts sliding windows of up to careful from the others.
func splitShort(demands []ratelimit.Demand) (short, rest []ratelimit.Demand) {
	for _, d := range demands {
		if !d.Limit.Calendar && d.Limit.Period <= careful {
			short = append(short, d)
		} else {
			rest = append(rest, d)
		}
	}
	return short, rest
}

// alone takes this process's share of the turns from the local windows.
func (l *Limiter) alone(demands []ratelimit.Demand) ratelimit.Decision {
	d, err := l.local.Allow(context.Background(), l.shares(demands)...)
	if err != nil { // more at once than there is in a share
		d, err = l.local.Allow(context.Background(), demands...)
	}
	if err != nil {
		return ratelimit.Decision{OK: true} // cannot be: claims has found nothing wrong
	}
	for i := range demands {
		if o := &demands[i]; o.Key == d.Denied.Key && o.Scope == d.Denied.Scope && share(o, l.instances) == d.Denied.Limit {
			d.Denied = *o
			break
		}
	}
	return d
}

// shares are the demands with this process's share of their limits.
func (l *Limiter) shares(demands []ratelimit.Demand) []ratelimit.Demand {
	if l.instances == 1 {
		return demands
	}
	out := make([]ratelimit.Demand, len(demands))
	for i, d := range demands {
		d.Limit = share(&d, l.instances)
		out[i] = d
	}
	return out
}

// share is the part of a demand's limit that one of n processes may use.
func share(d *ratelimit.Demand, n int) ratelimit.Limit {
	limit := d.Limit
	if d.Scope == ratelimit.ScopeRecipient || limit.IsZero() || n == 1 {
		return limit
	}
	if rate := limit.Rate / n; rate > 0 {
		limit.Rate = rate
		if limit.Burst > 0 {
			limit.Burst = max(limit.Burst/n, 1)
		}
		return limit
	}
	if !limit.Calendar { // less than one in a period is one in a longer period
		limit.Period = limit.Period * time.Duration(n) / time.Duration(limit.Rate)
	}
	limit.Rate, limit.Burst = 1, 0
	return limit
}

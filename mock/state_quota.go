package mock

import (
	"slices"
	"strings"
	"time"
)

// plenty is the daily quota of a path for which Limit has set none.
const plenty = 10_000_000

// getQuota tells the limits of a path that a test has set: of several, the strictest.
func (st *state) getQuota(x *exchange) Reply {
	path, _ := x.field("body", "cgi_path")
	endpoints := st.s.routes[path]
	owned := slices.ContainsFunc(endpoints, func(e *endpoint) bool { return e.spec.Product == x.Product })
	switch {
	case !strings.HasPrefix(path, "/"):
		return refuse(76003)
	case strings.HasPrefix(path, "/sns/"), len(endpoints) > 0 && !owned:
		return refuse(76022)
	case len(endpoints) == 0:
		return refuse(76021)
	}
	daily, used := plenty, 0
	reply := fields{}
	var strictest time.Duration // between two calls
	for _, e := range endpoints {
		for _, l := range st.s.limits[e.spec.Name] {
			switch {
			case l.Recipient || l.Window == 0:
			case l.Window >= 24*time.Hour:
				if l.Rate < daily {
					daily, used = l.Rate, st.s.used(l, x.App, e.spec.Name)
				}
			case l.Rate > 0 && l.Window/time.Duration(l.Rate) > strictest:
				strictest = l.Window / time.Duration(l.Rate)
				reply["rate_limit"] = fields{"call_count": l.Rate, "refresh_second": seconds(l.Window)}
			}
		}
	}
	reply["quota"] = fields{"daily_limit": daily, "used": used, "remain": daily - used}
	return succeed(reply)
}

package mock

import (
	"slices"
	"time"

	"github.com/seed175cf469/wechat"
)

// Limit is a limit that the server enforces. Calls that it refuses do not count.
type Limit struct {
	Rate    int           // calls in a Window; where that is 0, calls at once
	Window  time.Duration // length of the window
	Natural bool          // windows begin at full seconds, minutes or, by UTC+8, days; else they slide
	// Recipient counts each person that calls reach alone. What is over the limit is refused, or on WeCom
	// accepted and not delivered, as the platform does.
	Recipient bool
	// Block is how long everything is refused after a refusal.
	Block time.Duration
	// Refusal is what a refusal looks like. Nil: the platform's errcode and text for such a limit.
	Refusal func(opens time.Time) Reply
}

// PerSecond allows n calls in each natural second.
func PerSecond(n int) Limit { return Limit{Rate: n, Window: time.Second, Natural: true} }

// PerMinute allows n calls in any sixty seconds.
func PerMinute(n int) Limit { return Limit{Rate: n, Window: time.Minute} }

// PerDay allows n calls in a day that begins at 00:00 UTC+8.
func PerDay(n int) Limit { return Limit{Rate: n, Window: 24 * time.Hour, Natural: true} }

// AtOnce allows n calls in flight.
func AtOnce(n int) Limit { return Limit{Rate: n} }

// EachRecipient counts each person alone.
func (l Limit) EachRecipient() Limit {
	l.Recipient = true
	return l
}

// As429 refuses by HTTP 429 with a Retry-After in seconds.
func (l Limit) As429() Limit {
	l.Refusal = func(opens time.Time) Reply { return TooManyRequests(time.Until(opens)) }
	return l
}

// As429Date refuses by HTTP 429 with a Retry-After that is an HTTP date.
func (l Limit) As429Date() Limit {
	l.Refusal = TooManyRequestsUntil
	return l
}

// refusal is the reply of a limit of product that opens at the given time.
func (l *Limit) refusal(product string, opens time.Time) Reply {
	if l.Refusal != nil {
		return l.Refusal(opens)
	}
	var code wechat.Code
	switch {
	case product == work && l.Window == 0:
		code = 45033
	case product == work:
		code = 45009
	case l.Recipient:
		code = 45047
	case l.Window <= time.Second:
		code = 44990
	case l.Window < 24*time.Hour:
		code = 45011
	default:
		code = 45009
	}
	return Reply{Code: code}
}

// counter counts the calls under one limit of one app, endpoint and person.
type counter struct {
	calls   []time.Time // in the window
	flying  int
	blocked time.Time
}

type counterKey struct {
	limit                    *Limit
	app, endpoint, recipient string
}

// Limit sets the limits of an endpoint in place of those it had; none takes them away. They hold for each app
// alone. The limits of "" count all calls of an app together, without those that fetch tokens.
func (s *Server) Limit(endpoint string, limits ...Limit) {
	s.known(endpoint)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits[endpoint] = nil
	for _, l := range limits {
		s.limits[endpoint] = append(s.limits[endpoint], &l)
	}
}

// take counts a call under all limits, or under none where one refuses it; reaches tells whether those of each
// recipient are among them. release ends its flight. dropped are those whom it will not reach although it is accepted.
func (s *Server) take(x *exchange, reaches bool) (refused *Reply, dropped []string, release func()) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken []*counter
	add := func(l *Limit, endpoint, recipient string) bool {
		key := counterKey{l, x.App, endpoint, recipient}
		c := s.counters[key]
		if c == nil {
			c = new(counter)
			s.counters[key] = c
		}
		opens, ok := c.open(l, now)
		switch {
		case ok:
			taken = append(taken, c)
		case l.Recipient && x.Product == work && l.Refusal == nil:
			dropped = append(dropped, recipient)
		default:
			if l.Block > 0 && c.blocked.IsZero() {
				c.blocked = now.Add(l.Block)
				opens = c.blocked
			}
			reply := l.refusal(x.Product, opens)
			refused = &reply
			return false
		}
		return true
	}
	names := []string{x.Endpoint}
	if !x.endpoint.issues() {
		names = append(names, "")
	}
	for _, name := range names {
		for _, l := range s.limits[name] {
			recipients := []string{""}
			if l.Recipient {
				if !reaches {
					continue
				}
				recipients = slices.Compact(slices.Sorted(slices.Values(x.Recipients))) // who is named twice is reached once
			}
			for _, r := range recipients {
				if !add(l, name, r) {
					return refused, nil, func() {}
				}
			}
		}
	}
	for _, c := range taken {
		c.calls = append(c.calls, now)
		c.flying++
	}
	return nil, dropped, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range taken {
			c.flying--
		}
	}
}

// open tells whether l lets a call pass now, and else when it will.
func (c *counter) open(l *Limit, now time.Time) (opens time.Time, ok bool) {
	if now.Before(c.blocked) {
		return c.blocked, false
	}
	c.blocked = time.Time{}
	if l.Window == 0 {
		return now.Add(time.Second), c.flying < l.Rate
	}
	c.forget(l, now)
	if len(c.calls) < l.Rate {
		return now, true
	}
	if l.Natural || l.Rate <= 0 {
		return windowStart(now, l.Window).Add(l.Window), false
	}
	return c.calls[len(c.calls)-l.Rate].Add(l.Window), false
}

// forget drops the calls that have left the window.
func (c *counter) forget(l *Limit, now time.Time) {
	begin := now.Add(-l.Window) // a call that is as old as the window has left it
	if l.Natural {
		begin = windowStart(now, l.Window).Add(-1)
	}
	c.calls = slices.DeleteFunc(c.calls, func(t time.Time) bool { return !t.After(begin) })
}

// used is how many calls of an app a limit has in its window.
func (s *Server) used(l *Limit, app, endpoint string) int {
	c := s.counters[counterKey{limit: l, app: app, endpoint: endpoint}]
	if c == nil {
		return 0
	}
	c.forget(l, time.Now())
	return len(c.calls)
}

// windowStart is the last full second, minute or UTC+8 day.
func windowStart(now time.Time, window time.Duration) time.Time {
	_, offset := now.In(chinaTime).Zone()
	shift := time.Duration(offset) * time.Second
	return now.Add(shift).Truncate(window).Add(-shift)
}

// clearDays forgets the calls of the day, of all endpoints of an app or of one path.
func (s *Server) clearDays(app, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, c := range s.counters {
		if key.app != app || key.limit.Window < 24*time.Hour {
			continue
		}
		if path != "" && !slices.ContainsFunc(s.endpoints, func(e *endpoint) bool { return e.spec.Name == key.endpoint && e.spec.Path() == path }) {
			continue
		}
		c.calls, c.blocked = nil, time.Time{}
	}
}

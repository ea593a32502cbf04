package rediswechat

import (
	"context"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// view is what this process knows of the barriers of one app.
type view struct {
	app string // its hash tag, or a key that has none
	at  string // the hash in Redis

	asking sync.Mutex // held by who asks Redis

	mu    sync.RWMutex
	known bool                 // Redis was asked, or could not be
	next  time.Time            // when it is asked again
	until map[string]time.Time // by field, what is closed
	paced map[string]pace      // by field, what has a pace that all share
	own   map[string]raised    // what was raised here, until an answer of Redis must have it
}

// pace is what this process knows of a pace that all share.
type pace struct {
	until    time.Time     // so long it is kept
	interval time.Duration // between two turns; 0: not known
	window   time.Duration // of the server
}

// limit is the pace as a limit; the zero Limit: it is not known.
func (p pace) limit() ratelimit.Limit {
	switch {
	case p.interval <= 0:
		return ratelimit.Limit{}
	case p.interval < p.window:
		return ratelimit.Limit{Rate: int(p.window / p.interval), Period: p.window}
	}
	return ratelimit.Limit{Rate: 1, Period: p.interval}
}

type raised struct {
	until time.Time
	sent  time.Time // when Redis had it; zero: it has not
}

// place is where a key is kept.
type place struct {
	key   string
	view  *view
	field string // of the barriers in view
}

// opens returns when a field opens, or the zero time.
func (v *view) opens(field string) time.Time {
	v.mu.RLock()
	t, ok := v.until[field]
	v.mu.RUnlock()
	if !ok || !t.After(time.Now()) {
		return time.Time{}
	}
	return t
}

// isPaced reports whether a field has a pace that all processes share.
func (v *view) isPaced(field string) bool {
	v.mu.RLock()
	p, ok := v.paced[field]
	v.mu.RUnlock()
	return ok && p.until.After(time.Now())
}

// pace is the pace of a field.
func (v *view) pace(field string) pace {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.paced[field]
}

// learn notes the pace of a field.
func (v *view) learn(field string, interval, window time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.paced[field]
	p.interval, p.window = interval, window
	v.paced[field] = p
}

// close closes a field, and reports whether it was open at that time.
func (v *view) close(field string, until time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !until.After(v.until[field]) || !until.After(time.Now()) {
		return false
	}
	v.until[field] = until
	v.own[field] = raised{until: until}
	return true
}

// heard notes what Redis has just said of a field.
func (v *view) heard(field string, closed, paced time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if now := time.Now(); closed.After(now) && closed.After(v.until[field]) {
		v.until[field] = closed
		v.own[field] = raised{closed, now}
	}
	p := v.paced[field]
	p.until = paced
	v.paced[field] = p
}

// tooLate refuses a caller whose context ends before its turn comes.
func (at place) tooLate(wait time.Duration, p ratelimit.Priority) error {
	denied := ratelimit.Demand{Key: at.key, Scope: ratelimit.ScopeEndpoint, Limit: at.view.pace(at.field).limit(), N: 1, Priority: p}
	return &ratelimit.ExceededError{Decision: ratelimit.Decision{RetryAfter: wait, Denied: denied}, Err: context.DeadlineExceeded}
}

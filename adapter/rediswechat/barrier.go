package rediswechat

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// lookAgain is how long a barrier is waited for until somebody looks whether it was lowered.
const lookAgain = time.Second

// Barrier keeps what a server refused closed for all processes. All keys of an app are one hash in Redis: the time at which
// each opens, by the clock of Redis. A process asks for the whole hash at most once in a while, 100 ms by default, so that a
// call seldom waits for it; so much later a barrier that another process raised or lowered is seen. One of its own is
// seen at once. While Redis does not answer, a process goes by what it knows.
//
// As a [ratelimit.Pacer] each process paces with a [ratelimit.Local] of its own: what it learns from its successes and
// refusals, the pace as well as the number in flight, is its own share of what the server takes. A refusal that one process
// gets closes the key for all.
type Barrier struct {
	conn     *conn
	cacheFor time.Duration
	paces    ratelimit.Local

	mu    sync.RWMutex
	views map[string]*view // by hash tag, or key where it has none
}

// view is what this process knows of the barriers of one app.
type view struct {
	app string // its hash tag; "" for a key that has none
	at  string // the hash in Redis

	asking sync.Mutex // held by who asks Redis

	mu    sync.RWMutex
	known bool                 // Redis was asked, or could not be
	next  time.Time            // when it is asked again
	until map[string]time.Time // by key, what is closed
	own   map[string]raised    // what was raised here, until an answer of Redis must have it
}

type raised struct {
	until time.Time
	sent  time.Time // when Redis had it; zero: it has not
}

var (
	//go:embed raise.lua
	raiseSource string
	raiseScript = writing(raiseSource)

	//go:embed barriers.lua
	barriersSource string
	barriersScript = reading(barriersSource)

	lowerScript = writing(`return redis.call('HDEL', KEYS[1], ARGV[1])`)
)

func newBarrier(n *conn, c *config) *Barrier {
	return &Barrier{conn: n, cacheFor: c.cacheFor, views: map[string]*view{}}
}

// view returns the view that has key, and the field in which key is.
func (b *Barrier) view(key string) (v *view, field string) {
	app, field := cutTag(key)
	name := app
	if app == "" {
		name = key
	}
	b.mu.RLock()
	v = b.views[name]
	b.mu.RUnlock()
	if v != nil {
		return v, field
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if v = b.views[name]; v == nil {
		v = &view{app: app, at: b.conn.name("barrier", name), until: map[string]time.Time{}, own: map[string]raised{}}
		b.views[name] = v
	}
	return v, field
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

// Raise keeps key closed at least until the given time, here at once and in other processes as soon as they look. It never
// shortens what stands. Where Redis fails it holds for this process, which tells Redis later; the error is ctx's only.
func (b *Barrier) Raise(ctx context.Context, key string, until time.Time) error {
	v, field := b.view(key)
	if v.close(field, until) {
		b.send(ctx, v, field, until)
	}
	return ctx.Err()
}

// send tells Redis what was raised here.
func (b *Barrier) send(ctx context.Context, v *view, field string, until time.Time) {
	_, err := b.conn.run(ctx, b.conn.budget, raiseScript, []string{v.at}, field, micros(time.Until(until)))
	if err != nil {
		return // refresh tries again
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.own[field].until.Equal(until) {
		v.own[field] = raised{until, time.Now()}
	}
}

// Lower opens key now, here at once and in other processes as soon as they look.
func (b *Barrier) Lower(ctx context.Context, key string) error {
	v, field := b.view(key)
	_, err := b.conn.run(ctx, b.conn.budget, lowerScript, []string{v.at}, field)
	v.mu.Lock()
	delete(v.until, field)
	delete(v.own, field)
	v.mu.Unlock()
	_ = b.paces.Lower(ctx, key) // it never fails
	if err != nil {
		return fmt.Errorf("the barrier is lowered in this process only: %w", err)
	}
	return nil
}

// Until returns when key opens, or the zero time if it is open. The error is always nil.
func (b *Barrier) Until(ctx context.Context, key string) (time.Time, error) {
	v, field := b.view(key)
	b.refresh(ctx, v)
	return v.opens(field), nil
}

// Admit waits for key's turn at the pace that this process has learned, while nobody's barrier closes key. See
// [ratelimit.Pacer].
func (b *Barrier) Admit(ctx context.Context, key string, p ratelimit.Priority) (func(ratelimit.Outcome), error) {
	v, field := b.view(key)
	for {
		if err := b.pass(ctx, v, key, field, p); err != nil {
			return nil, err
		}
		done, err := b.paces.Admit(ctx, key, p)
		if err != nil {
			return nil, err
		}
		b.refresh(ctx, v) // it may have waited long
		if v.opens(field).IsZero() {
			return func(o ratelimit.Outcome) { b.done(v, key, field, done, o) }, nil
		}
		done(ratelimit.Outcome{Unused: true})
	}
}

// pass waits while others hold key closed for longer than what this process was refused itself, which is what its own pace
// waits for. Were their refusals reported to the pace, it would learn from them that it is too fast when it is not.
func (b *Barrier) pass(ctx context.Context, v *view, key, field string, p ratelimit.Priority) error {
	for {
		b.refresh(ctx, v)
		until := v.opens(field)
		if own, _ := b.paces.Until(ctx, key); !until.After(own) { // it never fails
			return nil
		}
		wait := time.Until(until)
		if end, ok := ctx.Deadline(); ok && end.Before(until) {
			denied := ratelimit.Demand{Key: key, Scope: ratelimit.ScopeEndpoint, N: 1, Priority: p}
			return &ratelimit.ExceededError{Decision: ratelimit.Decision{RetryAfter: wait, Denied: denied}, Err: context.DeadlineExceeded}
		}
		timer := time.NewTimer(min(wait, lookAgain))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// done takes in an outcome, and closes key for the other processes where it has closed it here.
func (b *Barrier) done(v *view, key, field string, done func(ratelimit.Outcome), o ratelimit.Outcome) {
	done(o)
	if !o.Refused && !o.Concurrency {
		return
	}
	ctx := context.Background()
	if until, _ := b.paces.Until(ctx, key); v.close(field, until) {
		b.send(ctx, v, field, until)
	}
}

// refresh asks Redis, unless what is known is new enough or somebody asks already.
func (b *Barrier) refresh(ctx context.Context, v *view) {
	v.mu.RLock()
	next, known := v.next, v.known
	v.mu.RUnlock()
	now := time.Now()
	switch {
	case now.Before(next):
		return
	case !known:
		v.asking.Lock() // the first time everybody waits; later on the old view does
	case !v.asking.TryLock():
		return
	}
	defer v.asking.Unlock()
	v.mu.RLock()
	next = v.next
	own := maps.Clone(v.own)
	v.mu.RUnlock()
	if now.Before(next) {
		return
	}
	for field, r := range own {
		if r.sent.IsZero() && r.until.After(now) {
			b.send(ctx, v, field, r.until)
		}
	}
	asked := time.Now()
	reply, err := b.conn.run(ctx, b.conn.budget, barriersScript, []string{v.at})
	if ctx.Err() != nil {
		return // the next caller asks
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known, v.next = true, time.Now().Add(b.cacheFor)
	if err == nil {
		b.update(v, reply, asked)
	}
}

// update puts what Redis has answered in the place of what was known. The view is locked.
func (b *Barrier) update(v *view, reply any, asked time.Time) {
	now := time.Now()
	until := map[string]time.Time{}
	list, _ := reply.([]any)
	for i := 0; i+1 < len(list); i += 2 {
		field, _ := list[i].(string)
		left, _ := list[i+1].(int64)
		t := now.Add(time.Duration(left) * time.Microsecond)
		if d := t.Sub(v.until[field]); d.Abs() < b.conn.budget {
			t = v.until[field] // the same; only the way here took longer or shorter
		}
		until[field] = t
	}
	for field, r := range v.own {
		switch {
		case !r.until.After(now), !r.sent.IsZero() && r.sent.Before(asked):
			delete(v.own, field) // over, or in the answer
		case r.until.After(until[field]):
			until[field] = r.until
		}
	}
	was := v.until
	v.until = until
	for field, t := range was {
		// What was refused here and another process has lowered is open for the pace too.
		if _, closed := until[field]; !closed {
			if known, _ := b.paces.Until(context.Background(), v.app+field); known.Equal(t) {
				_ = b.paces.Lower(context.Background(), v.app+field)
			}
		}
	}
}

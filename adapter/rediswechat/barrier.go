package rediswechat

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// pacePrefix is what a field begins with that says how long a key's pace is kept; as in pace.lua.
const pacePrefix = "pace of "

// errLookAgain says that it may be otherwise now.
var errLookAgain = errors.New("rediswechat: look again")

// longest is how long a refusal closes a key at most for one that Redis does not hear of.
const longest = 24 * time.Hour

// lookAgain is how long a barrier is waited for until somebody looks whether it was lowered.
const lookAgain = time.Second

// Barrier keeps what a server refused closed for all processes. All keys of an app are one hash in Redis: the time at which
// each opens, by the clock of Redis. A process asks for the whole hash at most once in a while, 100 ms by default, so that a
// call seldom waits for it; so much later a barrier that another process raised or lowered is seen. One of its own is
// seen at once. While Redis does not answer, a process goes by what it knows.
//
// As a [ratelimit.Pacer] it learns as a [ratelimit.Local] does, for all processes together. Until a key is first refused, or
// when it was not called for ten minutes or ten windows, each process feels out for itself how many calls may be in flight,
// and asks Redis nothing. From the refusal on all of them are one crowd: one trial goes ahead when the key opens, turns come
// from one pace that is learned from what all have sent, and the calls in flight are counted together. A call then asks
// Redis twice. While Redis does not answer, each process keeps to its share of that pace, see WithInstances, and learns by itself.
type Barrier struct {
	conn      *conn
	cacheFor  time.Duration
	instances int
	pacer     *pacer
	alone     ratelimit.Local // paces while nothing is known, or Redis does not answer

	mu    sync.RWMutex
	views map[string]*view // by hash tag, or key where it has none
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
	b := &Barrier{conn: n, cacheFor: c.cacheFor, instances: c.instances, views: map[string]*view{}}
	b.pacer = newPacer(n, &b.alone)
	return b
}

// place finds the view that has key, and the field in which key is.
func (b *Barrier) place(key string) place {
	app, field := cutTag(key)
	if app == "" {
		app, field = key, ""
	}
	b.mu.RLock()
	v := b.views[app]
	b.mu.RUnlock()
	if v == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if v = b.views[app]; v == nil {
			v = &view{app: app, at: b.conn.name("barrier", app), until: map[string]time.Time{}, paced: map[string]pace{}, own: map[string]raised{}}
			b.views[app] = v
		}
	}
	return place{key: key, view: v, field: field}
}

// Raise keeps key closed at least until the given time, here at once and in other processes as soon as they look. It never
// shortens what stands. Where Redis fails it holds for this process, which tells Redis later; the error is ctx's only.
func (b *Barrier) Raise(ctx context.Context, key string, until time.Time) error {
	if at := b.place(key); at.view.close(at.field, until) {
		b.send(ctx, at.view, at.field, until)
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
	at := b.place(key)
	v, field := at.view, at.field
	_, err := b.conn.run(ctx, b.conn.budget, lowerScript, []string{v.at}, field)
	v.mu.Lock()
	delete(v.until, field)
	delete(v.own, field)
	v.mu.Unlock()
	_ = b.alone.Lower(ctx, key) // it never fails
	if err != nil {
		return fmt.Errorf("the barrier is lowered in this process only: %w", err)
	}
	return nil
}

// Until returns when key opens, or the zero time if it is open. The error is always nil.
func (b *Barrier) Until(ctx context.Context, key string) (time.Time, error) {
	at := b.place(key)
	b.refresh(ctx, at.view)
	return at.view.opens(at.field), nil
}

// Admit waits for key's turn. See [ratelimit.Pacer].
func (b *Barrier) Admit(ctx context.Context, key string, p ratelimit.Priority) (func(ratelimit.Outcome), error) {
	at := b.place(key)
	share := false // a turn of this process's share was taken, for want of Redis
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.refresh(ctx, at.view)
		var done func(ratelimit.Outcome)
		var err error
		if at.view.isPaced(at.field) {
			done, err = b.admitTogether(ctx, at, p)
			if errors.Is(err, errAlone) && !share {
				if err := b.takeShare(ctx, at, p); err != nil {
					return nil, err
				}
				share = true
				continue // Redis may be back
			}
		} else {
			err = errAlone
		}
		if errors.Is(err, errAlone) {
			done, err = b.admitAlone(ctx, at, p, share)
		}
		if !errors.Is(err, errLookAgain) {
			return done, err
		}
	}
}

// admitTogether waits for a turn of the pace that all processes share. Its error is errLookAgain where the key was closed
// meanwhile.
func (b *Barrier) admitTogether(ctx context.Context, at place, p ratelimit.Priority) (func(ratelimit.Outcome), error) {
	t, err := b.pacer.admit(ctx, at, p)
	if err != nil {
		return nil, err
	}
	if time.Since(t.asked) > b.cacheFor { // Redis said long ago that it is open
		b.refresh(ctx, at.view)
		if !at.view.opens(at.field).IsZero() {
			b.pacer.done(at, t, ratelimit.Outcome{Unused: true})
			return nil, errLookAgain
		}
	}
	return func(o ratelimit.Outcome) {
		if !b.pacer.done(at, t, o) && (o.Refused || o.Concurrency) {
			b.close(at, time.Now().Add(max(min(o.RetryAfter, longest), min(o.Window, longest), time.Second)))
		}
	}, nil
}

// admitAlone waits for a turn of this process. Its error is errLookAgain where the key was closed meanwhile, where it is paced
// for all and this is not about the process's share, and now and then while it waits for what it has learned alone.
func (b *Barrier) admitAlone(ctx context.Context, at place, p ratelimit.Priority, share bool) (func(ratelimit.Outcome), error) {
	if err := b.pass(ctx, at, p); err != nil {
		return nil, err
	}
	own, _ := b.alone.Until(ctx, at.key) // it never fails
	waiting := ctx
	if share || !own.IsZero() { // Redis may be back before the turn comes
		cancelled, cancel := context.WithCancel(ctx)
		defer cancel()
		defer time.AfterFunc(lookAgain, cancel).Stop()
		waiting = cancelled
	}
	done, err := b.alone.Admit(waiting, at.key, p)
	switch {
	case err != nil && waiting.Err() != nil && ctx.Err() == nil:
		return nil, errLookAgain
	case err != nil:
		return nil, err
	}
	b.refresh(ctx, at.view) // it may have waited long
	if !at.view.opens(at.field).IsZero() || !share && at.view.isPaced(at.field) {
		done(ratelimit.Outcome{Unused: true})
		return nil, errLookAgain
	}
	return func(o ratelimit.Outcome) { b.done(at, done, o) }, nil
}

// takeShare waits until key opens, and then for a turn of this process's share of the pace that all had.
func (b *Barrier) takeShare(ctx context.Context, at place, p ratelimit.Priority) error {
	if err := b.pass(ctx, at, p); err != nil {
		return err
	}
	d := ratelimit.Demand{Key: at.key, Scope: ratelimit.ScopeEndpoint, Limit: at.view.pace(at.field).limit(), N: 1, Priority: p}
	d.Limit = share(&d, b.instances)
	return ratelimit.Wait(ctx, &b.alone, math.MaxInt64, d)
}

// pass waits while others hold key closed for longer than what this process was refused itself, which is what its own pace
// waits for. Were their refusals reported to the pace, it would learn from them that it is too fast when it is not.
func (b *Barrier) pass(ctx context.Context, at place, p ratelimit.Priority) error {
	for {
		b.refresh(ctx, at.view)
		until := at.view.opens(at.field)
		if own, _ := b.alone.Until(ctx, at.key); !until.After(own) { // it never fails
			return nil
		}
		wait := time.Until(until)
		if end, ok := ctx.Deadline(); ok && end.Before(until) {
			return at.tooLate(wait, p)
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

// done takes in the outcome of a call at this process's own pace. A refusal makes the pace one for all, or closes key for
// the others too where Redis does not answer.
func (b *Barrier) done(at place, done func(ratelimit.Outcome), o ratelimit.Outcome) {
	refused := o.Refused || o.Concurrency
	if refused && b.pacer.done(at, turn{}, o) {
		done(ratelimit.Outcome{Unused: true})
		return
	}
	done(o)
	if refused {
		until, _ := b.alone.Until(context.Background(), at.key)
		b.close(at, until)
	}
}

// close closes a key until a time, and tells Redis.
func (b *Barrier) close(at place, until time.Time) {
	if at.view.close(at.field, until) {
		b.send(context.Background(), at.view, at.field, until)
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
	b.pacer.settle(v)
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
	until, paced := map[string]time.Time{}, map[string]pace{}
	list, _ := reply.([]any)
	for i := 0; i+1 < len(list); i += 2 {
		field, _ := list[i].(string)
		left, _ := list[i+1].(int64)
		t := now.Add(microseconds(left))
		if key, ok := strings.CutPrefix(field, pacePrefix); ok {
			p := v.paced[key]
			p.until = t
			paced[key] = p
			continue
		}
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
	v.until, v.paced = until, paced
	for field, t := range was {
		// What was refused here and another process has lowered is open for the pace too.
		if _, closed := until[field]; !closed {
			if known, _ := b.alone.Until(context.Background(), v.app+field); known.Equal(t) {
				_ = b.alone.Lower(context.Background(), v.app+field)
			}
		}
	}
}

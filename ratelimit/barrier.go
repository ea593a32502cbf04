package ratelimit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Raise keeps key closed at least until the given time, for Admit too. It never shortens what stands, and a
// change of the wall clock meanwhile makes no difference. The error is always nil.
func (l *Local) Raise(_ context.Context, key string, until time.Time) error {
	l.barriers.raise(key, until)
	l.paces.wake(key)
	return nil
}

// Lower opens key now; those who wait in Admit go on. The error is always nil.
func (l *Local) Lower(_ context.Context, key string) error {
	l.barriers.lower(key)
	l.paces.wake(key)
	return nil
}

// Until returns when key opens, whether Raise has closed it or a refusal that was reported to Admit's done.
// It is the zero time if key is open. The error is always nil.
func (l *Local) Until(_ context.Context, key string) (time.Time, error) {
	return l.barriers.opens(key), nil
}

// barrierSet holds the keys that are closed, each with the time at which it opens. The zero value is
// ready. While nothing is closed a look costs one atomic load. What has passed is forgotten by whoever
// comes upon it, and by raise once the set has doubled, so that no goroutine is needed.
type barrierSet struct {
	closed atomic.Int64 // keys in until, so that an empty set is seen without the lock
	mu     sync.RWMutex
	until  map[string]time.Time
	sweep  int // raise sweeps when until has grown to this size
}

// minSweep keeps small sets from being swept over and over.
const minSweep = 64

// raise closes key at least until the given time.
func (b *barrierSet) raise(key string, until time.Time) {
	now := time.Now()
	// The distance is kept, not the date: the wall clock may be set back or forth meanwhile.
	until = now.Add(until.Sub(now))
	if !until.After(now) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until == nil {
		b.until = make(map[string]time.Time)
	}
	if len(b.until) >= max(b.sweep, minSweep) {
		for k, t := range b.until {
			if !t.After(now) {
				delete(b.until, k)
			}
		}
		b.sweep = 2 * len(b.until)
	}
	if until.After(b.until[key]) {
		b.until[key] = until
	}
	b.closed.Store(int64(len(b.until)))
}

// lower opens key now.
func (b *barrierSet) lower(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.until, key)
	b.closed.Store(int64(len(b.until)))
}

// opens returns when key opens, or the zero time if it is open.
func (b *barrierSet) opens(key string) time.Time {
	if b.closed.Load() == 0 {
		return time.Time{}
	}
	b.mu.RLock()
	until, ok := b.until[key]
	b.mu.RUnlock()
	if !ok || until.After(time.Now()) {
		return until
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until[key].Equal(until) { // nobody raised it anew meanwhile
		delete(b.until, key)
		b.closed.Store(int64(len(b.until)))
	}
	return time.Time{}
}

package ratelimit

import (
	"context"
	"hash/maphash"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Local keeps limits, barriers and paces in the memory of one process. The zero Local is ready. It is safe for
// concurrent use, starts no goroutine and must not be copied after its first use.
//
// # Windows
//
// Windows of up to 60 events are exact. In larger ones events are counted in steps of a 126th of the
// period: Local is at most that much too strict, and never lets more than Rate events into a Period. Time is
// kept to less than 2^-29 of a Period, rounded to the strict side. Sliding windows go by the monotonic
// clock, days by the wall clock in UTC+8.
//
// # Memory
//
// A key that has been used up to four times in a Period costs about 32 bytes, a fuller one more, and one
// whose Period has passed nothing: later calls sweep it up, whatever they ask for. Keys are not kept
// themselves but as 64-bit hashes with a seed of the Local's own. Two keys with the same hash, of which there
// is a chance of 1 in 30 million among a million keys, would share their windows: they would be
// treated too strictly, never too generously.
//
// # Waiting
//
// Local has a queue of its own for [Wait], for each window that somebody waits for. It is ordered by priority, then
// by arrival; still, of eight turns in a row at least one goes to a caller of lower priority if any waits,
// to whoever of them has waited longest, even from what Demand.Reserve keeps from it. A caller that waits
// holds nothing: it takes all its turns at once when the last of them is free. Allow is refused as well
// where it would pass such a queue out of turn.
//
// Reserve, in contrast, fixes the time of a turn when it is called, behind all those who wait at its priority or above
// and around all that is booked. Nobody passes a booked turn.
type Local struct {
	once  sync.Once
	seed  maphash.Seed
	born  time.Time
	came  atomic.Uint64 // callers that have waited
	next  atomic.Int64  // when the next shard is swept
	swept atomic.Uint32 // shards swept

	shards [1 << shardBits]shard

	barriers barrierSet
	paces    paceSet
}

const (
	shardBits  = 7
	sweepEvery = 50 * time.Millisecond // a shard is swept, where calls come in
	shortRetry = time.Millisecond      // until those who are ahead have taken turns that are free already
)

// shard has the windows of the keys whose hashes begin with the same bits.
type shard struct {
	shardState
	_ [64 - unsafe.Sizeof(shardState{})%64]byte // neighbours do not share a cache line
}

type shardState struct {
	mu       sync.Mutex
	counters []kindCounter
	backlogs map[window]*backlog
}

type kindCounter struct {
	kind kind
	counter
}

// window names the window of one key.
type window struct {
	hash uint64
	kind kind
}

// Allow takes a turn for each of demands if all can be had now, and none otherwise. The zero Limit has any
// number of turns.
//
// Its error is that of ctx if ctx has ended, or a *LimitError if a limit is invalid or smaller than what is
// asked of it at once, so that no wait would help; the Decision then names the demand.
func (l *Local) Allow(ctx context.Context, demands ...Demand) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	l.once.Do(l.init)
	var buf [4]claim
	claims, bad, err := l.claims(buf[:0], demands)
	if err != nil {
		return Decision{Denied: demands[bad]}, err
	}
	return l.try(claims, demands), nil
}

// Reserve takes a turn for each of demands at the earliest time at which all can be had together, if that is
// at most maxWait ahead: less than 0 is as 0, only now. Else it takes none and returns an *ExceededError.
// Other errors are those of Allow; ctx has no part in anything else.
//
// Cancel gives the turns back as long as their time has not come; from then on they count as used. What was
// given back is there for all who wait and all who ask from then on. Turns that have been booked meanwhile keep the
// times that they were given.
func (l *Local) Reserve(ctx context.Context, maxWait time.Duration, demands ...Demand) (Reservation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.once.Do(l.init)
	var buf [4]claim
	claims, _, err := l.claims(buf[:0], demands)
	if err != nil {
		return nil, err
	}
	r := &reservation{l: l}
	c := newcomer(demands)
	l.lock(claims)
	defer l.unlock(claims)
	now := l.now()
	a := l.ask(claims, &c, now)
	r.at = a.at
	switch {
	case a.held < 0:
		l.take(claims, &c, now)
	case a.at-now > max(maxWait, 0):
		return nil, &ExceededError{Decision: l.refusal(claims, demands, a, now)}
	default:
		r.claims = slices.Clone(claims)
		for i := range claims {
			if k := &claims[i]; k.record > 0 {
				l.shard(k).newBacklog(k).book(booking{a.at, k.record, k.every, r})
			}
		}
	}
	return r, nil
}

// reservation is a booked turn.
type reservation struct {
	l      *Local
	at     time.Duration
	claims []claim // nil: nothing can be given back
}

// Delay is the time left until the turn, at least 0.
func (r *reservation) Delay() time.Duration { return max(r.at-r.l.now(), 0) }

// Cancel gives the turn back if its time has not come.
func (r *reservation) Cancel() {
	r.l.lock(r.claims)
	defer r.l.unlock(r.claims)
	if r.l.now() >= r.at {
		return
	}
	for i := range r.claims {
		if b := r.l.shard(&r.claims[i]).backlog(&r.claims[i]); b != nil {
			b.unbook(r)
		}
	}
}

func (l *Local) init() {
	l.seed = maphash.MakeSeed()
	// No period reaches back to before the beginning.
	l.born = time.Now().Add(-maxPeriod - day)
}

// now must be called with the shards locked for which it is used: their time never runs backwards then.
func (l *Local) now() time.Duration { return time.Since(l.born) }

// newcomer is somebody who does not wait yet.
func newcomer(demands []Demand) caller {
	return caller{line: line(highest(demands)), came: math.MaxUint64}
}

// try takes what claims ask for, or nothing.
func (l *Local) try(claims []claim, demands []Demand) Decision {
	c := newcomer(demands)
	l.lock(claims)
	now := l.now()
	a := l.ask(claims, &c, now)
	var d Decision
	if a.held < 0 {
		d = Decision{OK: true, Remaining: l.take(claims, &c, now)}
	} else {
		d = l.refusal(claims, demands, a, now)
	}
	l.unlock(claims)
	l.sweep(now)
	return d
}

// An answer says when the claims of a caller can be met.
type answer struct {
	at   time.Duration
	held int // index of the claim that holds it up longest; less than 0: none does
}

// ask looks when all claims can be met, if those go ahead who wait and come before c.
func (l *Local) ask(claims []claim, c *caller, now time.Duration) answer {
	a := answer{now, -1}
	booked, blocked := false, -1
	for i := range claims {
		k := &claims[i]
		s := l.shard(k)
		in, b := s.counter(k.kind, now), s.backlog(k)
		var at time.Duration
		if b == nil {
			at = in.earliest(*k, k.rate, k.n, now, nil)
		} else {
			b.settle(k.hash, in, now)
			booked = booked || len(b.booked) > 0
			ahead := 0
			if b.first(c) != c {
				blocked = i
				ahead = b.ahead(c)
			}
			at = k.turn(in, k.seen(b, c), ahead, now, b.booked)
		}
		if at > a.at {
			a = answer{at, i}
		}
	}
	// Between what is booked there are gaps: those of all windows must meet.
	for moved := booked; moved; {
		moved = false
		for i := range claims {
			k := &claims[i]
			s := l.shard(k)
			b := s.backlog(k)
			if b == nil {
				continue // free for good since a.at
			}
			if at := s.counter(k.kind, now).earliest(*k, k.seen(b, c), k.n, a.at, b.booked); at > a.at {
				a, moved = answer{at, i}, true
			}
		}
	}
	if a.held < 0 && blocked >= 0 {
		a = answer{now + shortRetry, blocked}
	}
	return a
}

// seen is how many events of the window c may see.
func (k *claim) seen(b *backlog, c *caller) int {
	if k.rate < k.full && b.due(c) {
		return k.full
	}
	return k.rate
}

// take records what claims ask for and returns what is left in the tightest window.
func (l *Local) take(claims []claim, c *caller, now time.Duration) int {
	left := math.MaxInt
	for i := range claims {
		k := &claims[i]
		if k.record == 0 {
			continue
		}
		s := l.shard(k)
		used := s.counter(k.kind, now).record(k.hash, k.every, now, k.record)
		b := s.backlog(k)
		left = min(left, k.left(b, used, now))
		if b != nil {
			b.served(c)
		}
	}
	return left
}

// left is what can still be had in k's window.
func (k *claim) left(b *backlog, used int, now time.Duration) int {
	if b != nil {
		used += b.soon(now + k.kind.period)
	}
	return max(k.rate-used, 0)
}

// refusal is the decision that follows from an answer.
func (l *Local) refusal(claims []claim, demands []Demand, a answer, now time.Duration) Decision {
	left := math.MaxInt
	if claims[a.held].n == 1 {
		left = 0 // and there is no need to look
	}
	for i := 0; left > 0 && i < len(claims); i++ {
		k := &claims[i]
		s := l.shard(k)
		left = min(left, k.left(s.backlog(k), s.counter(k.kind, now).used(k.hash, k.every), now))
	}
	return Decision{RetryAfter: a.at - now, Denied: demands[claims[a.held].demand], Remaining: left}
}

// shard is where k's window is.
func (l *Local) shard(k *claim) *shard { return &l.shards[k.hash>>(64-shardBits)] }

// lock locks the shards of claims, always in the same order.
func (l *Local) lock(claims []claim) {
	var last *shard
	for i := range claims {
		if s := l.shard(&claims[i]); s != last {
			s.mu.Lock()
			last = s
		}
	}
}

// unlock drops backlogs that are not needed any more and unlocks the shards of claims.
func (l *Local) unlock(claims []claim) {
	for i := range claims {
		s := l.shard(&claims[i])
		if b := s.backlog(&claims[i]); b != nil && b.idle() {
			delete(s.backlogs, claims[i].window())
		}
		if i+1 == len(claims) || l.shard(&claims[i+1]) != s {
			s.mu.Unlock()
		}
	}
}

func (k *claim) window() window { return window{k.hash, k.kind} }

// counter returns the counter of a kind, refreshed.
func (s *shard) counter(k kind, now time.Duration) counter {
	for i := range s.counters {
		if s.counters[i].kind == k {
			s.counters[i].refresh(now)
			return s.counters[i].counter
		}
	}
	in := newCounter(k, func(hash uint64) bool { return s.backlogs[window{hash, k}] != nil })
	in.refresh(now)
	s.counters = append(s.counters, kindCounter{k, in})
	return in
}

// backlog returns the backlog of k's window, or nil: nobody waits and nothing is booked.
func (s *shard) backlog(k *claim) *backlog {
	if len(s.backlogs) == 0 {
		return nil
	}
	return s.backlogs[k.window()]
}

// newBacklog returns the backlog of k's window, a new one if there is none.
func (s *shard) newBacklog(k *claim) *backlog {
	b := s.backlog(k)
	if b == nil {
		b = new(backlog)
		if s.backlogs == nil {
			s.backlogs = make(map[window]*backlog)
		}
		s.backlogs[k.window()] = b
	}
	return b
}

// sweep lets one shard forget what is over, now and then, so that a shard whose keys are not used any more
// is swept as well. No lock may be held.
func (l *Local) sweep(now time.Duration) {
	next := l.next.Load()
	if int64(now) < next || !l.next.CompareAndSwap(next, int64(now+sweepEvery)) {
		return
	}
	s := &l.shards[l.swept.Add(1)%uint32(len(l.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	now = l.now()
	for w, b := range s.backlogs {
		b.settle(w.hash, s.counter(w.kind, now), now)
		if b.idle() {
			delete(s.backlogs, w)
		}
	}
	s.counters = slices.DeleteFunc(s.counters, func(c kindCounter) bool {
		c.refresh(now)
		return c.empty()
	})
	if len(s.counters) == 0 {
		s.counters = nil
	}
	if len(s.backlogs) == 0 {
		s.backlogs = nil
	}
}

package ratelimit

import (
	"context"
	"sync"
	"time"
)

// The pacer learns what a server takes, from nothing but its answers.
//
// How much at once, while nothing is known: two calls may be in flight, and the number doubles when a full
// flight has come back. So a small quota is exceeded by a few calls and not by all callers, and a thousand
// callers are at full speed after ten round trips. It does not double more often than once a breath: over a
// fast network the flight that finds the end of the quota is then small. A full flight from which nobody
// returns doubles by itself after patience: a call that hangs must not hold the others. What was reached is kept.
//
// When to come back: the first refusal raises the barrier of the key for everybody, for the time that the
// server tells, else for the window that the refusal names, else for half of what was needed last time. When
// it opens, one call goes ahead as a trial and the crowd waits for its outcome. If the trial is refused, the
// window is longer than thought, or its edge lies later: it waits a window and a tenth, then twice that.
//
// How fast: the calls between two barriers are a cycle. If n of them succeeded in the time d until the
// refusal, and the server then stayed closed for c, it sustains n in d+c, whatever windows it counts in: a
// cycle begins when the barrier opens, and so does a natural window, while a sliding one is empty then. A
// cycle that began otherwise, or long ago, does not show where the window began. Therefore successes are
// counted back to several marks, and the best rate that any of them shows is taken. It can be too high; then
// the next cycle, which does begin with a window, puts it right. The count is taken when the trial has
// succeeded, so that what was still in flight at the refusal is in it. Lack of demand teaches nothing: a
// few calls that were refused are no measure, unless they came right after the barrier.
//
// How to go on: calls are spread evenly at a little less than that rate, as natural, sliding and shifted
// windows all take an even stream. When the pace has held plateau windows' worth of calls and none was
// refused, it grows by steps that double with each window. So a steady quota costs one refusal in some
// twenty windows, the pace meets it from below by a small step, and a doubled quota is found five windows
// later. A refusal that comes soon after the barrier lowers the pace by more than one that comes late.
//
// Too many in flight is another matter: it lowers the flight by a quarter, which from then on grows by one
// after many full flights, and leaves the pace alone.
const (
	firstFlight = 2                      // the smallest number that can show that more than one call is taken
	breath      = 25 * time.Millisecond  // between two doublings; ten of them are no delay to notice
	patience    = 250 * time.Millisecond // longer than most calls take
	fullFlights = 32                     // until one more is tried, once calls in flight are known to be limited

	shortest = time.Second // window, when nothing is told; a Retry-After of whole seconds tells nothing shorter
	longest  = time.Hour   // wait, when nothing is told

	margin    = 0.96 // of the learned rate is used: latency moves calls over the edge of a window
	plateau   = 20   // windows for which that is kept
	curiosity = 0.02 // of the learned rate is the step up in the window after
	doublings = 40   // of that step is as good as no pace at all
	retreat   = 0.1  // of the pace is given up if its first window was refused, less if it lasted longer
	few       = 8    // successes say little about a rate

	slack       = 10 * time.Millisecond // or half an interval: that a call came late, the next ones make up for, as timers are not exact
	forgetAfter = 10 * time.Minute      // and ten windows without a call
)

// Admit waits until key is open and it is the caller's turn. Those who wait are served by priority, then by
// arrival, but one turn in eight goes to whoever has waited longest. Unless a call was refused lately, Admit
// returns at once. It fails at once with ctx's error when ctx ends, and with an *ExceededError that matches
// context.DeadlineExceeded when the wait that is already known, for key to open or for those ahead, lasts
// longer than ctx; also when that turns out later. A failed Admit has taken nothing.
//
// A call that was refused is admitted again by another Admit, which waits as long as the server wants. What was
// learned is forgotten when a key has been idle for 10 minutes or ten windows, whichever is longer.
func (l *Local) Admit(ctx context.Context, key string, p Priority) (done func(Outcome), err error) {
	return l.paces.admit(ctx, &l.barriers, key, p)
}

// Tally is a number of calls that a server took in a time up to now.
type Tally struct {
	N  int
	In time.Duration
}

// Tallies returns what Admit would learn from if key were refused now, or nil if no call of key was taken. It is for a Pacer that
// several processes share once they are refused: what each has seen until then adds up.
func (l *Local) Tallies(key string) []Tally { return l.paces.tallies(key) }

// paceSet holds what is known of each key. The zero value is ready. No goroutine serves it: timers belong
// to the callers that wait, and idle keys are dropped when a new one comes in.
type paceSet struct {
	mu    sync.RWMutex
	paces map[string]*pace
	swept time.Time
}

// admit waits for key's turn, and before that for barriers to open key. See Pacer.
func (s *paceSet) admit(ctx context.Context, barriers *barrierSet, key string, p Priority) (func(Outcome), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	k := s.lock(barriers, key)
	defer k.mu.Unlock()
	if k.free() {
		k.cycle.flying++
		return k.cycle.done, nil
	}
	return k.wait(ctx, p)
}

// wake makes those who wait for key look again whether it is closed.
func (s *paceSet) wake(key string) {
	s.mu.RLock()
	k := s.paces[key]
	s.mu.RUnlock()
	if k != nil {
		k.mu.Lock()
		k.queue.wakeAll()
		k.mu.Unlock()
	}
}

// tallies returns the counts of key's cycle.
func (s *paceSet) tallies(key string) []Tally {
	s.mu.RLock()
	k := s.paces[key]
	s.mu.RUnlock()
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.cycle.tallies(k.now())
}

// lock returns the pace of key with its lock held.
func (s *paceSet) lock(barriers *barrierSet, key string) *pace {
	for {
		s.mu.RLock()
		k := s.paces[key]
		s.mu.RUnlock()
		if k == nil {
			k = s.add(barriers, key)
		}
		k.mu.Lock()
		if !k.gone {
			k.used = true
			return k
		}
		k.mu.Unlock()
	}
}

func (s *paceSet) add(barriers *barrierSet, key string) *pace {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.paces[key]; k != nil {
		return k
	}
	now := time.Now()
	if s.paces == nil {
		s.paces = make(map[string]*pace)
		s.swept = now
	}
	if now.Sub(s.swept) >= forgetAfter {
		s.swept = now
		for key, k := range s.paces {
			if k.forget() {
				delete(s.paces, key)
			}
		}
	}
	k := newPace(barriers, key, now)
	s.paces[key] = k
	return k
}

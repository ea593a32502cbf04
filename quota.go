package wechat

import (
	"context"
	"time"
)

const (
	probeEvery   = 15 * time.Minute // while a day's quota is used up
	reopenWithin = 5 * time.Minute  // after midnight, so that not everybody comes in the first second
	clearedFor   = 2 * day          // how long a clearing is remembered: longer than any closing lasts
)

// The day's quota is counted by path, so that is what closes. Three keys of the barrier stand for it: the closing
// itself (until midnight and a random while), when it was closed, and the next probe; a fourth, of the app, says
// when all quotas were cleared. They are times in the barrier and so hold for all processes that share it.
func quotaKey(call *Call, path string) string { return call.App.key + ":" + path + ":day" }

// closeQuota closes the path of a call whose day's quota is used up.
func (s *state) closeQuota(ctx context.Context, call *Call) time.Duration {
	now := time.Now()
	midnight := nextDay(now).Sub(now)
	key := quotaKey(call, call.Spec.Path())
	s.raise(ctx, call, key, midnight+jitter(reopenWithin))
	s.mark(ctx, key+":since", now.Add(clearedFor))
	s.mark(ctx, key+":probe", now.Add(min(probeEvery, midnight)))
	return midnight
}

func (s *state) mark(ctx context.Context, key string, until time.Time) {
	if err := s.barrier.Raise(context.WithoutCancel(ctx), key, until); err != nil {
		s.observe(ctx, Event{Type: EventBarrier, Err: err})
	}
}

// quota lets a call through unless its day's quota is known to be used up. Then one call in a while goes as a
// probe and the others fail at once with the time left.
func (s *state) quota(ctx context.Context, call *Call) (probe bool, err error) {
	key := quotaKey(call, call.Spec.Path())
	until := s.until(ctx, key)
	if until.IsZero() {
		return false, nil
	}
	if cleared := s.until(ctx, call.App.key+":cleared"); !cleared.IsZero() && !cleared.Before(s.until(ctx, key+":since")) {
		return false, nil
	}
	now := time.Now()
	s.probing.Lock()
	defer s.probing.Unlock()
	if s.until(ctx, key+":probe").IsZero() {
		next := now.Add(probeEvery)
		if midnight := nextDay(now); until.After(midnight) && next.After(midnight) {
			next = midnight
		}
		s.mark(ctx, key+":probe", next)
		return true, nil
	}
	left := until.Sub(now)
	if midnight := nextDay(now); until.After(midnight) {
		left = midnight.Sub(now)
	}
	return false, &Error{Kind: ErrQuotaExhausted, Endpoint: call.Spec.Name, App: call.App.ID, After: left,
		Message: "the day's quota is used up"}
}

// probed opens a path again after a probe succeeded before midnight. After midnight the closing runs out by
// itself within minutes, at another moment in each process.
func (s *state) probed(ctx context.Context, call *Call) {
	key := quotaKey(call, call.Spec.Path())
	if s.until(ctx, key).After(nextDay(time.Now())) {
		s.lower(ctx, call, key)
	}
}

func (s *state) lower(ctx context.Context, call *Call, key string) {
	err := s.barrier.Lower(context.WithoutCancel(ctx), key)
	s.observe(ctx, Event{Type: EventBarrier, Call: call, Err: err})
}

// reopen opens what a call that cleared quotas has cleared.
func (s *state) reopen(ctx context.Context, call *Call) {
	if path := call.Spec.reopens(call.Request); path != "" {
		s.lower(ctx, call, quotaKey(call, path))
		return
	}
	s.mark(ctx, call.App.key+":cleared", time.Now().Add(clearedFor))
}

package wechat

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed175cf469/wechat/internal/wire"
	"github.com/seed175cf469/wechat/ratelimit"
)

// BarrierKey is the key under which a ratelimit.Barrier closes one endpoint of an app for all clients that share it.
// Raising it tells them of a limit that the client itself cannot see, such as an event that says that messages were
// dropped for their rate.
func BarrierKey(product string, app App, endpoint string) string {
	return app.keyed(&Product{Name: product}).key + ":" + endpoint
}

// chinaTime is the zone in which the platform counts days; it has had no daylight saving time since 1991.
var chinaTime = time.FixedZone("UTC+8", 8*60*60)

// nextDay is the next 00:00 UTC+8.
func nextDay(now time.Time) time.Time {
	year, month, d := now.In(chinaTime).Date()
	return now.Add(time.Date(year, month, d+1, 0, 0, 0, 0, chinaTime).Sub(now))
}

// recipientLimits are the limits for each person that a call reaches.
func recipientLimits(spec *Spec, l *ratelimit.Limits) []ratelimit.Limit {
	if own, ok := l.Recipients[spec.Name]; ok {
		return own
	}
	if l.Recipient != nil && len(spec.Recipient) > 0 {
		return l.Recipient
	}
	return spec.Recipient
}

// recipientTurns takes a turn for each person that the call reaches, once a call.
func (s *state) recipientTurns(ctx context.Context, call *Call, priority ratelimit.Priority) error {
	limits := recipientLimits(&call.Spec, &call.App.Limits)
	if len(limits) == 0 || len(call.Recipients) == 0 {
		return nil
	}
	recipients := call.Recipients
	if len(recipients) > 1 { // who is named twice is reached once
		recipients = slices.Compact(slices.Sorted(slices.Values(recipients)))
	}
	demands := make([]ratelimit.Demand, 0, len(limits)*len(recipients))
	for _, r := range recipients {
		key := call.App.key + ":" + call.Spec.Name + ":" + r
		for _, l := range limits {
			demands = append(demands, ratelimit.Demand{Key: key, Scope: ratelimit.ScopeRecipient, Limit: l, N: 1, Priority: priority})
		}
	}
	return s.turns(ctx, call, demands)
}

// endpointTurns takes a turn of the app's and the endpoint's limits, for each attempt.
func (s *state) endpointTurns(ctx context.Context, call *Call, priority ratelimit.Priority) error {
	l := &call.App.Limits
	own, ok := l.Endpoints[call.Spec.Name]
	if !ok {
		own = call.Spec.Limits
		if told := s.told.limits(call); told != nil {
			own = append(told[:len(told):len(told)], own...)
		}
	}
	if len(l.App)+len(own) == 0 {
		return nil
	}
	demands := make([]ratelimit.Demand, 0, len(l.App)+len(own))
	add := func(key string, scope ratelimit.Scope, limits []ratelimit.Limit) {
		for _, limit := range limits {
			demands = append(demands, ratelimit.Demand{Key: key, Scope: scope, Limit: limit, N: 1, Priority: priority, Reserve: l.Reserve})
		}
	}
	add(call.App.key, ratelimit.ScopeApp, l.App)
	add(call.App.key+":"+call.Spec.Name, ratelimit.ScopeEndpoint, own)
	return s.turns(ctx, call, demands)
}

// turns waits for demands and tells observers how long.
func (s *state) turns(ctx context.Context, call *Call, demands []ratelimit.Demand) error {
	began := time.Now()
	err := ratelimit.Wait(ctx, s.limiter, call.App.Limits.MaxWait, demands...)
	if waited := time.Since(began); waited >= time.Millisecond || err != nil {
		s.observe(ctx, Event{Type: EventLimiterWait, Call: call, Wait: waited, Err: err})
	}
	return s.localRefusal(call, err)
}

// localRefusal makes an *Error of a refusal by our own limiter or pacer.
func (s *state) localRefusal(call *Call, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Endpoint: call.Spec.Name, App: call.App.ID, Err: wire.RedactError(err)}
	var exceeded *ratelimit.ExceededError
	if errors.As(err, &exceeded) {
		e.Kind, e.After = ErrRateLimited, exceeded.Decision.RetryAfter
		if exceeded.Decision.Denied.Limit.Calendar {
			e.Kind = ErrQuotaExhausted
		}
	}
	return e
}

// boundContext has an earlier deadline than its parent and no timer: who looks at the deadline before waiting
// does not begin a wait that is too long.
type boundContext struct {
	context.Context
	deadline time.Time
}

func (c *boundContext) Deadline() (time.Time, bool) { return c.deadline, true }

// admit waits until neither the app nor the endpoint is held back and the endpoint's pace has a turn. f.done must be
// called once with what became of the attempt; f.probe says that the day's quota is used up and this call is to find
// out whether it still is.
func (f *flight) admit() error {
	began := time.Now()
	// Windows are waited for with a margin, as the server's edges are not ours.
	longest := f.policy.MaxRetryAfter
	if longest < math.MaxInt64/2 {
		longest += longest / 4
	}
	f.bound = boundContext{f, began.Add(longest)}
	if d, ok := f.Deadline(); ok && (f.policy.MaxRetryAfter < 0 || d.Before(f.bound.deadline)) {
		f.bound.deadline = d
	} else if f.policy.MaxRetryAfter < 0 {
		f.bound.deadline = began.Add(math.MaxInt64)
	}
	err := f.pass()
	if waited := time.Since(began); waited >= time.Millisecond || err != nil {
		f.s.observe(f, Event{Type: EventLimiterWait, Call: f.call, Wait: waited, Err: err})
	}
	return err
}

func (f *flight) pass() (err error) {
	s, app := f.s, f.call.App.key
	if f.probe, err = s.quota(f, f.call); err != nil {
		return err
	}
	for {
		if err := s.waitBarrier(&f.bound, f.call, app); err != nil {
			return err
		}
		if !s.paces(f.call) {
			return s.waitBarrier(&f.bound, f.call, f.endpoint)
		}
		done, err := s.pacer.Admit(&f.bound, f.endpoint, f.priority)
		if err != nil {
			return s.localRefusal(f.call, err)
		}
		if s.until(f, app).IsZero() {
			f.done = done
			return nil
		}
		done(ratelimit.Outcome{Unused: true}) // the app was closed while the call waited for its pace
	}
}

// paces reports whether the pace of the call's endpoint is learned: its limit was not told, and there is a Pacer.
func (s *state) paces(call *Call) bool {
	return s.pacer != nil && s.told.limits(call) == nil
}

// until is when key opens; zero: it is open. A barrier that fails holds nobody back.
func (s *state) until(ctx context.Context, key string) time.Time {
	t, err := s.barrier.Until(ctx, key)
	if err != nil {
		s.observe(ctx, Event{Type: EventBarrier, Err: err})
		return time.Time{}
	}
	if !t.After(time.Now()) {
		return time.Time{}
	}
	return t
}

// raise closes key for all callers.
func (s *state) raise(ctx context.Context, call *Call, key string, wait time.Duration) {
	err := s.barrier.Raise(context.WithoutCancel(ctx), key, time.Now().Add(wait))
	s.observe(ctx, Event{Type: EventBarrier, Call: call, Wait: wait, Err: err})
}

// waitBarrier waits until key is open, unless ctx's deadline comes first: then it fails at once.
func (s *state) waitBarrier(ctx context.Context, call *Call, key string) error {
	for {
		until := s.until(ctx, key)
		if until.IsZero() {
			return nil
		}
		wait := time.Until(until)
		if d, ok := ctx.Deadline(); ok && until.After(d) {
			return &Error{Kind: ErrRateLimited, Endpoint: call.Spec.Name, App: call.App.ID, After: wait,
				Message: "held back since the server refused calls"}
		}
		if err := sleep(ctx, wait); err != nil {
			return &Error{Kind: ErrRateLimited, Endpoint: call.Spec.Name, App: call.App.ID, After: time.Until(until), Err: err}
		}
	}
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refusedApp notes a refusal by a gateway that names no errcode. The second endpoint of an app that is refused
// so within a minute shows that the limit is the app's.
func (s *state) refusedApp(ctx context.Context, call *Call, wait time.Duration) {
	x, ok := s.refusals.Get(call.App.key)
	if s.refusals.Set(call.App.key, call.Spec.Name, time.Minute); s.refusals.ItemCount() > 1024 {
		s.refusals.DeleteExpired()
	}
	if ok && x.(string) != call.Spec.Name {
		s.raise(ctx, call, call.App.key, max(wait, time.Second))
	}
}

// jitter is a random part of d.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return rand.N(min(d, math.MaxInt64-1) + 1)
}

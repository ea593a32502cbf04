package wechat

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Quota is what the platform tells of the quota of a path.
type Quota struct {
	Rate  ratelimit.Limit // calls in a time; zero: not told
	Daily int64           // calls in a day; 0: not told
	Used  int64           // of Daily
}

// NewQuota is a quota in the terms of GetAPIQuota: calls a day and those used of them, and calls in so many seconds.
func NewQuota(daily, used, calls, seconds int64) Quota {
	q := Quota{Daily: daily, Used: used}
	if calls > 0 && seconds > 0 {
		q.Rate = ratelimit.Limit{Rate: int(calls), Period: time.Duration(seconds) * time.Second}
	}
	return q
}

// WithQuotaLookup lets the client ask the platform for the real quota of a path when a call to it is first refused
// for its rate, where the product can (GetAPIQuota of official accounts and mini programs), and keep to that instead
// of a learned pace. The lookup counts as a call of the app; it is made once for each path and app in a day.
func WithQuotaLookup() Option { return func(c *config) { c.quotaLookup = true } }

const lookupTimeout = 5 * time.Second

// told keeps the quotas that the platform has told, by app and path.
type told struct {
	mu     sync.RWMutex
	quotas map[string]toldQuota
}

type toldQuota struct {
	limits []ratelimit.Limit // none: it was asked and did not tell
	until  time.Time
}

// limits are what was told of a path; nil: nothing.
func (t *told) limits(call *Call) []ratelimit.Limit {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.quotas) == 0 {
		return nil
	}
	q := t.quotas[toldKey(call)]
	if !time.Now().Before(q.until) {
		return nil
	}
	return q.limits
}

func toldKey(call *Call) string { return call.App.key + ":" + call.Spec.Path() }

// claim reports whether the caller is the one to ask; nobody else will today.
func (t *told) claim(call *Call, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := toldKey(call)
	if q, ok := t.quotas[key]; ok && now.Before(q.until) {
		return false
	}
	if t.quotas == nil {
		t.quotas = map[string]toldQuota{}
	}
	for k, q := range t.quotas { // few: only paths that were refused
		if !now.Before(q.until) {
			delete(t.quotas, k)
		}
	}
	t.quotas[key] = toldQuota{until: nextDay(now)}
	return true
}

// lookUp asks the platform for the quota of a call that it has refused.
func (s *state) lookUp(ctx context.Context, call *Call) {
	ask, now := call.Product.Quota, time.Now()
	if !s.config.quotaLookup || ask == nil || call.Spec.NoToken || !s.told.claim(call, now) {
		return
	}
	ctx, cancel := context.WithTimeout(ContextWithPriority(context.WithoutCancel(ctx), ratelimit.Urgent), lookupTimeout)
	defer cancel()
	q, err := ask(ctx, Bind(s.chain, call.Product, call.App), call.Spec.Path())
	if err != nil {
		s.observe(ctx, Event{Type: EventBarrier, Call: call, Err: fmt.Errorf("wechat: asking for the quota: %w", err)})
		return
	}
	var limits []ratelimit.Limit
	if !q.Rate.IsZero() && q.Rate.Validate() == nil {
		limits = append(limits, q.Rate)
	}
	if q.Daily > 0 {
		daily := ratelimit.PerDay(int(q.Daily))
		limits = append(limits, daily)
		if q.Used > 0 { // by whomever: what is used is taken at once
			_, _ = s.limiter.Allow(ctx, ratelimit.Demand{Key: call.App.key + ":" + call.Spec.Name, Scope: ratelimit.ScopeEndpoint,
				Limit: daily, N: int(min(q.Used, q.Daily))})
		}
	}
	s.told.mu.Lock()
	defer s.told.mu.Unlock()
	s.told.quotas[toldKey(call)] = toldQuota{limits: limits, until: nextDay(now)}
}

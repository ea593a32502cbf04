package wechat

import (
	"context"
	"sync"
	"time"
)

// RetryBudget keeps the repeats of an app to a share of its calls for all clients that have the same one. See
// WithRetryBudget.
type RetryBudget interface {
	// Spend reports whether a call of app, such as "{officialaccount:wx1}", may be repeated, and counts the repeat if so: the
	// repeats of the last 10 to 20 seconds must not exceed share of the calls, 0.2 by default, or ten where that is more.
	// calls are those that this client has made in that time and not told before; they count whatever the answer is. Where
	// Spend fails the client's own budget decides.
	Spend(ctx context.Context, app string, share float64, calls int) (bool, error)
}

const (
	budgetWindow = 10 * time.Second
	budgetFloor  = 10 // repeats in a window that are always allowed
)

// budgets bound the repeats of each app to a share of its calls, so that an outage is not multiplied by the number of
// attempts. Calls and repeats are counted in windows of 10 s, the last one together with the one under way.
type budgets struct {
	mu      sync.Mutex
	apps    map[string]*budget
	sweepAt int
}

type budget struct {
	began                 time.Time
	calls, repeats        int
	untold                int // calls since the last repeat, of these two windows
	lastCalls, lastRepeat int
}

// turn moves on to the window of now.
func (b *budget) turn(now time.Time) {
	switch since := now.Sub(b.began); {
	case since >= 2*budgetWindow:
		*b = budget{began: now}
	case since >= budgetWindow:
		*b = budget{began: b.began.Add(budgetWindow), lastCalls: b.calls, lastRepeat: b.repeats, untold: min(b.untold, b.calls)}
	}
}

func (bs *budgets) of(app string, now time.Time) *budget {
	b := bs.apps[app]
	if b == nil {
		if len(bs.apps) >= bs.sweepAt {
			for key, b := range bs.apps {
				if now.Sub(b.began) >= 2*budgetWindow {
					delete(bs.apps, key)
				}
			}
			bs.sweepAt = max(64, 2*len(bs.apps))
		}
		if bs.apps == nil {
			bs.apps = map[string]*budget{}
		}
		b = &budget{began: now}
		bs.apps[app] = b
	}
	b.turn(now)
	return b
}

// call counts a call.
func (bs *budgets) call(app string) {
	now := time.Now()
	bs.mu.Lock()
	defer bs.mu.Unlock()
	b := bs.of(app, now)
	b.calls++
	b.untold++
}

// spend takes a repeat from the budget; false says that it is used up. calls are those since it was last asked.
func (bs *budgets) spend(app string, share float64) (ok bool, calls int) {
	now := time.Now()
	bs.mu.Lock()
	defer bs.mu.Unlock()
	b := bs.of(app, now)
	calls, b.untold = b.untold, 0
	if float64(b.repeats+b.lastRepeat) >= max(budgetFloor, share*float64(b.calls+b.lastCalls)) {
		return false, calls
	}
	b.repeats++
	return true, calls
}

// spend takes a repeat of app from the budget that clients share, or else from this client's own.
func (s *state) spend(ctx context.Context, app string, share float64) bool {
	ok, calls := s.budgets.spend(app, share)
	if s.config.budget == nil {
		return ok
	}
	shared, err := s.config.budget.Spend(ctx, app, share, calls)
	if err != nil {
		return ok
	}
	return shared
}

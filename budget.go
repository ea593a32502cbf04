package wechat

import (
	"sync"
	"time"
)

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
	lastCalls, lastRepeat int
}

// turn moves on to the window of now.
func (b *budget) turn(now time.Time) {
	switch since := now.Sub(b.began); {
	case since >= 2*budgetWindow:
		*b = budget{began: now}
	case since >= budgetWindow:
		*b = budget{began: b.began.Add(budgetWindow), lastCalls: b.calls, lastRepeat: b.repeats}
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
	bs.of(app, now).calls++
}

// spend takes a repeat from the budget; false says that it is used up.
func (bs *budgets) spend(app string, share float64) bool {
	now := time.Now()
	bs.mu.Lock()
	defer bs.mu.Unlock()
	b := bs.of(app, now)
	if float64(b.repeats+b.lastRepeat) >= max(budgetFloor, share*float64(b.calls+b.lastCalls)) {
		return false
	}
	b.repeats++
	return true
}

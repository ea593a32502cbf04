package outbox

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/seed175cf469/wechat"
)

// record stands between the client and the ledger for the calls of one row, so that the client's record of the call
// and the outbox's are one.
type record struct {
	ledger       wechat.Ledger // nil: the client's own
	began        time.Time     // of the run
	retryUnknown bool

	mu    sync.Mutex
	asked bool
	fresh bool // a call was begun, and not only found done
	lost  error
}

// in is what wechat.ContextWithLedger wants.
func (r *record) in(own wechat.Ledger) wechat.Ledger {
	if r.ledger == nil {
		return recorder{r, own}
	}
	return recorder{r, r.ledger}
}

// facts are what is known when the row has ended.
func (r *record) facts() (asked, fresh bool, lost error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked, r.fresh, r.lost
}

type recorder struct {
	*record
	ledger wechat.Ledger
}

// Begin claims key, and clears up what an earlier run has left there: the process that had a Pending one is dead, so
// that its outcome is Unknown; and an Unknown one is freed where that was asked for.
func (r recorder) Begin(ctx context.Context, key string, call *wechat.Call) (wechat.Entry, error) {
	e, err := r.ledger.Begin(ctx, key, call)
	earlier := e.Updated.Before(r.began)
	if err == nil && e.State == wechat.Pending && earlier {
		e = wechat.Entry{State: wechat.Unknown}
		err = r.ledger.End(ctx, key, e)
	}
	if err == nil && e.State == wechat.Unknown && earlier && r.retryUnknown {
		if err = r.ledger.End(ctx, key, wechat.Entry{State: wechat.Failed}); err == nil {
			e, err = r.ledger.Begin(ctx, key, call)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = true
	r.fresh = r.fresh || err == nil && (e.State == "" || e.State == wechat.Failed)
	return e, err
}

func (r recorder) End(ctx context.Context, key string, e wechat.Entry) error {
	err := r.ledger.End(ctx, key, e)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lost = fmt.Errorf("outbox: %s, but the ledger could not take it down: %w", e.State, err)
	}
	return err
}

// rows lets one row at a time through for each key, so that the second of two finds what became of the first.
type rows struct {
	mu  sync.Mutex
	now map[string]chan struct{} // closed when the row has ended
}

func (r *rows) enter(ctx context.Context, key string) (leave func(), err error) {
	for {
		r.mu.Lock()
		other, busy := r.now[key]
		if !busy {
			if r.now == nil {
				r.now = map[string]chan struct{}{}
			}
			mine := make(chan struct{})
			r.now[key] = mine
			r.mu.Unlock()
			return func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				delete(r.now, key)
				close(mine)
			}, nil
		}
		r.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

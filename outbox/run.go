package outbox

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

const (
	tries    = 6               // of a row whose failure may pass by itself
	pause    = 5 * time.Second // before its first repeat, doubled each time
	maxPause = 5 * time.Minute

	// tryFor bounds a try, so that a wait for the limits that is known to last longer, until the next day, fails at
	// once with the time to come back.
	tryFor = time.Hour
)

// errLeft is the cause of a list that nobody reads any more.
var errLeft = errors.New("outbox: the loop was left")

// run is one list under way. Its rows are started and reported by one goroutine, in each.
type run[T, R any] struct {
	o     Options
	send  func(context.Context, T) (R, error)
	began time.Time
	rows  rows

	ctx   context.Context // of the list: when it ends, no row is started
	stop  context.CancelCauseFunc
	calls context.Context // of the rows under way: ends a while later
	cut   context.CancelFunc

	out      chan result[T, R]
	progress Progress
}

// row is an item that was read, or the error in place of it.
type row[T any] struct {
	Item[T]
	index int64
	err   error
}

// result is what comes from a row under way: its end, or a notice that it waits for quota.
type result[T, R any] struct {
	entry   Entry[T, R]
	waiting time.Time // not zero: it is under way still
}

func newRun[T, R any](ctx context.Context, send func(context.Context, T) (R, error), o Options) *run[T, R] {
	r := &run[T, R]{o: o.withDefaults(), send: send, began: time.Now(), out: make(chan result[T, R])}
	r.ctx, r.stop = context.WithCancelCause(ctx)
	calls, cut := outlive(r.ctx, r.o.Grace)
	calls = wechat.ContextWithPriority(calls, ratelimit.Background)
	r.calls, r.cut = wechat.ContextWithRetry(calls, wechat.Batch()), cut
	return r
}

// end frees what belongs to the run.
func (r *run[T, R]) end() {
	r.stop(errLeft)
	r.cut()
}

// outlive returns a context with the values of ctx that ends some time after it.
func outlive(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-calls.Done():
		}
	})
	return calls, func() {
		unhook()
		cancel()
	}
}

// each starts the rows, as many at once as it may, and reports them until report says false.
func (r *run[T, R]) each(items iter.Seq2[Item[T], error], report func(Entry[T, R]) bool) error {
	rows, quit := make(chan row[T]), make(chan struct{})
	go r.read(items, rows, quit)
	flying := 0
	defer func() {
		r.stop(errLeft)
		close(quit)
		for range rows { // nobody wants them
		}
		for flying > 0 {
			if res := <-r.out; res.waiting.IsZero() {
				flying--
			}
		}
	}()

	more := func(e Entry[T, R]) bool {
		r.progress.count(e.State)
		r.o.Progress(r.progress)
		return report(e)
	}
	early := false // the list was stopped before it was read to its end
	for in := rows; in != nil || flying > 0; {
		next := in
		if flying >= r.o.Concurrency {
			next = nil
		}
		select {
		case x, ok := <-next:
			early = early || r.ctx.Err() != nil
			e := Entry[T, R]{Item: x.Item, Index: x.index, State: Refused, Err: x.err}
			switch {
			case !ok:
				in = nil
				continue
			case r.ctx.Err() != nil:
				e.State = NotTried
				if e.Err == nil {
					e.Err = context.Cause(r.ctx)
				}
			case x.err == nil:
				flying++
				go r.deliver(x)
				continue
			}
			if !more(e) {
				return nil
			}
		case res := <-r.out:
			if !res.waiting.IsZero() {
				r.progress.Waiting = res.waiting
				r.o.Progress(r.progress)
				continue
			}
			flying--
			if !more(res.entry) {
				return nil
			}
		}
	}
	if cause := context.Cause(r.ctx); cause != nil && (early || r.progress.NotTried > 0) {
		return r.stopped(cause)
	}
	return nil
}

func (r *run[T, R]) stopped(cause error) error {
	e := &StoppedError{NotTried: r.progress.NotTried, Err: cause}
	if after, ok := wechat.RetryAfter(cause); ok {
		e.Again = time.Now().Add(after)
	}
	return e
}

// read feeds the rows to each.
func (r *run[T, R]) read(items iter.Seq2[Item[T], error], rows chan<- row[T], quit <-chan struct{}) {
	defer close(rows)
	defer func() {
		if v := recover(); v != nil {
			r.stop(&PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	_ = wechat.Spread(r.ctx, r.o.Spread) // where the list was stopped meanwhile, its rows are read to be reported
	index := int64(0)
	for item, err := range items {
		if err == nil && item.Key == "" {
			err = errNoKey
		}
		if err != nil {
			err = &ItemError{Index: index, Err: err}
		}
		select {
		case rows <- row[T]{Item: item, index: index, err: err}:
		case <-quit:
			return
		}
		index++
	}
}

// deliver brings one row to its end.
func (r *run[T, R]) deliver(x row[T]) {
	e := Entry[T, R]{Item: x.Item, Index: x.index}
	defer func() { r.out <- result[T, R]{entry: e} }()
	leave, err := r.rows.enter(r.ctx, x.Key)
	if err != nil {
		e.State, e.Err = NotTried, context.Cause(r.ctx)
		return
	}
	defer leave()
	rec := &record{ledger: r.o.Ledger, began: r.began, retryUnknown: r.o.RetryUnknown}
	for try := 1; ; try++ {
		e.State, e.Err = Unknown, errGoexit // should send not return
		receipt, err := r.call(x.Item, rec)
		state, wait := r.judge(err, try)
		if wait > 0 && r.sleep(wait, err) {
			continue
		}
		if e.State, e.Receipt, e.Err = state, receipt, err; state == Sent {
			r.settle(&e, rec)
		}
		return
	}
}

var errGoexit = errors.New("outbox: send ended its goroutine")

// call makes one try.
func (r *run[T, R]) call(item Item[T], rec *record) (receipt R, err error) {
	ctx, cancel := context.WithTimeout(wechat.ContextWithLedger(wechat.ContextWithIdempotencyKey(r.calls, item.Key), rec.in), tryFor)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return r.send(ctx, item.Value)
}

// judge tells what the outcome of a try means: for the row, for the list, which it stops where it has to, and how
// long to wait before the row is tried again; 0: not at all.
func (r *run[T, R]) judge(err error, try int) (State, time.Duration) {
	var panicked *PanicError
	switch {
	case err == nil, wechat.CarriedOut(err):
		return Sent, 0
	case errors.Is(err, wechat.ErrOutcomeUnknown), errors.Is(err, wechat.ErrInProgress), errors.As(err, &panicked):
		return Unknown, 0
	case r.calls.Err() != nil && isContextError(err):
		return NotTried, 0
	case quotaUsedUp(err):
		if r.o.WaitForQuota {
			after, _ := wechat.RetryAfter(err)
			wait := after + pauseBefore(1)
			r.out <- result[T, R]{waiting: time.Now().Add(wait)}
			return NotTried, wait
		}
		r.stop(err)
		return NotTried, 0
	case passes(err) && try < tries:
		after, _ := wechat.RetryAfter(err)
		return NotTried, after + pauseBefore(try)
	case r.o.Stops(err):
		r.stop(err)
	}
	return Refused, 0
}

// pauseBefore is the wait before the next try, beyond what was told. It is random, so that rows that failed together
// do not come back together.
func pauseBefore(try int) time.Duration {
	most := min(pause<<(try-1), maxPause)
	return most/2 + rand.N(most/2)
}

// sleep waits before a row is tried again and reports whether it may be: not if the list was stopped. A wait that the
// list's deadline cannot hold stops it.
func (r *run[T, R]) sleep(d time.Duration, failure error) bool {
	if deadline, ok := r.ctx.Deadline(); ok && time.Now().Add(d).After(deadline) {
		r.stop(failure)
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// settle looks at what the ledger had to say about a row that succeeded.
func (r *run[T, R]) settle(e *Entry[T, R], rec *record) {
	asked, fresh, lost := rec.facts()
	switch {
	case asked && !fresh:
		e.State = Skipped
	case lost != nil:
		e.Err = lost
	case !asked && r.o.Ledger != nil:
		r.stop(ErrNotRecorded)
	}
}

package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/seed175cf469/wechat"
)

// Queue sends what handlers of requests have no time to wait for. Add returns at once, Run delivers in the
// background, as the limits allow, and Drain ends it when the program does. It is safe for concurrent use.
type Queue[T, R any] struct {
	name   string
	send   func(context.Context, T) (R, error)
	report func(Entry[T, R])
	o      Options

	items chan Item[T]
	ended chan struct{} // closed when Run has returned

	mu      sync.RWMutex
	closed  bool
	started bool
	cut     func(cause error)   // ends the run under way
	left    map[string]struct{} // keys that an earlier process has left and that are under way
	err     error               // of the run that has ended
}

// NewQueue returns a queue that holds up to size items beside those under way. send makes the call for one item and
// report, which may be nil, gets what became of each; it is never called by two goroutines at once. Queues that share
// a ledger are told apart by name.
//
// What is left when the queue ends is NotTried. Where Options.Ledger is set, it is written there as JSON, and the
// next Run of a queue with this name takes it up, if the ledger is a wechat.LedgerScanner.
func NewQueue[T, R any](name string, size int, send func(ctx context.Context, item T) (R, error), report func(Entry[T, R]), o Options) *Queue[T, R] {
	if report == nil {
		report = func(Entry[T, R]) {}
	}
	return &Queue[T, R]{name: name, send: send, report: report, o: o, items: make(chan Item[T], max(size, 1)), ended: make(chan struct{})}
}

// Add hands in an item and returns at once: with a *FullError if there is no room, ErrClosed after Drain or the end of
// Run, an *ItemError if the item has no key.
func (q *Queue[T, R]) Add(item Item[T]) error {
	if item.Key == "" {
		return &ItemError{Err: errNoKey}
	}
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.closed {
		return ErrClosed
	}
	select {
	case q.items <- item:
		return nil
	default:
		return &FullError{Size: cap(q.items)}
	}
}

// Len is the number of items that wait.
func (q *Queue[T, R]) Len() int { return len(q.items) }

// Run delivers until Drain has emptied the queue, ctx ends, or a failure concerns all items, as for Send. It returns a
// *StoppedError unless all were brought to their end. It can be called once. No goroutine of the queue outlives it.
func (q *Queue[T, R]) Run(ctx context.Context) error {
	r := newRun(ctx, q.send, q.o)
	defer r.end()
	if !q.start(func(cause error) { r.stop(cause); r.cut() }) {
		return ErrClosed
	}
	defer close(q.ended)
	defer context.AfterFunc(r.ctx, q.close)()
	err := r.each(q.sequence(r.ctx), func(e Entry[T, R]) bool {
		q.settle(ctx, e)
		return true
	})
	if ctx.Err() != nil && r.progress.NotTried == 0 {
		err = nil // there was nothing to stop
	}
	q.close()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err = err
	return err
}

// Drain takes no more items and waits until Run has delivered those that are there. When ctx ends first, it ends what
// is under way, and what was not tried is left: see NewQueue. It returns what Run returns.
func (q *Queue[T, R]) Drain(ctx context.Context) error {
	q.close()
	if q.start(func(error) {}) { // Run never was
		defer close(q.ended)
		n := int64(0)
		for item := range q.items {
			q.settle(ctx, Entry[T, R]{Item: item, Index: n, State: NotTried, Err: ErrClosed})
			n++
		}
		if n == 0 {
			return nil
		}
		err := &StoppedError{NotTried: n, Err: ErrClosed}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.err = err
		return err
	}
	select {
	case <-q.ended:
	case <-ctx.Done():
		q.mu.RLock()
		cut := q.cut
		q.mu.RUnlock()
		cut(context.Cause(ctx))
		<-q.ended
	}
	q.mu.RLock()
	defer q.mu.RUnlock()
	return q.err
}

// start reports whether the caller is the one who empties the queue.
func (q *Queue[T, R]) start(cut func(error)) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.started {
		return false
	}
	q.started, q.cut = true, cut
	return true
}

func (q *Queue[T, R]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.items)
	}
}

// sequence is what an earlier process has left, and then what is added until the queue is closed.
func (q *Queue[T, R]) sequence(ctx context.Context) iter.Seq2[Item[T], error] {
	return func(yield func(Item[T], error) bool) {
		if !q.leftovers(ctx, yield) {
			return
		}
		for item := range q.items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// leftovers yields what an earlier process has left. A panic of the ledger, or of a value that reads itself, is an error like
// any other: what was added since must not be lost with it.
func (q *Queue[T, R]) leftovers(ctx context.Context, yield func(Item[T], error) bool) (more bool) {
	yielding := false
	defer func() {
		if v := recover(); v != nil {
			if yielding {
				panic(v)
			}
			more = yield(Item[T]{}, &PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	for item, err := range q.remains(ctx) {
		yielding = true
		if !yield(item, err) {
			return false
		}
		yielding = false
	}
	return true
}

// settle reports the end of an item and keeps the ledger's list of what is left.
func (q *Queue[T, R]) settle(ctx context.Context, e Entry[T, R]) {
	if q.o.Ledger != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ledgerTime)
		defer cancel()
		if err := q.note(ctx, e); err != nil {
			e.Err = errors.Join(e.Err, fmt.Errorf("outbox: the ledger's list of what is left: %w", err))
		}
	}
	q.report(e)
}

const ledgerTime = 5 * time.Second

// The ledger's entry for an item that is left: Pending, with the item as the result. Done says that it was taken up.
func (q *Queue[T, R]) key(item string) string { return "outbox:" + q.name + ":" + item }

// leftCall stands for the call in what a Ledger is told of items that are left.
func leftCall() *wechat.Call { return &wechat.Call{Spec: wechat.Spec{Name: "Outbox"}} }

func (q *Queue[T, R]) note(ctx context.Context, e Entry[T, R]) error {
	key := q.key(e.Key)
	q.mu.Lock()
	_, taken := q.left[e.Key]
	delete(q.left, e.Key)
	q.mu.Unlock()
	if e.State != NotTried {
		if !taken {
			return nil
		}
		return q.o.Ledger.End(ctx, key, wechat.Entry{State: wechat.Done})
	}
	if e.Key == "" || taken {
		return nil // it cannot be read, or stands there still
	}
	value, err := json.Marshal(e.Value)
	if err != nil {
		return err
	}
	if _, err := q.o.Ledger.Begin(ctx, key, leftCall()); err != nil {
		return err
	}
	return q.o.Ledger.End(ctx, key, wechat.Entry{State: wechat.Pending, Result: value})
}

// remains reads what an earlier process has left.
func (q *Queue[T, R]) remains(ctx context.Context) iter.Seq2[Item[T], error] {
	return func(yield func(Item[T], error) bool) {
		scanner, ok := q.o.Ledger.(wechat.LedgerScanner)
		if !ok {
			return
		}
		prefix := q.key("")
		var keys []string // first all, as a database may not like to be asked while it is scanned
		for key, err := range scanner.Scan(ctx, wechat.Pending, time.Now().Add(ledgerTime)) {
			if err != nil {
				if !yield(Item[T]{}, fmt.Errorf("the ledger's list of what is left: %w", err)) {
					return
				}
				break
			}
			if item, ok := strings.CutPrefix(key, prefix); ok {
				keys = append(keys, item)
			}
		}
		for _, key := range keys {
			item, err := q.remain(ctx, key)
			if !yield(item, err) {
				return
			}
		}
	}
}

func (q *Queue[T, R]) remain(ctx context.Context, key string) (Item[T], error) {
	item := Item[T]{Key: key}
	e, err := q.o.Ledger.Begin(ctx, q.key(key), leftCall())
	if err != nil {
		return item, err
	}
	if err := json.Unmarshal(e.Result, &item.Value); err != nil {
		return item, fmt.Errorf("the ledger's record of what is left: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.left == nil {
		q.left = map[string]struct{}{}
	}
	q.left[key] = struct{}{}
	return item, nil
}

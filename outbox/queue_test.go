package outbox_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/outbox"
)

// ends collects what a queue reports.
type ends struct {
	mu    sync.Mutex
	count map[outbox.State]int
	list  []entry
}

func (e *ends) add(x entry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.count == nil {
		e.count = map[outbox.State]int{}
	}
	e.count[x.State]++
	e.list = append(e.list, x)
}

// running starts q and returns how to wait for its end.
func running[R any](ctx context.Context, q *outbox.Queue[int, R]) (wait func() error) {
	end := make(chan error, 1)
	go func() { end <- q.Run(ctx) }()
	synctest.Wait()
	return func() error { return <-end }
}

// A handler hands its message in at once; it is delivered as the limits allow, and a drained queue has delivered all.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 200
		s := newServer()
		s.Limit(sendTemplate, mock.PerSecond(20))
		s.Fault(sendTemplate, mock.Fault{Delay: 50 * time.Millisecond})
		var got ends
		q := outbox.NewQueue("alerts", n, template(newAccount(s, app)), got.add, outbox.Options{})
		wait := running(t.Context(), q)
		began := time.Now()
		for i := range n {
			if err := q.Add(item{Key: key(i), Value: i}); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(began) > 0 {
			t.Errorf("Add took %v", time.Since(began))
		}
		time.Sleep(time.Second)
		if got.mu.Lock(); got.count[outbox.Sent] == 0 {
			t.Error("nothing is reported after a second")
		}
		got.mu.Unlock()
		if err := q.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		if err := wait(); err != nil {
			t.Error(err)
		}
		if got.count[outbox.Sent] != n || len(s.Delivered("")) != n || len(s.Duplicates()) > 0 {
			t.Errorf("%v", got.count)
		}
		if err := q.Add(item{Key: "late"}); !errors.Is(err, outbox.ErrClosed) {
			t.Errorf("after Drain: %v", err)
		}
		if err := q.Run(t.Context()); !errors.Is(err, outbox.ErrClosed) {
			t.Errorf("a second Run: %v", err)
		}
	})
}

// A queue that is full says so at once, and again takes what fits.
func TestQueueFull(t *testing.T) { synctest.Test(t, testQueueFull) }

func testQueueFull(t *testing.T) {
	q := outbox.NewQueue("", 2, func(context.Context, int) (int, error) { return 0, nil }, nil, outbox.Options{})
	for i, want := range []bool{true, true, false} {
		err := q.Add(item{Key: key(i)})
		var full *outbox.FullError
		if (err == nil) != want || !want && (!errors.Is(err, outbox.ErrFull) || !errors.As(err, &full) || full.Size != 2) {
			t.Errorf("item %d: %v", i, err)
		}
	}
	if q.Len() != 2 {
		t.Errorf("%d wait", q.Len())
	}
	if err := q.Add(item{}); err == nil || errors.Is(err, outbox.ErrFull) {
		t.Errorf("without a key: %v", err)
	}
	wait := running(t.Context(), q)
	if err := errors.Join(q.Drain(t.Context()), wait()); err != nil {
		t.Error(err)
	}
}

// What a shutdown leaves no time for is in the ledger, and the next process delivers it: once, whatever was sent.
func TestQueueLeavesToTheNext(t *testing.T) {
	for _, ran := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			const n = 100
			s := newServer()
			s.Limit(sendCustom, mock.PerSecond(10))
			s.Fault(sendCustom, mock.Fault{Delay: 20 * time.Millisecond})
			store := wechat.NewMemoryLedger()
			o := outbox.Options{Ledger: store, Concurrency: 5}
			var first ends
			q := outbox.NewQueue("alerts", n, custom(newAccount(s, app)), first.add, o)
			wait := func() error { return nil }
			if ran {
				wait = running(t.Context(), q)
			}
			for i := range n {
				if err := q.Add(item{Key: key(i), Value: i}); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			began := time.Now()
			err := q.Drain(ctx)
			var stopped *outbox.StoppedError
			if !errors.As(err, &stopped) || int(stopped.NotTried) != first.count[outbox.NotTried] || stopped.NotTried == 0 {
				t.Errorf("Drain: %v after %v", err, first.count)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("Drain took %v", took)
			}
			if again := wait(); ran && !errors.Is(again, context.DeadlineExceeded) {
				t.Errorf("Run: %v", again)
			}
			if len(first.list) != n {
				t.Errorf("%d of %d items are reported: %v", len(first.list), n, first.count)
			}

			var second, other ends
			q = outbox.NewQueue("others", n, custom(newAccount(s, app)), other.add, o)
			wait = running(t.Context(), q)
			if err := errors.Join(q.Drain(t.Context()), wait()); err != nil || len(other.list) != 0 {
				t.Errorf("a queue of another name took %v, %v", other.count, err)
			}
			q = outbox.NewQueue("alerts", n, custom(newAccount(s, app)), second.add, o)
			wait = running(t.Context(), q)
			if err := errors.Join(q.Drain(t.Context()), wait()); err != nil {
				t.Error(err)
			}
			if second.count[outbox.Sent] != first.count[outbox.NotTried] || len(s.Duplicates()) > 0 || len(s.Delivered("")) < n-first.count[outbox.Unknown] {
				t.Errorf("first %v, then %v, %d delivered", first.count, second.count, len(s.Delivered("")))
			}

			// Nothing is left for a third.
			var third ends
			q = outbox.NewQueue("alerts", n, custom(newAccount(s, app)), third.add, o)
			wait = running(t.Context(), q)
			if err := errors.Join(q.Drain(t.Context()), wait()); err != nil || len(third.list) != 0 {
				t.Errorf("a third time: %v, %v", third.count, err)
			}
		})
	}
}

// The end of Run's context closes the queue; what is under way ends, and the rest is left.
func TestQueueEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 50
		s := newServer()
		s.Fault(sendCustom, mock.Fault{Delay: time.Second})
		var got ends
		q := outbox.NewQueue("", n, custom(newAccount(s, app)), got.add, outbox.Options{Concurrency: 5})
		ctx, cancel := context.WithCancel(t.Context())
		wait := running(ctx, q)
		for i := range n {
			if err := q.Add(item{Key: key(i), Value: i}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2500 * time.Millisecond)
		cancel()
		if err := wait(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if len(got.list) != n || got.count[outbox.Unknown] != 0 || got.count[outbox.Sent] != len(s.Delivered("")) {
			t.Errorf("%v", got.count)
		}
		if err := q.Add(item{Key: "late"}); !errors.Is(err, outbox.ErrClosed) {
			t.Error(err)
		}
		if err := q.Drain(t.Context()); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}

		idle := outbox.NewQueue("", 1, custom(newAccount(s, app)), nil, outbox.Options{})
		ctx, cancel = context.WithCancel(t.Context())
		wait = running(ctx, idle)
		cancel()
		if err := wait(); err != nil {
			t.Errorf("a queue that has nothing to do: %v", err)
		}
	})
}

// A failure that concerns all ends the queue.
func TestQueueStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		bad := app
		bad.Secret = "wrong"
		var got ends
		q := outbox.NewQueue("", 10, template(newAccount(s, bad)), got.add, outbox.Options{Concurrency: 1})
		for i := range 10 {
			if err := q.Add(item{Key: key(i), Value: i}); err != nil {
				t.Fatal(err)
			}
		}
		if err := q.Run(t.Context()); !errors.Is(err, wechat.ErrCredential) {
			t.Error(err)
		}
		if got.count[outbox.Refused] != 1 || got.count[outbox.NotTried] != 9 {
			t.Errorf("%v", got.count)
		}
	})
}

// Handlers add while the queue is drained: each item is refused or reported.
func TestQueueIsRaced(t *testing.T) { synctest.Test(t, testQueueIsRaced) }

func testQueueIsRaced(t *testing.T) {
	var got ends
	q := outbox.NewQueue("", 100, func(_ context.Context, i int) (*receipt, error) { return &receipt{}, nil }, got.add, outbox.Options{})
	wait := running(t.Context(), q)
	var taken, refused ends
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 500 {
				if err := q.Add(item{Key: key(w*1000 + i)}); err == nil {
					taken.add(entry{})
				} else {
					refused.add(entry{})
				}
				if w == 0 && i == 400 {
					if err := q.Drain(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if err := wait(); err != nil {
		t.Error(err)
	}
	if len(got.list) != len(taken.list) || len(taken.list)+len(refused.list) != 4000 {
		t.Errorf("%d reported, %d taken, %d refused", len(got.list), len(taken.list), len(refused.list))
	}
}

type brokenScan struct{ wechat.Ledger }

func (brokenScan) Scan(context.Context, wechat.State, time.Time) iter.Seq2[string, error] {
	panic("driver")
}

// A ledger that panics loses nothing that was added.
func TestQueueLedgerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count := map[outbox.State]int{}
		q := outbox.NewQueue("q", 10, func(context.Context, int) (int, error) { return 0, nil },
			func(e outbox.Entry[int, int]) { count[e.State]++ }, outbox.Options{Ledger: brokenScan{wechat.NewMemoryLedger()}})
		for i := range 3 {
			if err := q.Add(outbox.Item[int]{Key: key(i), Value: i}); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan error, 1)
		go func() { done <- q.Run(t.Context()) }()
		synctest.Wait()
		_ = q.Drain(t.Context())
		// The reader's panic is a line of its own; that send leaves no record ends the list.
		if err := <-done; q.Len() != 0 || count[outbox.Sent]+count[outbox.Unknown]+count[outbox.Refused]+count[outbox.NotTried] != 4 {
			t.Errorf("%v, %d left: %v", count, q.Len(), err)
		}
	})
}

package callback

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// ErrBusy is what Go returns when Config.MaxWork is under way already, or the handler is being shut down. A receiver
// that passes it on makes the platform push again.
var ErrBusy = errors.New("callback: too much work is under way")

// ErrLate is reported for an answer, or an error, that came after the platform had been told success.
var ErrLate = errors.New("callback: the receiver was late")

// PanicError is a panic of a receiver or of what was begun with Go.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("callback: panic: %v", e.Value) }

// work is what a handler has under way.
type work struct {
	ctx    context.Context //nolint:containedctx // it ends what goes on after the requests
	cancel context.CancelFunc

	mu     sync.Mutex
	count  int
	closed bool
	idle   chan struct{} // closed when nothing is under way any more, after closed
}

func newWork() work {
	ctx, cancel := context.WithCancel(context.Background())
	return work{ctx: ctx, cancel: cancel, idle: make(chan struct{})}
}

// begin counts something that begins, unless there are limit of it, 0 being no limit, or the end has come.
func (w *work) begin(limit int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || limit > 0 && w.count >= limit {
		return false
	}
	w.count++
	return true
}

// join counts something that begins in the course of what was counted: also after the end has come.
func (w *work) join() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
}

func (w *work) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count--; w.count == 0 && w.closed {
		close(w.idle)
	}
}

// Shutdown turns new pushes away, for the platform to repeat them elsewhere, and waits until everything under way
// has ended. When ctx ends first, it cancels what was begun with Go and returns ctx's error.
func (h *Handler) Shutdown(ctx context.Context) error {
	w := &h.work
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		if w.count == 0 {
			close(w.idle)
		}
	}
	w.mu.Unlock()
	defer w.cancel()
	select {
	case <-w.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type handlerKey struct{}

// Go lets f go on after the push has been answered, in a goroutine of the Handler's, for work that takes longer than
// the platform waits: the receiver returns nil, and the answer follows by the API. ctx is that of a receiver. f gets one
// with its values that ends after Config.WorkTimeout, or with Shutdown. Its error is reported; the push is not
// repeated for it.
func Go(ctx context.Context, f func(ctx context.Context) error) error {
	h, ok := ctx.Value(handlerKey{}).(*Handler)
	if !ok {
		return errors.New("callback: Go needs the context of a receiver")
	}
	if !h.work.begin(h.config.MaxWork) {
		return ErrBusy
	}
	go func() {
		defer h.work.end()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.config.WorkTimeout)
		defer cancel()
		defer context.AfterFunc(h.work.ctx, cancel)()
		_, err := guarded(func() (Reply, error) { return nil, f(ctx) })
		if err != nil {
			h.config.Report(ctx, err)
		}
	}()
	return nil
}

// Background is a Middleware that answers success at once and lets the receiver go on, as Go does. What it replies is
// lost.
func Background(next Receiver) Receiver {
	return func(ctx context.Context, m Message) (Reply, error) {
		return nil, Go(ctx, func(ctx context.Context) error {
			_, err := next(ctx, m)
			return err
		})
	}
}

// guarded makes an error of a panic: it must not end the program, since it may not be in a goroutine of net/http's.
func guarded(f func() (Reply, error)) (reply Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// outcome is what a receiver returned.
type outcome struct {
	reply Reply
	err   error
}

// run asks the receiver and gives the clear answer, nil for none. One that is late goes on, and success is answered.
func (h *Handler) run(ctx context.Context, m Message) ([]byte, error) {
	deadline, _ := ctx.Deadline()
	done := make(chan outcome, 1)
	late := time.NewTimer(time.Until(deadline) + grace)
	defer late.Stop()
	var mu sync.Mutex
	gone := false // nobody waits for the outcome any more
	h.work.join()
	go func() {
		defer h.work.end()
		ctx := context.WithValue(ctx, handlerKey{}, h)
		o := outcome{err: errGoexit} // should the receiver end its goroutine
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			if !gone {
				done <- o
			} else if o.reply != nil || o.err != nil {
				h.config.Report(ctx, errors.Join(ErrLate, o.err))
			}
		}()
		o.reply, o.err = guarded(func() (Reply, error) { return h.receive(ctx, m) })
	}()
	select {
	case o := <-done:
		return h.render(ctx, m, o)
	case <-late.C:
	}
	mu.Lock()
	gone = true
	mu.Unlock()
	select {
	case o := <-done: // in the last moment
		return h.render(ctx, m, o)
	default:
		return nil, nil
	}
}

var errGoexit = errors.New("callback: the receiver ended its goroutine")

// render makes the clear answer of what a receiver returned; a reply that panics is an error. What the account cannot be answered with is reported and
// not sent, as the person would see a fault of the service.
func (h *Handler) render(ctx context.Context, m Message, o outcome) (answer []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			answer, err = nil, &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	if o.err != nil || o.reply == nil {
		return nil, o.err
	}
	head := m.Head()
	if !o.reply.fits(h.config.Product) || h.config.Product == Suite || head.InfoType != "" {
		h.config.Report(ctx, fmt.Errorf("callback: a push to %v cannot be answered with %T", h.config.Product, o.reply))
		return nil, nil
	}
	body, err := o.reply.body(head, head.src.format)
	if err != nil {
		return nil, fmt.Errorf("callback: %T: %w", o.reply, err)
	}
	if len(body) == 0 {
		return nil, nil
	}
	return body, nil
}

package wechat_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
)

// What each end of a call leaves in the ledger, and what the next call with the key gets.
func TestLedger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var next any
		p := &platform{handle: func(r *request) any {
			if r.path == "/send" {
				return next
			}
			return nil
		}}
		c := p.caller()
		call := func(key string) (*receipt, error) {
			return send.Do(wechat.ContextWithIdempotencyKey(t.Context(), key), c, hello("o1"))
		}

		r, err := call("done")
		if err != nil {
			t.Fatal(err)
		}
		again, err := call("done")
		if err != nil || *again != *r || len(p.calls("/send")) != 1 {
			t.Errorf("a call that is done: %+v, %v, %d requests", again, err, len(p.calls("/send")))
		}

		next = errReset
		if _, err := call("unknown"); !errors.Is(err, wechat.ErrOutcomeUnknown) {
			t.Error(err)
		}
		next = nil
		n := len(p.calls("/send"))
		if _, err := call("unknown"); !errors.Is(err, wechat.ErrOutcomeUnknown) || len(p.calls("/send")) != n {
			t.Errorf("an unknown call was repeated: %v", err)
		}

		next = errcode(40037, "invalid template_id")
		if _, err := call("failed"); !errors.Is(err, wechat.Code(40037)) {
			t.Error(err)
		}
		next = nil
		if _, err := call("failed"); err != nil {
			t.Errorf("a call that failed may be repeated: %v", err)
		}

		next = answer{delay: time.Second, body: `{"errcode":0,"msgid":1}`}
		errs := atOnce(10, func() error { _, err := call("race"); return err })
		if len(errs) != 9 || !errors.Is(errs[0], wechat.ErrInProgress) {
			t.Errorf("%d of 10 with one key at once failed: %v", len(errs), errs)
		}

		// Keys of another endpoint or app are others.
		next = nil
		n = len(p.calls("/send"))
		if _, err := sendOnce.Do(wechat.ContextWithIdempotencyKey(t.Context(), "done"), c, hello("o1")); err != nil || len(p.calls("/send/once")) != 1 {
			t.Error("the key of another endpoint counts")
		}
		if err := readOnce(wechat.ContextWithIdempotencyKey(t.Context(), "done"), c); err != nil {
			t.Error(err)
		}
		if len(p.calls("/send")) != n {
			t.Error("a read was taken for a send")
		}
	})
}

// The dedupe id comes from the idempotency key, so that another process sends the same one.
func TestLedgerKeyIsTheDedupeID(t *testing.T) {
	p, q := &platform{}, &platform{}
	ctx := wechat.ContextWithIdempotencyKey(t.Context(), "order-1")
	for _, x := range []*platform{p, q} {
		if _, err := sendOnce.Do(ctx, x.caller(), hello("o1")); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := string(p.calls("/send/once")[0].body), string(q.calls("/send/once")[0].body); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

func TestLedgerFails(t *testing.T) {
	p := &platform{}
	_, err := send.Do(wechat.ContextWithIdempotencyKey(t.Context(), "k"), p.caller(wechat.WithLedger(brokenLedger{})), hello("o1"))
	if !errors.Is(err, errBroken) || len(p.calls("/send")) != 0 {
		t.Errorf("a call that nobody remembers went out: %v", err)
	}
}

type brokenLedger struct{}

func (brokenLedger) Begin(context.Context, string, *wechat.Call) (wechat.Entry, error) {
	return wechat.Entry{}, errBroken
}
func (brokenLedger) End(context.Context, string, wechat.Entry) error { return errBroken }

func TestMemoryLedgerForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := wechat.NewMemoryLedger()
		if e, err := l.Begin(t.Context(), "k", nil); err != nil || e.State != "" {
			t.Fatal(e, err)
		}
		if e, _ := l.Begin(t.Context(), "k", nil); e.State != wechat.Pending {
			t.Errorf("%+v", e)
		}
		time.Sleep(time.Hour)
		for key, err := range l.(wechat.LedgerScanner).Scan(t.Context(), wechat.Pending, time.Now()) {
			if key != "k" || err != nil {
				t.Error(key, err)
			}
		}
		time.Sleep(23 * time.Hour)
		if e, _ := l.Begin(t.Context(), "k", nil); e.State != "" {
			t.Errorf("a day later: %+v", e)
		}
	})
}

// A ledger of the context stands in for the client's own.
func TestContextWithLedger(t *testing.T) {
	p := &platform{}
	own, other := wechat.NewMemoryLedger(), wechat.NewMemoryLedger()
	c := p.caller(wechat.WithLedger(own))
	ctx := wechat.ContextWithIdempotencyKey(t.Context(), "order-1")
	elsewhere := wechat.ContextWithLedger(ctx, func(got wechat.Ledger) wechat.Ledger {
		if got != own {
			t.Error("the client's own ledger is not handed on")
		}
		return other
	})
	for i, ctx := range []struct {
		name string
		do   func() error
		want int // requests so far
	}{
		{"the context's ledger", func() error { _, err := send.Do(elsewhere, c, hello("o1")); return err }, 1},
		{"the context's ledger again", func() error { _, err := send.Do(elsewhere, c, hello("o1")); return err }, 1},
		{"the client's ledger knows nothing of it", func() error { _, err := send.Do(ctx, c, hello("o1")); return err }, 2},
		{"the client's ledger again", func() error { _, err := send.Do(ctx, c, hello("o1")); return err }, 2},
	} {
		if err := ctx.do(); err != nil {
			t.Errorf("%d %s: %v", i, ctx.name, err)
		}
		if n := len(p.calls("/send")); n != ctx.want {
			t.Errorf("%s: %d requests, want %d", ctx.name, n, ctx.want)
		}
	}
}

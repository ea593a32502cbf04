package wechat_test

import (
	"testing"

	"github.com/seed175cf469/wechat"
)

func TestContextWithLedger(t *testing.T) {
	p := &platform{}
	own, other := wechat.NewMemoryLedger(), wechat.NewMemoryLedger()
	c := p.caller(wechat.WithLedger(own), wechat.WithContextLedger())
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

// Without an own ledger there is the one in memory, as without the option.
func TestContextLedgerDefault(t *testing.T) {
	p := &platform{}
	c := p.caller(wechat.WithContextLedger())
	ctx := wechat.ContextWithIdempotencyKey(t.Context(), "order-1")
	for range 2 {
		if _, err := send.Do(ctx, c, hello("o1")); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(p.calls("/send")); n != 1 {
		t.Errorf("%d requests", n)
	}
}

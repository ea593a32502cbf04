package wechat

import "context"

type ledgerKey struct{}

// ContextWithLedger lets wrap stand between the client and its ledger for the calls under ctx. wrap gets the client's
// ledger and returns the one to use, under the same keys: another ledger, or one that watches. It holds for clients
// that were made with WithContextLedger.
func ContextWithLedger(ctx context.Context, wrap func(own Ledger) Ledger) context.Context {
	return context.WithValue(ctx, ledgerKey{}, wrap)
}

// WithContextLedger makes the client heed ContextWithLedger. It comes after the option that sets the ledger, if there
// is one.
func WithContextLedger() Option {
	return func(c *config) {
		if c.ledger == nil {
			c.ledger = NewMemoryLedger()
		}
		c.ledger = contextLedger{c.ledger}
	}
}

// contextLedger is the ledger of the context, or else its own.
type contextLedger struct{ own Ledger }

func (l contextLedger) of(ctx context.Context) Ledger {
	if wrap, ok := ctx.Value(ledgerKey{}).(func(Ledger) Ledger); ok {
		return wrap(l.own)
	}
	return l.own
}

func (l contextLedger) Begin(ctx context.Context, key string, call *Call) (Entry, error) {
	return l.of(ctx).Begin(ctx, key, call)
}

func (l contextLedger) End(ctx context.Context, key string, e Entry) error {
	return l.of(ctx).End(ctx, key, e)
}

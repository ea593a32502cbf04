package wechat

import (
	"context"

	"github.com/seed175cf469/wechat/ratelimit"
)

type (
	priorityKey    struct{}
	idempotencyKey struct{}
	retryKey       struct{}
	ledgerKey      struct{}
)

// ContextWithPriority sets the order in which calls get their turn where they wait for the same limit.
// Without it a call is ratelimit.Normal.
func ContextWithPriority(ctx context.Context, p ratelimit.Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// ContextWithIdempotencyKey names the effect of the next send, create or upload: two calls of an endpoint
// with the same key have it once. The client's Ledger remembers the key, and where the API knows a field
// for it (client_msg_id, clientmsgid), the server is told as well. Reads and updates ignore it.
func ContextWithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// ContextWithRetry replaces the client's RetryPolicy for the calls under ctx.
func ContextWithRetry(ctx context.Context, p RetryPolicy) context.Context {
	return context.WithValue(ctx, retryKey{}, p)
}

// ContextWithLedger lets wrap stand between the client and its ledger for the calls under ctx. wrap gets the client's
// ledger and returns the one to use, under the same keys: another ledger, or one that watches.
func ContextWithLedger(ctx context.Context, wrap func(own Ledger) Ledger) context.Context {
	return context.WithValue(ctx, ledgerKey{}, wrap)
}

func priorityFrom(ctx context.Context) ratelimit.Priority {
	p, _ := ctx.Value(priorityKey{}).(ratelimit.Priority)
	return p
}

func idempotencyKeyFrom(ctx context.Context) string {
	key, _ := ctx.Value(idempotencyKey{}).(string)
	return key
}

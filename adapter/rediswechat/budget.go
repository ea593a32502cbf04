package rediswechat

import (
	"context"
	_ "embed"
)

// RetryBudget is a wechat.RetryBudget that processes share, by the clock of Redis.
type RetryBudget struct{ conn *conn }

var (
	//go:embed budget.lua
	budgetSource string
	budgetScript = writing(budgetSource)
)

// Spend takes a repeat from the budget of all processes. See [wechat.RetryBudget].
func (b *RetryBudget) Spend(ctx context.Context, app string, share float64, calls int) (bool, error) {
	reply, err := b.conn.run(ctx, b.conn.budget, budgetScript, []string{b.conn.name("repeats", app)}, share, calls)
	return reply == int64(1), err
}

package wechat

import (
	"context"
	"math/rand/v2"
	"time"
)

// Spread waits for a random part of span, so that the instances of a scheduled job do not all start in the same
// second. It returns ctx's error when that ends first.
func Spread(ctx context.Context, span time.Duration) error {
	if span <= 0 {
		return ctx.Err()
	}
	return sleep(ctx, rand.N(span))
}

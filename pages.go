package wechat

import (
	"context"
	"iter"
)

// Pages walks a list that comes in pages: next gets a cursor and returns a page, the next cursor and whether
// there is more. An error is yielded once and ends the walk.
func Pages[T, C any](ctx context.Context, first C, next func(context.Context, C) ([]T, C, bool, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor, more := first, true; more; {
			var (
				page []T
				err  error
			)
			page, cursor, more, err = next(ctx, cursor)
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Cursors walks a list whose pages are found by a text that the page before gives: from "" on, until it is empty again
// or one comes back that was there before.
func Cursors[T any](ctx context.Context, next func(ctx context.Context, cursor string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen := map[string]bool{}
		walk := Pages(ctx, "", func(ctx context.Context, cursor string) ([]T, string, bool, error) {
			seen[cursor] = true
			page, following, err := next(ctx, cursor)
			return page, following, !seen[following] && following != "", err
		})
		walk(yield)
	}
}

package officialaccount

import (
	"context"
	"iter"

	"github.com/seed175cf469/wechat"
)

// OpenIDList has the openids of a page; the platform leaves it out of an empty one.
type OpenIDList struct {
	OpenID []string `json:"openid"`
}

// openIDs walks a list of openids by its cursor. The last page has none, or repeats the last openid, after which an
// empty page comes.
func openIDs(ctx context.Context, list func(ctx context.Context, cursor string) (page []string, next string, err error)) iter.Seq2[string, error] {
	return wechat.Cursors(ctx, func(ctx context.Context, cursor string) ([]string, string, error) {
		page, next, err := list(ctx, cursor)
		if len(page) == 0 {
			next = ""
		}
		return page, next, err
	})
}

// offsets walks a list by offset, until total, or an empty page, as totals can be wrong while things are deleted.
func offsets[T any](ctx context.Context, list func(ctx context.Context, offset int) (page []T, total int, err error)) iter.Seq2[T, error] {
	return wechat.Pages(ctx, 0, func(ctx context.Context, offset int) ([]T, int, bool, error) {
		page, total, err := list(ctx, offset)
		next := offset + len(page)
		return page, next, len(page) > 0 && next < total, err
	})
}

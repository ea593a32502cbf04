package wechat

import (
	"context"
	"testing"
	"time"

	"github.com/patrickmn/go-cache"
)

// BenchmarkToken is a token that is in memory, beside a bare go-cache.
func BenchmarkToken(b *testing.B) {
	p := &Product{Name: "officialaccount", Token: func(context.Context, Caller, App, bool) (Token, error) {
		return NewToken("TOKEN", 7200, time.Now()), nil
	}}
	call := &Call{Product: p, App: App{ID: "wx0123456789abcdef", Secret: "secret"}.keyed(p)}
	b.Run("wechat", func(b *testing.B) {
		s, ctx := newState(new(config)), b.Context()
		b.ReportAllocs()
		for b.Loop() {
			if t, err := s.token(ctx, call, Token{}); err != nil || t.Value == "" {
				b.Fatal(err)
			}
		}
	})
	b.Run("go-cache", func(b *testing.B) {
		c := cache.New(2*time.Hour, 0)
		c.SetDefault(call.App.tokenKey, Token{Value: "TOKEN"})
		b.ReportAllocs()
		for b.Loop() {
			if x, ok := c.Get(call.App.tokenKey); !ok || x.(Token).Value == "" {
				b.Fatal("the token is gone")
			}
		}
	})
}

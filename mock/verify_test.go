package mock_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

// store is right, unless one of its faults is switched on.
type store struct {
	mu     sync.Mutex
	tokens map[string]wechat.Token
	locks  map[string]time.Time

	quotes, forgets, seconds, blind, steals bool
}

func (s *store) Load(_ context.Context, key string) (wechat.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tokens[key]
	switch {
	case !ok && s.forgets:
		return wechat.Token{}, nil
	case !ok:
		return wechat.Token{}, wechat.ErrNoToken
	case s.quotes:
		t.Value = `"` + t.Value + `"`
	case s.seconds:
		t.Expiry = time.Unix(t.Expiry.UnixMilli(), 0)
	}
	return t, nil
}

func (s *store) Replace(_ context.Context, key string, old, fresh wechat.Token) (wechat.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blind || s.tokens[key].Value == old.Value {
		s.tokens[key] = fresh
	}
	return s.tokens[key], nil
}

func (s *store) Lock(_ context.Context, key string, ttl time.Duration) (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.locks[key]) {
		return nil, wechat.ErrLocked
	}
	until := time.Now().Add(ttl)
	s.locks[key] = until
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.steals || s.locks[key].Equal(until) {
			delete(s.locks, key)
		}
	}, nil
}

type complaints struct {
	mu   sync.Mutex
	list []string
}

func (c *complaints) Helper() {}
func (c *complaints) Errorf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

// P140: what adapters get slightly wrong is found.
func TestVerifyTokenStore(t *testing.T) {
	for name, wrong := range map[string]func(*store){
		"right": nil, "quoted": func(s *store) { s.quotes = true }, "nil for a miss": func(s *store) { s.forgets = true },
		"unit": func(s *store) { s.seconds = true }, "no compare": func(s *store) { s.blind = true }, "steals locks": func(s *store) { s.steals = true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &store{tokens: map[string]wechat.Token{}, locks: map[string]time.Time{}}
				if wrong != nil {
					wrong(s)
				}
				c := new(complaints)
				mock.VerifyTokenStore(c, s)
				if (len(c.list) > 0) != (wrong != nil) {
					t.Errorf("complaints: %q", c.list)
				}
			})
		})
	}
}

// forgetful gives every key to everybody.
type forgetful struct{ wechat.Ledger }

func (forgetful) Begin(context.Context, string, *wechat.Call) (wechat.Entry, error) {
	return wechat.Entry{}, nil
}

func TestVerifyLedger(t *testing.T) {
	mock.VerifyLedger(t, wechat.NewMemoryLedger())
	c := new(complaints)
	mock.VerifyLedger(c, forgetful{wechat.NewMemoryLedger()})
	if len(c.list) == 0 {
		t.Error("no complaint about a ledger that forgets")
	}
}

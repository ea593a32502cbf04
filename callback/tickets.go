package callback

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed175cf469/wechat"
)

// How long the tickets live that are pushed every ten minutes.
const (
	componentTicketLife = 12 * time.Hour
	suiteTicketLife     = 30 * time.Minute
)

// TicketStore keeps the tickets that the platform pushes, by the AppID of a third-party platform or the id of a suite,
// for all processes that need them. It must be safe for concurrent use and should outlive the process: the next ticket may
// be ten minutes away.
type TicketStore interface {
	// Put keeps a ticket, unless one that ends later is there: pushes may arrive in another order.
	Put(ctx context.Context, id string, ticket wechat.Token) error
	// Get returns what was put, or wechat.ErrNoToken.
	Get(ctx context.Context, id string) (wechat.Token, error)
}

// NewMemoryTickets returns a TicketStore for one process.
func NewMemoryTickets() TicketStore { return &memoryTickets{} }

type memoryTickets struct{ shelf[string, wechat.Token] }

func (s *memoryTickets) Put(_ context.Context, id string, ticket wechat.Token) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.entries[id]; ok && e.value.Expiry.After(ticket.Expiry) {
		return nil
	}
	now := time.Now()
	s.put(id, ticket, now, ticket.Expiry.Sub(now))
	return nil
}

func (s *memoryTickets) Get(_ context.Context, id string) (wechat.Token, error) {
	if t, ok := s.get(id); ok {
		return t, nil
	}
	return wechat.Token{}, wechat.ErrNoToken
}

// StoredTickets keeps tickets in a TokenStore, beside the tokens.
func StoredTickets(s wechat.TokenStore) TicketStore { return storedTickets{s} }

type storedTickets struct{ store wechat.TokenStore }

func ticketKey(id string) string { return "ticket:" + id }

func (s storedTickets) Put(ctx context.Context, id string, ticket wechat.Token) error {
	const attempts = 5 // others may put theirs meanwhile
	for range attempts {
		old, err := s.store.Load(ctx, ticketKey(id))
		if err != nil && !errors.Is(err, wechat.ErrNoToken) {
			return err
		}
		if old.Value == ticket.Value || old.Expiry.After(ticket.Expiry) {
			return nil
		}
		stands, err := s.store.Replace(ctx, ticketKey(id), old, ticket)
		if err != nil {
			return err
		}
		if stands.Value == ticket.Value {
			return nil
		}
	}
	return wechat.ErrLocked
}

func (s storedTickets) Get(ctx context.Context, id string) (wechat.Token, error) {
	t, err := s.store.Load(ctx, ticketKey(id))
	if err == nil && !time.Now().Before(t.Expiry) {
		return wechat.Token{}, wechat.ErrNoToken
	}
	return t, err
}

// Tickets is a Middleware that puts the tickets of platforms and suites into a store, and hands everything on. When
// the store fails, the platform pushes again.
func Tickets(store TicketStore) Middleware {
	return func(next Receiver) Receiver {
		return func(ctx context.Context, m Message) (Reply, error) {
			var id string
			var ticket wechat.Token
			switch t := m.(type) {
			case *ComponentVerifyTicket:
				id, ticket = t.AppID, wechat.Token{Value: t.ComponentVerifyTicket, Expiry: t.Time().Add(componentTicketLife)}
			case *SuiteTicket:
				id, ticket = t.SuiteID, wechat.Token{Value: t.SuiteTicket, Expiry: t.Time().Add(suiteTicketLife)}
			}
			if id != "" && ticket.Value != "" {
				if err := store.Put(ctx, id, ticket); err != nil {
					return nil, fmt.Errorf("callback: keeping the ticket of %s: %w", id, err)
				}
			}
			return next(ctx, m)
		}
	}
}

package wechat

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/internal/wire"
)

// State is what is known of a call that has an idempotency key.
type State string

// The states.
const (
	Pending State = "pending" // begun, not ended: in progress, or its process died
	Done    State = "done"    // carried out; Entry.Result is the reply
	Failed  State = "failed"  // not carried out; the key may be used again
	Unknown State = "unknown" // may have been carried out
)

// Entry is what a Ledger remembers of a key.
type Entry struct {
	State   State
	Result  []byte // the reply as JSON, when Done
	Updated time.Time
}

// Ledger remembers what became of calls by idempotency key, so that none is carried out twice. Keys are
// prefixed with product, app and endpoint. It must be safe for concurrent use.
type Ledger interface {
	// Begin claims key. The zero Entry says that it is the caller's now (also after Failed); any other
	// Entry is what stands, and the caller must not proceed.
	Begin(ctx context.Context, key string, call *Call) (Entry, error)
	// End records what became of a claimed key.
	End(ctx context.Context, key string, e Entry) error
}

// LedgerScanner is an optional part of a Ledger: it lists the keys in a state that were last updated before
// a time, to make up for what a dead process left.
type LedgerScanner interface {
	Scan(ctx context.Context, s State, before time.Time) iter.Seq2[string, error]
}

// ledgerMemory is how long the memory ledger remembers a key.
const ledgerMemory = 24 * time.Hour

// NewMemoryLedger returns a Ledger for one process, the default. It remembers each key for 24 hours after its
// last change and forgets by itself.
func NewMemoryLedger() Ledger { return &memoryLedger{entries: map[string]Entry{}} }

type memoryLedger struct {
	mu      sync.Mutex
	entries map[string]Entry
	sweepAt int // size at which the next sweep is due
}

func (l *memoryLedger) Begin(_ context.Context, key string, _ *Call) (Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if e, ok := l.entries[key]; ok && e.State != Failed && now.Sub(e.Updated) < ledgerMemory {
		return e, nil
	}
	l.sweep(now)
	l.entries[key] = Entry{State: Pending, Updated: now}
	return Entry{}, nil
}

func (l *memoryLedger) End(_ context.Context, key string, e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Updated = time.Now()
	l.entries[key] = e
	return nil
}

// sweep drops what is too old each time the map has doubled, so that its cost is spread over the calls.
func (l *memoryLedger) sweep(now time.Time) {
	if len(l.entries) < l.sweepAt {
		return
	}
	for key, e := range l.entries {
		if now.Sub(e.Updated) >= ledgerMemory {
			delete(l.entries, key)
		}
	}
	l.sweepAt = max(1024, 2*len(l.entries))
}

func (l *memoryLedger) Scan(_ context.Context, s State, before time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		l.mu.Lock()
		var keys []string
		for key, e := range l.entries {
			if e.State == s && e.Updated.Before(before) {
				keys = append(keys, key)
			}
		}
		l.mu.Unlock()
		for _, key := range keys {
			if !yield(key, nil) {
				return
			}
		}
	}
}

// onlyOnce asks the ledger before it performs a call, and tells it afterwards.
func (s *state) onlyOnce(ctx context.Context, call *Call, key string) error {
	key = call.App.key + ":" + call.Spec.Name + ":" + key
	ledger := s.ledger
	if wrap, ok := ctx.Value(ledgerKey{}).(func(Ledger) Ledger); ok {
		ledger = wrap(ledger)
	}
	entry, err := ledger.Begin(ctx, key, call)
	if err != nil {
		return &Error{Endpoint: call.Spec.Name, App: call.App.ID, Err: fmt.Errorf("ledger: %w", wire.RedactError(err))}
	}
	switch entry.State {
	case Done:
		return recorded(entry, call)
	case Pending:
		return &Error{Endpoint: call.Spec.Name, App: call.App.ID, Err: ErrInProgress}
	case Failed: // begun anew
	case Unknown:
		return &OutcomeUnknownError{Endpoint: call.Spec.Name, Err: errors.New("an earlier call with this idempotency key ended so")}
	}
	entry = Entry{State: Unknown} // should perform panic
	defer func() {
		// The outcome must be written even when the caller has given up.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := ledger.End(ctx, key, entry); err != nil {
			s.observe(ctx, Event{Type: EventUnknown, Call: call, Err: fmt.Errorf("wechat: the ledger does not know that the call is %s: %w", entry.State, wire.RedactError(err))})
		}
	}()
	err = s.perform(ctx, call)
	switch {
	case err == nil || CarriedOut(err): // also with a reply that could be read in part only
		entry.State = Done
		result, failure := json.Marshal(call.Response)
		if entry.Result = result; failure != nil {
			return &Error{Kind: ErrBadReply, Endpoint: call.Spec.Name, App: call.App.ID, Err: failure, carried: true}
		}
	case !errors.Is(err, ErrOutcomeUnknown):
		entry.State = Failed
	}
	return err
}

// CarriedOut reports whether the server has carried out a call that failed all the same: it said so in a reply of which
// a part could not be read. Such a call must not be made again.
func CarriedOut(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.carried
}

// recorded answers a call with the reply that the ledger has kept.
func recorded(e Entry, call *Call) error {
	if len(e.Result) == 0 || call.Response == nil {
		return nil
	}
	if err := json.Unmarshal(e.Result, call.Response); err != nil {
		return &Error{Kind: ErrBadReply, Endpoint: call.Spec.Name, App: call.App.ID, Err: fmt.Errorf("ledger: %w", err), carried: true}
	}
	return nil
}

// dedupeID is what the server drops repeats by: the caller's key, or a random one for this call alone.
func dedupeID(call *Call, key string) string {
	if key == "" {
		return rand.Text()
	}
	sum := sha256.Sum256([]byte(call.App.key + ":" + call.Spec.Name + ":" + key))
	return hex.EncodeToString(sum[:16])
}

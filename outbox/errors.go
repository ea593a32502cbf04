package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/ratelimit"
)

// The sentinels; the types below say more.
var (
	ErrFull   = errors.New("outbox: the queue is full")
	ErrClosed = errors.New("outbox: the queue takes no more")

	// ErrNotRecorded stops a list whose rows leave no trace in Options.Ledger: a run after a crash would send them
	// again.
	ErrNotRecorded = errors.New("outbox: the call was not recorded in the ledger; does the send func hand its context on?")
)

// StoppedError says why a list was stopped before its end. Unwrap gives the failure, which may be the context's.
type StoppedError struct {
	NotTried int64     // rows that were left
	Again    time.Time // when it can go on; zero: not known
	Err      error
}

func (e *StoppedError) Error() string {
	again := ""
	if !e.Again.IsZero() {
		again = " (again at " + e.Again.Format(time.RFC3339) + ")"
	}
	return fmt.Sprintf("outbox: stopped with %d rows not tried: %v%s", e.NotTried, e.Err, again)
}

// Unwrap gives the failure that stopped the list.
func (e *StoppedError) Unwrap() error { return e.Err }

// ItemError is the reason of a row that could not be read, or has no key.
type ItemError struct {
	Index int64
	Err   error
}

func (e *ItemError) Error() string { return fmt.Sprintf("outbox: row %d: %v", e.Index, e.Err) }

// Unwrap gives what the sequence yielded.
func (e *ItemError) Unwrap() error { return e.Err }

var errNoKey = errors.New("it has no key")

// PanicError is a panic in a func of the caller's: in send, which makes its row Unknown, or in the sequence of items,
// which stops the list.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("outbox: panic: %v", e.Value) }

// Unwrap gives the value, where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// FullError says that a Queue holds as many items as it may. It matches ErrFull.
type FullError struct{ Size int }

func (e *FullError) Error() string {
	return fmt.Sprintf("outbox: the queue is full: %d items wait", e.Size)
}

// Is reports whether target is ErrFull.
func (e *FullError) Is(target error) bool { return target == ErrFull }

// Refusals of the kind Forbidden that are about one person and not about the app.
var aboutOne = []wechat.Code{40208, 60011, 60021, 60030, 71058, 81013, 85062, 92000, 701016, 701099}

// Refusals of the kind InvalidRequest that are about the template of the messages or the page that they open.
var aboutTemplate = []wechat.Code{40036, 40037, 40176, 41030, 43102, 60203, 60204, 84019, 84020}

// ConcernsAll reports whether a failure would meet every row alike. These are refused credentials, a token that is
// refused although it was renewed, a permission that the app lacks (but not one that is about a person, such as a
// member outside the scope of a WeCom app), a template that is not the account's (40037 and the like), and failures
// below the API: no connection, no answer from the ledger. What may pass by itself is waited for before it is asked.
func ConcernsAll(err error) bool {
	var e *wechat.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case wechat.ErrCredential, wechat.ErrTokenInvalid:
		return true
	case wechat.ErrForbidden:
		return !slices.Contains(aboutOne, e.Code)
	case wechat.ErrInvalidRequest:
		return slices.Contains(aboutTemplate, e.Code)
	default:
		return below(e)
	}
}

// below reports whether a call failed before the API could refuse it.
func below(e *wechat.Error) bool { return e.Kind == 0 && e.Code == 0 && e.Status == 0 }

// passes reports whether a failure may be over when the row is tried again. What was refused to one person for the
// rate has been repeated by the client already.
func passes(err error) bool {
	var e *wechat.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case wechat.ErrRateLimited:
		return e.Code != 43108 && e.Code != 45066
	case wechat.ErrTokenInvalid:
		return true
	default:
		return below(e)
	}
}

// quotaUsedUp reports whether the day's calls of the endpoint or the app are used up, and not those to one person.
func quotaUsedUp(err error) bool {
	var exceeded *ratelimit.ExceededError
	if errors.As(err, &exceeded) && exceeded.Decision.Denied.Scope == ratelimit.ScopeRecipient {
		return false
	}
	return errors.Is(err, wechat.ErrQuotaExhausted)
}

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

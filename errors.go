package wechat

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Code is an errcode as the server sent it. It is an error, so that errors.Is(err, wechat.Code(40003))
// finds any of them, named or not.
type Code int

func (c Code) Error() string { return "errcode " + strconv.Itoa(int(c)) }

// Kind is what a failure means to a program, whatever product and errcode it came from. It is an error, so
// that errors.Is(err, wechat.ErrRateLimited) holds for every failure of the kind.
type Kind uint8

// The kinds. The zero Kind is a failure that fits none of them, such as an errcode that nobody documented
// or a network that cannot be reached.
const (
	_                 Kind = iota
	ErrTokenInvalid        // the server refused the access_token, also after a fresh one was fetched
	ErrCredential          // wrong app id or secret, or an address that is not on the account's allow list
	ErrRateLimited         // too many calls in a time, by the server's or by our own count
	ErrQuotaExhausted      // the day's (or month's) calls are used up
	ErrUnreachable         // this person cannot be reached: not following, refused, or has to act first
	ErrBusy                // the server has a problem of its own
	ErrInvalidRequest      // the request can never work as it stands
	ErrForbidden           // the account lacks the permission
	ErrContent             // the content was refused
	ErrBadReply            // no usable reply: an HTML page, an empty or cut body, another type than documented
)

var kindTexts = [...]string{ //nolint:gosec // G101: a text about credentials is none
	ErrTokenInvalid:   "access token invalid",
	ErrCredential:     "credential refused",
	ErrRateLimited:    "rate limited",
	ErrQuotaExhausted: "quota exhausted",
	ErrUnreachable:    "recipient unreachable",
	ErrBusy:           "server busy",
	ErrInvalidRequest: "invalid request",
	ErrForbidden:      "forbidden",
	ErrContent:        "content refused",
	ErrBadReply:       "bad reply",
}

func (k Kind) Error() string {
	if k == 0 || int(k) >= len(kindTexts) {
		return "unknown"
	}
	return kindTexts[k]
}

// String is the same text as Error, for logs and labels.
func (k Kind) String() string { return k.Error() }

// Error is the failure of a call: what the server answered, or why nothing was asked. It matches its Code
// and its Kind; Unwrap gives the cause below, for example a *ratelimit.ExceededError or a context error.
type Error struct {
	Code      Code   // 0: the server sent none
	Kind      Kind   // 0: none fits
	Message   string // errmsg, secrets masked
	RequestID string // rid, or hint, for the platform's support and GetRidInfo
	Endpoint  string
	App       string
	Status    int           // HTTP status; 0: no reply
	After     time.Duration // when a repeat can succeed; 0: not known
	Err       error

	reply   func(v any) error // reads the reply that came with the errcode
	carried bool              // the server carried the call out; only its reply could not be read
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("wechat: ")
	if e.Endpoint != "" {
		b.WriteString(e.Endpoint)
		b.WriteString(": ")
	}
	if e.Kind != 0 {
		b.WriteString(e.Kind.Error())
	} else if e.Code != 0 {
		b.WriteString("refused")
	} else {
		b.WriteString("failed")
	}
	if e.Code != 0 {
		fmt.Fprintf(&b, ": errcode %d", int(e.Code))
	}
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(e.Message)
	}
	if e.Status != 0 && e.Status != 200 {
		fmt.Fprintf(&b, ": HTTP status %d", e.Status)
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.After > 0 && !errors.Is(e.Err, ratelimit.ErrExceeded) { // which says so itself
		fmt.Fprintf(&b, " (again in %v)", e.After.Round(time.Millisecond))
	}
	return b.String()
}

// Is reports whether target is e's Code or Kind.
func (e *Error) Is(target error) bool {
	switch t := target.(type) {
	case Code:
		return t != 0 && e.Code == t
	case Kind:
		return t != 0 && e.Kind == t
	}
	return false
}

// Reply reads the JSON that came beside the errcode into v, a pointer, for the few calls that say in it for whom they
// failed. Without such a reply it does nothing.
func (e *Error) Reply(v any) error {
	if e.reply == nil {
		return nil
	}
	return e.reply(v)
}

// Unwrap gives the cause, if there is one below the server's answer.
func (e *Error) Unwrap() error { return e.Err }

// LogValue gives the facts as attributes.
func (e *Error) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("endpoint", e.Endpoint), slog.String("app", e.App), slog.String("kind", e.Kind.Error())}
	if e.Code != 0 {
		attrs = append(attrs, slog.Int("errcode", int(e.Code)), slog.String("errmsg", e.Message))
	}
	if e.RequestID != "" {
		attrs = append(attrs, slog.String("rid", e.RequestID))
	}
	if e.Status != 0 {
		attrs = append(attrs, slog.Int("status", e.Status))
	}
	if e.After > 0 {
		attrs = append(attrs, slog.Duration("after", e.After))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("cause", e.Err.Error()))
	}
	return slog.GroupValue(attrs...)
}

var (
	// ErrRetryExhausted is matched by each RetryExhaustedError.
	ErrRetryExhausted = errors.New("wechat: retries exhausted")
	// ErrOutcomeUnknown is matched by each OutcomeUnknownError. What else such an error matches came afterwards.
	ErrOutcomeUnknown = errors.New("wechat: outcome unknown")
	// ErrInProgress says that another call with the same idempotency key has not ended: ask again later.
	ErrInProgress = errors.New("wechat: a call with this idempotency key is in progress")
	// ErrNoToken is what a TokenStore says of a key under which it has nothing.
	ErrNoToken = errors.New("wechat: no token stored")
	// ErrLocked is what a TokenStore says when another holds the lock.
	ErrLocked = errors.New("wechat: lock held by another")
)

// errBudgetSpent is the reason in a RetryExhaustedError when RetryPolicy.Budget allowed no further repeat.
var errBudgetSpent = errors.New("wechat: retry budget of the app is spent")

// RetryExhaustedError ends a call that was repeated, or that may no longer be. It matches
// ErrRetryExhausted; Unwrap gives the last failure.
type RetryExhaustedError struct {
	Endpoint string
	Attempts int           // requests that went out
	Elapsed  time.Duration // from the call to this error
	Waited   time.Duration // the part of Elapsed that was spent waiting between attempts
	Err      error
}

func (e *RetryExhaustedError) Error() string {
	return fmt.Sprintf("wechat: %s: gave up after %d attempts in %v: %s",
		e.Endpoint, e.Attempts, e.Elapsed.Round(time.Millisecond), within(e.Endpoint, e.Err))
}

// Is reports whether target is ErrRetryExhausted.
func (e *RetryExhaustedError) Is(target error) bool { return target == ErrRetryExhausted }

// Unwrap gives the last failure.
func (e *RetryExhaustedError) Unwrap() error { return e.Err }

// OutcomeUnknownError says that a call that must not be done twice may have been carried out: the request
// was written and no usable reply came. It matches ErrOutcomeUnknown.
type OutcomeUnknownError struct {
	Endpoint string
	Attempts int
	Err      error
}

func (e *OutcomeUnknownError) Error() string {
	return fmt.Sprintf("wechat: %s: outcome unknown, it may have been carried out: %s", e.Endpoint, within(e.Endpoint, e.Err))
}

// Is reports whether target is ErrOutcomeUnknown.
func (e *OutcomeUnknownError) Is(target error) bool { return target == ErrOutcomeUnknown }

// Unwrap gives what went wrong.
func (e *OutcomeUnknownError) Unwrap() error { return e.Err }

// within is the text of an error inside another about the same endpoint, which is not named again.
func within(endpoint string, err error) string {
	if err == nil {
		return "no cause"
	}
	return strings.TrimPrefix(err.Error(), "wechat: "+endpoint+": ")
}

// RetryAfter tells when a repeat of the failed call can succeed, where the server or a limit has told.
func RetryAfter(err error) (time.Duration, bool) {
	var e *Error
	if errors.As(err, &e) && e.After > 0 {
		return e.After, true
	}
	return 0, false
}

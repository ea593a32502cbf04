package ratelimit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Limit allows Rate events in each Period. The zero Limit is no limit.
//
// A window slides: at any moment at most Rate events lie in the Period before it, and an event leaves
// the window exactly a Period after it happened. With Calendar the window is a day instead, and all
// Rate events are free again at 00:00 UTC+8.
type Limit struct {
	Rate     int           // events in a Period
	Period   time.Duration // length of the window
	Calendar bool          // the window is a day that starts at 00:00 UTC+8, not the last Period
	Burst    int           // 0: Rate; less: at most Burst at once, the rest spread over Period
}

// PerSecond allows n events in any second.
func PerSecond(n int) Limit { return Limit{Rate: n, Period: time.Second} }

// PerMinute allows n events in any 60 seconds.
func PerMinute(n int) Limit { return Limit{Rate: n, Period: time.Minute} }

// PerHour allows n events in any 60 minutes.
func PerHour(n int) Limit { return Limit{Rate: n, Period: time.Hour} }

// PerDay allows n events in a calendar day, which starts at 00:00 UTC+8 as WeChat's days do.
func PerDay(n int) Limit { return Limit{Rate: n, Period: 24 * time.Hour, Calendar: true} }

// IsZero reports whether l is no limit at all.
func (l Limit) IsZero() bool { return l == Limit{} }

// String gives the limit as text: "100/s", "4/min", "1000/h", "80000/day", "30/10s", "20/s burst 5".
func (l Limit) String() string {
	per := l.Period.String()
	switch {
	case l.Calendar:
		per = "day"
	case l.Period == time.Second:
		per = "s"
	case l.Period == time.Minute:
		per = "min"
	case l.Period == time.Hour:
		per = "h"
	}
	s := fmt.Sprintf("%d/%s", l.Rate, per)
	if l.Burst > 0 {
		s += fmt.Sprintf(" burst %d", l.Burst)
	}
	return s
}

// MarshalText gives what String gives, so that limits can stand in a file.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText writes. A period may be any duration of Go ("30/1m30s").
func (l *Limit) UnmarshalText(text []byte) error {
	count, per, ok := strings.Cut(strings.TrimSpace(string(text)), "/")
	per, burst, hasBurst := strings.Cut(per, " burst ")
	var read Limit
	var err error
	if read.Rate, err = strconv.Atoi(count); err != nil || !ok {
		return fmt.Errorf("ratelimit: %.40q is no limit such as 100/s or 80000/day", text)
	}
	switch per {
	case "s", "min", "h":
		read.Period = map[string]time.Duration{"s": time.Second, "min": time.Minute, "h": time.Hour}[per]
	case "day":
		read.Period, read.Calendar = 24*time.Hour, true
	default:
		if read.Period, err = time.ParseDuration(per); err != nil {
			return fmt.Errorf("ratelimit: %.40q is no period such as s, min, h, day or 10s", per)
		}
	}
	if hasBurst {
		if read.Burst, err = strconv.Atoi(burst); err != nil {
			return fmt.Errorf("ratelimit: %.40q is no number of events", burst)
		}
	}
	if err := read.Validate(); err != nil {
		return err
	}
	*l = read
	return nil
}

// UnmarshalJSON reads the text form, or an object with the fields of Limit.
func (l *Limit) UnmarshalJSON(data []byte) error {
	type fields Limit
	if !strings.HasPrefix(string(data), `"`) {
		return json.Unmarshal(data, (*fields)(l))
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	return l.UnmarshalText([]byte(text))
}

// The bounds of a Limit.
const (
	maxRate   = math.MaxInt32
	maxPeriod = 366 * 24 * time.Hour
	day       = 24 * time.Hour
)

// Validate reports what makes l a limit that no event can keep to, as a *LimitError. The zero Limit is
// valid. Otherwise Rate must be from 1 to 2^31-1, Period more than 0 and at most 366 days, Burst from 0 to
// Rate, and a Calendar limit must have a Period of 24 hours.
func (l Limit) Validate() error {
	reason := ""
	switch {
	case l.IsZero():
	case l.Rate <= 0:
		reason = "Rate must be positive"
	case l.Rate > maxRate:
		reason = "Rate must be less than 2^31"
	case l.Period <= 0:
		reason = "Period must be positive"
	case l.Period > maxPeriod:
		reason = "Period must be at most 366 days"
	case l.Calendar && l.Period != day:
		reason = "a Calendar limit must have a Period of 24h"
	case l.Burst < 0:
		reason = "Burst must not be negative"
	case l.Burst > l.Rate:
		reason = "Burst must not be more than Rate"
	}
	if reason == "" {
		return nil
	}
	return &LimitError{Limit: l, Reason: reason}
}

// Limits are the limits of one app. They are plain data and may come from a file.
type Limits struct {
	App        []Limit            // all calls of the app
	Endpoints  map[string][]Limit // by method name, in place of the endpoint's own
	Recipient  []Limit            // each openid or userid, for endpoints that have a Recipient limit; nil: the endpoint's own; empty: none
	Recipients map[string][]Limit // the same by method name; wins over Recipient
	MaxWait    time.Duration      // longest wait for a turn; 0: Urgent 1s, Normal 10s, Background as ctx allows; negative: never wait
	Reserve    float64            // share of the App and Endpoints windows (not days, not recipients) kept from Background; 0: none
}

// Scope tells whom a limit holds for.
type Scope string

// The scopes.
const (
	ScopeApp         Scope = "app"         // every call of the app
	ScopeEndpoint    Scope = "endpoint"    // every call of the app to one endpoint
	ScopeRecipient   Scope = "recipient"   // what reaches one openid or userid
	ScopeConcurrency Scope = "concurrency" // calls in flight, not calls in a time
)

// Priority orders those who wait for the same limit.
type Priority int

// The priorities. The zero value is Normal.
const (
	Background Priority = -1 // campaigns and batches: wait as long as the context allows
	Normal     Priority = 0
	Urgent     Priority = 1 // a person waits for the result
)

// Demand asks for N turns under one limit of one key.
//
// Key, Scope, Limit.Period and Limit.Calendar tell which window is meant. Rate and Burst are not part
// of that: where they change, what has already happened counts under the new ones. Several limits with
// different periods on one key are separate windows, each with a demand of its own. Demands of one call
// for the same limit add up; where one window has two limits in a call, both hold and it counts once.
type Demand struct {
	Key      string   // whom the limit holds for, for example an app id
	Scope    Scope    // what kind of key that is
	Limit    Limit    // the zero Limit grants everything
	N        int      // turns, all at the same time; less than 1 counts as 1
	Priority Priority // among those who wait; the highest of a call's demands counts
	Reserve  float64  // share of the window that Background may not use, from 0 to 1; days and recipients have none
}

// Decision is the answer to a set of demands.
type Decision struct {
	OK         bool
	RetryAfter time.Duration // when a repeat can succeed; meaningful only when not OK
	Denied     Demand        // the demand that has to wait longest; meaningful only when not OK
	Remaining  int           // turns left in the tightest window after this decision; math.MaxInt without a limit
}

// Limiter takes a turn for each of the demands, or none at all.
type Limiter interface {
	Allow(ctx context.Context, demands ...Demand) (Decision, error)
}

// Reserver is a Limiter that can also give a place in the queue.
type Reserver interface {
	// Reserve takes turns that lie at most maxWait ahead. Where they lie further it takes none
	// and returns an *ExceededError.
	Reserve(ctx context.Context, maxWait time.Duration, demands ...Demand) (Reservation, error)
}

// Reservation is a place in the queue.
type Reservation interface {
	Delay() time.Duration // time left until the turn, at least 0
	Cancel()              // gives the turn back; harmless when it has been used or given back
}

// Barrier holds calls back until a time: what a server refused is not asked again before then.
type Barrier interface {
	// Raise keeps key closed at least until the given time; it never shortens what stands.
	Raise(ctx context.Context, key string, until time.Time) error
	// Lower opens key now.
	Lower(ctx context.Context, key string) error
	// Until returns when key opens, or the zero time if it is open.
	Until(ctx context.Context, key string) (time.Time, error)
}

// Pacer learns the pace that a server sustains and admits calls at it. It is optional: a Barrier may
// implement it too.
type Pacer interface {
	// Admit waits for key's turn, or fails when ctx ends first. Each nil error must be followed by
	// one call of done with what became of the call.
	Admit(ctx context.Context, key string, p Priority) (done func(Outcome), err error)
}

// Outcome is what a Pacer learns from. The zero Outcome is a success.
type Outcome struct {
	Refused     bool          // the server refused the call for its rate
	RetryAfter  time.Duration // what the server said; 0: nothing
	Window      time.Duration // the window that the refusal names; 0: not told
	Concurrency bool          // too many calls in flight, not too many in a time
	Unused      bool          // no call was made: the turn is given back and nothing is learned
}

// ErrExceeded is matched by each refusal of a Limiter.
var ErrExceeded error = errors.New("ratelimit: limit exceeded")

// ExceededError says which limit refused and when to come back. It matches ErrExceeded.
type ExceededError struct {
	Decision Decision
	Err      error // context.DeadlineExceeded where the turn lies after the deadline of the context; else nil
}

// Error names the scope and the limit, and the key unless it is a person's.
func (e *ExceededError) Error() string {
	d := e.Decision.Denied
	of := ""
	if d.Scope != ScopeRecipient {
		of = " of " + d.Key
	}
	s := fmt.Sprintf("ratelimit: %s limit %v%s exceeded", d.Scope, d.Limit, of)
	if d.Limit.IsZero() { // nobody told it
		s = fmt.Sprintf("ratelimit: %s%s is held back since the server refused calls", d.Scope, of)
	}
	s += fmt.Sprintf(", next turn in %v", e.Decision.RetryAfter.Round(time.Millisecond))
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Is reports whether target is ErrExceeded.
func (e *ExceededError) Is(target error) bool { return target == ErrExceeded }

// Unwrap returns Err.
func (e *ExceededError) Unwrap() error { return e.Err }

// LimitError says that a Limit can never grant what was asked of it, however long one waits. It does
// not match ErrExceeded.
type LimitError struct {
	Limit  Limit
	Reason string
}

// Error names the limit and what is wrong with it.
func (e *LimitError) Error() string {
	return fmt.Sprintf("ratelimit: limit %v can never grant this: %s", e.Limit, e.Reason)
}

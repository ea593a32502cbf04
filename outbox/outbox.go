package outbox

import (
	"context"
	"iter"
	"time"

	"github.com/seed175cf469/wechat"
)

// Item is one row of a list.
type Item[T any] struct {
	// Key names the effect of the row, for example "spring-sale:" and the person's openid: rows with one key are sent
	// once, by this run and by all later ones that share its ledger.
	Key   string
	Value T
}

// Items makes a list of values that are at hand, with the key of each.
func Items[T any](values iter.Seq[T], key func(T) string) iter.Seq2[Item[T], error] {
	return func(yield func(Item[T], error) bool) {
		for v := range values {
			if !yield(Item[T]{Key: key(v), Value: v}, nil) {
				return
			}
		}
	}
}

// State is what became of a row.
type State string

// The states.
const (
	Sent     State = "sent"      // Receipt is the reply
	Skipped  State = "skipped"   // sent earlier, as the ledger knows; Receipt is the reply of then
	Refused  State = "refused"   // not carried out; Err is the reason
	Unknown  State = "unknown"   // may have been carried out; Err says why that is not known
	NotTried State = "not tried" // the list was stopped before; surely not carried out
)

// Entry is the line of the report for one row.
type Entry[T, R any] struct {
	Item[T]
	Index   int64 // place in the list; 0 is the first
	State   State
	Receipt R     // of Sent and Skipped
	Err     error // of the others; of Sent and Skipped too where the reply could not be read or the ledger not take it down
}

// Progress is how far a list has come.
type Progress struct {
	Sent, Skipped, Refused, Unknown, NotTried int64

	// Waiting is when a list that waits for the next day's quota will go on; zero: it does not wait.
	Waiting time.Time
}

// Rows is the number of rows that have come to an end.
func (p Progress) Rows() int64 { return p.Sent + p.Skipped + p.Refused + p.Unknown + p.NotTried }

func (p *Progress) count(s State) {
	switch s {
	case Sent:
		p.Sent++
	case Skipped:
		p.Skipped++
	case Refused:
		p.Refused++
	case Unknown:
		p.Unknown++
	case NotTried:
		p.NotTried++
	}
	if s != NotTried {
		p.Waiting = time.Time{}
	}
}

// Options say how a list is sent. The zero Options are ready.
type Options struct {
	// Concurrency is the number of rows under way at once. The default is 80. It is no rate: how fast the rows go out
	// is up to the limits of the app and what the client learns.
	Concurrency int

	// Ledger remembers the rows. Where it is nil, the client's own ledger does, which in memory holds every row of the
	// last 24 hours.
	Ledger wechat.Ledger

	// RetryUnknown sends the rows again that an earlier run left as Unknown. Some people will get the message twice.
	// No other process may be sending the list meanwhile.
	RetryUnknown bool

	// WaitForQuota waits for the next day when the day's quota is used up, in place of stopping the list.
	WaitForQuota bool

	// Stops tells failures that concern all rows from those of one row. The default is ConcernsAll.
	Stops func(error) bool

	// Spread delays the first row by a random part of it.
	Spread time.Duration

	// Grace is how long the rows under way may go on after the list was stopped. The default is 10 s; negative: they
	// end at once, and those whose request was written become Unknown.
	Grace time.Duration

	// Progress is called after each row and when a wait for quota begins, never by two goroutines at once. It must be
	// quick.
	Progress func(Progress)
}

const (
	defaultConcurrency = 80
	defaultGrace       = 10 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Concurrency <= 0 {
		o.Concurrency = defaultConcurrency
	}
	if o.Stops == nil {
		o.Stops = ConcernsAll
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}

// Send sends each of items once and yields what became of each, in the order in which they end. send makes the call
// for one item, under the context that it is given; it is called by several goroutines at once.
//
// The last thing yielded is a *StoppedError with a zero Entry, if the list was stopped: by a failure that concerns
// all rows, by the day's quota, or as ctx has ended. The rows that were left are read on and reported as NotTried, so
// that each row of the list has its line. Rows under way are given Options.Grace. Leaving the loop stops the list as
// well; then nothing more is reported, but the ledger knows.
//
// items may yield an error in place of a row: the row is Refused with an *ItemError, and the list goes on as long as
// items does. items runs in a goroutine of its own, which has ended when the loop has; where it can block, it must
// heed ctx.
func Send[T, R any](ctx context.Context, items iter.Seq2[Item[T], error], send func(ctx context.Context, item T) (R, error), o Options) iter.Seq2[Entry[T, R], error] {
	return func(yield func(Entry[T, R], error) bool) {
		r := newRun(ctx, send, o)
		defer r.end()
		left := false
		err := r.each(items, func(e Entry[T, R]) bool {
			left = !yield(e, nil)
			return !left
		})
		if err != nil && !left {
			yield(Entry[T, R]{}, err)
		}
	}
}

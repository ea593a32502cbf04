package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/outbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	sendTemplate = "SendTemplateMessage"
	sendCustom   = "SendCustomMessage"
)

var app = wechat.App{ID: "wx0123456789abcdef", Secret: "mock secret"}

type (
	receipt = officialaccount.TemplateReceipt
	item    = outbox.Item[int]
	entry   = outbox.Entry[int, *receipt]
)

func openID(i int) string { return fmt.Sprintf("oFAKE%023d", i) }

func key(i int) string { return fmt.Sprintf("order-%d", i) }

// list is the rows 0 to n-1.
func list(n int) iter.Seq2[item, error] {
	return outbox.Items(func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}, key)
}

func newServer() *mock.Server {
	s := mock.NewServer(officialaccount.Endpoints()...)
	s.App(app)
	return s
}

func newAccount(s *mock.Server, a wechat.App, opts ...wechat.Option) *officialaccount.Client {
	opts = append(s.Options(), opts...)
	return officialaccount.New(wechat.New(opts...), a)
}

// template sends rows as template messages, which the server knows again.
func template(oa *officialaccount.Client) func(context.Context, int) (*receipt, error) {
	return func(ctx context.Context, i int) (*receipt, error) {
		return oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{ToUser: openID(i), TemplateID: "t1",
			Data: map[string]officialaccount.TemplateValue{"number1": {Value: key(i)}}})
	}
}

// custom sends rows as customer service messages, of which the server takes each for a new one.
func custom(oa *officialaccount.Client) func(context.Context, int) (*receipt, error) {
	return func(ctx context.Context, i int) (*receipt, error) {
		return nil, oa.SendCustomMessage(ctx, officialaccount.TextMessage(openID(i), key(i)))
	}
}

// report is what a list has come to.
type report struct {
	entries map[int]entry // by row
	count   map[outbox.State]int
	err     error
}

// collect ranges over a list and checks that each of its n rows has one line.
func collect(t *testing.T, n int, run iter.Seq2[entry, error]) report {
	t.Helper()
	r := report{map[int]entry{}, map[outbox.State]int{}, nil}
	for e, err := range run {
		if r.err != nil {
			t.Fatalf("after its error the list goes on: %+v, %v", e, err)
		}
		if err != nil {
			r.err = err
			continue
		}
		if old, ok := r.entries[int(e.Index)]; ok {
			t.Errorf("row %d is reported twice: %s and %s", e.Index, old.State, e.State)
		}
		if failed := e.State != outbox.Sent && e.State != outbox.Skipped; failed != (e.Err != nil) {
			t.Errorf("row %d is %s with the error %v", e.Index, e.State, e.Err)
		}
		r.entries[int(e.Index)] = e
		r.count[e.State]++
	}
	if len(r.entries) != n {
		t.Errorf("%d of %d rows are reported: %v", len(r.entries), n, r.count)
	}
	return r
}

// once checks that nobody got anything twice, and who was told what agrees with what the report says of it.
func once(t *testing.T, s *mock.Server, r report) {
	t.Helper()
	if d := s.Duplicates(); len(d) > 0 {
		t.Errorf("%d messages were delivered twice, for example to %s", len(d), d[0].First.Recipient)
	}
	for i, e := range r.entries {
		switch n := len(s.Delivered(openID(i))); {
		case n == 0 && (e.State == outbox.Sent || e.State == outbox.Skipped):
			t.Errorf("row %d is %s and was not delivered", i, e.State)
		case n > 0 && (e.State == outbox.Refused || e.State == outbox.NotTried):
			t.Errorf("row %d is %s and was delivered: %v", i, e.State, e.Err)
		}
	}
}

var errDead = errors.New("the process is dead")

// mortal is a ledger as a process sees it that can die: what it has not written by then is never written.
type mortal struct {
	wechat.Ledger
	dead  atomic.Bool
	lives atomic.Int64 // keys that it claims before it dies; 0 or less: any number
}

func (m *mortal) Begin(ctx context.Context, key string, call *wechat.Call) (wechat.Entry, error) {
	if m.dead.Load() {
		return wechat.Entry{}, errDead
	}
	e, err := m.Ledger.Begin(ctx, key, call)
	if e.State == "" && m.lives.Add(-1) == 0 {
		m.dead.Store(true)
	}
	return e, err
}

func (m *mortal) End(ctx context.Context, key string, e wechat.Entry) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Ledger.End(ctx, key, e)
}

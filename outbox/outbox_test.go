package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/outbox"
	"github.com/seed175cf469/wechat/ratelimit"
	"github.com/seed175cf469/wechat/work"
)

// Everything goes wrong at once, and each row is accounted for.
func TestFaults(t *testing.T) {
	const n = 2000
	for _, test := range []struct {
		endpoint string
		send     func(*officialaccount.Client) func(context.Context, int) (*receipt, error)
		unknown  int // rows whose reply was lost, and that the server would not know again
	}{
		{sendTemplate, template, 0},
		{sendCustom, custom, n/97 + n/101 + n/103},
	} {
		t.Run(test.endpoint, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				var left []string
				for i := 0; i < n; i += 40 {
					left = append(left, openID(i))
				}
				s.Unfollow(left...)
				s.Limit(test.endpoint, mock.PerSecond(200))
				page, busy := mock.Page(502), mock.Reply{Code: -1}
				s.Fault(test.endpoint, mock.Fault{Delay: 50 * time.Millisecond})
				// Faults strike rows and not requests, so that their number is known.
				strike := func(every, at int) func(mock.Call) bool {
					seen := map[string]bool{}
					var mu sync.Mutex
					return func(c mock.Call) bool {
						mu.Lock()
						defer mu.Unlock()
						var i int
						_, err := fmt.Sscanf(c.Recipients[0], "oFAKE%d", &i)
						hit := err == nil && i%every == at && !seen[c.Recipients[0]]
						seen[c.Recipients[0]] = seen[c.Recipients[0]] || hit
						return hit
					}
				}
				s.Fault(test.endpoint, mock.Fault{When: strike(97, 96), Reset: true, Done: true})
				s.Fault(test.endpoint, mock.Fault{When: strike(101, 100), Reply: &page, Done: true})
				s.Fault(test.endpoint, mock.Fault{When: strike(103, 102), Reply: &busy})
				s.Fault(test.endpoint, mock.Fault{When: strike(107, 106), Refuse: true})
				revoke := strike(n, n/2)
				s.Fault(test.endpoint, mock.Fault{When: func(c mock.Call) bool {
					if revoke(c) {
						s.RevokeTokens(app.ID)
					}
					return false
				}})

				oa := newAccount(s, app)
				r := collect(t, n, outbox.Send(t.Context(), list(n), test.send(oa), outbox.Options{}))
				if r.err != nil {
					t.Error(r.err)
				}
				once(t, s, r)
				if r.count[outbox.Refused] < n/40-4 || r.count[outbox.Refused] > n/40 {
					t.Errorf("%d rows are refused, and %d people do not follow", r.count[outbox.Refused], n/40)
				}
				for i, e := range r.entries {
					if e.State == outbox.Refused && !errors.Is(e.Err, wechat.Code(43004)) {
						t.Errorf("row %d is refused: %v", i, e.Err)
					}
					if e.State == outbox.Unknown && !errors.Is(e.Err, wechat.ErrOutcomeUnknown) {
						t.Errorf("row %d is unknown: %v", i, e.Err)
					}
				}
				// A message to somebody who does not follow is Unknown where the reply was lost, whatever the repeat says.
				if got := r.count[outbox.Unknown]; got < test.unknown-3 || got > test.unknown+1 {
					t.Errorf("%d rows are unknown, want about %d: %v", got, test.unknown, r.count)
				}
			})
		})
	}
}

// P038: 150 messages back to back, and some replies come after the time-out. Nobody gets two copies, and the report
// says of whom it is not known.
func TestLateReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 150
		s := newServer()
		s.Fault(sendCustom, mock.Fault{Every: 10, Delay: 15 * time.Second})
		a := app
		a.Limits.Endpoints = map[string][]ratelimit.Limit{sendCustom: {ratelimit.PerSecond(30)}}
		began := time.Now()
		r := collect(t, n, outbox.Send(t.Context(), list(n), custom(newAccount(s, a)), outbox.Options{}))
		once(t, s, r)
		if r.err != nil || r.count[outbox.Sent] != n-n/10 || r.count[outbox.Unknown] != n/10 {
			t.Errorf("%v, %v", r.count, r.err)
		}
		if calls := len(s.Calls(sendCustom)); calls != n {
			t.Errorf("%d requests", calls)
		}
		if took := time.Since(began); took < 4*time.Second {
			t.Errorf("%d messages at 30 a second took %v", n, took)
		}
	})
}

// P037: a job at eight o'clock sends from many goroutines through one client. All arrive once, over no more
// connections than rows under way.
func TestConnections(t *testing.T) {
	const n, atOnce = 2000, 100
	s := newServer()
	s.Fault(sendTemplate, mock.Fault{Delay: 5 * time.Millisecond})
	url, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var opened atomic.Int64
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost, transport.MaxIdleConnsPerHost = 50, 50
	dial := (&net.Dialer{}).DialContext
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		opened.Add(1)
		return dial(ctx, network, addr)
	}
	defer transport.CloseIdleConnections()
	oa := officialaccount.New(wechat.New(wechat.WithBaseURL("officialaccount", url), wechat.WithHTTPClient(&http.Client{Transport: transport})), app)
	r := collect(t, n, outbox.Send(t.Context(), list(n), template(oa), outbox.Options{Concurrency: atOnce}))
	once(t, s, r)
	if r.err != nil || r.count[outbox.Sent] != n {
		t.Errorf("%v, %v", r.count, r.err)
	}
	if opened.Load() > 50 {
		t.Errorf("%d connections for %d messages", opened.Load(), n)
	}
}

// P040: twenty rows are refused together. They do not come back together, and not before they may.
func TestRefusedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20
		s := newServer()
		began := time.Now()
		s.Fault(sendTemplate, mock.Fault{Delay: 50 * time.Millisecond})
		s.Fault(sendTemplate, mock.Fault{When: func(mock.Call) bool { return time.Since(began) < time.Second }, Reply: &mock.Reply{Code: 45011}})
		r := collect(t, n, outbox.Send(t.Context(), list(n), template(newAccount(s, app)), outbox.Options{Concurrency: n}))
		once(t, s, r)
		if r.count[outbox.Sent] != n {
			t.Fatalf("%v, %v", r.count, r.err)
		}
		at := map[time.Time]int{}
		for _, c := range s.Calls(sendTemplate) {
			if c.Code == 0 {
				at[c.Time]++
				if wait := c.Time.Sub(began); wait < time.Minute {
					t.Errorf("back after %v, and the window is a minute", wait)
				}
			}
		}
		for when, calls := range at {
			if calls > n/2 {
				t.Errorf("%d of %d came back together, %v after they were refused", calls, n, when.Sub(began))
			}
		}
	})
}

// P144: a text over the limit of WeCom is no lost alarm: its row says what is wrong, and the others go out.
func TestTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mock.NewServer(work.Endpoints()...)
		corp := wechat.App{ID: "ww00112233445566ff", Secret: "mock secret", AgentID: 1000001}
		s.App(corp)
		c := work.New(wechat.New(s.Options()...), corp)
		send := func(ctx context.Context, i int) (*work.Receipt, error) {
			text := "short"
			if i == 3 {
				text = strings.Repeat("长", 1000)
			}
			return c.SendMessage(ctx, work.TextMessage(fmt.Sprintf("member%d", i), text))
		}
		for e, err := range outbox.Send(t.Context(), list(10), send, outbox.Options{}) {
			if err != nil {
				t.Error(err)
			} else if refused := e.State == outbox.Refused; refused != (e.Value == 3) || refused && !errors.Is(e.Err, wechat.ErrInvalidRequest) {
				t.Errorf("row %d is %s: %v", e.Value, e.State, e.Err)
			}
		}
	})
}

// A process is killed ten times at random moments. No row is lost and none is delivered twice.
func TestKilledAndResumed(t *testing.T) {
	const n, concurrency = 1000, 20
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.Fault(sendCustom, mock.Fault{Delay: 100 * time.Millisecond})
		store := wechat.NewMemoryLedger()
		final := report{entries: map[int]entry{}, count: map[outbox.State]int{}}
		unknown := map[int]bool{}
		for kill := 1; ; kill++ {
			ctx, cancel := context.WithCancel(t.Context())
			ledger := &mortal{Ledger: store}
			if kill <= 10 {
				ledger.lives.Store(1 + rand.Int64N(n/6))
			}
			// A dead process sends nothing and hears nothing.
			dead := func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if ledger.dead.Load() {
						return nil, errDead
					}
					return next.RoundTrip(r)
				})
			}
			oa := newAccount(s, app, wechat.WithTransport(dead))
			r := report{map[int]entry{}, map[outbox.State]int{}, nil}
			for e, err := range outbox.Send(ctx, list(n), custom(oa), outbox.Options{Ledger: ledger, Concurrency: concurrency, Grace: -1}) {
				if ledger.dead.Load() {
					cancel() // what is reported from now on, nobody sees
					continue
				}
				if err != nil {
					t.Error(err)
				}
				r.entries[int(e.Index)] = e
				r.count[e.State]++
			}
			cancel()
			t.Logf("run %2d: %v", kill, r.count)
			for i, e := range r.entries {
				if e.State == outbox.Unknown {
					unknown[i] = true
				}
			}
			if !ledger.dead.Load() {
				final = r
				break
			}
			time.Sleep(time.Second)
		}
		once(t, s, final)
		if len(final.entries) != n || final.count[outbox.Sent]+final.count[outbox.Skipped]+final.count[outbox.Unknown] != n {
			t.Errorf("at last: %v", final.count)
		}
		for i := range unknown {
			if e := final.entries[i]; e.State != outbox.Unknown {
				t.Errorf("row %d was unknown and is %s", i, e.State)
			}
		}
		if got := final.count[outbox.Unknown]; got > 10*concurrency {
			t.Errorf("%d rows are unknown after 10 kills of %d rows under way", got, concurrency)
		}

		// By the caller's word the unknown ones are sent again, and only they.
		before := len(s.Calls(sendCustom))
		r := collect(t, n, outbox.Send(t.Context(), list(n), custom(newAccount(s, app)), outbox.Options{Ledger: store, RetryUnknown: true}))
		if r.count[outbox.Sent] != final.count[outbox.Unknown] || r.count[outbox.Skipped] != n-r.count[outbox.Sent] {
			t.Errorf("with RetryUnknown: %v after %v", r.count, final.count)
		}
		if calls := len(s.Calls(sendCustom)) - before; calls != final.count[outbox.Unknown] {
			t.Errorf("%d requests for %d unknown rows", calls, final.count[outbox.Unknown])
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A receipt is kept, and a call without the outbox finds the same record.
func TestOneRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		store := wechat.NewMemoryLedger()
		oa := newAccount(s, app, wechat.WithLedger(store))
		if _, err := template(oa)(wechat.ContextWithIdempotencyKey(t.Context(), key(0)), 0); err != nil {
			t.Fatal(err)
		}
		first := collect(t, 2, outbox.Send(t.Context(), list(2), template(oa), outbox.Options{}))
		if first.entries[0].State != outbox.Skipped || first.entries[1].State != outbox.Sent {
			t.Errorf("a row that was sent without the outbox: %v", first.count)
		}
		again := collect(t, 2, outbox.Send(t.Context(), list(2), template(newAccount(s, app)), outbox.Options{Ledger: store}))
		for i, e := range again.entries {
			if e.State != outbox.Skipped || *e.Receipt != *first.entries[i].Receipt {
				t.Errorf("row %d is %s with %+v, and had %+v", i, e.State, e.Receipt, first.entries[i].Receipt)
			}
		}
		if r, err := template(oa)(wechat.ContextWithIdempotencyKey(t.Context(), key(1)), 1); err != nil || *r != *first.entries[1].Receipt {
			t.Errorf("a call that the outbox made: %+v, %v", r, err)
		}
		if n := len(s.Calls(sendTemplate)); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

// A send func that does not hand its context on would send the list again after a crash: it stops and says so.
func TestNotRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		s := newServer()
		oa := officialaccount.New(wechat.New(s.Options()...), app)
		send := func(_ context.Context, i int) (*receipt, error) { return template(oa)(t.Context(), i) }
		r := collect(t, n, outbox.Send(t.Context(), list(n), send, outbox.Options{Ledger: wechat.NewMemoryLedger(), Concurrency: 1}))
		if !errors.Is(r.err, outbox.ErrNotRecorded) || r.count[outbox.Sent] != 1 || r.count[outbox.NotTried] != n-1 {
			t.Errorf("%v, %v", r.count, r.err)
		}
	})
}

// A row that was sent is Sent although the ledger could not take it down.
func TestLedgerBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		ledger := &mortal{Ledger: wechat.NewMemoryLedger()}
		oa := newAccount(s, app)
		send := func(ctx context.Context, i int) (*receipt, error) {
			s.Fault(sendTemplate, mock.Fault{When: func(mock.Call) bool { ledger.dead.Store(true); return false }})
			return template(oa)(ctx, i)
		}
		n, began := 0, time.Now()
		for e, err := range outbox.Send(t.Context(), list(5), send, outbox.Options{Ledger: ledger, Concurrency: 1}) {
			switch {
			case err != nil:
				if !errors.Is(err, errDead) {
					t.Error(err)
				}
			case n == 0 && (e.State != outbox.Sent || !errors.Is(e.Err, errDead)):
				t.Errorf("the first row is %s: %v", e.State, e.Err)
			case n == 1 && e.State != outbox.Refused, n > 1 && e.State != outbox.NotTried:
				t.Errorf("row %d is %s: %v", n, e.State, e.Err)
			}
			n++
		}
		if n != 6 {
			t.Errorf("%d lines", n)
		}
		if took := time.Since(began); took < time.Minute {
			t.Errorf("the ledger was given up after %v", took)
		}
	})
}

// Two rows with one key are one message.
func TestSameKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.Fault(sendTemplate, mock.Fault{Delay: time.Second})
		twice := func(yield func(item, error) bool) {
			for _, x := range []item{{"k", 1}, {"k", 1}, {"other", 2}} {
				if !yield(x, nil) {
					return
				}
			}
		}
		r := collect(t, 3, outbox.Send(t.Context(), twice, template(newAccount(s, app)), outbox.Options{}))
		if r.count[outbox.Sent] != 2 || r.count[outbox.Skipped] != 1 || len(s.Calls(sendTemplate)) != 2 {
			t.Errorf("%v, %d requests", r.count, len(s.Calls(sendTemplate)))
		}
	})
}

// What concerns all stops the list, and the rest is not tried.
func TestStops(t *testing.T) {
	const n = 1000
	for _, test := range []struct {
		name  string
		app   wechat.App
		reply mock.Reply
		want  error
	}{
		{"credential", wechat.App{ID: app.ID, Secret: "wrong"}, mock.Reply{}, wechat.ErrCredential},
		{"permission", app, mock.Reply{Code: 48001}, wechat.ErrForbidden},
		{"template", app, mock.Reply{Code: 40037}, wechat.Code(40037)},
		{"token", app, mock.Reply{Code: 40001}, wechat.ErrTokenInvalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				if test.reply.Code != 0 {
					s.Fault(sendTemplate, mock.Fault{Skip: 100, Reply: &test.reply})
				}
				r := collect(t, n, outbox.Send(t.Context(), list(n), template(newAccount(s, test.app)), outbox.Options{Concurrency: 10}))
				once(t, s, r)
				var stopped *outbox.StoppedError
				if !errors.As(r.err, &stopped) || !errors.Is(r.err, test.want) || int(stopped.NotTried) != r.count[outbox.NotTried] {
					t.Errorf("stopped by %v", r.err)
				}
				if r.count[outbox.Refused] == 0 || r.count[outbox.Refused] > 10 || r.count[outbox.NotTried] < n-120 {
					t.Errorf("%v", r.count)
				}
			})
		})
	}
}

// The caller's func decides, also that nothing stops the list.
func TestStopsByFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		s := newServer()
		s.Script(sendTemplate, mock.Reply{Code: 40037}, mock.Reply{Code: 43004})
		o := outbox.Options{Concurrency: 1, Stops: func(err error) bool { return errors.Is(err, wechat.ErrUnreachable) }}
		r := collect(t, n, outbox.Send(t.Context(), list(n), template(newAccount(s, app)), o))
		if !errors.Is(r.err, wechat.Code(43004)) || r.count[outbox.Refused] != 2 || r.count[outbox.NotTried] != n-2 {
			t.Errorf("%v, %v", r.count, r.err)
		}
	})
}

func TestConcernsAll(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{&wechat.Error{Code: 40125, Kind: wechat.ErrCredential}, true},
		{&wechat.Error{Code: 48001, Kind: wechat.ErrForbidden}, true},
		{&wechat.Error{Code: 60011, Kind: wechat.ErrForbidden}, false}, // a member outside the scope
		{&wechat.Error{Code: 40037, Kind: wechat.ErrInvalidRequest}, true},
		{&wechat.Error{Code: 40003, Kind: wechat.ErrInvalidRequest}, false}, // this openid
		{&wechat.Error{Code: 43004, Kind: wechat.ErrUnreachable}, false},
		{&wechat.Error{Code: 99999, Status: 200}, false}, // nobody knows
		{&wechat.RetryExhaustedError{Err: &wechat.Error{Err: errDead}}, true},
		{errDead, false}, // a failure of the send func's own
	} {
		if got := outbox.ConcernsAll(test.err); got != test.want {
			t.Errorf("%v: %t", test.err, got)
		}
	}
}

// A network that is down for a while stops nothing.
func TestNetworkDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 300
		s := newServer()
		began := time.Now()
		s.Fault("", mock.Fault{Refuse: true, When: func(mock.Call) bool {
			since := time.Since(began)
			return since > 500*time.Millisecond && since < 45*time.Second
		}})
		s.Fault("", mock.Fault{Delay: 200 * time.Millisecond})
		r := collect(t, n, outbox.Send(t.Context(), list(n), custom(newAccount(s, app)), outbox.Options{}))
		once(t, s, r)
		if r.err != nil || r.count[outbox.Sent] != n {
			t.Errorf("%v, %v", r.count, r.err)
		}
	})
}

// The day's quota stops the list and says when to go on; a run on the next day sends the rest.
func TestQuotaStops(t *testing.T) {
	for _, known := range []bool{false, true} {
		t.Run(fmt.Sprintf("known=%t", known), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const n, quota = 1000, 600
				s := newServer()
				a := app
				if known {
					a.Limits.Endpoints = map[string][]ratelimit.Limit{sendTemplate: {ratelimit.PerDay(quota)}}
				} else {
					s.Limit(sendTemplate, mock.PerDay(quota))
				}
				store := wechat.NewMemoryLedger()
				oa := newAccount(s, a)
				began := time.Now()
				r := collect(t, n, outbox.Send(t.Context(), list(n), template(oa), outbox.Options{Ledger: store}))
				once(t, s, r)
				var stopped *outbox.StoppedError
				if !errors.As(r.err, &stopped) || !errors.Is(r.err, wechat.ErrQuotaExhausted) || r.count[outbox.Sent] != quota || r.count[outbox.NotTried] != n-quota {
					t.Fatalf("%v, %v", r.count, r.err)
				}
				midnight := time.Date(2000, 1, 2, 0, 0, 0, 0, time.FixedZone("UTC+8", 8*60*60))
				if d := stopped.Again.Sub(midnight); d < -time.Second || d > 6*time.Minute {
					t.Errorf("again at %v", stopped.Again)
				}
				if took := time.Since(began); took > time.Minute {
					t.Errorf("stopped after %v", took)
				}
				time.Sleep(time.Until(stopped.Again))
				rest := collect(t, n, outbox.Send(t.Context(), list(n), template(oa), outbox.Options{Ledger: store, WaitForQuota: true}))
				once(t, s, rest)
				if rest.err != nil || rest.count[outbox.Sent] != n-quota || rest.count[outbox.Skipped] != quota {
					t.Errorf("the next day: %v, %v", rest.count, rest.err)
				}
			})
		})
	}
}

// Told to, the list waits for as many days as it takes and says so.
func TestQuotaWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, quota = 1000, 400
		s := newServer()
		s.Limit(sendTemplate, mock.PerDay(quota))
		var waits []time.Time
		o := outbox.Options{WaitForQuota: true, Progress: func(p outbox.Progress) {
			if !p.Waiting.IsZero() {
				waits = append(waits, p.Waiting)
			}
		}}
		began := time.Now()
		r := collect(t, n, outbox.Send(t.Context(), list(n), template(newAccount(s, app)), o))
		once(t, s, r)
		if r.err != nil || r.count[outbox.Sent] != n {
			t.Errorf("%v, %v", r.count, r.err)
		}
		if took := time.Since(began); took < 32*time.Hour || took > 41*time.Hour { // from 00:00 UTC, that is 08:00, to the midnight after the next
			t.Errorf("took %v", took)
		}
		if len(waits) == 0 {
			t.Error("nobody was told of the wait")
		}
		if calls := len(s.Calls(sendTemplate)); calls > n+300 {
			t.Errorf("%d requests for %d rows", calls, n)
		}
	})
}

// A quota of one person's day is that person's matter.
func TestQuotaOfAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		a := app
		a.Limits.Recipient = []ratelimit.Limit{ratelimit.PerDay(1)}
		oa := newAccount(s, a)
		send := func(ctx context.Context, i int) (*receipt, error) { return template(oa)(ctx, i/2) }
		r := collect(t, 10, outbox.Send(t.Context(), list(10), send, outbox.Options{Concurrency: 1}))
		if r.err != nil || r.count[outbox.Sent] != 5 || r.count[outbox.Refused] != 5 {
			t.Errorf("%v, %v", r.count, r.err)
		}
	})
}

// A live call passes the list: at most the turn that was about to be given goes before it.
func TestLiveCallsGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 300
		s := newServer()
		a := app
		a.Limits.App = []ratelimit.Limit{{Rate: 20, Period: time.Second, Burst: 1}}
		oa := newAccount(s, a)
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				time.Sleep(time.Duration(2+i)*time.Second + 7*time.Millisecond)
				began := time.Now()
				if err := oa.SendCustomMessage(wechat.ContextWithPriority(t.Context(), ratelimit.Urgent), officialaccount.TextMessage("live", fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
				if waited := time.Since(began); waited > 100*time.Millisecond {
					t.Errorf("a live call waited %v, and a turn is 50ms", waited)
				}
			})
		}
		r := collect(t, n, outbox.Send(t.Context(), list(n), template(oa), outbox.Options{}))
		wg.Wait()
		if r.err != nil || r.count[outbox.Sent] != n {
			t.Errorf("%v, %v", r.count, r.err)
		}
	})
}

// The end of the context lets what is under way end, and reports the rest.
func TestCancel(t *testing.T) {
	const n = 1000
	for _, test := range []struct {
		grace       time.Duration
		least, most int // rows that are Unknown
	}{
		{0, 0, 0},   // ten seconds are enough for all
		{-1, 1, 20}, // cut off
	} {
		t.Run(test.grace.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				s.Fault(sendCustom, mock.Fault{Delay: time.Second})
				ctx, cancel := context.WithCancelCause(t.Context())
				oa := newAccount(s, app)
				errStop := errors.New("the operator's word")
				time.AfterFunc(10500*time.Millisecond, func() { cancel(errStop) })
				r := collect(t, n, outbox.Send(ctx, list(n), custom(oa), outbox.Options{Concurrency: 20, Grace: test.grace}))
				once(t, s, r)
				if !errors.Is(r.err, errStop) {
					t.Error(r.err)
				}
				if u := r.count[outbox.Unknown]; u < test.least || u > test.most || r.count[outbox.Sent]+r.count[outbox.Unknown]+r.count[outbox.NotTried] != n {
					t.Errorf("%v", r.count)
				}
				if got := len(s.Delivered("")); got != r.count[outbox.Sent]+r.count[outbox.Unknown] {
					t.Errorf("%d were delivered: %v", got, r.count)
				}
			})
		})
	}
}

// Rows that wait for their turn are not tried.
func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		s := newServer()
		a := app
		a.Limits.Endpoints = map[string][]ratelimit.Limit{sendCustom: {ratelimit.PerMinute(10)}}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		r := collect(t, n, outbox.Send(ctx, list(n), custom(newAccount(s, a)), outbox.Options{}))
		once(t, s, r)
		if !errors.Is(r.err, context.DeadlineExceeded) || r.count[outbox.Sent] != 10 || r.count[outbox.NotTried] != n-10 {
			t.Errorf("%v, %v", r.count, r.err)
		}
	})
}

// Leaving the loop ends the list and everything that it has started.
func TestLeaveTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.Fault(sendCustom, mock.Fault{Delay: time.Second})
		store := wechat.NewMemoryLedger()
		for range outbox.Send(t.Context(), list(1000), custom(newAccount(s, app)), outbox.Options{Ledger: store, Concurrency: 10}) {
			break
		}
		synctest.Wait()
		if calls, got := len(s.Calls(sendCustom)), len(s.Delivered("")); calls != got || got > 30 {
			t.Errorf("%d requests, %d delivered", calls, got)
		}
		r := collect(t, 1000, outbox.Send(t.Context(), list(1000), custom(newAccount(s, app)), outbox.Options{Ledger: store}))
		once(t, s, r)
		if r.count[outbox.Sent]+r.count[outbox.Skipped] != 1000 {
			t.Errorf("%v", r.count)
		}
	})
}

// Rows that cannot be read are refused, each with its place; the others go on.
func TestItemErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errRow := errors.New("wrong number of columns")
		rows := func(yield func(item, error) bool) {
			_ = yield(item{"a", 0}, nil) && yield(item{}, errRow) && yield(item{"", 2}, nil) && yield(item{"d", 3}, nil)
		}
		r := collect(t, 4, outbox.Send(t.Context(), rows, template(newAccount(newServer(), app)), outbox.Options{}))
		if r.err != nil || r.count[outbox.Sent] != 2 || r.count[outbox.Refused] != 2 {
			t.Errorf("%v, %v", r.count, r.err)
		}
		var at *outbox.ItemError
		if e := r.entries[1]; !errors.As(e.Err, &at) || at.Index != 1 || !errors.Is(e.Err, errRow) {
			t.Errorf("%v", e.Err)
		}
		if e := r.entries[2]; !errors.As(e.Err, &at) || at.Index != 2 {
			t.Errorf("%v", e.Err)
		}
	})
}

// A func of the caller's that panics, or ends its goroutine, costs its own row.
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		oa := newAccount(newServer(), app)
		send := func(ctx context.Context, i int) (*receipt, error) {
			switch i {
			case 3:
				panic(errDead)
			case 5:
				runtime.Goexit()
			}
			return template(oa)(ctx, i)
		}
		r := collect(t, 10, outbox.Send(t.Context(), list(10), send, outbox.Options{}))
		var panicked *outbox.PanicError
		if e := r.entries[3]; e.State != outbox.Unknown || !errors.As(e.Err, &panicked) || len(panicked.Stack) == 0 || !errors.Is(e.Err, errDead) {
			t.Errorf("%s: %v", e.State, e.Err)
		}
		if r.err != nil || r.entries[5].State != outbox.Unknown || r.count[outbox.Sent] != 8 {
			t.Errorf("%v, %v", r.count, r.err)
		}

		broken := func(yield func(item, error) bool) {
			yield(item{"a", 0}, nil)
			panic("cursor")
		}
		r = collect(t, 1, outbox.Send(t.Context(), broken, template(oa), outbox.Options{}))
		if !errors.As(r.err, &panicked) || panicked.Value != "cursor" {
			t.Errorf("%v", r.err)
		}
	})
}

// A list starts at a random moment of its span.
func TestSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		oa := newAccount(newServer(), app)
		var waits []time.Duration
		for range 5 {
			began := time.Now()
			collect(t, 1, outbox.Send(t.Context(), list(1), template(oa), outbox.Options{Spread: time.Hour}))
			waits = append(waits, time.Since(began))
		}
		if slices.Max(waits) > time.Hour || len(slices.Compact(slices.Sorted(slices.Values(waits[:2])))) != 2 {
			t.Errorf("%v", waits)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		if r := collect(t, 3, outbox.Send(ctx, list(3), template(oa), outbox.Options{Spread: 1000 * time.Hour})); r.count[outbox.NotTried] != 3 || r.err == nil {
			t.Errorf("%v, %v", r.count, r.err)
		}
	})
}

// Progress adds up.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.Unfollow(openID(7))
		var last outbox.Progress
		rows := int64(0)
		o := outbox.Options{Progress: func(p outbox.Progress) {
			if rows++; p.Rows() != rows {
				t.Errorf("%d rows after %d", p.Rows(), rows)
			}
			last = p
		}}
		collect(t, 10, outbox.Send(t.Context(), list(10), template(newAccount(s, app)), o))
		if last.Sent != 9 || last.Refused != 1 {
			t.Errorf("%+v", last)
		}
	})
}

// 10,000 rows at 500 a second: within 1.1 of the time that the quota needs, with at most one request in a hundred
// refused, whether the limit is known or not.
func TestRate(t *testing.T) {
	const n, rate = 10_000, 500
	for _, known := range []bool{true, false} {
		t.Run(fmt.Sprintf("known=%t", known), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer()
				s.Limit(sendTemplate, mock.PerSecond(rate))
				s.Fault(sendTemplate, mock.Fault{Delay: 50 * time.Millisecond})
				a := app
				if known {
					a.Limits.Endpoints = map[string][]ratelimit.Limit{sendTemplate: {ratelimit.PerSecond(rate)}}
				}
				began := time.Now()
				r := collect(t, n, outbox.Send(t.Context(), list(n), template(newAccount(s, a)), outbox.Options{}))
				took := time.Since(began)
				calls := len(s.Calls(sendTemplate))
				t.Logf("%v for %v, %d requests", took, n/rate*time.Second, calls)
				if r.err != nil || r.count[outbox.Sent] != n {
					t.Errorf("%v, %v", r.count, r.err)
				}
				if took > n/rate*time.Second*11/10 {
					t.Errorf("took %v, and the quota needs %v", took, n/rate*time.Second)
				}
				if calls > n*101/100 {
					t.Errorf("%d requests for %d rows", calls, n)
				}
			})
		})
	}
}

// Memory does not grow with the list.
func TestHeap(t *testing.T) {
	const n = 100_000
	if top := heapTop(t, n); top > 16<<20 {
		t.Errorf("%d MiB of heap for %d rows", top>>20, n)
	}
}

// Ten million rows fit in 64 MiB.
func BenchmarkTenMillion(b *testing.B) {
	for b.Loop() {
		top := heapTop(b, 10_000_000)
		b.ReportMetric(float64(top)/(1<<20), "MiB-heap")
		if top > 64<<20 {
			b.Errorf("%d MiB of heap", top>>20)
		}
	}
}

// What the outbox costs a row, beside its call.
func BenchmarkRow(b *testing.B) {
	b.ReportAllocs()
	rows := func(yield func(item, error) bool) {
		for b.Loop() && yield(item{Key: "k"}, nil) {
		}
	}
	for _, err := range outbox.Send(b.Context(), rows, func(_ context.Context, i int) (int, error) { return i, nil }, outbox.Options{}) {
		if err != nil {
			b.Fatal(err)
		}
	}
}

// heapTop sends n rows with a trivial func and returns the most heap that was in use.
func heapTop(tb testing.TB, n int) (top uint64) {
	tb.Helper()
	runtime.GC() // of what other tests have left
	rows := 0
	var stats runtime.MemStats
	for e, err := range outbox.Send(tb.Context(), list(n), func(_ context.Context, i int) (int, error) { return i, nil }, outbox.Options{}) {
		if err != nil || e.State != outbox.Sent || e.Receipt != e.Value {
			tb.Fatalf("%+v, %v", e, err)
		}
		if rows++; rows%10_000 == 0 {
			runtime.ReadMemStats(&stats)
			top = max(top, stats.HeapAlloc)
		}
	}
	if rows != n {
		tb.Errorf("%d of %d rows", rows, n)
	}
	return top
}

// A row that was carried out is Sent, and Skipped in the next run, although its reply could not be read.
func TestUnreadableReceipt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.Script(sendTemplate, mock.Reply{JSON: map[string]any{"msgid": map[string]int{"x": 1}}})
		ledger := wechat.NewMemoryLedger()
		for _, want := range []outbox.State{outbox.Sent, outbox.Skipped} {
			for e, err := range outbox.Send(t.Context(), list(1), template(newAccount(s, app)), outbox.Options{Ledger: ledger}) {
				if err != nil || e.State != want || len(s.Calls(sendTemplate)) != 1 {
					t.Errorf("%s after %d requests, want %s: %v, %v", e.State, len(s.Calls(sendTemplate)), want, e.Err, err)
				}
			}
		}
	})
}

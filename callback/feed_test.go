package callback

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

func TestOutcomesOf(t *testing.T) {
	for _, v := range []struct {
		m    Message
		kind wechat.Kind
		code wechat.Code
	}{
		{&TemplateSendJobFinish{MsgID: 1, Status: "success"}, 0, 0},
		{&TemplateSendJobFinish{MsgID: 1, Status: "failed:user block"}, wechat.ErrUnreachable, 0},
		{&TemplateSendJobFinish{MsgID: 1, Status: "failed: system failed"}, wechat.ErrBusy, 0},
		{&TemplateSendJobFinish{MsgID: 1, Status: "failed:freq limit"}, wechat.ErrRateLimited, 0},
		{&MassSendJobFinish{MsgID: 1, Status: "send success"}, 0, 0},
		{&MassSendJobFinish{MsgID: 1, Status: "sendsuccess"}, 0, 0},
		{&MassSendJobFinish{MsgID: 1, Status: "send fail"}, wechat.ErrBusy, 0},
		{&MassSendJobFinish{MsgID: 1, Status: "err(20013)"}, wechat.ErrContent, 20013},
		{&SubscribeMsgSent{List: []SubscribeMsgResult{{MsgID: 1, ErrorStatus: "success"}}}, 0, 0},
		{&SubscribeMsgSent{List: []SubscribeMsgResult{{MsgID: 1, ErrorCode: 1, ErrorStatus: "user refused"}}}, wechat.ErrUnreachable, 1},
	} {
		list := OutcomesOf(v.m)
		if len(list) != 1 || list[0].Kind != v.kind || list[0].Code != v.code || list[0].MsgID != 1 || list[0].Arrived() != (v.kind == 0) {
			t.Errorf("%+v: %+v", v.m, list)
		}
	}
	if list := OutcomesOf(&Text{}); list != nil {
		t.Errorf("a text: %+v", list)
	}
}

func TestOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []Outcome
		refuse := errors.New("queue down")
		o := Outcomes{Notify: func(_ context.Context, o Outcome) error {
			told = append(told, o)
			if o.MsgID == 9 {
				return refuse
			}
			return nil
		}}
		ctx := context.Background()
		receive := o.Watch(new(inbox).receive)
		finish := func(id int64) error {
			_, err := receive(ctx, &TemplateSendJobFinish{MsgID: id, Status: "success"})
			return err
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if got, err := o.Wait(ctx, 7); err != nil || got.MsgID != 7 || !got.Arrived() {
					t.Errorf("%+v, error %v", got, err)
				}
			})
		}
		synctest.Wait()
		if err := finish(7); err != nil {
			t.Error(err)
		}
		wg.Wait()
		time.Sleep(9 * time.Minute) // told before it was asked for
		if _, err := o.Wait(ctx, 7); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := o.Wait(short, 7); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if len(o.waiting) != 0 {
			t.Errorf("%d still waited for", len(o.waiting))
		}
		if err := finish(9); !errors.Is(err, refuse) || len(told) != 2 {
			t.Errorf("error %v, %d told", err, len(told))
		}
	})
}

// tokenStore is a wechat.TokenStore in memory, as far as tickets need one.
type tokenStore struct {
	mu     sync.Mutex
	tokens map[string]wechat.Token
}

func (s *tokenStore) Load(_ context.Context, key string) (wechat.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tokens[key]; ok {
		return t, nil
	}
	return wechat.Token{}, wechat.ErrNoToken
}

func (s *tokenStore) Replace(_ context.Context, key string, old, fresh wechat.Token) (wechat.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens[key].Value == old.Value {
		s.tokens[key] = fresh
	}
	return s.tokens[key], nil
}

func (s *tokenStore) Lock(context.Context, string, time.Duration) (func(), error) {
	return func() {}, nil
}

func TestTickets(t *testing.T) {
	for name, newStore := range map[string]func() TicketStore{
		"memory": NewMemoryTickets,
		"stored": func() TicketStore { return StoredTickets(&tokenStore{tokens: map[string]wechat.Token{}}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore()
				ctx := context.Background()
				c := secure(Platform)
				h := newHandler(t, c, Tickets(store)(new(inbox).receive))
				push := func(ticket string, at time.Time) {
					t.Helper()
					w := serve(h, sealed(t, c, fmt.Sprintf(`<xml><AppId>wxp</AppId><CreateTime>%d</CreateTime><InfoType>component_verify_ticket</InfoType><ComponentVerifyTicket>%s</ComponentVerifyTicket></xml>`, at.Unix(), ticket)))
					if w.Body.String() != "success" {
						t.Fatalf("status %d", w.Code)
					}
				}
				holds := func(id, want string) {
					t.Helper()
					got, err := store.Get(ctx, id)
					if got.Value.Reveal() != want || (want == "") != errors.Is(err, wechat.ErrNoToken) {
						t.Errorf("holds %q, error %v", got.Value.Reveal(), err)
					}
				}
				holds("wxp", "")
				now := time.Now()
				push("ticket@@@2", now)
				push("ticket@@@1", now.Add(-10*time.Minute)) // arrived late
				holds("wxp", "ticket@@@2")
				time.Sleep(10 * time.Minute)
				push("ticket@@@3", time.Now())
				holds("wxp", "ticket@@@3")
				time.Sleep(12*time.Hour - time.Second)
				holds("wxp", "ticket@@@3")
				time.Sleep(time.Second)
				holds("wxp", "")
			})
		})
	}
}

func TestSuiteTicket(t *testing.T) {
	store := NewMemoryTickets()
	c := secure(Suite)
	h := newHandler(t, c, Tickets(store)(new(inbox).receive))
	w := serve(h, sealed(t, c, string(XML(&SuiteTicket{Header: Header{SuiteID: "ss"}, SuiteTicket: "ticket"}))))
	got, err := store.Get(context.Background(), "ss")
	if w.Body.String() != "success" || err != nil || got.Value != "ticket" || time.Until(got.Expiry) > suiteTicketLife {
		t.Errorf("%q, %q, error %v", w.Body, got.Value.Reveal(), err)
	}
}

type brokenTickets struct{ TicketStore }

func (brokenTickets) Put(context.Context, string, wechat.Token) error { return errStore }

func TestTicketStoreFailure(t *testing.T) {
	var said troubles
	c := secure(Suite)
	c.Report = said.report
	h := newHandler(t, c, Tickets(brokenTickets{})(new(inbox).receive))
	w := serve(h, sealed(t, c, string(XML(&SuiteTicket{Header: Header{SuiteID: "ss"}, SuiteTicket: "ticket"}))))
	if w.Code != 500 || !strings.Contains(said.text(), "store down") || strings.Contains(said.text(), "ticket\"") {
		t.Errorf("status %d, %s", w.Code, said.text())
	}
}

// A message that was dropped for its rate holds back the next calls of all clients that share the barrier.
func TestSlowDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mock.NewServer(officialaccount.Endpoints()...)
		shared := new(ratelimit.Local)
		app := wechat.App{ID: "wx00112233445566ff", Secret: "s"}
		oa := officialaccount.New(wechat.New(append(s.Options(), wechat.WithBarrier(shared))...), app)
		send := func() time.Duration {
			began := time.Now()
			if _, err := oa.SendTemplateMessage(t.Context(), &officialaccount.TemplateMessage{ToUser: "o1", TemplateID: "T", Data: map[string]officialaccount.TemplateValue{"thing1": {Value: "x"}}}); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		o := Outcomes{Notify: SlowDown(shared, app, 30*time.Second)}
		hear := o.Watch(func(context.Context, Message) (Reply, error) { return nil, nil })
		for status, want := range map[string]time.Duration{"success": 0, "failed:user block": 0, "failed:freq limit": 30 * time.Second} {
			if _, err := hear(t.Context(), &TemplateSendJobFinish{MsgID: 1, Status: status}); err != nil {
				t.Fatal(err)
			}
			if d := send(); d < want || d > want+time.Second {
				t.Errorf("after %q the next message waits %v", status, d)
			}
		}
	})
}

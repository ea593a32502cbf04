package mock_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

// recorder is a mock.TB that keeps what it is told.
type recorder struct {
	mu     sync.Mutex
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) text() string { return strings.Join(r.errors, "\n") }

func TestReturn(t *testing.T) {
	m := mock.New(t)
	a, b := newAccount(m, oaApp), newAccount(m, wechat.App{ID: "wx2"})
	stub := &receipt{MsgID: 7}
	mock.Return(m, a.SendMessage, stub)
	for _, c := range []*account{a, b} { // a stub holds for all that share the Mock
		got, err := c.SendMessage(t.Context(), hello("o1"))
		if err != nil || got.MsgID != 7 || got == stub {
			t.Errorf("got %v, %v, want a copy of %v", got, err, stub)
		}
	}
	calls := m.Calls()
	if len(calls) != 2 || calls[0].App.ID != oaApp.ID || calls[1].App.ID != "wx2" || calls[0].Recipients[0] != "o1" {
		t.Errorf("calls are %+v", calls)
	}
}

func TestRequestsAreCopies(t *testing.T) {
	m := mock.New(t)
	a := newAccount(m, oaApp)
	mock.Return(m, a.SendMessage, &receipt{})
	mock.Return(m, a.GetUser, &user{})
	request := hello("o1")
	for i := range 2 {
		request.ToUser = openID(i)
		request.Data["first"] = value{fmt.Sprint(i)}
		if _, err := a.SendMessage(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.GetUser(t.Context(), &userRequest{OpenID: "o9"}); err != nil {
		t.Fatal(err)
	}
	got := mock.Requests(m, a.SendMessage)
	if len(got) != 2 {
		t.Fatalf("%d requests, want 2", len(got))
	}
	for i, r := range got {
		if r.ToUser != openID(i) || r.Data["first"].Value != fmt.Sprint(i) {
			t.Errorf("request %d is %+v", i, r)
		}
	}
	if users := mock.Requests(m, a.GetUser); len(users) != 1 || users[0].OpenID != "o9" {
		t.Errorf("requests of GetUser are %+v", users)
	}
}

func TestHandle(t *testing.T) {
	m := mock.New(t)
	a := newAccount(m, oaApp)
	n := 0
	mock.Handle(m, a.SendMessage, func(_ context.Context, r *message) (*receipt, error) {
		if n++; n == 1 {
			return nil, mock.Busy()
		}
		return &receipt{MsgID: int64(len(r.ToUser))}, nil
	})
	if _, err := a.SendMessage(t.Context(), hello("o1")); !errors.Is(err, wechat.ErrBusy) {
		t.Errorf("first: %v, want busy", err)
	}
	if r, err := a.SendMessage(t.Context(), hello("o123")); err != nil || r.MsgID != 4 {
		t.Errorf("second: %v, %v", r, err)
	}

	// The other shapes of methods.
	cleared := false
	mock.Handle(m, a.ClearQuota, func(context.Context) error { cleared = true; return nil })
	if err := a.ClearQuota(t.Context()); err != nil || !cleared {
		t.Errorf("ClearQuota: %v, handled %v", err, cleared)
	}
	mock.Handle(m, a.ListPlugins, func(context.Context) (*plugins, error) { return &plugins{List: []plugin{{"wx9"}}}, nil })
	if p, err := a.ListPlugins(t.Context()); err != nil || len(p.List) != 1 {
		t.Errorf("ListPlugins: %v, %v", p, err)
	}
	mock.Handle(m, a.ApplyPlugin, func(_ context.Context, p *plugin) error {
		if p == nil {
			return errors.New("nil")
		}
		return nil
	})
	if err := a.ApplyPlugin(t.Context(), nil); err == nil {
		t.Error("a nil request did not reach the handler as nil")
	}
	if err := a.ApplyPlugin(t.Context(), &plugin{"wx9"}); err != nil {
		t.Error(err)
	}
	mock.Fail(m, a.ApplyPlugin, nil)
	if err := a.ApplyPlugin(t.Context(), &plugin{"wx9"}); err != nil {
		t.Error(err)
	}
}

func TestIteratorsWork(t *testing.T) {
	m := mock.New(t)
	a := newAccount(m, oaApp)
	mock.Handle(m, a.ListUsers, func(_ context.Context, r *pageRequest) (*page, error) {
		if r.NextOpenID == "" {
			return &page{OpenIDs: []string{"o1", "o2"}, NextOpenID: "o2"}, nil
		}
		return &page{OpenIDs: []string{"o3"}}, nil
	})
	var got []string
	for id, err := range a.AllUsers(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, id)
	}
	if strings.Join(got, " ") != "o1 o2 o3" {
		t.Errorf("got %v", got)
	}
}

func TestFailures(t *testing.T) {
	tests := []struct {
		name  string
		err   error
		is    []error
		after time.Duration
	}{
		{"RateLimited", mock.RateLimited(3 * time.Minute), []error{wechat.ErrRateLimited}, 3 * time.Minute},
		{"QuotaExhausted", mock.QuotaExhausted(), []error{wechat.ErrQuotaExhausted, wechat.Code(45009)}, 0},
		{"Unreachable", mock.Unreachable(), []error{wechat.ErrUnreachable, wechat.Code(43004)}, 0},
		{"OutcomeUnknown", mock.OutcomeUnknown(), []error{wechat.ErrOutcomeUnknown}, 0},
		{"TokenInvalid", mock.TokenInvalid(), []error{wechat.ErrTokenInvalid, wechat.Code(40001)}, 0},
		{"Credential", mock.Credential(), []error{wechat.ErrCredential, wechat.Code(40125)}, 0},
		{"Busy", mock.Busy(), []error{wechat.ErrBusy, wechat.Code(-1)}, 0},
		{"InvalidRequest", mock.InvalidRequest(), []error{wechat.ErrInvalidRequest}, 0},
		{"Forbidden", mock.Forbidden(), []error{wechat.ErrForbidden}, 0},
		{"ContentRefused", mock.ContentRefused(), []error{wechat.ErrContent}, 0},
		{"BadReply", mock.BadReply(), []error{wechat.ErrBadReply}, 0},
		{"own", context.DeadlineExceeded, []error{context.DeadlineExceeded}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := mock.New(t)
			a := newAccount(m, oaApp)
			mock.Fail(m, a.SendMessage, tt.err)
			_, err := a.SendMessage(t.Context(), hello("o1"))
			for _, target := range tt.is {
				if !errors.Is(err, target) {
					t.Errorf("%v is not %v", err, target)
				}
			}
			after, _ := wechat.RetryAfter(err)
			if tt.after != 0 && after != tt.after || tt.name == "QuotaExhausted" && (after <= 0 || after > 24*time.Hour) {
				t.Errorf("RetryAfter is %v", after)
			}
			var e *wechat.Error
			if errors.As(err, &e) && (e.Endpoint != "SendMessage" || e.App != oaApp.ID) {
				t.Errorf("the error is of endpoint %q, app %q", e.Endpoint, e.App)
			}
			var unknown *wechat.OutcomeUnknownError
			if errors.As(err, &unknown) && unknown.Endpoint != "SendMessage" {
				t.Errorf("the error is of endpoint %q", unknown.Endpoint)
			}
		})
	}
}

// The kinds of the failures are those that the client gives the same errcodes.
func TestFailuresAreTheClients(t *testing.T) {
	for _, want := range []error{mock.QuotaExhausted(), mock.Unreachable(), mock.Credential(), mock.InvalidRequest(), mock.Forbidden(), mock.ContentRefused()} {
		var e, got *wechat.Error
		errors.As(want, &e)
		s, a := platform()
		s.Script("GetUser", mock.Reply{Code: e.Code})
		_, err := a.GetUser(t.Context(), &userRequest{OpenID: "o1"})
		if !errors.As(err, &got) || got.Kind != e.Kind || got.Code != e.Code || got.Status != e.Status || !strings.HasPrefix(got.Message, e.Message) {
			t.Errorf("the client says %#v, the mock %#v", got, e)
		}
	}
}

func TestUnexpectedCall(t *testing.T) {
	r := new(recorder)
	m := mock.New(r)
	a := newAccount(m, oaApp)
	request := hello("o1")
	request.Data["token"] = value{"nothing secret"}
	if _, err := a.SendMessage(t.Context(), request); err == nil || !strings.Contains(err.Error(), "no stub") {
		t.Errorf("error is %v", err)
	}
	if !strings.Contains(r.text(), "officialaccount.SendMessage") || !strings.Contains(r.text(), `"touser":"o1"`) {
		t.Errorf("the test was told %q", r.text())
	}
	if len(m.Calls()) != 1 {
		t.Errorf("%d calls recorded, want 1", len(m.Calls()))
	}
}

func TestUnexpectedCallHidesSecrets(t *testing.T) {
	type login struct {
		Code   string      `query:"js_code"`
		Secret string      `json:"secret,omitempty"`
		Media  wechat.File `form:"media"`
	}
	endpoint := wechat.Endpoint[login, wechat.None]{Name: "Login", Pattern: "GET /login", Effect: wechat.EffectCreate}
	r := new(recorder)
	caller := wechat.Bind(mock.New(r), &oaProduct, oaApp)
	if err := endpoint.Exec(t.Context(), caller, &login{Code: "one-time", Secret: "hush", Media: wechat.File{Name: "a.png"}}); err == nil {
		t.Error("no error")
	}
	if text := r.text(); strings.Contains(text, "one-time") || strings.Contains(text, "hush") || !strings.Contains(text, "a.png") {
		t.Errorf("the test was told %q", text)
	}
}

func TestMockLooksAtContextFirst(t *testing.T) {
	m := mock.New(t)
	a := newAccount(m, oaApp)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.SendMessage(ctx, hello("o1")); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if len(m.Calls()) != 0 {
		t.Error("the call was recorded")
	}
}

func TestMockUsage(t *testing.T) {
	other := mock.New(t)
	s := mock.NewServer(specs()...)
	real := newAccount(wechat.New(s.Options()...), oaApp)
	stub := func(context.Context, *message) (*receipt, error) { return nil, nil }
	tests := []struct {
		name string
		use  func(m *mock.Mock)
		want string
	}{
		{"real client", func(m *mock.Mock) { mock.Handle(m, real.SendMessage, stub) }, "not that of a client made with a Mock"},
		{"another Mock", func(m *mock.Mock) { mock.Return(m, newAccount(other, oaApp).SendMessage, &receipt{}) }, "another Mock"},
		{"no func", func(m *mock.Mock) { mock.Fail(m, 7, nil) }, "addressed by a method"},
		{"iterator", func(m *mock.Mock) { mock.Fail(m, newAccount(m, oaApp).AllUsers, nil) }, "cannot be stubbed"},
		{"nil handler", func(m *mock.Mock) { mock.Handle(m, newAccount(m, oaApp).SendMessage, nil) }, "handler is nil"},
		{"other types", func(m *mock.Mock) {
			a := newAccount(m, oaApp)
			mock.Fail(m, func(ctx context.Context, u *userRequest) (*receipt, error) {
				return a.SendMessage(ctx, hello(u.OpenID))
			}, nil)
		}, "with other types"},
		{"requests of a real client", func(m *mock.Mock) { mock.Requests(m, real.SendMessage) }, "not that of a client made with a Mock"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := new(recorder)
			tt.use(mock.New(r))
			// The methods of "iterator", "nil handler" and "other types" belong to the Mock under test.
			if !strings.Contains(r.text(), tt.want) {
				t.Errorf("the test was told %q, want %q", r.text(), tt.want)
			}
		})
	}
	if calls := s.Calls(""); len(calls) != 0 {
		t.Errorf("a real client sent %d requests", len(calls))
	}
}

func TestMockConcurrently(t *testing.T) {
	m := mock.New(t)
	a := newAccount(m, oaApp)
	mock.Return(m, a.SendMessage, &receipt{MsgID: 1})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if i%5 == 0 {
				mock.Return(m, a.SendMessage, &receipt{MsgID: 2})
			}
			if r, err := a.SendMessage(t.Context(), hello(openID(i))); err != nil || r.MsgID == 0 {
				t.Errorf("%v, %v", r, err)
			}
		})
	}
	wg.Wait()
	if n := len(mock.Requests(m, a.SendMessage)); n != 20 {
		t.Errorf("%d requests, want 20", n)
	}
}

// An unexpected call tells where it came from.
func TestUnexpectedCallTellsWhere(t *testing.T) {
	r := new(recorder)
	m := mock.New(r)
	c := newAccount(m, oaApp)
	_, _ = c.SendMessage(t.Context(), hello("o1"))
	if !strings.Contains(r.text(), ", called at main_test.go:") {
		t.Errorf("%s", r.text())
	}
}

func TestSent(t *testing.T) {
	m := mock.New(t)
	c := newAccount(m, oaApp)
	mock.Fail(m, c.SendCustom, nil)
	if err := c.SendCustom(t.Context(), hello("o1")); err != nil {
		t.Fatal(err)
	}
	if sent := mock.Sent(m, c.SendCustom); len(sent) != 1 || sent[0].ToUser != "o1" {
		t.Errorf("sent %v", sent)
	}
}

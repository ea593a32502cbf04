package mock

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/seed175cf469/wechat"
)

// TB is the part of testing.TB that a Mock needs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Mock is a wechat.Caller that answers from stubs and records what it was asked. A call that has no stub fails
// the test and returns an error.
//
// Stubs are addressed by method values, as in Return(m, oa.SendTemplateMessage, receipt), and hold for the
// endpoint: for every app whose client was made with the same Mock. A later stub replaces an earlier one. The
// AllX methods cannot be addressed; they call their ListX, which can.
//
// A Mock is safe for concurrent use.
type Mock struct {
	t        TB
	mu       sync.Mutex
	handlers map[key]handler
	calls    []*wechat.Call
}

// key tells an endpoint from all others.
type key struct{ product, endpoint string }

func (k key) String() string {
	if k.product == "" {
		return k.endpoint
	}
	return k.product + "." + k.endpoint
}

type handler func(ctx context.Context, call *wechat.Call) error

// New returns a Mock without stubs that reports to t.
func New(t TB) *Mock { return &Mock{t: t, handlers: map[key]handler{}} }

// Do answers call from its stub. Like a client it fails at once where ctx has ended.
func (m *Mock) Do(ctx context.Context, call *wechat.Call) error {
	if p, ok := ctx.Value(probeKey{}).(*probe); ok {
		p.mock, p.call = m, call
		return context.Canceled
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	k := keyOf(call)
	recorded := *call
	recorded.Request = clone(call.Request)
	m.mu.Lock()
	m.calls = append(m.calls, &recorded)
	handle := m.handlers[k]
	m.mu.Unlock()
	if handle == nil {
		m.t.Helper()
		m.t.Errorf("mock: unexpected call: %v(%s)%s", k, show(call.Request), calledFrom())
		return &wechat.Error{Endpoint: call.Spec.Name, App: call.App.ID, Err: errNoStub}
	}
	return complete(handle(ctx, call), call)
}

var errNoStub = errors.New("mock: the call has no stub; give it one with Return, Fail or Handle")

func keyOf(call *wechat.Call) key {
	product := call.Spec.Product
	if call.Product != nil {
		product = call.Product.Name
	}
	return key{product, call.Spec.Name}
}

// Calls returns what was asked, in order, also the calls that had no stub. Requests in it are copies that were
// made when the call came.
func (m *Mock) Calls() []*wechat.Call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*wechat.Call(nil), m.calls...)
}

// Handle answers calls of method with handler, a func of the method's own type. It may be called by several
// goroutines at once. What it returns is copied into the caller's reply, one level deep.
func Handle[F any](m *Mock, method, handler F) {
	m.t.Helper()
	call, ok := m.resolve(method)
	if !ok {
		return
	}
	f := reflect.ValueOf(handler)
	if f.IsNil() {
		m.t.Errorf("mock: the handler is nil")
		return
	}
	m.stub(call, func(ctx context.Context, call *wechat.Call) error {
		args := []reflect.Value{reflect.ValueOf(ctx)}
		if f.Type().NumIn() == 2 {
			request := reflect.Zero(f.Type().In(1))
			if call.Request != nil {
				request = reflect.ValueOf(call.Request)
			}
			args = append(args, request)
		}
		results := f.Call(args)
		if err, _ := results[len(results)-1].Interface().(error); err != nil {
			return err
		}
		if len(results) == 2 && !results[0].IsNil() {
			reflect.ValueOf(call.Response).Elem().Set(results[0].Elem())
		}
		return nil
	})
}

// Return answers calls of method with a copy of *res, one level deep.
func Return[Req, Res any](m *Mock, method func(context.Context, *Req) (*Res, error), res *Res) {
	m.t.Helper()
	Handle(m, method, func(context.Context, *Req) (*Res, error) { return res, nil })
}

// Fail answers calls of method with err, for example with what [RateLimited] or [OutcomeUnknown] returns. A nil
// err is success with an empty reply: all that a method which returns only an error can say.
func Fail[F any](m *Mock, method F, err error) {
	m.t.Helper()
	if call, ok := m.resolve(method); ok {
		m.stub(call, func(context.Context, *wechat.Call) error { return err })
	}
}

// Requests returns what method was asked with, in order. They are copies that were made when the calls came.
// For methods that return no more than an error there is Sent.
func Requests[Req, Res any](m *Mock, method func(context.Context, *Req) (*Res, error)) []*Req {
	m.t.Helper()
	return requests[Req](m, method)
}

// Sent is Requests for methods that return no more than an error, such as SendCustomMessage.
func Sent[Req any](m *Mock, method func(context.Context, *Req) error) []*Req {
	m.t.Helper()
	return requests[Req](m, method)
}

func requests[Req any](m *Mock, method any) []*Req {
	m.t.Helper()
	call, ok := m.resolve(method)
	if !ok {
		return nil
	}
	k := keyOf(call)
	var requests []*Req
	for _, c := range m.Calls() {
		if keyOf(c) == k {
			request, _ := c.Request.(*Req)
			requests = append(requests, request)
		}
	}
	return requests
}

// calledFrom is the line outside of this module's packages that a call comes from.
func calledFrom() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		ours := strings.HasPrefix(frame.Function, modulePath) && !strings.HasSuffix(frame.File, "_test.go")
		if frame.File != "" && !ours {
			return fmt.Sprintf(", called at %s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}

const modulePath = "github.com/seed175cf469/wechat"

func (m *Mock) stub(call *wechat.Call, handle handler) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.handlers[keyOf(call)] = handle
}

// probe notes which endpoint a method calls and through which Mock.
type probe struct {
	mock *Mock
	call *wechat.Call
}

type probeKey struct{}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// resolve finds the endpoint of a method by calling it once with an empty request and a context that is marked
// and has ended: a Mock sees the mark and a real client sends nothing.
func (m *Mock) resolve(method any) (*wechat.Call, bool) {
	m.t.Helper()
	f := reflect.ValueOf(method)
	if err := checkShape(f); err != nil {
		m.t.Errorf("mock: %v", err)
		return nil, false
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := new(probe)
	args := []reflect.Value{reflect.ValueOf(context.WithValue(ctx, probeKey{}, p))}
	if f.Type().NumIn() == 2 {
		args = append(args, reflect.New(f.Type().In(1).Elem()))
	}
	f.Call(args)
	switch {
	case p.call == nil:
		m.t.Errorf("mock: the method (%v) is not that of a client made with a Mock", f.Type())
	case p.mock != m:
		m.t.Errorf("mock: %v belongs to a client made with another Mock", keyOf(p.call))
	case f.Type().NumIn() == 2 && p.call.Request != nil && reflect.TypeOf(p.call.Request) != f.Type().In(1),
		f.Type().NumOut() == 2 && reflect.TypeOf(p.call.Response) != f.Type().Out(0):
		m.t.Errorf("mock: the method (%v) cannot be stubbed, as it calls %v with other types; stub that method",
			f.Type(), keyOf(p.call))
	default:
		return p.call, true
	}
	return nil, false
}

// checkShape makes sure that f is a method of the API: (ctx) or (ctx, *Req), to error or (*Res, error).
func checkShape(f reflect.Value) error {
	if f.Kind() != reflect.Func || f.IsNil() {
		return errors.New("a stub is addressed by a method of a client, as in oa.SendTemplateMessage")
	}
	t := f.Type()
	in, out := t.NumIn(), t.NumOut()
	ok := !t.IsVariadic() && (in == 1 || in == 2) && t.In(0) == contextType &&
		(out == 1 || out == 2) && t.Out(out-1) == errorType &&
		(in == 1 || t.In(1).Kind() == reflect.Pointer) && (out == 1 || t.Out(0).Kind() == reflect.Pointer)
	if !ok {
		return fmt.Errorf("a method of type %v cannot be stubbed", t)
	}
	return nil
}

package wechat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/seed175cf469/wechat/internal/wire"
	"github.com/seed175cf469/wechat/ratelimit"
)

const (
	attemptTimeout = 10 * time.Second
	fileTimeout    = 60 * time.Second
)

// flight is a call while its attempts are under way. It is the context of its requests, so that the hooks of
// resty and the transports find it there.
type flight struct {
	context.Context
	s        *state
	call     *Call
	plan     *plan
	policy   RetryPolicy
	effect   Effect
	priority ratelimit.Priority
	began    time.Time

	endpoint  string // key of barrier and pace
	request   encoded
	dedupeFor time.Duration // how long the server drops a repeat; 0: not at all

	// The attempt under way.
	attempt  int // requests that went out
	judged   int // the last of them that was judged
	sent     time.Time
	token    Token
	host     host
	bound    boundContext
	done     func(ratelimit.Outcome)
	cancel   context.CancelFunc
	release  func() // gives back the turn of a recipient whose sends are serialised
	probe    bool
	wantConn atomic.Bool
	gotConn  atomic.Bool
	trace    httptrace.ClientTrace

	// What has become of the call so far.
	refused   Token // what the server turned down
	counted   int   // attempts but for the one after a token refresh
	silent    int   // attempts in which nothing was received
	busy      int
	delays    int // waits so far, for the back-off
	maybeDone bool
	serialise bool
	last      *Error // why the last attempt failed; nil: it did not
	wait      time.Duration
	waited    time.Duration
	why       error // why there is no further attempt, where the last failure does not say it itself
	stopped   error // what ended the call before its next attempt
	class     failure
}

type flightKey struct{}

// Value lets the flight be found in its own context.
func (f *flight) Value(key any) any {
	if key == (flightKey{}) {
		return f
	}
	return f.Context.Value(key)
}

// Format keeps what the flight carries out of the text of its context.
func (f *flight) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(f.String())) }

// String is what context.WithValue and its kin print of their parent.
func (f *flight) String() string { return "wechat.call(" + f.call.Spec.Name + ")" }

func flightFrom(ctx context.Context) *flight {
	f, _ := ctx.Value(flightKey{}).(*flight)
	return f
}

// CallFrom returns, inside the transport, the call that a request belongs to.
func CallFrom(ctx context.Context) (*Call, bool) {
	if f := flightFrom(ctx); f != nil {
		return f.call, true
	}
	return nil, false
}

// perform carries out a call: encode once, then attempts as the policy allows.
func (s *state) perform(ctx context.Context, call *Call) error {
	f := &flight{Context: ctx, s: s, call: call, plan: call.Spec.plan, policy: s.policy(ctx), effect: call.Spec.Effect,
		priority: priorityFrom(ctx), began: time.Now()}
	if ctx.Value(tokenFetch{}) != nil {
		f.effect = EffectRead
	}
	f.endpoint = call.App.key + ":" + call.Spec.Name
	if f.policy.MaxElapsed > 0 {
		var cancel context.CancelFunc
		f.Context, cancel = context.WithTimeout(ctx, f.policy.MaxElapsed)
		defer cancel()
	}
	f.fillDedupe()
	if err := f.encode(); err != nil {
		return f.invalid(err)
	}
	if err := s.recipientTurns(f, call, f.priority); err != nil {
		return err
	}
	if f.policy.Budget >= 0 {
		s.budgets.call(call.App.key)
	}
	f.trace.GetConn = func(string) { f.wantConn.Store(true) }
	f.trace.GotConn = func(httptrace.GotConnInfo) { f.gotConn.Store(true) }

	defer f.settle(ratelimit.Outcome{Unused: true})               // where an attempt was prepared and never judged
	r := s.resty.R().SetContext(f).ForceContentType("-")          // not to be looked at: decoding is ours
	resp, err := r.Execute(f.plan.method, "http://host.invalid/") // arm sets the real URL
	if f.attempt > f.judged {
		f.judge(resp, err) // resty asks nobody once ctx has ended
	}
	if err != nil && f.stopped == nil && (f.attempt == 0 || ctx.Err() != nil) {
		f.stopped = err
	}
	return f.result()
}

func (f *flight) invalid(err error) error {
	return &Error{Kind: ErrInvalidRequest, Endpoint: f.call.Spec.Name, App: f.call.App.ID, Err: wire.RedactError(err)}
}

func (f *flight) encode() (err error) {
	f.request, err = f.plan.encode(f.call.Request, &f.call.App)
	return err
}

// fillDedupe fills the field that makes the server drop a repeat, in a copy of the request, unless the caller has
// filled it.
func (f *flight) fillDedupe() {
	call := f.call
	switch {
	case call.Request == nil:
		return
	case call.Spec.Dedupes != nil:
		f.dedupeFor = call.Spec.Dedupes(call.Request)
		return
	case call.Spec.Dedupe == nil:
		return
	}
	field := call.Spec.Dedupe(call.Request)
	if field == nil {
		return
	}
	f.dedupeFor = call.Spec.DedupeFor
	if *field != "" {
		return
	}
	v := reflect.New(reflect.TypeOf(call.Request).Elem())
	v.Elem().Set(reflect.ValueOf(call.Request).Elem())
	call.Request = v.Interface()
	*call.Spec.Dedupe(call.Request) = dedupeID(call, idempotencyKeyFrom(f))
}

// repeatable reports whether a further attempt after wait can do no harm: the call may be carried out twice, it has
// surely not been carried out yet, or the server still drops repeats then. The last fifth of the server's memory is left
// for clocks and the way there.
func (f *flight) repeatable(wait time.Duration) bool {
	return !f.effect.once() || !f.maybeDone || time.Since(f.began)+wait < f.dedupeFor*4/5
}

var errForgotten = errors.New("wechat: the server may have forgotten the earlier attempt by now")

// prepare precedes each attempt: token, turns, barrier and pace, and the token once more, as it may have been
// replaced while the call waited. Waiting for the token first keeps granted turns from piling up.
func (f *flight) prepare() (err error) {
	if f.attempt > 0 {
		f.waited += f.wait
	}
	if f.token, err = f.s.token(f, f.call, f.refused); err != nil {
		return tokenError(f.call, err)
	}
	if err := f.s.endpointTurns(f, f.call, f.priority); err != nil {
		return err
	}
	if err := f.admit(); err != nil {
		return err
	}
	if f.serialise {
		if f.release, err = f.s.lines.enter(f, f.call.App.key+":"+f.call.Recipients[0]); err != nil {
			return err
		}
	}
	// Where the server gave the refused token once more, memory has nothing better.
	if t, ok := f.s.tokens.fresh(f.call.App.tokenKey); !ok || t.Value != f.refused.Value {
		if f.token, err = f.s.token(f, f.call, f.refused); err != nil {
			return tokenError(f.call, err)
		}
	}
	if !f.repeatable(0) { // the waits have taken too long
		return errForgotten
	}
	if f.attempt > 0 && len(f.plan.files) > 0 {
		if err := f.encode(); err != nil { // the files are opened anew
			return f.invalid(err)
		}
	}
	f.attempt++
	f.host = f.s.host(f.call.Product)
	f.wantConn.Store(false)
	f.gotConn.Store(false)
	f.sent = time.Now()
	return nil
}

// tokenError says that a call failed for want of a token.
func tokenError(call *Call, err error) error {
	var e *Error
	if errors.As(err, &e) && e.Endpoint != "" {
		return err // the token endpoint's own words
	}
	out := &Error{Endpoint: call.Spec.Name, App: call.App.ID, Err: wire.RedactError(err)}
	if e != nil {
		out.Kind, out.After = e.Kind, e.After
	}
	return out
}

// userAgent is a header's value as a map of headers has it; nothing writes to it.
var userAgent = []string{"wechat-go"}

// arm makes resty's request what goes out: URL, token, body and the attempt's time-out.
func (f *flight) arm(req *http.Request) error {
	u, err := f.target()
	if err != nil {
		return f.invalid(err)
	}
	req.URL, req.Host = u, u.Host
	if f.token.Value != "" {
		if authorize := f.call.Product.Authorize; authorize != nil {
			authorize(req, f.token)
		} else {
			query := "access_token=" + url.QueryEscape(f.token.Value.Reveal())
			if u.RawQuery != "" {
				query += "&" + u.RawQuery
			}
			u.RawQuery = query
		}
	}
	req.Header["User-Agent"] = userAgent
	// The body is ours and not resty's, which would send some of them chunked.
	if body := f.request.body; len(body) > 0 {
		req.Header["Content-Type"] = []string{f.request.contentType}
		req.ContentLength = int64(len(body))
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	} else {
		req.Body, req.GetBody, req.ContentLength = http.NoBody, nil, 0
		req.Header.Del("Content-Type")
		if f.plan.fresh { // net/http repeats a GET by itself, but none that has a body it cannot rewind
			req.Body = io.NopCloser(strings.NewReader(""))
		}
	}
	timeout := f.policy.AttemptTimeout
	if timeout == 0 {
		timeout = attemptTimeout
		if f.plan.hasBlob || len(f.plan.files) > 0 {
			timeout = fileTimeout
		}
	}
	ctx := httptrace.WithClientTrace(req.Context(), &f.trace)
	if timeout > 0 {
		ctx, f.cancel = context.WithTimeout(ctx, timeout)
	}
	*req = *req.WithContext(ctx)
	return nil
}

// target is the URL of the attempt without the token.
func (f *flight) target() (*url.URL, error) {
	base := f.host.url
	if f.plan.host != "" && !f.host.override {
		base = "https://" + f.plan.host
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the base URL %q is not usable", wire.Redact(base))
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + f.plan.path
	u.RawQuery = f.request.query
	return u, nil
}

// settle ends what belongs to the attempt under way.
func (f *flight) settle(o ratelimit.Outcome) {
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
	if f.done != nil {
		f.done(o)
		f.done = nil
	}
	if f.release != nil {
		f.release()
		f.release = nil
	}
}

// The hooks that resty calls.

func beforeRequest(_ *resty.Client, r *resty.Request) error {
	f := flightFrom(r.Context())
	f.stopped = f.prepare()
	return f.stopped
}

func preRequest(_ *resty.Client, req *http.Request) error {
	f := flightFrom(req.Context())
	f.stopped = f.arm(req)
	return f.stopped
}

func shouldRetry(resp *resty.Response, err error) bool {
	if resp == nil {
		return false // an error of prepare or arm
	}
	return flightFrom(resp.Request.Context()).judge(resp, err)
}

func retryAfter(_ *resty.Client, resp *resty.Response) (time.Duration, error) {
	// Zero would be resty's own back-off.
	return max(flightFrom(resp.Request.Context()).wait, 1), nil
}

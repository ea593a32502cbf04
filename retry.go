package wechat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/seed175cf469/wechat/internal/wire"
	"github.com/seed175cf469/wechat/ratelimit"
)

// RetryPolicy says how often, and how patiently, a call is repeated. Zero fields are the defaults named here. A
// negative MaxRetryAfter, MaxElapsed, AttemptTimeout or Budget is no bound at all; a negative delay is none, and a
// negative number of attempts is one.
type RetryPolicy struct {
	MaxAttempts      int           // 6: one call and five repeats
	BaseDelay        time.Duration // 1s, doubled each time, full jitter
	MaxDelay         time.Duration // 60s: the back-off's cap
	MaxRetryAfter    time.Duration // 60s: a longer Retry-After ends the call at once, with the time to come back in the error
	MaxElapsed       time.Duration // 0: only ctx bounds it; waiting at a barrier counts
	NetworkAttempts  int           // 3: attempts when nothing was received
	AttemptTimeout   time.Duration // 10s; files 60s
	Budget           float64       // 0.2: repeats to calls, an app, with a floor of ten; refusals for rate do not count; negative: no budget
	InstanceJitter   time.Duration // 0; drawn once a Client, added to each delay (Batch: 5s)
	IgnoreRetryAfter bool          // Retry-After headers are not read: back-off and learned windows decide alone
}

// Realtime is for calls that a person waits for: 3 attempts, 200 ms to 1 s apart, 3 s in all.
func Realtime() RetryPolicy {
	return RetryPolicy{MaxAttempts: 3, BaseDelay: 200 * time.Millisecond, MaxDelay: time.Second, MaxElapsed: 3 * time.Second}
}

// Batch is for jobs that have time: 9 attempts, delays that differ by process, and a Retry-After of up to 15
// minutes is waited for.
func Batch() RetryPolicy {
	return RetryPolicy{MaxAttempts: 9, InstanceJitter: 5 * time.Second, MaxRetryAfter: 15 * time.Minute}
}

// policy is the client's, or the context's, with the defaults filled in.
func (s *state) policy(ctx context.Context) RetryPolicy {
	p, ok := ctx.Value(retryKey{}).(RetryPolicy)
	if !ok {
		return s.retry
	}
	return p.withDefaults()
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	setDefault(&p.MaxAttempts, 6)
	setDefault(&p.BaseDelay, time.Second)
	setDefault(&p.MaxDelay, time.Minute)
	setDefault(&p.MaxRetryAfter, time.Minute)
	setDefault(&p.NetworkAttempts, 3)
	setDefault(&p.Budget, 0.2)
	return p
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// backoff is the wait before repeat n, counted from 0: full jitter, so that callers that failed together do not come
// back together.
func (p RetryPolicy) backoff(n int) time.Duration {
	most := p.MaxDelay
	if n < 32 && p.BaseDelay<<n>>n == p.BaseDelay {
		most = min(most, p.BaseDelay<<n)
	}
	return jitter(most)
}

// failure is what a failed attempt means for a repeat.
type failure uint8

const (
	fine         failure = iota
	unsent               // nothing went out
	lost                 // it was written, and no usable reply came
	busy                 // the server had a problem of its own and does not say how far it came
	tokenRefused         // not carried out
	throttled            // not carried out
	final                // a repeat changes nothing
)

// maxMessage bounds an errmsg, in bytes; the platform's own are shorter.
const maxMessage = 1 << 10

// maxKeptReply bounds the reply of a refusal that an Error holds on to.
const maxKeptReply = 64 << 10

// maxBusy is how often a call is repeated because the server was busy, as the platform asks.
const maxBusy = 3

// judge looks at an attempt and decides whether there is another; f.wait is the time until then.
func (f *flight) judge(resp *resty.Response, err error) (again bool) {
	f.judged = f.attempt
	verdict, after := f.read(resp, err)
	f.learn(verdict, after)
	e := Event{Type: EventAttempt, Call: f.call, Attempt: f.attempt, Took: time.Since(f.sent)}
	if resp != nil && resp.RawResponse != nil {
		e.Status = resp.StatusCode()
	}
	if f.last != nil {
		e.Code, e.Kind, e.RequestID, e.Err = f.last.Code, f.last.Kind, f.last.RequestID, f.last
	}
	f.s.observe(f, e)
	if f.class == throttled {
		e.Type, e.Wait = EventThrottled, after
		f.s.observe(f, e)
	}
	again = f.decide(verdict, after)
	if again {
		e.Type, e.Wait = EventRetry, f.wait
		f.s.observe(f, e)
	}
	return again
}

// read sets class and last from a reply, or from the lack of one. after is the server's word on when to come back.
func (f *flight) read(resp *resty.Response, err error) (v Verdict, after time.Duration) {
	f.last = nil
	if resp == nil || resp.RawResponse == nil {
		f.class = lost
		if f.wantConn.Load() && !f.gotConn.Load() {
			f.class = unsent
		}
		if errors.Is(err, ErrInvalidRequest) { // a transport's word that it will never send this
			f.class, v.Kind = final, ErrInvalidRequest
		}
		f.last = f.error(v, 0, 0, "", wire.RedactError(err))
		return v, 0
	}
	status, header, body := resp.StatusCode(), resp.Header(), resp.Body()
	if !f.policy.IgnoreRetryAfter {
		after, _ = wire.RetryAfter(header.Get("Retry-After"), serverTime(header))
		after = min(after, day) // whatever a header says, nothing is closed for longer
	}
	if err != nil {
		f.class = lost
		if errors.Is(err, errTooLarge) {
			f.class, f.maybeDone = final, true
			err = fmt.Errorf("the reply is larger than %d bytes", f.s.bodyLimit(f.plan))
		}
		v = Verdict{Kind: ErrBadReply}
		f.last = f.error(v, status, 0, "", wire.RedactError(err))
		return v, after
	}
	code, message, err := f.plan.failure(f.call.Product, status, header, body)
	ok := status >= 200 && status < 300
	if code == 0 && ok && err == nil {
		f.class = fine
		if err := f.plan.decode(header, body, f.call.Response); err != nil {
			v = Verdict{Kind: ErrBadReply}
			f.class, f.last = final, f.error(v, status, 0, "", err)
			if f.last.carried = !errors.Is(err, wire.ErrNotJSON) && !errors.Is(err, wire.ErrEmpty); !f.last.carried {
				f.class = lost // no reply of the API at all
			}
			return v, after
		}
		if f.call.Spec.refused == nil {
			return v, after
		}
		if code, message = f.call.Spec.refused(f.call.Response); code == 0 {
			return v, after
		}
	}
	switch {
	case code == 0 && ok:
		f.class = lost
		v = Verdict{Kind: ErrBadReply}
		f.last = f.error(v, status, 0, "", f.unreadable(header, body, err))
		return v, after
	case code != 0 && f.alreadySent(code):
		f.class = fine
		if err := f.plan.decode(header, body, f.call.Response); err != nil {
			f.class = final
			f.last = f.error(Verdict{Kind: ErrBadReply}, status, code, message, err)
			f.last.carried = true
		}
		return v, after
	}
	v = f.s.classify(f.call, status, code, message)
	f.class = f.failureOf(v, status, code, after)
	cause := error(nil)
	if code == 0 {
		cause = f.unreadable(header, body, err)
	}
	f.last = f.error(v, status, code, message, cause)
	f.last.After = after
	if code != 0 && len(body) <= maxKeptReply {
		f.last.reply = func(v any) error { return wire.Unmarshal(body, v) }
	}
	return v, after
}

// serverTime is when a reply was written, by the clock that its dates are of.
func serverTime(h http.Header) time.Time {
	if date := h.Get("Date"); date != "" && h.Get("Retry-After") != "" {
		if t, err := http.ParseTime(date); err == nil {
			return t
		}
	}
	return time.Now()
}

// failureOf tells what a refusal means for a repeat.
func (f *flight) failureOf(v Verdict, status int, code Code, after time.Duration) failure {
	switch {
	case v.Kind == ErrTokenInvalid && f.token.Value != "" && f.refused.Value == "":
		return tokenRefused
	case code == 0 && (status == http.StatusServiceUnavailable || status == http.StatusRequestEntityTooLarge):
		if after > 0 {
			return throttled
		}
		if status == http.StatusServiceUnavailable {
			return lost
		}
		return final
	case v.Kind == ErrRateLimited && v.Scope != "":
		return throttled
	case code == 0 && (status >= 500 || status < 200):
		return lost
	case v.Kind == ErrBusy:
		return busy
	}
	return final
}

// alreadySent reports whether code says that a repeat with a dedupe key was not needed.
func (f *flight) alreadySent(code Code) bool {
	return f.dedupeFor > 0 && (code == 45065 || code == 40241) && (f.attempt > 1 || code == 45065)
}

// unreadable describes a reply that is none of the protocol: what it says it is, how long it is and how it begins,
// where that is text.
func (f *flight) unreadable(h http.Header, body []byte, err error) error {
	begin := ""
	if kind := h.Get("Content-Type"); strings.HasPrefix(kind, "text/") || kind == "" {
		begin = fmt.Sprintf(": %.200q", f.redact(string(body[:min(len(body), 200)])))
	}
	if err == nil {
		return fmt.Errorf("%d bytes of %q%s", len(body), h.Get("Content-Type"), begin)
	}
	return fmt.Errorf("%w: %d bytes of %q%s", err, len(body), h.Get("Content-Type"), begin)
}

// redact makes text of a reply safe to show, also where it repeats a secret of the request.
func (f *flight) redact(text string) string {
	query := f.request.query + "&secret=" + url.QueryEscape(f.call.App.Secret.Reveal())
	if f.token.Value != "" {
		query += "&access_token=" + url.QueryEscape(f.token.Value.Reveal())
	}
	return wire.RedactEcho(text, query)
}

func (f *flight) error(v Verdict, status int, code Code, message string, cause error) *Error {
	id := wire.RequestID(message)
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "..."
	}
	return &Error{Code: code, Kind: v.Kind, Message: f.redact(message), RequestID: id,
		Endpoint: f.call.Spec.Name, App: f.call.App.ID, Status: status, Err: cause}
}

// learn tells limits and quotas what became of the attempt.
func (f *flight) learn(v Verdict, after time.Duration) {
	o := ratelimit.Outcome{Unused: f.class == unsent}
	if f.class == throttled && (v.Scope == ratelimit.ScopeEndpoint || v.Scope == ratelimit.ScopeConcurrency) {
		o = ratelimit.Outcome{Refused: true, RetryAfter: after, Window: v.Window, Concurrency: v.Scope == ratelimit.ScopeConcurrency}
	}
	paced := f.done
	f.settle(o)
	s, call := f.s, f.call
	switch {
	case f.class == throttled && v.Scope == ratelimit.ScopeApp:
		s.raise(f, call, call.App.key, max(after, v.Window, time.Second))
	case o.Refused && paced == nil:
		s.raise(f, call, f.endpoint, max(after, v.Window, time.Second))
	case v.Kind == ErrQuotaExhausted && v.Scope == ratelimit.ScopeEndpoint:
		f.last.After = s.closeQuota(f, call)
	case f.class == fine && f.probe:
		s.probed(f, call)
	}
	if o.Refused {
		if f.last.Code == 0 {
			s.refusedApp(f, call, after)
		}
		if !o.Concurrency {
			s.lookUp(f, call)
		}
	}
	if f.class == fine && call.Spec.reopens != nil {
		s.reopen(f, call)
	}
}

// decide is the table of what may be repeated.
func (f *flight) decide(v Verdict, after time.Duration) bool {
	f.wait = 0
	if f.class != tokenRefused {
		f.counted++
	}
	wait := f.policy.backoff(f.delays) + f.s.instanceJitter(f.policy)
	free := false // not a repeat that the budget counts
	switch f.class {
	case fine, final:
		return false
	case tokenRefused: // at most once, as refused is set then
		f.refused, free, wait = f.token, true, 0
	case unsent:
		f.silent++
		if f.s.failOver(f.call.Product, f.host) {
			wait = 0
		}
		if f.silent >= f.policy.NetworkAttempts {
			return false
		}
	case lost, busy:
		f.maybeDone = true
		if f.class == busy {
			f.busy++
		}
		if f.last.Status == 0 {
			f.silent++
		}
		if f.busy > maxBusy || f.silent >= f.policy.NetworkAttempts {
			return false
		}
	case throttled:
		free = true
		if f.policy.MaxRetryAfter > 0 && after > f.policy.MaxRetryAfter {
			return false
		}
		if v.Scope == ratelimit.ScopeRecipient {
			f.serialise = v.Window == 0 && len(f.call.Recipients) > 0
			wait = max(wait, v.Window)
		} else { // the wait is at the barrier, in order, and not here
			wait, after = 0, 0
		}
	}
	wait = max(wait, after)
	if f.counted >= f.policy.MaxAttempts || f.Err() != nil || !f.repeatable(wait) {
		return false
	}
	if deadline, ok := f.Deadline(); ok && time.Now().Add(wait).After(deadline) {
		f.why = fmt.Errorf("the next attempt would be in %v: %w", wait.Round(time.Millisecond), context.DeadlineExceeded)
		f.last.After = max(f.last.After, wait)
		return false
	}
	if !free && f.policy.Budget >= 0 && !f.s.spend(f, f.call.App.key, f.policy.Budget) {
		f.why = errBudgetSpent
		return false
	}
	if wait > 0 {
		f.delays++
	}
	f.wait = wait
	return true
}

// result is the error of the call, and the last event of one that was repeated.
func (f *flight) result() error {
	e := Event{Call: f.call, Attempt: f.attempt, Took: time.Since(f.began)}
	if f.stopped == nil && f.attempt > 0 && f.last == nil {
		if f.counted > 1 {
			e.Type = EventRecovered
			f.s.observe(f, e)
		}
		f.partial()
		return nil
	}
	err := f.failed()
	e.Err = err
	if f.last != nil {
		e.Status, e.Code, e.Kind, e.RequestID = f.last.Status, f.last.Code, f.last.Kind, f.last.RequestID
	}
	switch {
	case errors.Is(err, ErrOutcomeUnknown):
		e.Type = EventUnknown
	case f.attempt > 1:
		e.Type = EventExhausted
	default:
		return err
	}
	f.s.observe(f, e)
	return err
}

// failed makes the error of a call that did not succeed.
func (f *flight) failed() error {
	err := error(f.last)
	switch {
	case f.attempt == 0:
		var e *Error
		if errors.As(f.stopped, &e) {
			return f.stopped
		}
		return &Error{Endpoint: f.call.Spec.Name, App: f.call.App.ID, Err: wire.RedactError(f.stopped)}
	case f.last == nil: // a success that was to be repeated cannot be
		err = f.stopped
	case f.stopped != nil && !errors.Is(err, f.stopped):
		if after, ok := RetryAfter(f.stopped); ok {
			f.last.After = max(f.last.After, after)
		}
		err = fmt.Errorf("%w; then %w", f.last, f.stopped)
	case f.why != nil:
		err = fmt.Errorf("%w: %w", f.last, f.why)
	}
	if f.effect.once() && f.maybeDone && !f.refusedForGood() && (f.last == nil || !f.last.carried) {
		err = &OutcomeUnknownError{Endpoint: f.call.Spec.Name, Attempts: f.attempt, Err: err}
	}
	if f.counted > 1 && f.class != final || errors.Is(f.why, errBudgetSpent) {
		err = &RetryExhaustedError{Endpoint: f.call.Spec.Name, Attempts: f.attempt, Elapsed: time.Since(f.began), Waited: f.waited, Err: err}
	}
	return err
}

// usedUpCodes refuse a send for want of what an earlier attempt may have used up: a consent, a turn.
var usedUpCodes = []Code{43101, 45047, 95001}

// refusedForGood reports whether the last answer settles what an earlier attempt left open: a message that the server
// calls malformed, forbidden or unfit now, or a person who does not follow, was so before. Any other refusal may be what
// the earlier attempt has caused.
func (f *flight) refusedForGood() bool {
	if f.effect != EffectSend || f.class != final {
		return false
	}
	switch f.last.Kind {
	case ErrInvalidRequest, ErrForbidden, ErrContent:
		return true
	case ErrUnreachable:
		return !slices.Contains(usedUpCodes, f.last.Code)
	default:
		return false
	}
}

// partial reports a success that did not reach everybody.
func (f *flight) partial() {
	if f.call.Spec.partial == nil {
		return
	}
	if missed := f.call.Spec.partial(f.call.Response); len(missed) > 0 {
		f.s.observe(f, Event{Type: EventPartial, Call: f.call, Attempt: f.attempt,
			Err: fmt.Errorf("wechat: %s did not reach %d of its recipients", f.call.Spec.Name, len(missed))})
	}
}

package wechat

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/patrickmn/go-cache"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Client carries out the calls of any number of apps and products. It is safe for concurrent use; the zero
// value is ready. A program makes one and keeps it: tokens, limits and connections belong to it.
type Client struct {
	config config
	once   sync.Once
	state  *state // made at the first call
}

// Option configures a Client.
type Option func(*config)

type config struct {
	httpClient *http.Client
	transports []func(http.RoundTripper) http.RoundTripper
	middleware []Middleware
	observers  []func(context.Context, Event)
	logger     *slog.Logger
	store      TokenStore
	limiter    ratelimit.Limiter
	barrier    ratelimit.Barrier
	retry      RetryPolicy
	budget     RetryBudget
	ledger     Ledger
	classify   func(spec Spec, status int, code Code, message string) (Verdict, bool)
	baseURLs   map[string][]string
	maxBlob    int64

	quotaLookup bool
}

// New returns a Client. Without options it keeps tokens, limits and the ledger in memory, retries as
// RetryPolicy's defaults say, and logs nothing.
func New(opts ...Option) *Client {
	c := &Client{}
	for _, opt := range opts {
		opt(&c.config)
	}
	return c
}

// WithHTTPClient takes transport, jar and time-out from h, which is copied and never changed. Redirects are
// not followed whatever h says.
func WithHTTPClient(h *http.Client) Option { return func(c *config) { c.httpClient = h } }

// WithTransport wraps the transport: around each attempt, seeing the final URL, headers and bytes. The first
// is the outermost; CallFrom tells which call a request belongs to. An error that matches ErrInvalidRequest says that
// nothing was sent and never will be: the call is not repeated.
func WithTransport(wrap ...func(next http.RoundTripper) http.RoundTripper) Option {
	return func(c *config) { c.transports = append(c.transports, wrap...) }
}

// WithMiddleware wraps the client: around each call, whatever number of attempts it takes. The first is the
// outermost.
func WithMiddleware(m ...Middleware) Option {
	return func(c *config) { c.middleware = append(c.middleware, m...) }
}

// WithObserver adds an observer. It runs in the caller's goroutine and must be quick and safe for concurrent
// use.
func WithObserver(observe func(ctx context.Context, e Event)) Option {
	return func(c *config) { c.observers = append(c.observers, observe) }
}

// WithLogger logs what happens to logger: attempts and waits at Debug; retries, refusals for rate, barriers, failed
// refreshes and the end of a call that was repeated and failed at Warn. What a call that was not repeated failed of is
// in its error. The default discards. Bodies, query strings and secrets are never logged; a recipient stands as the
// beginning of its SHA-256.
func WithLogger(logger *slog.Logger) Option { return func(c *config) { c.logger = logger } }

// WithTokenStore shares tokens with other processes. The default is this process's memory.
func WithTokenStore(s TokenStore) Option { return func(c *config) { c.store = s } }

// WithLimiter replaces the limiter. The default is a ratelimit.Local of the client's own.
func WithLimiter(l ratelimit.Limiter) Option { return func(c *config) { c.limiter = l } }

// WithBarrier replaces what remembers refusals. Where b is a ratelimit.Pacer too, it admits the calls. The
// default is a ratelimit.Local of the client's own.
func WithBarrier(b ratelimit.Barrier) Option { return func(c *config) { c.barrier = b } }

// WithRetry replaces the retry policy; zero fields keep their defaults.
func WithRetry(p RetryPolicy) Option { return func(c *config) { c.retry = p } }

// WithRetryBudget has clients share one budget of repeats: RetryPolicy.Budget, a fifth of the calls of the last 10 to 20
// seconds, or ten. By default, and while b fails, each client has its own. rediswechat.Options sets one.
func WithRetryBudget(b RetryBudget) Option { return func(c *config) { c.budget = b } }

// WithLedger replaces the ledger of idempotency keys. The default is a memory ledger.
func WithLedger(l Ledger) Option { return func(c *config) { c.ledger = l } }

// WithClassify is asked before the product what a failure means; false leaves it to the product.
func WithClassify(classify func(spec Spec, status int, code Code, message string) (Verdict, bool)) Option {
	return func(c *config) { c.classify = classify }
}

// WithBaseURL sends all calls of a product, to whatever host, to urls (scheme, host and an optional path
// prefix). The later ones are used while the first cannot be reached, and only for calls that were surely not
// sent.
func WithBaseURL(product string, urls ...string) Option {
	return func(c *config) {
		if c.baseURLs == nil {
			c.baseURLs = map[string][]string{}
		}
		c.baseURLs[product] = urls
	}
}

// WithMaxBlob bounds replies that are files, in bytes. The default is 64 MiB; JSON replies are bounded at
// 10 MiB.
func WithMaxBlob(n int64) Option { return func(c *config) { c.maxBlob = n } }

// Do carries out call: middleware, then the ledger where the context has an idempotency key, a turn for each
// recipient, and attempts until one succeeds or the policy ends them. call.Response is filled on success.
func (c *Client) Do(ctx context.Context, call *Call) error {
	if err := ctx.Err(); err != nil {
		return &Error{Endpoint: call.Spec.Name, App: call.App.ID, Err: err}
	}
	c.once.Do(func() { c.state = newState(&c.config) })
	return c.state.chain.Do(ctx, call)
}

// state is what a Client has once it is in use.
type state struct {
	config    *config
	resty     *resty.Client
	retry     RetryPolicy
	limiter   ratelimit.Limiter
	barrier   ratelimit.Barrier
	pacer     ratelimit.Pacer // nil: the barrier is none
	tokens    *tokens
	ledger    Ledger
	budgets   budgets
	lines     lines
	hosts     hosts
	sources   sources
	told      told
	probing   sync.Mutex
	refusals  *cache.Cache // the endpoint that a gateway refused last, by app
	instance  float64      // this client's share of InstanceJitter
	observers []func(context.Context, Event)
	chain     Caller // middleware around state.do
}

func newState(c *config) *state {
	s := &state{config: c, retry: c.retry.withDefaults(), limiter: c.limiter, barrier: c.barrier, ledger: c.ledger,
		refusals: cache.New(time.Minute, 0), instance: float64(jitter(time.Second)) / float64(time.Second)}
	local := new(ratelimit.Local)
	if s.limiter == nil {
		s.limiter = local
	}
	if s.barrier == nil {
		s.barrier = local
	}
	s.pacer, _ = s.barrier.(ratelimit.Pacer)
	if s.ledger == nil {
		s.ledger = NewMemoryLedger()
	}
	s.observers = c.observers
	if c.logger != nil {
		s.observers = append(s.observers[:len(s.observers):len(s.observers)], slogObserver(c.logger))
	}
	s.tokens = newTokens(c.store, s.observe)
	s.resty = newResty(c)
	s.chain = CallerFunc(s.do)
	for _, wrap := range slices.Backward(c.middleware) {
		s.chain = wrap(s.chain)
	}
	return s
}

// newResty sets resty up to drive attempts and nothing else: what to repeat, when, and with which bytes is decided
// by the hooks. Its own log is silenced, as it prints URLs with tokens.
func newResty(c *config) *resty.Client {
	h := http.Client{}
	if c.httpClient != nil {
		h = *c.httpClient
	}
	// A redirect would send the URL with its token to another host.
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if h.Transport == nil {
		h.Transport = newTransport()
	}
	h.Transport = guarded(h.Transport)
	for _, wrap := range slices.Backward(c.transports) {
		h.Transport = wrap(h.Transport)
	}
	r := resty.NewWithClient(&h)
	r.SetLogger(silent{})
	r.SetRetryCount(math.MaxInt32).SetRetryWaitTime(1).SetRetryMaxWaitTime(math.MaxInt64)
	r.OnBeforeRequest(beforeRequest).SetPreRequestHook(preRequest)
	r.AddRetryCondition(shouldRetry).SetRetryAfter(retryAfter)
	return r
}

type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}

// newTransport is tuned for one host and many calls. Idle connections are dropped before the server drops them
// (it does after 8 s or so), and HTTP/2 is left out, as one dead connection would take all calls with it.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConns:        512,
		MaxIdleConnsPerHost: 256,
		MaxConnsPerHost:     256,
		IdleConnTimeout:     7 * time.Second,
		Protocols:           protocols,
	}
}

// guarded sends GETs that use up a one-time code over connections of their own where it can, as a reused one may turn
// out to be closed. It ends replies that switch protocols, which neither context nor time-out would end, and bounds the
// others.
func guarded(next http.RoundTripper) http.RoundTripper {
	fresh := next
	if t, ok := next.(*http.Transport); ok {
		t = t.Clone()
		t.DisableKeepAlives = true
		fresh = t
	}
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		f, transport := flightFrom(r.Context()), next
		if f != nil && f.plan.fresh {
			transport = fresh
		}
		resp, err := transport.RoundTrip(r)
		switch {
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			_ = resp.Body.Close()
			resp.Body = http.NoBody
		case f != nil:
			resp.Body = &boundedBody{resp.Body, f.s.bodyLimit(f.plan)}
		}
		return resp, nil
	})
}

var errTooLarge = errors.New("the reply is too large")

// boundedBody fails once more than left bytes have come.
type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return n, errTooLarge
	}
	return n, err
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// do is the end of the chain of middleware.
func (s *state) do(ctx context.Context, call *Call) error {
	if err := s.ready(call); err != nil {
		return &Error{Kind: ErrInvalidRequest, Endpoint: call.Spec.Name, App: call.App.ID, Err: err}
	}
	if call.Spec.keep != nil {
		request, err := call.Spec.plan.encode(call.Request, &call.App)
		if err != nil {
			return &Error{Kind: ErrInvalidRequest, Endpoint: call.Spec.Name, App: call.App.ID, Err: err}
		}
		return s.kept(ctx, call, request.query)
	}
	if key := idempotencyKeyFrom(ctx); key != "" && call.Spec.Effect.once() {
		return s.onlyOnce(ctx, call, key)
	}
	return s.perform(ctx, call)
}

// ready completes a call that was made by hand, and refuses what can never work.
func (s *state) ready(call *Call) error {
	if call.Product == nil {
		return errors.New("the call names no product")
	}
	if call.App.ID == "" && !call.Spec.NoToken {
		return errors.New("App.ID is empty")
	}
	call.App = s.keyed(call.App, call.Product)
	if call.Spec.plan == nil {
		call.Spec.plan = compile(&call.Spec, elem(call.Request), elem(call.Response))
	}
	return call.Spec.plan.check(call)
}

// elem is what x points to; nil for nil.
func elem(x any) reflect.Type {
	if x == nil {
		return nil
	}
	return reflect.TypeOf(x).Elem()
}

func (s *state) observe(ctx context.Context, e Event) {
	for _, observe := range s.observers {
		observe(ctx, e)
	}
}

// classify asks the user, the product and the table of the platform's own products, in this order.
func (s *state) classify(call *Call, status int, code Code, message string) Verdict {
	if s.config.classify != nil {
		if v, ok := s.config.classify(call.Spec, status, code, message); ok {
			return v
		}
	}
	if call.Product.Classify != nil {
		return call.Product.Classify(call.Spec, status, code, message)
	}
	return classify(call.Spec, status, code, message)
}

func (s *state) bodyLimit(p *plan) int {
	if !p.hasBlob {
		return maxJSON
	}
	if s.config.maxBlob > 0 {
		return int(s.config.maxBlob)
	}
	return maxBlob
}

func (s *state) instanceJitter(p RetryPolicy) time.Duration {
	return time.Duration(s.instance * float64(p.InstanceJitter))
}

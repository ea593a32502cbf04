package rediswechat

import (
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
)

// Option changes a default.
type Option func(*config)

type config struct {
	prefix     string
	budget     time.Duration
	logger     *slog.Logger
	instances  int
	cacheFor   time.Duration
	tokenKey   func(TokenKey) (string, Format)
	encrypt    bool
	encryptKey []byte
	ledgerKeep time.Duration
	lease      time.Duration
	ledgerOpen bool
}

func newConfig(opts []Option) *config {
	c := &config{prefix: "wechat:v1:", budget: 50 * time.Millisecond, instances: 1, cacheFor: 100 * time.Millisecond,
		ledgerKeep: 7 * 24 * time.Hour, lease: 30 * time.Minute}
	for _, opt := range opts {
		opt(c)
	}
	if c.logger == nil {
		c.logger = slog.Default()
	}
	return c
}

// WithPrefix replaces the "wechat:v1:" that all keys begin with. It must have no braces, as what stands in them decides
// which node of a cluster a key is on.
func WithPrefix(prefix string) Option { return func(c *config) { c.prefix = prefix } }

// WithBudget bounds the time that a call waits for Redis each time it asks. The default is 50 ms; the ledger, without
// whose answer a call is refused, has twenty times as much.
//
// Make clients with ContextTimeoutEnabled. A *redis.Client keeps to the budget without it too, through a copy of itself with
// shorter time-outs, but hooks, such as those for traces, do not see what that copy sends. A cluster or a ring without it does
// not keep to the budget: its own ReadTimeout holds, and a line in the log says so.
func WithBudget(d time.Duration) Option { return func(c *config) { c.budget = d } }

// WithLogger says where the lines about Redis failing and coming back go. The default is slog.Default, as an outage that
// nobody hears of is worse than a line too many; there is one of each at most in a minute.
func WithLogger(l *slog.Logger) Option { return func(c *config) { c.logger = l } }

// WithInstances tells how many processes share the apps. While Redis does not answer, each of them keeps to the limits of
// app and endpoint, and to the pace that was learned, divided by this number. The default is 1: each process takes the whole.
func WithInstances(n int) Option { return func(c *config) { c.instances = max(n, 1) } }

// WithBarrierCache says for how long a process goes by what it knows of the others' barriers. The default is 100 ms: so
// much later than Raise or Lower in another process they are seen here, and so seldom Redis is asked, once for all keys of
// an app.
func WithBarrierCache(d time.Duration) Option { return func(c *config) { c.cacheFor = d } }

// WithTokenKey shares tokens that another SDK keeps in the same Redis. key is asked for each token where that is and how
// it is written; "" leaves a token under the key of this package. The examples have the layouts of two SDKs.
//
// The lock stays this package's own, so that now and then both SDKs may fetch at once. The app must ask for the same kind of
// token as the other SDK does: see wechat.App.Classic.
func WithTokenKey(key func(k TokenKey) (redisKey string, format Format)) Option {
	return func(c *config) { c.tokenKey = key }
}

// WithTokenEncryption encrypts tokens at rest with AES-256-GCM under keys that are derived from key, which should be 32
// random bytes and the same in all processes. What cannot be decrypted counts as no token and is replaced by the next one.
// Tokens that are shared with another SDK stay as that SDK wants them.
func WithTokenEncryption(key []byte) Option {
	return func(c *config) { c.encrypt, c.encryptKey = true, key }
}

// WithLedgerTTL says how long the ledger remembers a key after its last change. The default is 7 days.
func WithLedgerTTL(d time.Duration) Option { return func(c *config) { c.ledgerKeep = d } }

// WithLedgerLease says after what time a call that was begun and not ended counts as Unknown: its process has died, and
// nobody knows whether it was carried out. The default is 30 minutes. It must be longer than calls with an idempotency key
// last with all their waits; a call that ends later still says how it ended.
func WithLedgerLease(d time.Duration) Option { return func(c *config) { c.lease = d } }

// WithLedgerOpen lets calls with an idempotency key go on while Redis does not answer. This process then remembers them
// alone: a repeat in another process is sent again. By default such calls are refused.
func WithLedgerOpen() Option { return func(c *config) { c.ledgerOpen = true } }

// Options makes a client share tokens, limits, barriers, pace, the budget of repeats and the ledger with all others that use the same Redis:
//
//	client := wechat.New(rediswechat.Options(rdb)...)
//
// rdb is not closed. What follows in the list of options for wechat.New wins over these.
func Options(rdb redis.UniversalClient, opts ...Option) []wechat.Option {
	c := newConfig(opts)
	n := newConn(rdb, c)
	return []wechat.Option{
		wechat.WithTokenStore(newTokenStore(n, c)),
		wechat.WithLimiter(newLimiter(n, c)),
		wechat.WithBarrier(newBarrier(n, c)),
		wechat.WithRetryBudget(&RetryBudget{n}),
		wechat.WithLedger(newLedger(n, c)),
	}
}

// NewTokenStore is the store of tokens alone.
func NewTokenStore(rdb redis.UniversalClient, opts ...Option) *TokenStore {
	c := newConfig(opts)
	return newTokenStore(newConn(rdb, c), c)
}

// NewLimiter is the limiter alone.
func NewLimiter(rdb redis.UniversalClient, opts ...Option) *Limiter {
	c := newConfig(opts)
	return newLimiter(newConn(rdb, c), c)
}

// NewBarrier is the barrier, with the pace, alone.
func NewBarrier(rdb redis.UniversalClient, opts ...Option) *Barrier {
	c := newConfig(opts)
	return newBarrier(newConn(rdb, c), c)
}

// NewRetryBudget is the budget of repeats alone.
func NewRetryBudget(rdb redis.UniversalClient, opts ...Option) *RetryBudget {
	return &RetryBudget{newConn(rdb, newConfig(opts))}
}

// NewLedger is the ledger alone.
func NewLedger(rdb redis.UniversalClient, opts ...Option) *Ledger {
	c := newConfig(opts)
	return newLedger(newConn(rdb, c), c)
}

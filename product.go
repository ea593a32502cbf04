package wechat

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

const redacted = "REDACTED"

// Secret is a text that is never printed: every verb of fmt, slog and JSON show REDACTED.
type Secret string

// Reveal gives the text itself.
func (s Secret) Reveal() string { return string(s) }

// Format prints REDACTED whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// String is REDACTED.
func (s Secret) String() string { return redacted }

// GoString is REDACTED.
func (s Secret) GoString() string { return redacted }

// LogValue is REDACTED.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON is "REDACTED".
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// App is one account's credential and limits: an official account, a mini program, or one app of a company on
// WeCom. It is plain data; a copy with other Limits takes effect with the next client made from it.
type App struct {
	ID          string           // AppID, or CorpID
	Secret      Secret           // AppSecret, or the app's secret on WeCom
	AgentID     int64            // WeCom only
	Limits      ratelimit.Limits // how many calls the app may make
	TokenSource TokenSource      // nil: tokens are fetched with Secret
	Classic     bool             // official account, mini program: /cgi-bin/token instead of /cgi-bin/stable_token

	key      string // {product:id}: prefix of limiter, barrier and ledger keys
	tokenKey string // what the token is kept under; has a digest of the secret, never the secret
	source   any    // what tells TokenSource from all others; its address is in tokenKey
}

// Product is an API with a base URL, a way to get tokens and a way to fail.
type Product struct {
	Name    string // metric label, cache key prefix
	BaseURL string
	// Token fetches a token through c. force asks for a new one although the server still hands out the old.
	Token    func(ctx context.Context, c Caller, app App, force bool) (Token, error)
	Forcible bool // Token can force, unless App.Classic is set
	// Quota asks for the quota of a path through c; nil: the product cannot. See WithQuotaLookup.
	Quota     func(ctx context.Context, c Caller, path string) (Quota, error)
	Authorize func(r *http.Request, t Token)                              // nil: access_token in the query
	Failure   func(status int, h http.Header, body []byte) (Code, string) // nil: errcode and errmsg
	Classify  func(spec Spec, status int, code Code, message string) Verdict
}

// Verdict is what a failure means.
type Verdict struct {
	Kind   Kind
	Scope  ratelimit.Scope // whom a limit holds for; "": waiting does not mend it
	Window time.Duration   // how long the limit's window lasts; 0: not told
}

// Call is one call on its way through middleware and client.
type Call struct {
	Spec       Spec
	Product    *Product
	App        App
	Request    any // a pointer, or nil; a shallow copy where the SDK fills a field in
	Response   any // a pointer
	Recipients []string
}

// Caller carries out calls. A Client is one, and so is each product's client, a mock, and what a Middleware
// returns.
type Caller interface {
	Do(ctx context.Context, call *Call) error
}

// CallerFunc is a func as a Caller.
type CallerFunc func(ctx context.Context, call *Call) error

// Do calls f.
func (f CallerFunc) Do(ctx context.Context, call *Call) error { return f(ctx, call) }

// Middleware wraps a Caller. It sees each call once, whatever number of attempts it takes.
type Middleware func(next Caller) Caller

// Bind returns a Caller that stamps product and app on each call and hands it to c. The products' New functions
// are made of it. It is a closure, so that no verb of fmt finds the secret in an unexported field.
func Bind(c Caller, product *Product, app App) Caller {
	app = app.keyed(product)
	return CallerFunc(func(ctx context.Context, call *Call) error {
		call.Product, call.App, call.Spec.Product = product, app, product.Name
		return c.Do(ctx, call)
	})
}

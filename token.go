package wechat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Token is an access token, or a ticket, and when it ends. The zero Expiry never ends.
type Token struct {
	Value  Secret
	Expiry time.Time
}

// NewToken is a token that the server gave for so many seconds when it was asked at the given time. Counting
// from before the question errs on the safe side.
func NewToken(value string, expiresIn int64, asked time.Time) Token {
	const longest = 10 * 365 * 24 * 60 * 60
	return Token{Value: Secret(value), Expiry: asked.Add(time.Duration(min(expiresIn, longest)) * time.Second)}
}

type tokenJSON struct {
	Value  string    `json:"value"`
	Expiry time.Time `json:"expiry,omitzero"`
}

// MarshalJSON shows the value, unlike Secret's: it is the form in which a TokenStore keeps a token.
func (t Token) MarshalJSON() ([]byte, error) {
	return json.Marshal(tokenJSON{t.Value.Reveal(), t.Expiry})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Token) UnmarshalJSON(b []byte) error {
	var j tokenJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return errors.New("wechat: not a stored token") // the text of err could show the value
	}
	*t = Token{Value: Secret(j.Value), Expiry: j.Expiry}
	return nil
}

// TokenSource gives tokens from somewhere else than the app's secret, for example a token centre. What it
// returns is kept in memory until it nears its Expiry, and it is asked by one caller at a time.
type TokenSource interface {
	// Token returns a token. refused is what the server turned down, and must not be returned again; zero:
	// none was.
	Token(ctx context.Context, refused Token) (Token, error)
}

// TokenStore shares tokens between processes. It must be safe for concurrent use. A store that fails is
// reported and worked around: it never fails a call that has, or can fetch, a token.
type TokenStore interface {
	// Load returns what is stored under key, expired or not, or ErrNoToken.
	Load(ctx context.Context, key string) (Token, error)
	// Replace stores fresh only where old still stands (the zero Token: where nothing stands), in one step,
	// and returns what stands afterwards. It may drop the token after its Expiry.
	Replace(ctx context.Context, key string, old, fresh Token) (Token, error)
	// Lock takes the lock of key for at most ttl, or returns ErrLocked at once when another holds it. unlock
	// must not release a lock that another has taken since.
	Lock(ctx context.Context, key string, ttl time.Duration) (unlock func(), err error)
}

// sourceFunc hides what it knows in a closure, so that no verb of fmt can show it.
type sourceFunc struct {
	get func(ctx context.Context, refused Token) (Token, error)
}

func (s *sourceFunc) Token(ctx context.Context, refused Token) (Token, error) {
	return s.get(ctx, refused)
}

// TokenFunc is a func as a TokenSource.
func TokenFunc(get func(ctx context.Context, refused Token) (Token, error)) TokenSource {
	return &sourceFunc{get}
}

// StaticToken always gives value. When the server refuses it, calls fail with ErrTokenInvalid.
func StaticToken(value Secret) TokenSource {
	return TokenFunc(func(_ context.Context, refused Token) (Token, error) {
		if refused.Value == value {
			return Token{}, &Error{Kind: ErrTokenInvalid, Message: "the static token was refused"}
		}
		return Token{Value: value}, nil
	})
}

type noToken struct{}

func (noToken) Token(context.Context, Token) (Token, error) { return Token{}, nil }

// NoToken makes calls go out without a token, as inside WeChat's cloud hosting.
func NoToken() TokenSource { return noToken{} }

// keyed works out the keys under which an app's state is kept. A custom source keeps its tokens in this
// process only, apart from every other source.
func (a App) keyed(p *Product) App {
	if a.key != "" {
		return a
	}
	a.key = "{" + p.Name + ":" + a.ID
	if a.AgentID != 0 {
		a.key += ":" + strconv.FormatInt(a.AgentID, 10)
	}
	a.key += "}"
	switch {
	case a.TokenSource != nil:
		switch v := reflect.ValueOf(a.TokenSource); {
		case v.Kind() == reflect.Pointer:
			a.source = a.TokenSource
		case v.Comparable(): // the client knows equal ones, see sourceKey
			return a
		default:
			a.source = new(byte) // each typed client has a source of its own
		}
		a.tokenKey = sourceKey(a.key, a.source)
	default:
		sum := sha256.Sum256([]byte(a.Secret))
		kind := "token"
		if a.Classic {
			kind = "classic"
		}
		a.tokenKey = a.key + ":" + hex.EncodeToString(sum[:8]) + ":" + kind
	}
	return a
}

// sourceKey is what the tokens of a source are kept under; the source is told by its address.
func sourceKey(app string, source any) string {
	return fmt.Sprintf("%s:source:%x", app, reflect.ValueOf(source).Pointer())
}

// sources gives equal token sources that are plain values one address.
type sources struct {
	mu    sync.Mutex
	known map[TokenSource]*byte
}

func (s *sources) address(source TokenSource) *byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.known[source]
	if p == nil {
		if s.known == nil {
			s.known = map[TokenSource]*byte{}
		}
		p = new(byte)
		s.known[source] = p
	}
	return p
}

// keyed is App.keyed, with what only the client knows of sources that are plain values.
func (s *state) keyed(app App, p *Product) App {
	if app = app.keyed(p); app.tokenKey == "" {
		app.source = s.sources.address(app.TokenSource)
		app.tokenKey = sourceKey(app.key, app.source)
	}
	return app
}

// tokenFetch marks the context of calls that fetch a token: they are repeated like reads, as a second token
// does no harm that the first did not.
type tokenFetch struct{}

// wanted describes the token that a call needs.
func (s *state) wanted(call *Call) want {
	app, product := call.App, call.Product
	w := want{key: app.tokenKey, app: ofApp(call)}
	if app.TokenSource != nil {
		w.source = app.source
		w.fetch = func(ctx context.Context, refused Token, _ bool) (Token, error) {
			return app.TokenSource.Token(ctx, refused)
		}
		return w
	}
	w.shared = true
	w.forcible = product.Forcible && !app.Classic
	w.fetch = func(ctx context.Context, _ Token, force bool) (Token, error) {
		if product.Token == nil {
			return Token{}, errors.New("wechat: the product has no way to fetch a token; set App.TokenSource")
		}
		ctx = context.WithValue(ctx, tokenFetch{}, true)
		ctx = ContextWithPriority(ctx, ratelimit.Urgent) // everybody waits for it
		return product.Token(ctx, Bind(s.chain, product, app), app, force)
	}
	return w
}

// ofApp is what events about an app's token say of the call that wanted it: not its request, which is the caller's.
func ofApp(call *Call) *Call {
	return &Call{Spec: call.Spec, Product: call.Product, App: call.App}
}

// token returns a token for the call; the zero Token where it needs none.
func (s *state) token(ctx context.Context, call *Call, refused Token) (Token, error) {
	if call.Spec.NoToken || call.App.TokenSource == (noToken{}) {
		return Token{}, nil
	}
	if t, ok := s.tokens.fresh(call.App.tokenKey); ok && t.Value != refused.Value {
		return t, nil
	}
	return s.tokens.get(ctx, s.wanted(call), refused)
}

// kept answers a call whose reply is a ticket: from memory or the store, or through fetch.
func (s *state) kept(ctx context.Context, call *Call, query string) error {
	key := call.App.tokenKey + ":" + call.Spec.Name + "?" + query
	t, ok := s.tokens.fresh(key)
	if !ok {
		var err error
		t, err = s.tokens.get(ctx, want{key: key, app: ofApp(call), shared: call.App.TokenSource == nil, source: call.App.source,
			fetch: func(ctx context.Context, _ Token, _ bool) (Token, error) {
				_, res := call.Spec.New()
				inner := *call
				inner.Response = res
				asked := time.Now()
				if err := s.perform(ctx, &inner); err != nil {
					return Token{}, err
				}
				t := call.Spec.keep(res)
				t.Expiry = t.Expiry.Add(time.Until(asked)) // keep counted from the reply
				return t, nil
			}}, Token{})
		if err != nil {
			return tokenError(call, err)
		}
	}
	call.Spec.restore(call.Response, t)
	return nil
}

// Token returns the access token of an app, as its calls use it: from memory, the store, the app's TokenSource or the
// server. refused is a token that the server turned down, or zero; another is returned then, or an error that says why there
// is none. product is what the product's package returns by Product.
//
// It is for what is no call of this package's, such as a token centre; calls get their tokens by themselves.
func (c *Client) Token(ctx context.Context, product *Product, app App, refused Token) (Token, error) {
	if err := ctx.Err(); err != nil {
		return Token{}, err
	}
	if product == nil || app.ID == "" {
		return Token{}, &Error{Kind: ErrInvalidRequest, Endpoint: "Token", App: app.ID, Err: errors.New("the product or App.ID is missing")}
	}
	c.once.Do(func() { c.state = newState(&c.config) })
	call := &Call{Spec: Spec{Product: product.Name, Name: "Token"}, Product: product, App: c.state.keyed(app, product)}
	return c.state.token(ctx, call, refused)
}

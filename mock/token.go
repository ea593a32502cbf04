package mock

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/seed175cf469/wechat"
)

const (
	classicPath = "/cgi-bin/token"
	stablePath  = "/cgi-bin/stable_token"
	workPath    = "/cgi-bin/gettoken"

	tokenOverlap = 5 * time.Minute  // for which a superseded token still works, and a stable one is renewed early
	forcePause   = 30 * time.Second // between forced renewals
	forcePerDay  = 20
)

type tokenReply struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"`
}

type stableRequest struct {
	ForceRefresh bool `json:"force_refresh,omitempty"`
}

// tokenSpecs are the endpoints that issue tokens, for servers whose specs have none.
func tokenSpecs() []wechat.Spec {
	reply := func() (any, any) { return new(wechat.None), new(tokenReply) }
	secret := map[string]string{"grant_type": "client_credential", "appid": wechat.ConstAppID, "secret": wechat.ConstSecret}
	return []wechat.Spec{
		{Name: "GetAccessToken", Pattern: "GET " + classicPath, Effect: wechat.EffectCreate, NoToken: true, Const: secret, New: reply},
		{Name: "GetStableAccessToken", Pattern: "POST " + stablePath, Effect: wechat.EffectRead, NoToken: true, Const: secret,
			New: func() (any, any) { return new(stableRequest), new(tokenReply) }},
		{Name: "GetAccessToken", Product: work, Pattern: "GET " + workPath, Effect: wechat.EffectRead, NoToken: true,
			Const: map[string]string{"corpid": wechat.ConstAppID, "corpsecret": wechat.ConstSecret}, New: reply},
	}
}

// issues reports whether e issues tokens.
func (e *endpoint) issues() bool {
	switch e.spec.Path() {
	case classicPath, stablePath, workPath:
		return true
	}
	return false
}

// grant is a token that was issued.
type grant struct {
	value      string
	app        string
	work       bool
	expires    time.Time // zero: never
	superseded bool      // a newer one has taken its place
	dead       bool      // revoked
}

func (g *grant) lives(now time.Time) bool {
	return g != nil && !g.dead && (g.expires.IsZero() || now.Before(g.expires))
}

// issuerKey tells the tokens of an app apart: each way to get one has its own.
type issuerKey struct{ path, app, secret string }

// issuer is the state of one way to get tokens.
type issuer struct {
	current *grant
	spoiled bool // current is refused and handed out all the same
	issued  int
	forced  time.Time // last
	day     time.Time // in which forces were counted: its end
	forces  int
}

// TokenLife sets how long tokens that are issued from now on live. The default is two hours.
func (s *Server) TokenLife(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.life = d
}

// TokensIssued is how many different tokens an app was given. How often it asked is told by Calls.
func (s *Server) TokensIssued(app string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for key, i := range s.issuers {
		if key.app == app {
			n += i.issued
		}
	}
	return n
}

// RevokeTokens ends all tokens of an app at once, as a new secret does. Whoever asks is given a new one.
func (s *Server) RevokeTokens(app string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.grants {
		if g.app == app {
			g.dead = true
		}
	}
}

// SpoilTokens ends all tokens of an app, but goes on giving them out: as a stable token until one is forced,
// and on WeCom until they expire.
func (s *Server) SpoilTokens(app string) {
	s.RevokeTokens(app)
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, i := range s.issuers {
		if key.app == app && key.path != classicPath {
			i.spoiled = true
		}
	}
}

// IssueToken gives an app a token of the classic kind, as to somebody else with its secret: the one before it
// works five more minutes.
func (s *Server) IssueToken(app string) wechat.Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.supersede(issuerKey{path: classicPath, app: app})
	return wechat.Token{Value: wechat.Secret(g.value), Expiry: g.expires}
}

// AcceptToken makes value a token of an app that never expires, for clients with a token of their own.
func (s *Server) AcceptToken(app, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grants[value] = &grant{value: value, app: app, work: s.isWork(app)}
}

// isWork tells WeCom's companies from the accounts of the other products, as far as App has told.
func (s *Server) isWork(app string) bool {
	for _, a := range s.apps[app] {
		if a.product != "" {
			return a.product == work
		}
	}
	return strings.HasPrefix(app, "ww")
}

// authorized refuses a call without a living token.
func (s *Server) authorized(x *exchange) *Reply {
	if x.endpoint.spec.NoToken {
		return nil
	}
	if x.Token == "" {
		return &Reply{Code: 41001}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.grants[x.Token]
	isWork := x.Product == work
	switch {
	case g == nil && !isWork && strings.HasPrefix(x.Token, tokenPrefix):
		return &Reply{Code: 40001}
	case g == nil || !fits(g, x.Product):
		return &Reply{Code: 40014}
	case g.dead && isWork:
		return &Reply{Code: 40014}
	case g.dead, g.superseded && !g.lives(time.Now()):
		return &Reply{Code: 40001}
	case !g.lives(time.Now()):
		return &Reply{Code: 42001}
	}
	return nil
}

// fits reports whether a product takes a token. A product that is none of the platform's own takes any.
func fits(g *grant, product string) bool {
	switch product {
	case work:
		return g.work
	case "officialaccount", "miniprogram":
		return !g.work
	}
	return true
}

// mayUse is fits for a token that may be none.
func (s *Server) mayUse(token, product string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.grants[token]
	return g == nil || fits(g, product)
}

// issue answers a call for a token.
func (s *Server) issue(x *exchange) Reply {
	path, place := x.endpoint.spec.Path(), "query"
	if path == stablePath {
		place = "body"
	}
	idName, secretName := "appid", "secret"
	if path == workPath {
		idName, secretName = "corpid", "corpsecret"
	}
	id, _ := x.field(place, idName)
	secret, _ := x.field(place, secretName)
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused := s.credential(path, id, secret); refused != nil {
		return *refused
	}
	key := issuerKey{path: path, app: id}
	var g *grant
	switch path {
	case classicPath:
		g = s.supersede(key)
	case workPath:
		key.secret = secret // each app of a company has its own token
		g = s.same(key, 0)
	default:
		force, _ := x.field(place, "force_refresh")
		if force == "true" {
			var refused *Reply
			if g, refused = s.force(key); refused != nil {
				return *refused
			}
		}
		if g == nil {
			g = s.same(key, min(tokenOverlap, s.life/2))
		}
	}
	fields := tokenReply{AccessToken: g.value, ExpiresIn: int64(time.Until(g.expires).Round(time.Second) / time.Second)}
	if path == workPath {
		return Reply{JSON: fields}
	}
	return Reply{Body: fmt.Appendf(nil, `{"access_token":%q,"expires_in":%d}`, fields.AccessToken, fields.ExpiresIn)} // without errcode
}

// credential refuses an id or secret that is not known.
func (s *Server) credential(path, id, secret string) *Reply {
	switch {
	case id == "":
		return &Reply{Code: 41002}
	case secret == "":
		return &Reply{Code: 41004}
	case len(s.apps) == 0:
		return nil
	case len(s.apps[id]) == 0:
		return &Reply{Code: 40013}
	}
	for _, a := range s.apps[id] {
		if a.Secret.Reveal() == secret {
			return nil
		}
	}
	if path == workPath {
		return &Reply{Code: 40001}
	}
	return &Reply{Code: 40125}
}

// tokenPrefix begins the tokens of the server.
const tokenPrefix = "mock_"

func (s *Server) issuer(key issuerKey) *issuer {
	i := s.issuers[key]
	if i == nil {
		i = new(issuer)
		s.issuers[key] = i
	}
	return i
}

// renew makes a new token the current one.
func (s *Server) renew(key issuerKey) *grant {
	i := s.issuer(key)
	s.n++
	i.issued++
	i.spoiled = false
	i.current = &grant{
		value:   fmt.Sprintf("%s%d_%s", tokenPrefix, s.n, strings.Repeat("0123456789abcdefghijkLMNOPQR-STU", 5)), // long, as the real ones
		app:     key.app,
		work:    key.path == workPath,
		expires: time.Now().Add(s.life),
	}
	s.grants[i.current.value] = i.current
	return i.current
}

// supersede is the classic way: each call makes a new token, and the one before it works a little longer.
func (s *Server) supersede(key issuerKey) *grant {
	if old := s.issuer(key).current; old != nil {
		old.superseded = true
		if end := time.Now().Add(tokenOverlap); end.Before(old.expires) {
			old.expires = end
		}
	}
	return s.renew(key)
}

// same gives the same token again, until it has no more than early to live.
func (s *Server) same(key issuerKey, early time.Duration) *grant {
	i, now := s.issuer(key), time.Now()
	g := i.current
	alive := g != nil && now.Add(early).Before(g.expires) && (!g.dead || i.spoiled)
	if !alive {
		return s.renew(key)
	}
	return g
}

// force ends a stable token and gives another, unless one was forced a moment ago: then it gives none.
func (s *Server) force(key issuerKey) (*grant, *Reply) {
	i, now := s.issuer(key), time.Now()
	if !i.forced.IsZero() && now.Sub(i.forced) < forcePause {
		return nil, nil
	}
	if !now.Before(i.day) {
		i.day, i.forces = nextDay(now), 0
	}
	if i.forces >= forcePerDay {
		return nil, &Reply{Code: 45009}
	}
	i.forces++
	i.forced = now
	if i.current != nil {
		i.current.dead = true
	}
	return s.renew(key), nil
}

// adopt takes a token that a script or a handler has given out for one of the server's own.
func (s *Server) adopt(x *exchange, reply Reply) {
	_, _, body, err := reply.encode(x.Product, x.Path, 0)
	var token tokenReply
	if err != nil || !reply.succeeds() || json.Unmarshal(body, &token) != nil || token.AccessToken == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.grants[token.AccessToken] != nil {
		return
	}
	key := issuerKey{path: x.Path, app: x.App}
	if x.Path == workPath {
		key.secret, _ = x.field("query", "corpsecret")
	}
	s.issuer(key).issued++
	s.grants[token.AccessToken] = &grant{value: token.AccessToken, app: x.App, work: x.Path == workPath,
		expires: time.Now().Add(time.Duration(token.ExpiresIn) * time.Second)}
}

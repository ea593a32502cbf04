package wechat

import (
	"context"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Effect tells what a repeat of a call does, and so whether it may be repeated when its outcome is unknown.
// The zero Effect is the most careful one.
type Effect uint8

// The effects.
const (
	EffectSend   Effect = iota // a person sees it, and sees a repeat twice
	EffectCreate               // a repeat makes a second thing, or a one-time code is used up
	EffectUpload               // a repeat stores a second copy
	EffectSet                  // a repeat leaves the same state
	EffectRead                 // nothing changes
)

var effectNames = [...]string{EffectSend: "send", EffectCreate: "create", EffectUpload: "upload", EffectSet: "set", EffectRead: "read"}

func (e Effect) String() string {
	if int(e) < len(effectNames) {
		return effectNames[e]
	}
	return "unknown"
}

// once reports whether the call must not be carried out twice.
func (e Effect) once() bool { return e < EffectSet }

// What the App knows is never asked of the caller: these values of Endpoint.Const stand for it.
const (
	ConstAppID   = "{app id}"   // App.ID: appid, corpid
	ConstSecret  = "{secret}"   // App.Secret: secret, appsecret, corpsecret
	ConstAgentID = "{agent id}" // App.AgentID, a number
)

// Spec describes an endpoint without its types: the client, the mock, the limits and the catalogue all read
// from it.
type Spec struct {
	Product   string // stamped by the product's Endpoints and on each call
	Name      string // method name; metric label, key of ratelimit.Limits
	Pattern   string // "POST /cgi-bin/...", another host as "GET mp.weixin.qq.com/..."
	Effect    Effect
	Limits    []ratelimit.Limit // only those that hold for every account; daily quotas differ by account
	Recipient []ratelimit.Limit // for each openid or userid it reaches
	NoToken   bool
	Const     map[string]string // see Endpoint
	DedupeFor time.Duration     // how long the server remembers a dedupe key
	New       func() (req, res any)
	To        func(req any) []string
	Dedupe    func(req any) *string
	Dedupes   func(req any) time.Duration

	check   func(req any) error
	partial func(res any) []string
	refused func(res any) (Code, string)
	reopens func(req any) string
	keep    func(res any) Token
	restore func(res any, t Token)
	plan    *plan
}

// Method is the HTTP method.
func (s *Spec) Method() string {
	method, _, _ := strings.Cut(s.Pattern, " ")
	return method
}

// Host is the host that the pattern names; "" is the product's own.
func (s *Spec) Host() string {
	_, target, _ := strings.Cut(s.Pattern, " ")
	host, _, _ := strings.Cut(target, "/")
	return host
}

// Path is the path, with a leading slash.
func (s *Spec) Path() string {
	_, target, _ := strings.Cut(s.Pattern, " ")
	if i := strings.IndexByte(target, '/'); i >= 0 {
		return target[i:]
	}
	return "/"
}

// Endpoint is one call of the API with its types. It is written as a plain literal and called by a method of
// a few lines, so that a program links only those that it uses.
//
// Struct tags say where a field of Req travels: `json:"x"` in the JSON body, `query:"x"` in the query string
// whatever the method, `form:"x"` in a form; a File makes the form a multipart one. Embedded structs are
// flattened. A field that the API requires has no omitempty, every other one has.
//
// Res is a struct for a JSON reply, None where only success matters, and Blob, or a struct with one Blob
// beside JSON fields, where the reply is a file.
type Endpoint[Req, Res any] struct {
	Name, Pattern     string
	Effect            Effect
	Limits, Recipient []ratelimit.Limit
	NoToken           bool
	// Const has the fields with one value (grant_type, action) and those that the App knows (ConstAppID ...):
	// they are filled in, and tell endpoints on one path apart. They travel in the query of a GET and in the
	// body of a POST; a name that begins with "?" travels in the query whatever the method. A value that is a
	// whole number is sent as a JSON number.
	Const     map[string]string
	To        func(*Req) []string // whom a request reaches; nil: no one
	Dedupe    func(*Req) *string  // the field that makes the server drop a repeat
	DedupeFor time.Duration
	Dedupes   func(*Req) time.Duration  // in place of Dedupe: how long the server drops a repeat of the same bytes; 0: it does not
	Check     func(*Req) error          // what can never work (a text over the documented bytes): refused before anything is sent
	Partial   func(*Res) []string       // whom a call that succeeded did not reach
	Refused   func(*Res) (Code, string) // for the few replies that say in another field than errcode that the call was refused
	Reopens   func(*Req) string         // the path whose daily quota a success opens again; "": all of the app's
	Keep      func(*Res) Token          // for tickets: kept like a token, key by request
	Restore   func(*Res, Token)         // fills a reply from what was kept; goes with Keep

	spec atomic.Pointer[Spec] // made at the first use
}

// Spec describes e without its types.
func (e *Endpoint[Req, Res]) Spec() Spec { return *e.compiled() }

func (e *Endpoint[Req, Res]) compiled() *Spec {
	if s := e.spec.Load(); s != nil {
		return s
	}
	s := &Spec{
		Name: e.Name, Pattern: e.Pattern, Effect: e.Effect, Limits: e.Limits, Recipient: e.Recipient,
		NoToken: e.NoToken, Const: e.Const, DedupeFor: e.DedupeFor,
		New: func() (any, any) { return new(Req), new(Res) },
	}
	// A nil func of the literal stays nil, so that the client can see what an endpoint has.
	if e.To != nil {
		s.To = func(req any) []string { return e.To(req.(*Req)) }
	}
	if e.Dedupe != nil {
		s.Dedupe = func(req any) *string { return e.Dedupe(req.(*Req)) }
	}
	if e.Dedupes != nil {
		s.Dedupes = func(req any) time.Duration { return e.Dedupes(req.(*Req)) }
	}
	if e.Check != nil {
		s.check = func(req any) error { return e.Check(req.(*Req)) }
	}
	if e.Partial != nil {
		s.partial = func(res any) []string { return e.Partial(res.(*Res)) }
	}
	if e.Refused != nil {
		s.refused = func(res any) (Code, string) { return e.Refused(res.(*Res)) }
	}
	if e.Reopens != nil {
		s.reopens = func(req any) string {
			r, _ := req.(*Req) // nil where the endpoint asks nothing
			return e.Reopens(r)
		}
	}
	if e.Keep != nil {
		s.keep = func(res any) Token { return e.Keep(res.(*Res)) }
		s.restore = func(res any, t Token) { e.Restore(res.(*Res), t) }
	}
	s.plan = compile(s, reflect.TypeFor[Req](), reflect.TypeFor[Res]())
	e.spec.CompareAndSwap(nil, s)
	return e.spec.Load()
}

// Do calls the endpoint through c.
func (e *Endpoint[Req, Res]) Do(ctx context.Context, c Caller, req *Req) (*Res, error) {
	res := new(Res)
	if err := e.do(ctx, c, req, res); err != nil {
		return nil, err
	}
	return res, nil
}

// Exec calls an endpoint whose reply says no more than that it worked.
func (e *Endpoint[Req, Res]) Exec(ctx context.Context, c Caller, req *Req) error {
	return e.do(ctx, c, req, new(Res))
}

func (e *Endpoint[Req, Res]) do(ctx context.Context, c Caller, req *Req, res *Res) error {
	call := &Call{Spec: *e.compiled(), Response: res}
	if req != nil {
		call.Request = req
		if call.Spec.To != nil {
			call.Recipients = call.Spec.To(req)
		}
	}
	return c.Do(ctx, call)
}

// None is the request of an endpoint that asks nothing, and the reply of one that says nothing.
type None struct{}

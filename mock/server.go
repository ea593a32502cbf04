package mock

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed175cf469/wechat"
)

// Server is a WeChat platform for tests. It issues tokens as the real one does, refuses calls whose method,
// token or fields are wrong, keeps the limits and makes the faults that a test asks for, and records everything.
// An endpoint that nothing was scripted for answers success with values that fit its types.
//
// For official accounts it keeps, for each app, what the calls make and change: followers with their remarks and tags,
// the black list, menus, templates, media and material, drafts and what is published, mass messages, QR codes, short
// keys and customer service agents. Scripts and handlers come first. GetAPIQuota tells the limits that Limit has set.
//
// Endpoints are named by their methods, as in "SendTemplateMessage"; a name that none of the server's endpoints
// has makes the verbs panic. The ids of apps are wechat.App.ID.
//
// A Server is safe for concurrent use, also of its verbs while calls are under way.
type Server struct {
	endpoints []*endpoint
	routes    map[string][]*endpoint // by path
	listeners listeners

	mu        sync.Mutex
	n         int // calls and ids so far
	life      time.Duration
	apps      map[string][]account // by id
	grants    map[string]*grant    // by value
	issuers   map[issuerKey]*issuer
	scripts   map[string][]Reply
	handlers  map[string]func(Call) Reply
	limits    map[string][]*Limit
	counters  map[counterKey]*counter
	faults    []*fault
	calls     []*Call
	delivered []Message
	accepted  map[string]*acceptance
	gone      map[string]bool   // who does not follow any account
	states    map[string]*state // by app
	jobTime   time.Duration
	openID    func(string) bool
}

type account struct {
	wechat.App
	product string // "" where it was not told
}

// NewServer returns a platform with the endpoints of specs, which are those of the products' Endpoints, or of a
// program's own product. The endpoints that issue tokens are there in any case.
func NewServer(specs ...wechat.Spec) *Server {
	s := &Server{
		routes: map[string][]*endpoint{}, life: 2 * time.Hour, apps: map[string][]account{}, grants: map[string]*grant{},
		issuers: map[issuerKey]*issuer{}, scripts: map[string][]Reply{}, handlers: map[string]func(Call) Reply{},
		limits: map[string][]*Limit{}, counters: map[counterKey]*counter{}, accepted: map[string]*acceptance{}, gone: map[string]bool{},
		states: map[string]*state{},
	}
	for _, spec := range specs {
		s.add(spec)
	}
	for _, spec := range tokenSpecs() {
		if len(s.routes[spec.Path()]) == 0 {
			s.add(spec)
		}
	}
	return s
}

func (s *Server) add(spec wechat.Spec) {
	e := &endpoint{spec: spec, description: spec.Describe()}
	s.endpoints = append(s.endpoints, e)
	s.routes[spec.Path()] = append(s.routes[spec.Path()], e)
}

// known panics for a misspelt name: a verb for an endpoint that is not there would never do anything.
func (s *Server) known(name string) {
	if name != "" && !slices.ContainsFunc(s.endpoints, func(e *endpoint) bool { return e.spec.Name == name }) {
		panic(fmt.Sprintf("mock: the server has no endpoint %q", name))
	}
}

// Options make a client whose calls, of every product, go to s in memory.
func (s *Server) Options() []wechat.Option {
	return []wechat.Option{wechat.WithHTTPClient(&http.Client{Transport: s.Transport()})}
}

// App makes an account known, with its secret; on WeCom there may be several of one id, each with a secret. As
// long as none is known, every id and secret is accepted. The product ("officialaccount", "miniprogram",
// "work") need only be told where two of them have a path in common and it matters which is meant.
//
// What an account that is known does not have does not exist: a media id that was never given out, or the menu before
// there is one, is refused with the platform's errcode.
func (s *Server) App(app wechat.App, product ...string) {
	a := account{App: app}
	if len(product) > 0 {
		a.product = product[0]
	} else if app.AgentID != 0 {
		a.product = work
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apps[app.ID] = append(s.apps[app.ID], a)
}

// Script gives the replies of the next calls of an endpoint, one for each call that is not refused for its
// token, fields or rate. Earlier scripts come first. After them the endpoint answers as before.
func (s *Server) Script(endpoint string, replies ...Reply) {
	s.known(endpoint)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts[endpoint] = append(s.scripts[endpoint], replies...)
}

// Handle answers calls of an endpoint with what handler returns, wherever a script does not. It may be called
// by several goroutines at once and may use the verbs of s. Nil takes it away.
func (s *Server) Handle(endpoint string, handler func(Call) Reply) {
	s.known(endpoint)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[endpoint] = handler
}

// CheckOpenIDs refuses recipients that are not valid with 40003, except on WeCom. A nil func takes those that
// look like openids: 28 letters, digits, - and _, of which the first is an o.
func (s *Server) CheckOpenIDs(valid func(openid string) bool) {
	if valid == nil {
		valid = looksLikeOpenID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openID = valid
}

func looksLikeOpenID(id string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return len(id) == 28 && id[0] == 'o' && strings.Trim(id, letters) == ""
}

// next numbers calls, ids and tokens.
func (s *Server) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return s.n
}

// answer is what becomes of a request: a reply, or none.
type answer struct {
	refused bool // the connection
	reset   bool // the connection
	cut     bool // in the middle of the body
	delay   time.Duration
	status  int
	header  http.Header
	body    []byte
	release func() // ends the call's flight; called once the reply is out
}

// serve carries out a request.
func (s *Server) serve(r *http.Request, body []byte) answer {
	x, problem := s.exchange(r, body)
	a := answer{release: func() {}}
	f := s.struck(x.Call)
	a.delay = f.Delay
	if f.Refuse {
		a.refused = true
		return a
	}
	s.record(x)
	var reply Reply
	works := !f.Reset && f.Reply == nil || f.Done
	switch {
	case problem != nil && works:
		reply = *problem
	case works:
		reply, a.release = s.work(x)
	}
	if f.Reply != nil {
		reply = *f.Reply
		if x.endpoint != nil {
			reply = s.fill(x.endpoint, reply)
		}
	}
	if f.ContentType != "" {
		reply.Header = maps.Clone(reply.Header)
		if reply.Header == nil {
			reply.Header = http.Header{}
		}
		reply.Header.Set("Content-Type", f.ContentType)
	}
	var err error
	if a.status, a.header, a.body, err = reply.encode(x.Product, x.Path, s.next()); err != nil {
		a.status, a.header, a.body = http.StatusInternalServerError, http.Header{}, []byte(err.Error())
	}
	a.reset, a.cut = f.Reset, f.Cut
	s.judged(x, reply.Code, a)
	return a
}

// work is what the platform does with a request that has reached it.
func (s *Server) work(x *exchange) (reply Reply, release func()) {
	if refused := s.authorized(x); refused != nil {
		return *refused, func() {}
	}
	// A repeat comes before the limits of each recipient: nobody gets anything by it.
	again, accept := s.deduped(x)
	refused, dropped, release := s.take(x, again == nil)
	var reached []string
	if refused == nil && again == nil {
		if refused = x.complete(); refused == nil {
			reached, refused = s.reachable(x)
		}
	}
	switch {
	case refused != nil:
		accept(*refused)
		return *refused, release
	case again != nil:
		return *again, release
	}
	reply = s.fill(x.endpoint, s.reply(x))
	if x.endpoint.issues() {
		s.adopt(x, reply)
	}
	if reply.succeeds() {
		s.deliver(x, slices.DeleteFunc(reached, func(r string) bool { return slices.Contains(dropped, r) }))
		s.cleared(x)
	}
	accept(reply)
	return reply, release
}

// reply asks the script, the handler and the platform itself, in this order.
func (s *Server) reply(x *exchange) Reply {
	s.mu.Lock()
	handle := s.handlers[x.Endpoint]
	if script := s.scripts[x.Endpoint]; len(script) > 0 {
		s.scripts[x.Endpoint] = script[1:]
		s.mu.Unlock()
		return script[0]
	}
	s.mu.Unlock()
	switch {
	case handle != nil:
		return handle(x.Call)
	case x.endpoint.issues():
		return s.issue(x)
	}
	return s.live(x)
}

// cleared opens the day's quotas that a call has cleared.
func (s *Server) cleared(x *exchange) {
	switch x.Path {
	case "/cgi-bin/clear_quota", "/cgi-bin/clear_quota/v2":
		s.clearDays(x.App, "")
	case "/cgi-bin/openapi/quota/clear":
		path, _ := x.field("body", "cgi_path")
		s.clearDays(x.App, path)
	}
}

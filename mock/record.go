package mock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed175cf469/wechat"
)

// Call is a request as it reached the server.
type Call struct {
	Endpoint   string // "" where there is none for it
	Product    string
	Method     string
	Path       string
	Query      url.Values // without the access_token
	Header     http.Header
	Body       []byte
	Request    any // decoded into the endpoint's own type, a pointer
	Recipients []string
	App        string // id; whom the token was given to, or who the request says it is
	Token      string
	Time       time.Time

	// What was answered. Both are zero in calls that a handler or a Fault's When sees, and where the
	// connection was reset.
	Status int
	Code   wechat.Code
}

// String is the endpoint, whom it reached and what it said; keys and codes in it are not shown.
func (c Call) String() string {
	return fmt.Sprintf("%s(%s) to %q: %d, errcode %d", c.Endpoint, show(c.Request), c.Recipients, c.Status, int(c.Code))
}

// Message is a message that has reached somebody.
type Message struct {
	Recipient string
	Call      Call
}

// Duplicate is a message that somebody got twice: with the same content from the same endpoint and app, or with
// the same dedupe key.
type Duplicate struct {
	First, Second Message
}

func (s *Server) record(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	recorded := x.Call
	x.recorded = &recorded
	s.calls = append(s.calls, &recorded)
}

// judged notes in the record what was answered.
func (s *Server) judged(x *exchange, code wechat.Code, a answer) {
	if a.reset {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x.recorded.Status, x.recorded.Code = a.status, code
}

// Calls returns the requests of an endpoint that have reached the server, in order, also those that it refused
// and those whose reply was lost; "" is all endpoints. All are kept, with their bodies, as long as the server lives: a
// run of millions of calls does better with several servers one after the other.
func (s *Server) Calls(endpoint string) []Call {
	s.known(endpoint)
	s.mu.Lock()
	defer s.mu.Unlock()
	var calls []Call
	for _, c := range s.calls {
		if endpoint == "" || c.Endpoint == endpoint {
			calls = append(calls, *c)
		}
	}
	return calls
}

// deliver records what a send reached whom with.
func (s *Server) deliver(x *exchange, reached []string) {
	if x.endpoint.spec.Effect != wechat.EffectSend {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range reached {
		s.delivered = append(s.delivered, Message{Recipient: r, Call: *x.recorded})
	}
}

// Delivered returns the messages that somebody has got, in order; "" is everybody.
func (s *Server) Delivered(recipient string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var messages []Message
	for _, m := range s.delivered {
		if recipient == "" || m.Recipient == recipient {
			messages = append(messages, m)
		}
	}
	return messages
}

// Duplicates returns the messages that somebody got again.
func (s *Server) Duplicates() []Duplicate {
	var duplicates []Duplicate
	first := map[string]Message{}
	for _, m := range s.Delivered("") {
		content, id := fingerprint(&m.Call)
		keys := []string{strings.Join([]string{m.Recipient, m.Call.App, m.Call.Endpoint, "content", content}, "\x00")}
		if id != "" {
			keys = append(keys, strings.Join([]string{m.Recipient, m.Call.App, m.Call.Endpoint, "id", id}, "\x00"))
		}
		if i := slices.IndexFunc(keys, func(k string) bool { return first[k].Recipient != "" }); i >= 0 {
			duplicates = append(duplicates, Duplicate{First: first[keys[i]], Second: m})
		}
		for _, k := range keys {
			if first[k].Recipient == "" {
				first[k] = m
			}
		}
	}
	return duplicates
}

// dedupeNames are the fields by which the platform knows a repeat.
var dedupeNames = []string{"client_msg_id", "clientmsgid"}

// fingerprint is what a message says, in a form that does not depend on the order of its fields, without its
// dedupe key; and that key.
func fingerprint(c *Call) (content, id string) {
	var object map[string]any
	if json.Unmarshal(c.Body, &object) != nil {
		return c.Query.Encode() + string(c.Body), ""
	}
	for _, name := range dedupeNames {
		if value, _ := object[name].(string); value != "" {
			id = value
		}
		delete(object, name)
	}
	b, _ := json.Marshal(object) // it came from JSON
	return c.Query.Encode() + string(b), id
}

// acceptance is a send that was accepted and whose repeat is known.
type acceptance struct {
	reply Reply
	since time.Time
}

const (
	dedupeWindow  = 10 * time.Minute // of client_msg_id
	massPause     = time.Minute      // until a repeat with a clientmsgid is told what became of the first
	workWindow    = 30 * time.Minute // of enable_duplicate_check, unless duplicate_check_interval is told
	massWindow    = 24 * time.Hour   // of clientmsgid
	maxWorkWindow = 4 * time.Hour
)

// deduped recognises a repeat and gives what the platform answers to it. accept must be called with what becomes of
// any other call.
func (s *Server) deduped(x *exchange) (again *Reply, accept func(Reply)) {
	key, window := x.dedupeKey()
	if key == "" {
		return nil, func(Reply) {}
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accepted[key]; a != nil && now.Sub(a.since) < window {
		reply := a.reply
		if _, mass := x.field("body", "clientmsgid"); mass {
			if now.Sub(a.since) < massPause {
				return &Reply{Code: 45066}, func(Reply) {}
			}
			reply.Code = 45065
		}
		return &reply, func(Reply) {}
	}
	a := &acceptance{since: now}
	s.accepted[key] = a
	return nil, func(reply Reply) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if a.reply = reply; !reply.succeeds() {
			delete(s.accepted, key)
		}
	}
}

// dedupeKey is by what the platform knows a repeat of a send, and for how long; "" where it does not.
func (x *exchange) dedupeKey() (key string, window time.Duration) {
	spec := &x.endpoint.spec
	if spec.Effect != wechat.EffectSend && spec.Effect != wechat.EffectCreate {
		return "", 0
	}
	content, id := fingerprint(&x.Call)
	window = dedupeWindow
	if enabled, _ := x.field("body", "enable_duplicate_check"); enabled == "1" {
		id, window = content, workWindow
		if interval, ok := x.field("body", "duplicate_check_interval"); ok {
			if d, err := time.ParseDuration(interval + "s"); err == nil {
				window = min(d, maxWorkWindow)
			}
		}
	} else if _, mass := x.field("body", "clientmsgid"); mass {
		window = massWindow
	} else if spec.DedupeFor > 0 {
		window = spec.DedupeFor
	}
	if id == "" && spec.Dedupe != nil && x.Request != nil {
		if field := spec.Dedupe(x.Request); field != nil {
			id = *field
		}
	}
	if id == "" {
		return "", 0
	}
	return strings.Join([]string{x.App, x.Endpoint, strings.Join(x.Recipients, "|"), id}, "\x00"), window
}

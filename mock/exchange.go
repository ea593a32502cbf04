package mock

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed175cf469/wechat"
)

// endpoint is an endpoint of the server.
type endpoint struct {
	spec        wechat.Spec
	description wechat.Description
}

// exchange is a request while it is worked on.
type exchange struct {
	Call
	endpoint *endpoint // nil: there is none for it
	json     any       // the body, where it is JSON
	form     url.Values
	files    map[string]wechat.File
	broken   bool // the body is not what its content type says
	recorded *Call
}

// exchange reads a request. problem is the reply to one that no endpoint is there for.
func (s *Server) exchange(r *http.Request, body []byte) (x *exchange, problem *Reply) {
	x = &exchange{Call: Call{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(), Body: body, Time: time.Now()}}
	x.Token = x.Query.Get("access_token")
	x.parse()
	all := s.routes[x.Path]
	candidates := slices.DeleteFunc(slices.Clone(all), func(e *endpoint) bool { return e.spec.Method() != x.Method })
	switch {
	case len(all) == 0:
		page := Page(http.StatusNotFound)
		return x, &page
	case len(candidates) == 0:
		x.Product = all[0].spec.Product
		code := wechat.Code(43002)
		if x.Method != http.MethodGet {
			code = 43001
		}
		return x, &Reply{Code: code}
	}
	if len(r.TransferEncoding) > 0 || r.ContentLength < 0 {
		page := Page(http.StatusPreconditionFailed) // what the platform says to chunked uploads
		problem = &page
	}
	x.endpoint = s.choose(x, candidates)
	x.Endpoint, x.Product = x.endpoint.spec.Name, x.endpoint.spec.Product
	x.App = s.appOf(x)
	if x.endpoint.spec.NoToken { // one in the query is a user's, and a field like others
		x.Token = ""
	} else {
		x.Query.Del("access_token")
	}
	x.decode()
	return x, problem
}

// parse takes the body apart.
func (x *exchange) parse() {
	kind, params, _ := mime.ParseMediaType(x.Header.Get("Content-Type"))
	switch kind {
	case "multipart/form-data":
		form, err := multipart.NewReader(bytes.NewReader(x.Body), params["boundary"]).ReadForm(int64(len(x.Body)) + 1)
		if err != nil {
			x.broken = true
			return
		}
		x.form, x.files = form.Value, map[string]wechat.File{}
		for name, headers := range form.File {
			h := headers[0]
			x.files[name] = wechat.File{Name: h.Filename, Open: func() (io.ReadCloser, error) { return h.Open() }}
		}
	case "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(x.Body))
		x.form, x.broken = form, err != nil
	default:
		if len(bytes.TrimSpace(x.Body)) == 0 {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(x.Body))
		decoder.UseNumber()
		if err := decoder.Decode(&x.json); err != nil || decoder.More() {
			x.json, x.broken = nil, true
		}
	}
}

// field is the text of a field of the "query" or the "body".
func (x *exchange) field(place, name string) (string, bool) {
	if place == "query" {
		return x.Query.Get(name), x.Query.Has(name)
	}
	if x.form != nil {
		return x.form.Get(name), x.form.Has(name)
	}
	object, _ := x.json.(map[string]any)
	switch value := object[name].(type) {
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	case bool:
		return strconv.FormatBool(value), true
	}
	return "", false
}

// constant is the value of a constant of an endpoint in this request.
func (x *exchange) constant(e *endpoint, name string) (string, bool) {
	name, inQuery := strings.CutPrefix(name, "?")
	if inQuery || e.spec.Method() == http.MethodGet {
		return x.field("query", name)
	}
	return x.field("body", name)
}

// choose finds the endpoint among those on one path: by the token's product, then by the constants, then by the
// fields that are there.
func (s *Server) choose(x *exchange, candidates []*endpoint) *endpoint {
	candidates = keep(candidates, func(e *endpoint) bool { return s.mayUse(x.Token, e.spec.Product) })
	candidates = keep(candidates, func(e *endpoint) bool { return s.product(x, e) })
	candidates = keep(candidates, func(e *endpoint) bool {
		for name, want := range e.spec.Const {
			got, ok := x.constant(e, name)
			if !ok || !strings.HasPrefix(want, "{") && got != want {
				return false
			}
		}
		return true
	})
	most := 0
	for _, e := range candidates {
		most = max(most, len(e.spec.Const))
	}
	candidates = keep(candidates, func(e *endpoint) bool { return len(e.spec.Const) == most })
	candidates = keep(candidates, func(e *endpoint) bool { return x.lacking(e) == nil })
	return candidates[0]
}

// keep filters, unless nothing would be left.
func keep(list []*endpoint, fits func(*endpoint) bool) []*endpoint {
	if left := slices.DeleteFunc(slices.Clone(list), func(e *endpoint) bool { return !fits(e) }); len(left) > 0 {
		return left
	}
	return list
}

// product reports whether e is of the product whose account sent the request, as far as that is known.
func (s *Server) product(x *exchange, e *endpoint) bool {
	id := s.appOf(&exchange{Call: x.Call, endpoint: e, json: x.json, form: x.form})
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.apps[id] {
		if a.product != "" {
			return a.product == e.spec.Product
		}
	}
	return true
}

// appOf is the id of the app that sent a request: whom the token was given to, or who it says it is.
func (s *Server) appOf(x *exchange) string {
	s.mu.Lock()
	g := s.grants[x.Token]
	s.mu.Unlock()
	if g != nil {
		return g.app
	}
	for name, value := range x.endpoint.spec.Const {
		if value == wechat.ConstAppID {
			id, _ := x.constant(x.endpoint, name)
			return id
		}
	}
	for _, name := range []string{"appid", "corpid"} {
		for _, place := range []string{"query", "body"} {
			if id, ok := x.field(place, name); ok {
				return id
			}
		}
	}
	return ""
}

// decode fills Request and Recipients from what was sent.
func (x *exchange) decode() {
	spec := x.endpoint.spec
	if spec.New == nil {
		return
	}
	request, _ := spec.New()
	if x.json != nil {
		// What does not fit is told by complete; the rest is filled in.
		_ = json.Unmarshal(x.Body, request)
	}
	if v := reflect.ValueOf(request).Elem(); v.Kind() == reflect.Struct {
		eachField(v, func(name, place string, field reflect.Value) {
			switch {
			case place == "json":
			case field.Type() == reflect.TypeFor[wechat.File]():
				field.Set(reflect.ValueOf(x.files[name]))
			case place == "query":
				setText(field, x.Query.Get(name))
			default:
				setText(field, x.form.Get(name))
			}
		})
	}
	x.Request = request
	if spec.To != nil {
		x.Recipients = spec.To(request)
	}
}

// setText sets a field from how a query string or a form has it.
func setText(v reflect.Value, text string) {
	v.SetZero()
	if text == "" {
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.CanInt():
		n, _ := strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	case v.CanUint():
		n, _ := strconv.ParseUint(text, 10, 64)
		v.SetUint(n)
	default:
		_ = json.Unmarshal([]byte(text), v.Addr().Interface()) // as wechat writes it; else it stays empty
	}
}

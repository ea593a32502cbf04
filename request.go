package wechat

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed175cf469/wechat/internal/wire"
)

const jsonType = "application/json; charset=utf-8"

// maxUpload bounds one multipart file; the largest that any endpoint documents is 20 MB.
const maxUpload = 64 << 20

// plan is how the requests and replies of an endpoint travel, worked out once from the pattern and the tags.
type plan struct {
	err                error // the endpoint itself is wrong; each call says so
	method, host, path string
	query, form, json  []field
	files              []field
	whole              bool // the request is the JSON body as it stands
	constQuery         []constant
	constBody          []constant
	usesSecret         bool  // it carries the app's secret, so a 40001 is about that
	fresh              bool  // a one-time GET: must not be repeated by net/http behind our back
	reply              bool  // the reply has something to decode
	blob               []int // where the reply's Blob stands; empty: the reply is the Blob itself
	hasBlob, hasJSON   bool
}

type field struct {
	name      string
	index     []int
	omitempty bool
	omitzero  bool
}

type constant struct{ name, value string }

var (
	fileType = reflect.TypeFor[File]()
	blobType = reflect.TypeFor[Blob]()
	noneType = reflect.TypeFor[None]()
)

// compile works out the plan of s for requests of type req and replies of type res; a nil type is None.
func compile(s *Spec, req, res reflect.Type) *plan {
	p := &plan{method: s.Method(), host: s.Host(), path: s.Path()}
	if p.method != http.MethodGet && p.method != http.MethodPost {
		p.err = fmt.Errorf("pattern %q: the method must be GET or POST", s.Pattern)
		return p
	}
	p.fresh = p.method == http.MethodGet && s.Effect.once()
	if req != nil && req != noneType {
		p.compileRequest(req)
	}
	p.compileConst(s.Const)
	if len(p.json) > 0 && (p.method == http.MethodGet || len(p.form)+len(p.files) > 0) {
		p.err = fmt.Errorf("%v: JSON fields cannot travel in a GET or beside a form", req)
	}
	if res != nil {
		p.compileReply(res)
	}
	return p
}

func (p *plan) compileRequest(t reflect.Type) {
	if t.Kind() != reflect.Struct || t.Implements(reflect.TypeFor[json.Marshaler]()) {
		p.whole = true
		return
	}
	p.addFields(t, nil)
	p.whole = len(p.json) > 0 && len(p.query)+len(p.form)+len(p.files) == 0
}

func (p *plan) addFields(t reflect.Type, at []int) {
	for f := range fieldsOf(t) {
		index := append(at[:len(at):len(at)], f.Index...)
		if f.Anonymous && f.Type.Kind() == reflect.Struct && f.Tag == "" {
			p.addFields(f.Type, index)
			continue
		}
		if !f.IsExported() {
			continue
		}
		add := func(list *[]field, tag string) {
			name, opts, _ := strings.Cut(tag, ",")
			if name == "" {
				name = f.Name
			}
			options := strings.Split(opts, ",")
			*list = append(*list, field{name: name, index: index,
				omitempty: slices.Contains(options, "omitempty"), omitzero: slices.Contains(options, "omitzero")})
		}
		if tag, ok := f.Tag.Lookup("query"); ok {
			add(&p.query, tag)
		} else if tag, ok := f.Tag.Lookup("form"); ok {
			if f.Type == fileType {
				add(&p.files, tag)
			} else {
				add(&p.form, tag)
			}
		} else if tag := f.Tag.Get("json"); tag != "-" {
			add(&p.json, tag)
		}
	}
}

// fieldsOf yields the direct fields of a struct.
func fieldsOf(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func (p *plan) compileConst(values map[string]string) {
	for name, value := range values {
		if value == ConstSecret {
			p.usesSecret = true
		}
		inQuery, ok := strings.CutPrefix(name, "?")
		if ok || p.method == http.MethodGet {
			p.constQuery = append(p.constQuery, constant{inQuery, value})
		} else {
			p.constBody = append(p.constBody, constant{name, value})
		}
	}
}

func (p *plan) compileReply(t reflect.Type) {
	p.reply = t != noneType
	if t == blobType {
		p.hasBlob = true
		return
	}
	p.hasJSON = p.reply
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range fieldsOf(t) {
		if f.Type == blobType {
			p.hasBlob, p.blob = true, f.Index
			p.hasJSON = t.NumField() > 1
		}
	}
}

// encoded is a request ready to be sent, but for the token.
type encoded struct {
	query       string
	body        []byte
	contentType string
}

// encode makes the bytes of a request; req is a pointer, or nil.
func (p *plan) encode(req any, app *App) (encoded, error) {
	var out encoded
	var v reflect.Value
	if req != nil {
		v = reflect.ValueOf(req).Elem()
	}
	query, err := p.values(v, p.query, p.constQuery, app)
	if err != nil {
		return out, err
	}
	out.query = query.Encode()
	if p.method == http.MethodGet {
		return out, nil
	}
	if len(p.form)+len(p.files) > 0 {
		err = p.encodeForm(&out, v, app)
	} else if p.whole || len(p.json)+len(p.constBody) > 0 {
		err = p.encodeJSON(&out, v, req, app)
	} else if len(p.query)+len(p.constQuery) == 0 {
		out.body, out.contentType = []byte("{}"), jsonType // some refuse an empty body
	}
	return out, err
}

// values gathers the fields and constants of a query or a form.
func (p *plan) values(v reflect.Value, fields []field, consts []constant, app *App) (url.Values, error) {
	if len(fields)+len(consts) == 0 {
		return nil, nil
	}
	values := make(url.Values, len(fields)+len(consts))
	for _, f := range fields {
		x := v.FieldByIndex(f.index)
		if (f.omitempty || f.omitzero) && x.IsZero() {
			continue
		}
		text, err := text(x)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		values.Set(f.name, text)
	}
	for _, c := range consts {
		value, err := c.resolve(app)
		if err != nil {
			return nil, err
		}
		values.Set(c.name, value)
	}
	return values, nil
}

// text is a value as a query string or a form has it; what is no scalar goes as JSON.
func text(v reflect.Value) (string, error) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "", nil
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		return v.String(), nil
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), nil
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), nil
	}
	b, err := wire.Marshal(v.Interface())
	return string(b), err
}

// resolve is the constant's value for app.
func (c constant) resolve(app *App) (string, error) {
	switch c.value {
	case ConstAppID:
		return app.ID, nil
	case ConstSecret:
		if app.Secret == "" {
			return "", errors.New("App.Secret is not set")
		}
		return app.Secret.Reveal(), nil
	case ConstAgentID:
		if app.AgentID == 0 {
			return "", errors.New("App.AgentID is not set")
		}
		return strconv.FormatInt(app.AgentID, 10), nil
	}
	return c.value, nil
}

// number reports whether the constant is sent as a JSON number.
func (c constant) number() bool {
	if c.value == ConstAgentID {
		return true
	}
	_, err := strconv.ParseInt(c.value, 10, 64)
	return err == nil
}

func (p *plan) encodeJSON(out *encoded, v reflect.Value, req any, app *App) error {
	out.contentType = jsonType
	if p.whole && len(p.constBody) == 0 {
		var err error
		out.body, err = wire.Marshal(req)
		return err
	}
	// Constants first, then the fields: a whole object is taken apart at its brace.
	body := []byte{'{'}
	member := func(name string, value []byte) {
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = append(strconv.AppendQuote(body, name), ':')
		body = append(body, value...)
	}
	for _, c := range p.constBody {
		value, err := c.resolve(app)
		if err != nil {
			return err
		}
		raw := []byte(value)
		if !c.number() {
			if raw, err = wire.Marshal(value); err != nil {
				return err
			}
		}
		member(c.name, raw)
	}
	for _, f := range p.json {
		x := v.FieldByIndex(f.index)
		if f.omitempty && emptyJSON(x) || f.omitzero && x.IsZero() {
			continue
		}
		raw, err := wire.Marshal(x.Interface())
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		member(f.name, raw)
	}
	out.body = append(body, '}')
	return nil
}

// emptyJSON is what omitempty of encoding/json leaves out.
func emptyJSON(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func (p *plan) encodeForm(out *encoded, v reflect.Value, app *App) error {
	values, err := p.values(v, p.form, p.constBody, app)
	if err != nil {
		return err
	}
	var parts []wire.Part
	for _, f := range p.files {
		file := v.FieldByIndex(f.index).Interface().(File)
		if file.Open == nil {
			continue // check has refused it where the endpoint requires it
		}
		parts = append(parts, wire.Part{Field: f.name, Name: file.Name, Open: file.Open})
	}
	if len(parts) == 0 && len(p.files) > 0 && len(values) == 0 {
		return nil
	}
	if len(p.files) == 0 {
		out.body, out.contentType = []byte(values.Encode()), "application/x-www-form-urlencoded"
		return nil
	}
	fields := make([]wire.Field, 0, len(values))
	for _, f := range p.form { // in the order of the struct
		if value, ok := values[f.name]; ok {
			fields = append(fields, wire.Field{Name: f.name, Value: value[0]})
		}
	}
	for _, c := range p.constBody {
		fields = append(fields, wire.Field{Name: c.name, Value: values.Get(c.name)})
	}
	out.body, out.contentType, err = wire.Multipart(fields, parts, maxUpload)
	return err
}

// check refuses what can never work: nothing for a request that has fields, no recipient, no file.
func (p *plan) check(call *Call) error {
	if p.err != nil {
		return p.err
	}
	if call.Request == nil {
		if p.whole || len(p.query)+len(p.form)+len(p.files)+len(p.json) > 0 {
			return errors.New("the request is nil")
		}
		return nil
	}
	for _, f := range p.files {
		file := reflect.ValueOf(call.Request).Elem().FieldByIndex(f.index).Interface().(File)
		if file.Open == nil && !f.omitempty {
			return fmt.Errorf("%s: the file has no Open", f.name)
		}
	}
	if call.Spec.To != nil {
		if len(call.Recipients) == 0 {
			return errors.New("it names no recipient")
		}
		if slices.Contains(call.Recipients, "") {
			return errors.New("a recipient is empty")
		}
	}
	if call.Spec.check != nil {
		return call.Spec.check(call.Request)
	}
	return nil
}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/catalog"
)

// openAPI is a document of OpenAPI 3.1.
type openAPI struct {
	OpenAPI    string                    `json:"openapi"`
	Info       map[string]string         `json:"info"`
	Tags       []map[string]string       `json:"tags"`
	Security   []map[string][]string     `json:"security"`
	Paths      map[string]map[string]any `json:"paths"` // "servers", and an operation by method in small letters
	Components map[string]any            `json:"components"`
}

type operation struct {
	OperationID string                 `json:"operationId"`
	Tags        []string               `json:"tags"`
	Summary     string                 `json:"summary,omitempty"`
	Description string                 `json:"description,omitempty"`
	Parameters  []parameter            `json:"parameters,omitempty"`
	RequestBody *body                  `json:"requestBody,omitempty"`
	Responses   map[string]body        `json:"responses"`
	Security    *[]map[string][]string `json:"security,omitempty"` // an empty one: none
	Effect      string                 `json:"x-effect"`
	Recipient   string                 `json:"x-recipient,omitempty"`
}

type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required,omitempty"`
	Schema   schema `json:"schema"`
	Example  any    `json:"example,omitempty"`
}

type body struct {
	Description string           `json:"description,omitempty"`
	Required    bool             `json:"required,omitempty"`
	Content     map[string]media `json:"content"`
}

type media struct {
	Schema  schema `json:"schema"`
	Example any    `json:"example,omitempty"`
}

type schema map[string]any

const (
	typeJSON      = "application/json"
	typeForm      = "application/x-www-form-urlencoded"
	typeMultipart = "multipart/form-data"
	typeBytes     = "application/octet-stream"
)

// newOpenAPI describes endpoints of any products. OpenAPI cannot tell endpoints apart that share a path: where several
// do, the path of each gets a fragment, which is never sent, with its product and name.
func newOpenAPI(specs []wechat.Spec) (*openAPI, error) {
	entries, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	known := map[string]*catalog.Endpoint{}
	for _, e := range entries {
		known[e.Product+"."+e.Name] = e
	}
	bases := map[string]string{}
	for _, p := range platforms() {
		bases[p.Name] = p.BaseURL
	}
	calls, servers := map[string]int{}, map[string]map[string]bool{}
	for _, s := range specs {
		calls[s.Method()+s.Path()]++
		if servers[s.Path()] == nil {
			servers[s.Path()] = map[string]bool{}
		}
		servers[s.Path()][serverOf(s, bases)] = true
	}
	d := &openAPI{
		OpenAPI: "3.1.0",
		Info: map[string]string{
			"title": "WeChat server APIs", "version": "1.0.0",
			"description": "The endpoints of official accounts, mini programs and WeCom. Those that share a path are told apart by a fragment, which is not part of the request.",
		},
		Tags:     []map[string]string{},
		Security: []map[string][]string{{"accessToken": {}}},
		Paths:    map[string]map[string]any{},
		Components: map[string]any{"securitySchemes": map[string]any{
			"accessToken": map[string]string{"type": "apiKey", "in": "query", "name": "access_token"},
		}},
	}
	for _, s := range specs {
		path, id := s.Path(), s.Product+"."+s.Name
		if calls[s.Method()+path] > 1 || len(servers[path]) > 1 {
			path += "#" + id
		}
		if d.Paths[path] == nil {
			d.Paths[path] = map[string]any{"servers": []map[string]string{{"url": serverOf(s, bases)}}}
		}
		d.Paths[path][strings.ToLower(s.Method())] = newOperation(s, known[id])
		if !slices.ContainsFunc(d.Tags, func(tag map[string]string) bool { return tag["name"] == s.Product }) {
			d.Tags = append(d.Tags, map[string]string{"name": s.Product})
		}
	}
	return d, nil
}

// serverOf is the URL of the host that an endpoint is on.
func serverOf(s wechat.Spec, bases map[string]string) string {
	if host := s.Host(); host != "" {
		return "https://" + host
	}
	return bases[s.Product]
}

// newOperation describes an endpoint; e is what the catalogue says, or nil.
func newOperation(s wechat.Spec, e *catalog.Endpoint) operation {
	f := newForm(s)
	o := operation{
		OperationID: s.Product + "." + s.Name, Tags: []string{s.Product}, Effect: s.Effect.String(), Recipient: f.description.Recipient,
		Responses: map[string]body{"200": {Description: "What was asked for, or an errcode.", Content: replyContent(f.description.Reply)}},
	}
	if e != nil {
		o.Summary, o.Description = e.Does, aboutEndpoint(e)
	}
	if s.NoToken {
		o.Security = &[]map[string][]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(f.description.Query)) {
		shape := f.description.Query[name]
		o.Parameters = append(o.Parameters, parameter{Name: name, In: "query", Required: shape.Required, Schema: f.schemaOf(name, shape), Example: f.example(name, shape)})
	}
	if len(f.description.Request) > 0 {
		o.RequestBody = f.body()
	}
	return o
}

func aboutEndpoint(e *catalog.Endpoint) string {
	var about []string
	if e.Limits != "" {
		about = append(about, "Limits: "+e.Limits)
	}
	if e.Note != "" {
		about = append(about, e.Note)
	}
	for _, c := range e.Codes {
		code := fmt.Sprint(c.Code)
		if c.Last > c.Code {
			code += fmt.Sprintf(" to %d", c.Last)
		}
		about = append(about, "- "+code+": "+c.Means)
	}
	return strings.Join(about, "\n")
}

// body is the body of the requests.
func (f *form) body() *body {
	if whole := f.description.Request["$"]; whole != nil {
		return &body{Required: true, Content: map[string]media{typeJSON: {Schema: f.schemaOf("", whole), Example: f.example("", whole)}}}
	}
	kind, required := typeJSON, false
	for name, shape := range f.description.Request {
		required = required || shape.Required
		if f.tagged[name] != nil && kind == typeJSON {
			kind = typeForm
		}
		if shape.Type == "file" {
			kind = typeMultipart
		}
	}
	object := &wechat.Shape{Type: "object", Fields: f.description.Request}
	m := media{Schema: f.schemaOf("", object)}
	if kind != typeMultipart { // a file has no example
		m.Example = f.example("", object)
	}
	return &body{Required: required, Content: map[string]media{kind: m}}
}

// replyContent is the content of a reply with the given fields.
func replyContent(fields map[string]*wechat.Shape) map[string]media {
	var f form // nothing in a reply is constant
	object := &wechat.Shape{Type: "object", Fields: map[string]*wechat.Shape{}}
	maps.Copy(object.Fields, fields)
	content := map[string]media{}
	if whole := fields["$"]; whole != nil {
		if whole.Type != "bytes" {
			return map[string]media{typeJSON: {Schema: f.schemaOf("", whole), Example: f.example("", whole)}}
		}
		content[typeBytes] = media{Schema: schema{}}
		delete(object.Fields, "$")
	}
	m := media{Schema: f.schemaOf("", object)}
	example := map[string]any{"errcode": 0, "errmsg": "ok"}
	for name, shape := range object.Fields {
		example[name] = f.example(name, shape)
	}
	m.Example = example
	if properties, ok := m.Schema["properties"].(map[string]schema); ok {
		properties["errcode"], properties["errmsg"] = schema{"type": "integer"}, schema{"type": "string"}
	}
	content[typeJSON] = m
	return content
}

// schemaOf is the JSON Schema of a value. name is "" for what is no field of its own.
func (f *form) schemaOf(name string, shape *wechat.Shape) schema {
	if value, ok := f.fixed(name); ok {
		return schema{"type": schemaTypes[shape.Type], "const": value}
	}
	switch shape.Type {
	case "object":
		properties, required := map[string]schema{}, []string{}
		for field, inner := range shape.Fields {
			place := ""
			if name == "" {
				place = field
			}
			properties[field] = f.schemaOf(place, inner)
			if inner.Required {
				required = append(required, field)
			}
		}
		s := schema{"type": "object", "properties": properties}
		if slices.Sort(required); len(required) > 0 {
			s["required"] = required
		}
		return s
	case "list":
		return schema{"type": "array", "items": f.schemaOf("[]", shape.Elem)}
	case "map":
		return schema{"type": "object", "additionalProperties": f.schemaOf("{}", shape.Elem)}
	case "file", "bytes":
		return schema{"type": "string", "contentMediaType": typeBytes}
	case "any":
		return schema{}
	}
	return schema{"type": schemaTypes[shape.Type]}
}

var schemaTypes = map[string]string{"string": "string", "int": "integer", "float": "number", "bool": "boolean"}

// fixed is the one value of a field, where it has one.
func (f *form) fixed(name string) (any, bool) {
	for _, key := range []string{name, "?" + name} {
		value, ok := f.spec.Const[key]
		if !ok || strings.HasPrefix(value, "{") {
			continue // the account's
		}
		if shape := f.shapes()[name]; shape.Type == "int" {
			var n int64
			if _, err := fmt.Sscan(value, &n); err == nil {
				return n, true
			}
		}
		return value, true
	}
	return nil, false
}

// example is a value that fits a shape. An object of a request has its required fields and those that name recipients;
// where no field is required, as in replies, it has all.
func (f *form) example(name string, shape *wechat.Shape) any {
	if value, ok := f.fixed(name); ok {
		return value
	}
	switch shape.Type {
	case "object":
		some := false
		for _, inner := range shape.Fields {
			some = some || inner.Required
		}
		object := map[string]any{}
		for field, inner := range shape.Fields {
			reached := slices.Contains(strings.Split(f.description.Recipient, ", "), field)
			if inner.Required || reached || !some {
				object[field] = f.example(field, inner)
			}
		}
		return object
	case "list":
		return []any{f.example(name, shape.Elem)}
	case "map":
		return map[string]any{"key": f.example(name, shape.Elem)}
	case "int", "float":
		return 1
	case "bool":
		return true
	case "any":
		return nil
	}
	return exampleText(name)
}

func exampleText(name string) string {
	switch lower := strings.ToLower(name); {
	case strings.Contains(lower, "openid") || lower == "touser":
		return "oEXAMPLE0000000000000000001"
	case strings.Contains(lower, "appid"):
		return "wx0123456789abcdef"
	case strings.Contains(lower, "url"):
		return "https://example.com/"
	case name == "":
		return "text"
	}
	return name
}

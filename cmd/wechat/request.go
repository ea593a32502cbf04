package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/seed175cf469/wechat"
)

// lookup finds an endpoint by its name, in either case, among those of products.
func lookup(name string, products ...platform) (spec wechat.Spec, p platform, err error) {
	var names, in []string
	for _, candidate := range products {
		for _, s := range candidate.specs {
			names = append(names, s.Name)
			if strings.EqualFold(s.Name, name) {
				in = append(in, candidate.Name)
				spec, p = s, candidate
			}
		}
	}
	switch {
	case len(in) == 1:
		return spec, p, nil
	case len(in) > 1:
		return spec, p, usage(fmt.Errorf("%s is in %s: set --product", spec.Name, strings.Join(in, " and ")))
	}
	return spec, p, usage(fmt.Errorf("no endpoint %q%s", name, didYouMean(name, names)))
}

// didYouMean is the end of an error about a name that is none of names.
func didYouMean(name string, names []string) string {
	near := nearest(name, names)
	if len(near) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(near, " or ") + "?"
}

// nearest finds the up to three names that name could be a slip of: those that contain it, or are few changes away.
func nearest(name string, names []string) []string {
	distances := map[string]int{}
	name = strings.ToLower(name)
	for _, n := range names {
		lower := strings.ToLower(n)
		d := distance(name, lower)
		if len(name) > 3 && strings.Contains(lower, name) {
			d = min(d, 2)
		}
		if d <= max(2, len(name)*2/5) {
			distances[n] = d
		}
	}
	near := slices.SortedFunc(maps.Keys(distances), func(a, b string) int {
		if d := distances[a] - distances[b]; d != 0 {
			return d
		}
		if d := len(a) - len(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	near = slices.DeleteFunc(near, func(n string) bool { return distances[n] > 2*distances[near[0]]+1 })
	return near[:min(3, len(near))]
}

// distance is the number of letters that have to be added, dropped or replaced to make a of b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// form is what an endpoint asks, ready to make requests from JSON.
type form struct {
	spec        wechat.Spec
	description wechat.Description
	tagged      map[string][]int // fields that travel in the query string or in a form, by name
}

func newForm(spec wechat.Spec) *form {
	f := &form{spec: spec, description: spec.Describe(), tagged: map[string][]int{}}
	req, _ := spec.New()
	t := reflect.TypeOf(req).Elem()
	if t.Kind() != reflect.Struct {
		return f
	}
	for _, field := range reflect.VisibleFields(t) {
		for _, place := range []string{"query", "form"} {
			if tag, ok := field.Tag.Lookup(place); ok {
				name, _, _ := strings.Cut(tag, ",")
				f.tagged[name] = field.Index
			}
		}
	}
	return f
}

// whole reports whether the body is one value that is no object of fields.
func (f *form) whole() bool { return f.description.Request["$"] != nil }

// asks reports whether the caller has anything to say.
func (f *form) asks() bool { return len(f.names()) > 0 }

// constant reports whether the client fills a field in.
func (f *form) constant(name string) bool {
	_, body := f.spec.Const[name]
	_, query := f.spec.Const["?"+name]
	return body || query
}

// names are the fields that the caller may fill in.
func (f *form) names() []string {
	names := slices.Concat(slices.Collect(maps.Keys(f.description.Query)), slices.Collect(maps.Keys(f.description.Request)))
	names = slices.DeleteFunc(names, f.constant)
	slices.Sort(names)
	return names
}

// missing are the required fields that fields lacks.
func (f *form) missing(fields map[string]json.RawMessage) []string {
	var missing []string
	for name, shape := range f.shapes() {
		if _, ok := fields[name]; shape.Required && !ok && !f.constant(name) && name != "$" {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}

func (f *form) shapes() map[string]*wechat.Shape {
	all := maps.Clone(f.description.Query)
	maps.Copy(all, f.description.Request)
	return all
}

// pair reads a field of the form name=value. A value is JSON where the field is no text.
func (f *form) pair(fields map[string]json.RawMessage, text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q is not of the form field=value", text)
	}
	raw := json.RawMessage(value)
	if shape := f.shapes()[name]; shape == nil || shape.Type == "string" || shape.Type == "file" || !json.Valid(raw) {
		raw, _ = json.Marshal(value) // a text always can be
	}
	fields[name] = raw
	return nil
}

// request makes the request of an endpoint. A field that it does not have is an error; body is the JSON of an endpoint
// whose body is one value, or nil.
func (f *form) request(fields map[string]json.RawMessage, body json.RawMessage) (any, error) {
	req, _ := f.spec.New()
	if _, none := req.(*wechat.None); none && len(fields) == 0 && body == nil {
		return nil, nil //nolint:nilnil // an endpoint that asks nothing has no request
	}
	names := f.names()
	inBody := map[string]json.RawMessage{}
	for name, raw := range fields {
		switch index, tagged := f.tagged[name]; {
		case !slices.Contains(names, name):
			if f.constant(name) {
				return nil, fmt.Errorf("%s is filled in and cannot be set", name)
			}
			return nil, fmt.Errorf("%s has no field %q%s", f.spec.Name, name, didYouMean(name, names))
		case tagged:
			if err := set(reflect.ValueOf(req).Elem(), index, raw); err != nil {
				return nil, fmt.Errorf("field %s: %w", name, err)
			}
		default:
			inBody[name] = raw
		}
	}
	if body == nil {
		body, _ = json.Marshal(inBody) // each of them is JSON
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(req); err != nil {
		return nil, fmt.Errorf("%s: %w", f.spec.Name, err)
	}
	return req, nil
}

// set fills in a field that does not travel in a JSON body. A file is named by its path.
func set(root reflect.Value, index []int, raw json.RawMessage) error {
	field, err := root.FieldByIndexErr(index)
	if err != nil {
		return err
	}
	if field.Type() == reflect.TypeFor[wechat.File]() {
		var path string
		if err := json.Unmarshal(raw, &path); err != nil {
			return errors.New("it has to be the path of a file")
		}
		field.Set(reflect.ValueOf(wechat.FileAt(path)))
		return nil
	}
	if field.Kind() == reflect.String && !bytes.HasPrefix(raw, []byte(`"`)) {
		raw, _ = json.Marshal(string(raw)) // a text always can be
	}
	return json.Unmarshal(raw, field.Addr().Interface())
}

// do makes a call and returns its reply.
func do(ctx context.Context, c wechat.Caller, spec wechat.Spec, req any) (any, error) {
	_, res := spec.New()
	call := &wechat.Call{Spec: spec, Request: req, Response: res}
	if req != nil && spec.To != nil {
		call.Recipients = spec.To(req)
	}
	return res, c.Do(ctx, call)
}

// ask makes a call by name for a command that knows its fields, and reads the reply into reply unless that is nil.
func (a *account) ask(ctx context.Context, name string, fields map[string]string, reply any) error {
	spec, _, err := lookup(name, a.platform)
	if err != nil {
		return usage(fmt.Errorf("%s has no such call: %w", a.Name, err))
	}
	given := map[string]json.RawMessage{}
	for field, value := range fields {
		given[field], _ = json.Marshal(value) // a text always can be
	}
	req, err := newForm(spec).request(given, nil)
	if err != nil {
		return err
	}
	if a.asker == nil {
		a.asker = wechat.Bind(a.client(), a.Product, a.app)
	}
	res, err := do(ctx, a.asker, spec, req)
	if err != nil || reply == nil {
		return err
	}
	b, err := json.Marshal(res)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, reply)
}

// printJSON writes v as it would be typed: indented, without escapes for HTML.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

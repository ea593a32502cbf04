package wechat

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Description is what an endpoint asks and answers, field by field, as it stands on the wire. It is worked
// out from the types and tags, for catalogues and for servers that play the platform.
type Description struct {
	Product string `json:"product"`
	Name    string `json:"name"`
	Method  string `json:"method"`
	Path    string `json:"path"` // a whole URL where the pattern names another host than the product's
	Effect  string `json:"effect"`
	// Recipient names the fields that Spec.To reads, in the order of the struct, joined by ", "; a field of a
	// field is named with a dot.
	Recipient string            `json:"recipient,omitempty"`
	Query     map[string]*Shape `json:"query,omitempty"` // beside the access_token
	Request   map[string]*Shape `json:"request,omitempty"`
	Reply     map[string]*Shape `json:"reply,omitempty"` // without errcode and errmsg
}

// Shape is the form of one value. A body that is no object of fields is one value under the name "$".
type Shape struct {
	Type     string            `json:"type"`               // string, int, float, bool, object, list, map, file, bytes or any
	Required bool              `json:"required,omitempty"` // of a request: it has no omitempty
	Fields   map[string]*Shape `json:"fields,omitempty"`   // of an object
	Elem     *Shape            `json:"elem,omitempty"`     // of a list or map
}

// Describe works out what s asks and answers. Constants count as required fields where they travel. It takes
// some time and keeps nothing: it is not for the way of a call.
func (s Spec) Describe() Description {
	d := Description{Product: s.Product, Name: s.Name, Method: s.Method(), Path: s.Path(), Effect: s.Effect.String()}
	if host := s.Host(); host != "" {
		d.Path = "https://" + host + d.Path
	}
	var req, res any
	if s.New != nil {
		req, res = s.New()
	}
	p := s.plan
	if p == nil {
		p = compile(&s, elem(req), elem(res))
	}
	d.Query, d.Request = p.describeRequest(elem(req))
	d.Reply = describeReply(elem(res))
	if s.To != nil {
		d.Recipient = strings.Join(p.recipients(&s), ", ")
	}
	return d
}

func (p *plan) describeRequest(t reflect.Type) (query, body map[string]*Shape) {
	query, body = map[string]*Shape{}, map[string]*Shape{}
	add := func(to map[string]*Shape, fields []field) {
		for _, f := range fields {
			shape := shapeOf(t.FieldByIndex(f.index).Type, nil)
			shape.Required = !f.omitempty
			to[f.name] = shape
		}
	}
	add(query, p.query)
	add(body, p.form)
	add(body, p.files)
	if !p.whole || len(p.constBody) > 0 {
		add(body, p.json)
	} else if shape := shapeOf(t, nil); shape.Type == "object" {
		body = shape.Fields
	} else {
		shape.Required = true
		body["$"] = shape
	}
	constants := func(to map[string]*Shape, list []constant) {
		for _, c := range list {
			shape := &Shape{Type: "string", Required: true}
			if c.number() {
				shape.Type = "int"
			}
			to[c.name] = shape
		}
	}
	constants(query, p.constQuery)
	constants(body, p.constBody)
	return query, body
}

func describeReply(t reflect.Type) map[string]*Shape {
	if t == nil || t == noneType {
		return nil
	}
	shape := shapeOf(t, nil)
	shape.unrequire()
	if shape.Type != "object" {
		return map[string]*Shape{"$": shape}
	}
	for name, field := range shape.Fields {
		switch {
		case field.Type == "bytes":
			delete(shape.Fields, name)
			shape.Fields["$"] = &Shape{Type: "bytes"}
		case name == "errcode" || name == "errmsg":
			delete(shape.Fields, name)
		}
	}
	return shape.Fields
}

// unrequire drops the marks of a request, which say nothing about a reply.
func (s *Shape) unrequire() {
	s.Required = false
	for _, field := range s.Fields {
		field.unrequire()
	}
	if s.Elem != nil {
		s.Elem.unrequire()
	}
}

// shapeOf is the shape of a value of type t in JSON. within are the structs around it: one inside itself is
// an any the second time.
func shapeOf(t reflect.Type, within []reflect.Type) *Shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case fileType:
		return &Shape{Type: "file"}
	case blobType:
		return &Shape{Type: "bytes"}
	}
	if t.Kind() == reflect.Struct && hasTags(t) {
		if slices.Contains(within, t) {
			return &Shape{Type: "any"}
		}
		fields := map[string]*Shape{}
		within = append(within[:len(within):len(within)], t)
		for m := range members(t, nil) {
			shape := shapeOf(m.typ, within)
			if m.quoted {
				shape = &Shape{Type: "string"}
			}
			shape.Required = !m.optional
			fields[m.name] = shape
		}
		return &Shape{Type: "object", Fields: fields}
	}
	if shape := marshalled(t); shape != nil {
		return shape
	}
	switch t.Kind() {
	case reflect.String:
		return &Shape{Type: "string"}
	case reflect.Bool:
		return &Shape{Type: "bool"}
	case reflect.Float32, reflect.Float64:
		return &Shape{Type: "float"}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return &Shape{Type: "string"} // base64
		}
		return &Shape{Type: "list", Elem: shapeOf(t.Elem(), within)}
	case reflect.Map:
		return &Shape{Type: "map", Elem: shapeOf(t.Elem(), within)}
	case reflect.Struct, reflect.Interface:
		return &Shape{Type: "any"}
	}
	return &Shape{Type: "int"}
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	numberType    = reflect.TypeFor[json.Number]()
)

// marshalled is the shape of a type that writes its own JSON, told from what its zero value looks like; nil
// for the others.
func marshalled(t reflect.Type) *Shape {
	if t == numberType {
		return &Shape{Type: "any"}
	}
	if p := reflect.PointerTo(t); t.Kind() == reflect.Interface || !p.Implements(jsonMarshaler) && !p.Implements(textMarshaler) {
		return nil
	}
	b, err := json.Marshal(reflect.New(t).Interface())
	if err != nil {
		return &Shape{Type: "any"}
	}
	switch c := b[0]; {
	case c == '"':
		return &Shape{Type: "string"}
	case c == 't' || c == 'f':
		return &Shape{Type: "bool"}
	case c == '-' || c >= '0' && c <= '9':
		if strings.ContainsAny(string(b), ".eE") {
			return &Shape{Type: "float"}
		}
		return &Shape{Type: "int"}
	}
	return &Shape{Type: "any"}
}

// member is a field of a JSON object.
type member struct {
	name             string
	typ              reflect.Type
	index            []int
	optional, quoted bool
}

// members yields the JSON fields of a struct, with those of embedded structs in their place. A Blob counts
// as one: it is the body where it is no JSON.
func members(t reflect.Type, at []int) func(func(member) bool) {
	return func(yield func(member) bool) {
		walkMembers(t, at, yield)
	}
}

func walkMembers(t reflect.Type, at []int, yield func(member) bool) bool {
	for f := range fieldsOf(t) {
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		index := append(at[:len(at):len(at)], f.Index...)
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && inner != blobType {
				if !walkMembers(inner, index, yield) {
					return false
				}
				continue
			}
		}
		if !f.IsExported() || tag == "-" && f.Type != blobType {
			continue
		}
		if name == "" {
			name = f.Name
		}
		m := member{name: name, typ: f.Type, index: index}
		for option := range strings.SplitSeq(options, ",") {
			m.optional = m.optional || option == "omitempty" || option == "omitzero"
			m.quoted = m.quoted || option == "string"
		}
		if !yield(m) {
			return false
		}
	}
	return true
}

// hasTags tells structs that are objects of fields from those that stand for one value, such as time.Time.
func hasTags(t reflect.Type) bool {
	for f := range fieldsOf(t) {
		if _, ok := f.Tag.Lookup("json"); ok || f.Type == blobType {
			return true
		}
		if f.Anonymous && f.Type.Kind() == reflect.Struct && hasTags(f.Type) {
			return true
		}
	}
	return t.NumField() == 0
}

// recipients finds the fields that To reads: each is filled with a mark of its own, and the marks that come
// back tell. They are filled one at a time and all at once, as To may prefer one field to another, or need two.
func (p *plan) recipients(s *Spec) []string {
	all, _ := s.New()
	t := elem(all)
	if t.Kind() != reflect.Struct {
		return nil
	}
	var leaves []leaf
	fields := slices.Concat(p.query, p.form, p.json)
	slices.SortFunc(fields, func(a, b field) int { return slices.Compare(a.index, b.index) })
	for _, f := range fields {
		leaves = append(leaves, leavesOf(t.FieldByIndex(f.index).Type, f.name, f.index, nil)...)
	}
	if len(fields) == 0 {
		for m := range members(t, nil) {
			leaves = append(leaves, leavesOf(m.typ, m.name, m.index, nil)...)
		}
	}
	var names []string
	for i, l := range leaves {
		l.set(reflect.ValueOf(all).Elem(), i)
		one, _ := s.New()
		l.set(reflect.ValueOf(one).Elem(), i)
		if comesBack(s.To(one), i) {
			names = append(names, l.name)
		}
	}
	reached := s.To(all)
	for i, l := range leaves {
		if !slices.Contains(names, l.name) && comesBack(reached, i) {
			names = append(names, l.name)
		}
	}
	return names
}

// mark is a number of nine digits, so that no mark is part of another and a number can be one as well.
func mark(i int) int { return 731000000 + i }

func comesBack(recipients []string, i int) bool {
	return slices.ContainsFunc(recipients, func(r string) bool { return strings.Contains(r, strconv.Itoa(mark(i))) })
}

// leaf is a text or number somewhere in a request.
type leaf struct {
	name string
	set  func(root reflect.Value, i int)
}

// leavesOf finds the leaves of the field at index, whose type is t.
func leavesOf(t reflect.Type, name string, index []int, within []reflect.Type) []leaf {
	var leaves []leaf
	for _, l := range leavesIn(t, name, within) {
		leaves = append(leaves, leaf{l.name, func(v reflect.Value, i int) {
			for _, n := range index {
				if v.Kind() == reflect.Pointer {
					if v.IsNil() {
						v.Set(reflect.New(v.Type().Elem()))
					}
					v = v.Elem()
				}
				v = v.Field(n)
			}
			l.set(v, i)
		}})
	}
	return leaves
}

func leavesIn(t reflect.Type, name string, within []reflect.Type) []leaf {
	switch t.Kind() {
	case reflect.String:
		return []leaf{{name, func(v reflect.Value, i int) { v.SetString(strconv.Itoa(mark(i))) }}}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return []leaf{{name, func(v reflect.Value, i int) { v.SetInt(int64(mark(i))) }}}
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		return []leaf{{name, func(v reflect.Value, i int) { v.SetUint(uint64(mark(i))) }}}
	case reflect.Pointer:
		return wrap(leavesIn(t.Elem(), name, within), func(v reflect.Value) reflect.Value {
			if v.IsNil() {
				v.Set(reflect.New(t.Elem()))
			}
			return v.Elem()
		})
	case reflect.Slice:
		return wrap(leavesIn(t.Elem(), name, within), func(v reflect.Value) reflect.Value {
			if v.Len() == 0 {
				v.Set(reflect.MakeSlice(t, 1, 1))
			}
			return v.Index(0)
		})
	case reflect.Struct:
		if slices.Contains(within, t) {
			return nil
		}
		var leaves []leaf
		within = append(within[:len(within):len(within)], t)
		for m := range members(t, nil) {
			leaves = append(leaves, leavesOf(m.typ, name+"."+m.name, m.index, within)...)
		}
		return leaves
	}
	return nil
}

// wrap makes leaves of what is inside a value into leaves of the value.
func wrap(leaves []leaf, enter func(reflect.Value) reflect.Value) []leaf {
	for i, l := range leaves {
		leaves[i].set = func(v reflect.Value, n int) { l.set(enter(v), n) }
	}
	return leaves
}

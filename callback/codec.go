package callback

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The types of messages and replies are plain structs. A field is found by its Go name, or by its tag:
//
//	`wx:"MediaId"`               another name
//	`wx:"PicList>item"`          a place further down
//	`wx:"Event>List|List"`       one of several places: written to the first in XML, to the last in JSON
//	`wx:"AddUserItems,comma"`    a list in one text
//	`wx:"-"`                     not part of the body
//
// Reading never fails: a text that does not fit a field leaves it zero, since a push must reach its handler although
// the platform strayed from its documentation; the body is there in full.

// field is a field of a struct and where it stands in a body.
type field struct {
	index []int
	paths [][]string
	comma bool
}

var fieldsOf sync.Map // of reflect.Type: []field

func fields(t reflect.Type) []field {
	if f, ok := fieldsOf.Load(t); ok {
		return f.([]field)
	}
	f, _ := fieldsOf.LoadOrStore(t, collect(t, nil))
	return f.([]field)
}

// collect lists the fields of a struct and of those that are embedded in it. A field hides the one of the same name
// in an embedded struct, as in Go.
func collect(t reflect.Type, above []int) []field {
	var own, embedded []field
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(slices.Clone(above), i)
		place, option, _ := strings.Cut(sf.Tag.Get("wx"), ",")
		switch {
		case place == "-":
			continue
		case sf.Anonymous && place == "" && sf.Type.Kind() == reflect.Struct:
			embedded = append(embedded, collect(sf.Type, index)...)
			continue
		case !sf.IsExported():
			continue
		case place == "":
			place = sf.Name
		}
		f := field{index: index, comma: option == "comma"}
		for path := range strings.SplitSeq(place, "|") {
			f.paths = append(f.paths, strings.Split(path, ">"))
		}
		own = append(own, f)
	}
	embedded = slices.DeleteFunc(embedded, func(e field) bool {
		return slices.ContainsFunc(own, func(o field) bool { return slices.Equal(o.paths[0], e.paths[0]) })
	})
	return append(embedded, own...)
}

// decode fills a struct from a node.
func decode(v reflect.Value, n *node) {
	for _, f := range fields(v.Type()) {
		for _, path := range f.paths {
			if found := follow(n, path); len(found) > 0 {
				set(v.FieldByIndex(f.index), found, f.comma)
				break
			}
		}
	}
}

// follow gives the nodes at a path. The last step of several may be missing: JSON has no name for the elements of
// an array that are each an <item> in XML.
func follow(n *node, path []string) []*node {
	found := n.find(path[0])
	for _, name := range path[1:] {
		var next []*node
		for _, at := range found {
			next = append(next, at.find(name)...)
		}
		if next == nil {
			next = slices.DeleteFunc(found, func(at *node) bool { return len(at.kids) == 0 && strings.TrimSpace(at.text) == "" })
		}
		found = next
	}
	return found
}

func set(v reflect.Value, found []*node, comma bool) {
	if v.Kind() == reflect.Slice {
		texts := found
		if comma {
			texts = nil
			for text := range strings.SplitSeq(found[len(found)-1].text, ",") {
				if text = strings.TrimSpace(text); text != "" {
					texts = append(texts, &node{text: text})
				}
			}
		}
		list := reflect.MakeSlice(v.Type(), len(texts), len(texts))
		for i, n := range texts {
			setOne(list.Index(i), n)
		}
		if len(texts) > 0 {
			v.Set(list)
		}
		return
	}
	setOne(v, found[len(found)-1])
}

func setOne(v reflect.Value, n *node) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		setOne(v.Elem(), n)
	case reflect.Struct:
		decode(v, n)
	case reflect.String:
		v.SetString(n.text)
	case reflect.Bool:
		b, _ := strconv.ParseBool(strings.TrimSpace(n.text))
		v.SetBool(b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if i, ok := integer(n.text); ok && !v.OverflowInt(i) {
			v.SetInt(i)
		}
	case reflect.Float32, reflect.Float64:
		f, _ := strconv.ParseFloat(strings.TrimSpace(n.text), 64)
		v.SetFloat(f)
	default: // no other kind is in a message; one of a user's own stays as it is
	}
}

// integer reads a whole number, also one that is written as 12.0 or 1.2e1.
func integer(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(s, 64)
	const exact = 1 << 53
	if err != nil || f != float64(int64(f)) || f > exact || f < -exact {
		return 0, false
	}
	return int64(f), true
}

// encode makes the children of a node from a struct. What is zero is left out.
func encode(v reflect.Value, f format) []node {
	var top node
	for _, fd := range fields(v.Type()) {
		value := v.FieldByIndex(fd.index)
		if value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0 {
			continue
		}
		path := fd.paths[0]
		if f == formatJSON {
			path = fd.paths[len(fd.paths)-1]
			if last := len(path) - 1; last > 0 && strings.EqualFold(path[last], "item") {
				path = path[:last]
			}
		}
		at := &top
		for _, name := range path[:len(path)-1] {
			at = at.child(name)
		}
		name := path[len(path)-1]
		switch {
		case fd.comma:
			texts := make([]string, value.Len())
			for i := range texts {
				texts[i] = scalar(value.Index(i)).text
			}
			at.kids = append(at.kids, node{name: name, text: strings.Join(texts, ",")})
		case value.Kind() == reflect.Slice:
			for i := range value.Len() {
				n := encodeOne(value.Index(i), f)
				n.name, n.list = name, true
				at.kids = append(at.kids, n)
			}
		default:
			n := encodeOne(value, f)
			n.name = name
			at.kids = append(at.kids, n)
		}
	}
	return top.kids
}

// child is the child of a name, which is made where it is missing.
func (n *node) child(name string) *node {
	for i := range n.kids {
		if n.kids[i].name == name {
			return &n.kids[i]
		}
	}
	n.kids = append(n.kids, node{name: name})
	return &n.kids[len(n.kids)-1]
}

func encodeOne(v reflect.Value, f format) node {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		return node{kids: encode(v, f)}
	}
	return scalar(v)
}

func scalar(v reflect.Value) node {
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return node{text: strconv.FormatInt(v.Int(), 10), number: true}
	case reflect.Float32, reflect.Float64:
		return node{text: strconv.FormatFloat(v.Float(), 'f', -1, 64), number: true}
	case reflect.Bool:
		return node{text: strconv.FormatBool(v.Bool()), number: true}
	default:
		return node{text: printable(v.String())}
	}
}

// write renders the members of a body.
func write(kids []node, f format) []byte {
	var b bytes.Buffer
	if f == formatJSON {
		writeJSON(&b, kids)
	} else {
		writeXML(&b, []node{{name: "xml", kids: kids}})
	}
	return b.Bytes()
}

// writeXML puts texts in CDATA sections, as the platform's own samples do; one that ends a section begins another.
func writeXML(b *bytes.Buffer, nodes []node) {
	for _, n := range nodes {
		b.WriteString("<" + n.name + ">")
		switch {
		case n.kids != nil:
			writeXML(b, n.kids)
		case n.number:
			b.WriteString(n.text)
		default:
			b.WriteString("<![CDATA[" + strings.ReplaceAll(n.text, "]]>", "]]]]><![CDATA[>") + "]]>")
		}
		b.WriteString("</" + n.name + ">")
	}
}

func writeJSON(b *bytes.Buffer, kids []node) {
	b.WriteByte('{')
	for i := 0; i < len(kids); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(kids[i].name))
		b.WriteByte(':')
		if !kids[i].list {
			writeValue(b, kids[i])
			continue
		}
		b.WriteByte('[')
		writeValue(b, kids[i])
		for i+1 < len(kids) && kids[i+1].list && kids[i+1].name == kids[i].name {
			i++
			b.WriteByte(',')
			writeValue(b, kids[i])
		}
		b.WriteByte(']')
	}
	b.WriteByte('}')
}

func writeValue(b *bytes.Buffer, n node) {
	switch {
	case n.kids != nil:
		writeJSON(b, n.kids)
	case n.number:
		b.WriteString(n.text)
	default:
		b.Write(quote(n.text))
	}
}

// quote is s as JSON, with &, < and > as they are.
func quote(s string) []byte {
	b, err := marshal(s)
	if err != nil {
		return []byte(`""`) // a text always is JSON
	}
	return b
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strconv"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/catalog"
)

// replyTravels answers with every field of the catalogue filled and lists what is lost or changed in the Go type;
// then in the ways that the servers write the same now and then: numbers as text and text as numbers, a list of one
// object as that object, empty objects and lists as ""; and with the file where the reply can be one.
func replyTravels(e *catalog.Endpoint, spec wechat.Spec, call *wechat.Call) []string {
	d := difference{at: e.Product + "." + e.Name}
	answer := func(body []byte) (res any, ok bool) {
		_, res = spec.New()
		if _, _, err := send(bare(spec, call.Product, filled(spec), res), body); err != nil {
			d.add(" reply", "%v, of %.200s", err, body)
			return nil, false
		}
		return res, true
	}
	fields, whole := maps.Clone(e.Reply), e.Reply[catalog.Whole]
	delete(fields, catalog.Whole)
	if whole != nil && whole.Kind == "bytes" {
		if res, ok := answer([]byte(fileText)); ok && string(blobOf(res).Data) != fileText {
			d.add(" reply", "the file arrives as %q", blobOf(res).Data)
		}
	}
	if whole != nil && whole.Kind == "any" {
		if res, ok := answer([]byte(anyText)); ok {
			d.kept(map[string]any{"any": true}, res)
		}
	}
	if len(fields) == 0 {
		return d.lines
	}
	b := builder{n: 1000}
	plain, swapped := b.object(fields, spec.Describe().Reply)
	lone, one := alone(plain)
	for _, reply := range []struct {
		sent, want any
		errcode    any
	}{
		{plain, plain, json.Number("0")},
		{swapped, plain, "0"},
		{lone, one, json.Number("0")},
		{emptied(plain), map[string]any{}, json.Number("0")},
	} {
		sent := maps.Clone(reply.sent.(map[string]any))
		sent["errcode"], sent["errmsg"] = reply.errcode, "ok" // as in every reply
		body, err := json.Marshal(sent)
		if err != nil {
			d.add(" reply", "%v", err)
			continue
		}
		if res, ok := answer(body); ok {
			d.kept(reply.want, res)
		}
	}
	return d.lines
}

// alone writes each list of objects as its first object. want is what that should be decoded as.
func alone(v any) (sent, want any) {
	switch v := v.(type) {
	case map[string]any:
		sent, want := map[string]any{}, map[string]any{}
		for name, field := range v {
			sent[name], want[name] = alone(field)
		}
		return sent, want
	case []any:
		if first, ok := v[0].(map[string]any); ok && len(first) > 0 {
			sent, want := alone(first)
			return sent, []any{want}
		}
	}
	return v, v
}

// emptied writes the objects and lists of a reply as "".
func emptied(fields map[string]any) map[string]any {
	empty := map[string]any{}
	for name, field := range fields {
		switch field.(type) {
		case map[string]any, []any:
			empty[name] = ""
		}
	}
	return empty
}

// kept checks that res, written as JSON, has all of want.
func (d *difference) kept(want, res any) {
	text, err := json.Marshal(res)
	if err != nil {
		d.add(" reply", "%v", err)
		return
	}
	have, err := decode(text)
	if err != nil {
		d.add(" reply", "%v", err)
		return
	}
	d.same(" reply", want, have)
}

// same compares by text: whether a field is a number or a text has been compared already.
func (d *difference) same(at string, want, have any) {
	switch want := want.(type) {
	case nil: // the types differ: nothing was sent
	case map[string]any:
		object, ok := have.(map[string]any)
		if !ok {
			d.add(at, "an object is decoded as %v", have)
			return
		}
		for _, name := range names(want, want) {
			d.same(at+"."+name, want[name], object[name])
		}
	case []any:
		list, ok := have.([]any)
		if object, raw := have.(map[string]any); raw && len(want) == 1 {
			list, ok = []any{object}, true // kept as it came
		}
		if !ok || len(list) != len(want) {
			d.add(at, "a list of %d is decoded as %v", len(want), have)
			return
		}
		for i := range want {
			d.same(at+"[]", want[i], list[i])
		}
	default:
		if fmt.Sprint(want) != fmt.Sprint(have) {
			d.add(at, "%v is decoded as %v", want, have)
		}
	}
}

// blobOf is the Blob of a reply: the reply itself, or a field.
func blobOf(res any) wechat.Blob {
	v := reflect.ValueOf(res).Elem()
	if blob, ok := v.Interface().(wechat.Blob); ok {
		return blob
	}
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if blob, ok := v.Field(i).Interface().(wechat.Blob); ok {
				return blob
			}
		}
	}
	return wechat.Blob{}
}

// builder makes replies, each number and text of its own.
type builder struct{ n int }

// object makes the fields that both the catalogue and the Go type have, as the catalogue writes them and with
// numbers and texts swapped.
func (b *builder) object(want map[string]*catalog.Type, have map[string]*wechat.Shape) (plain, swapped map[string]any) {
	plain, swapped = map[string]any{}, map[string]any{}
	for _, name := range names(want, have) {
		if w, h := want[name], have[name]; w != nil && h != nil {
			plain[name], swapped[name] = b.value(w, h)
		}
	}
	return plain, swapped
}

func (b *builder) value(w *catalog.Type, h *wechat.Shape) (plain, swapped any) {
	b.n++
	switch {
	case h.Type == "any": // kept as it comes
		plain, _ = b.value(w, shape(w))
		return plain, plain
	case w.Kind == "any":
		return b.value(typ(h), h)
	case w.Kind != h.Type: // reported already
		return nil, nil
	}
	switch w.Kind {
	case "object":
		return b.object(w.Fields, h.Fields)
	case "map":
		p, s := b.value(w.Elem, h.Elem)
		return map[string]any{"key": p}, map[string]any{"key": s}
	case "list":
		p1, s1 := b.value(w.Elem, h.Elem)
		p2, s2 := b.value(w.Elem, h.Elem)
		return []any{p1, p2}, []any{s1, s2}
	case "int":
		n := int64(b.n)
		if w.Wide {
			n += 1 << 53 // more than a float64 can tell apart
		}
		return json.Number(strconv.FormatInt(n, 10)), strconv.FormatInt(n, 10)
	case "float":
		text := strconv.Itoa(b.n) + ".25"
		return json.Number(text), text
	case "bool":
		return true, true
	}
	text := strconv.FormatInt(8e18+int64(b.n), 10) // ids of 19 digits come as text and as numbers
	return text, json.Number(text)
}

// shape is what a Go type would look like that is written as the catalogue has it.
func shape(w *catalog.Type) *wechat.Shape {
	if w == nil {
		return nil
	}
	h := &wechat.Shape{Type: w.Kind, Elem: shape(w.Elem), Fields: map[string]*wechat.Shape{}}
	if w.Kind == "any" {
		h.Type = "bool"
	}
	for name, field := range w.Fields {
		h.Fields[name] = shape(field)
	}
	return h
}

// typ is what the catalogue would say of a Go type.
func typ(h *wechat.Shape) *catalog.Type {
	if h == nil {
		return nil
	}
	w := &catalog.Type{Kind: h.Type, Elem: typ(h.Elem), Fields: map[string]*catalog.Type{}}
	for name, field := range h.Fields {
		w.Fields[name] = typ(field)
	}
	return w
}

package wire

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonNumber      = reflect.TypeFor[json.Number]()
)

// lenient rewrites JSON as it came into JSON that encoding/json decodes into a
// given type. What cannot be reconciled becomes null, and the first such place
// is kept. Its methods report false where the JSON itself is broken.
type lenient struct {
	scanner
	out      []byte
	path     []string // fields as .name, entries of a map as .*, positions as [i]
	fields   map[reflect.Type]map[string]field
	mismatch *DecodeError
}

// field is what a struct has under a name.
type field struct {
	typ    reflect.Type
	quoted bool // has the option ,string: encoding/json wants the value in quotes
	tagged bool
	depth  int
	twice  bool // ambiguous, so that encoding/json ignores it
}

// value rewrites the next value for a target of type t.
func (l *lenient) value(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer && !t.Implements(jsonUnmarshaler) && !t.Implements(textUnmarshaler) {
		if raw, ok := l.emptyText(); ok && t.Elem().Kind() != reflect.String {
			l.pos += len(raw)
			return l.put("null")
		}
		t = t.Elem()
	}
	if l.peek() == 'n' {
		raw, ok := l.literal()
		return ok && l.put(string(raw))
	}
	pointer := t
	if t.Kind() != reflect.Pointer {
		pointer = reflect.PointerTo(t)
	}
	switch {
	case pointer.Implements(jsonUnmarshaler):
		return l.unmarshaler(pointer.Elem())
	case pointer.Implements(textUnmarshaler):
		return l.textUnmarshaler(pointer.Elem())
	case t == jsonNumber:
		return l.number(t)
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return l.objectFor(t)
	case reflect.Slice, reflect.Array:
		return l.listFor(t)
	case reflect.String:
		return l.string(t)
	case reflect.Bool:
		return l.bool(t)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		return l.number(t)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return l.raw()
		}
	}
	return l.misfit(t)
}

// put appends strict JSON.
func (l *lenient) put(s string) bool {
	l.out = append(l.out, s...)
	return true
}

// misfit skips a value that does not fit t and notes where that was.
func (l *lenient) misfit(t reflect.Type) bool {
	kind := map[byte]string{'{': "object", '[': "array", '"': "string", 't': "bool", 'f': "bool", 'n': "null"}[l.peek()]
	if kind == "" {
		kind = "number"
	}
	l.note(&json.UnmarshalTypeError{Value: kind, Type: t, Offset: int64(l.pos)})
	return l.skip() && l.put("null")
}

func (l *lenient) note(err error) {
	if l.mismatch == nil {
		path := strings.TrimPrefix(strings.Join(l.path, ""), ".")
		l.mismatch = &DecodeError{Path: path, Err: withoutValue(err, path)}
	}
}

// below rewrites a value one step further down the path.
func (l *lenient) below(step string, t reflect.Type) bool {
	l.path = append(l.path, step)
	ok := l.value(t)
	l.path = l.path[:len(l.path)-1]
	return ok
}

// emptyText returns a string of nothing, quotes included, if that is next.
func (l *lenient) emptyText() (raw string, ok bool) {
	const empty = `""`
	l.space()
	return empty, bytes.HasPrefix(l.data[l.pos:], []byte(empty))
}

// emptied skips "" or an empty pair of brackets and tells whether one was next.
func (l *lenient) emptied(open, end byte) bool {
	if raw, ok := l.emptyText(); ok {
		l.pos += len(raw)
		return true
	}
	start := l.pos
	if l.take(open) && l.take(end) {
		return true
	}
	l.pos = start
	return false
}

func (l *lenient) objectFor(t reflect.Type) bool {
	if l.peek() != '{' {
		if l.emptied('[', ']') {
			return l.put("null")
		}
		return l.misfit(t)
	}
	l.put("{")
	first := true
	ok := l.object(func(key []byte) bool {
		f, known := l.member(t, key)
		if !known {
			return l.skip()
		}
		if !first {
			l.put(",")
		}
		first = false
		l.out = append(appendClean(append(l.out, '"'), key), '"', ':')
		start := l.pos
		mark := len(l.out)
		step := ".*" // the keys of a map are data, which errors do not repeat
		if t.Kind() == reflect.Struct {
			step = "." + unquote(key)
		}
		ok := l.below(step, f.typ)
		if f.quoted {
			l.quote(start, mark, f.typ)
		}
		return ok
	})
	return ok && l.put("}")
}

// quote puts what was written since mark in quotes, for the option ,string.
func (l *lenient) quote(start, mark int, t reflect.Type) {
	written := string(l.out[mark:])
	came := scanner{data: l.data, pos: start}
	if written == "null" || t.Kind() == reflect.String && came.peek() == '"' {
		return
	}
	l.out = strconv.AppendQuote(l.out[:mark], written)
}

// member finds what key stands for in a struct or a map.
func (l *lenient) member(t reflect.Type, key []byte) (field, bool) {
	if t.Kind() == reflect.Map {
		return field{typ: t.Elem()}, true
	}
	fields, ok := l.fields[t]
	if !ok {
		fields = make(map[string]field)
		collect(fields, t, 0, nil)
		if l.fields == nil {
			l.fields = make(map[reflect.Type]map[string]field)
		}
		l.fields[t] = fields
	}
	name := unquote(key)
	if f, ok := fields[name]; ok {
		return f, !f.twice
	}
	for other, f := range fields {
		if strings.EqualFold(other, name) {
			return f, !f.twice
		}
	}
	return field{}, false
}

// collect adds the fields of a struct as encoding/json sees them: those of
// embedded structs too, the less deep and then the tagged one wins.
func collect(fields map[string]field, t reflect.Type, depth int, above []reflect.Type) {
	if slices.Contains(above, t) {
		return
	}
	above = append(above, t)
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		typ := sf.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch {
		case tag == "-":
			continue
		case sf.Anonymous && name == "" && typ.Kind() == reflect.Struct:
			collect(fields, typ, depth+1, above)
			continue
		case !sf.IsExported():
			continue
		}
		f := field{typ: sf.Type, tagged: name != "", depth: depth}
		for option := range strings.SplitSeq(options, ",") {
			if option == "string" {
				f.quoted = isScalar(typ)
			}
		}
		if name == "" {
			name = sf.Name
		}
		old, ok := fields[name]
		switch {
		case !ok, f.depth < old.depth, f.depth == old.depth && f.tagged && !old.tagged:
			fields[name] = f
		case f.depth == old.depth && f.tagged == old.tagged:
			old.twice = true
			fields[name] = old
		}
	}
}

func isScalar(t reflect.Type) bool {
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 || t.Kind() == reflect.String
}

func (l *lenient) listFor(t reflect.Type) bool {
	isBytes := t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
	switch token := l.peek(); {
	case token == '[':
		l.put("[")
		ok := l.list(func(i int) bool {
			if i > 0 {
				l.put(",")
			}
			return l.below("["+strconv.Itoa(i)+"]", t.Elem())
		})
		return ok && l.put("]")
	case isBytes && token == '"':
		return l.raw()
	case l.emptied('{', '}'):
		return l.put("null")
	case isBytes:
		return l.misfit(t)
	}
	mark, before := len(l.out), l.mismatch
	l.put("[")
	if !l.value(t.Elem()) {
		return false
	}
	if l.mismatch != before && string(l.out[mark:]) == "[null" {
		l.out = l.out[:mark] // a list of nothing would be made up
		return l.put("null")
	}
	return l.put("]")
}

// scalar reads a string, a number or a boolean and returns its text.
func (l *lenient) scalar() (text string, ok bool) {
	if l.peek() == '"' {
		raw, ok := l.text()
		return unquote(raw), ok
	}
	raw, ok := l.literal()
	return string(raw), ok
}

func (l *lenient) string(t reflect.Type) bool {
	switch l.peek() {
	case '"':
		return l.raw()
	case '{', '[':
		return l.misfit(t)
	}
	text, ok := l.scalar()
	return ok && l.put(`"`+text+`"`)
}

func (l *lenient) bool(t reflect.Type) bool {
	return l.convert(t, func(text string) (string, bool) {
		if text == "" {
			return "false", true
		}
		b, err := strconv.ParseBool(text)
		return strconv.FormatBool(b), err == nil
	})
}

func (l *lenient) number(t reflect.Type) bool {
	switch l.peek() {
	case 't', 'f':
		return l.misfit(t)
	}
	return l.convert(t, func(text string) (string, bool) {
		if text == "" {
			return "0", true
		}
		if t == jsonNumber || t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 {
			return text, isNumber([]byte(text))
		}
		return wholeNumber(text)
	})
}

// convert rewrites a scalar through its text.
func (l *lenient) convert(t reflect.Type, rewrite func(text string) (string, bool)) bool {
	switch l.peek() {
	case '{', '[':
		return l.misfit(t)
	}
	start := l.pos
	text, ok := l.scalar()
	if !ok {
		return false
	}
	if text, ok = rewrite(strings.TrimSpace(text)); !ok {
		l.pos = start
		return l.misfit(t)
	}
	return l.put(text)
}

// raw copies a value as it is, but for what strict JSON forbids in strings.
func (l *lenient) raw() bool {
	start := l.pos
	if !l.skip() {
		return false
	}
	value := l.data[start:l.pos]
	for len(value) > 0 {
		n := bytes.IndexByte(value, '"')
		if n < 0 {
			break
		}
		s := scanner{data: value, pos: n}
		text, _ := s.text()
		l.out = append(l.out, value[:n+1]...)
		l.out = append(appendClean(l.out, text), '"')
		value = value[s.pos:]
	}
	l.out = append(l.out, value...)
	return true
}

// unmarshaler leaves a value to its type, which is tried first, as an error
// would end encoding/json's work on all that follows.
func (l *lenient) unmarshaler(t reflect.Type) bool {
	l.space()
	mark := len(l.out)
	if !l.raw() {
		return false
	}
	trial := reflect.New(t).Interface().(json.Unmarshaler)
	if err := trial.UnmarshalJSON(bytes.Clone(l.out[mark:])); err != nil {
		l.note(err)
		l.out = l.out[:mark]
		return l.put("null")
	}
	return true
}

// textUnmarshaler does the same for types that read text; a bare number or
// boolean is such a text too.
func (l *lenient) textUnmarshaler(t reflect.Type) bool {
	mark := len(l.out)
	if !l.string(t) {
		return false
	}
	text, ok := bytes.CutPrefix(l.out[mark:], []byte{'"'})
	if !ok {
		return true // null, as it did not fit
	}
	trial := reflect.New(t).Interface().(encoding.TextUnmarshaler)
	if err := trial.UnmarshalText([]byte(unquote(text[:len(text)-1]))); err != nil {
		l.note(err)
		l.out = l.out[:mark]
		return l.put("null")
	}
	return true
}

// wholeNumber returns the digits of a decimal number, such as 12, 12.0 or
// 1.2e1, if nothing stands behind its point. It does not go by way of a float,
// which would round ids beyond 2^53.
func wholeNumber(text string) (string, bool) {
	unsigned, negative := strings.CutPrefix(text, "-")
	if !negative {
		unsigned = strings.TrimPrefix(text, "+")
	}
	mantissa, exponent := unsigned, 0
	if i := strings.IndexAny(unsigned, "eE"); i >= 0 {
		n, err := strconv.Atoi(unsigned[i+1:])
		if err != nil {
			return "", false
		}
		mantissa, exponent = unsigned[:i], n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return "0", true
	}
	significant := strings.TrimRight(digits, "0")
	// What is left of the point: all digits but those of the fraction, moved by
	// the exponent.
	left := len(digits) - len(fraction) + exponent
	if left < len(significant) || left > len("18446744073709551615") {
		return "", false
	}
	digits = significant + strings.Repeat("0", left-len(significant))
	if negative {
		digits = "-" + digits
	}
	return digits, true
}

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
)

// maxBody is how much of a body a DecodeError keeps.
const maxBody = 512

// DecodeError says that a reply could not be read, or not all of it. Its text
// says where and why, and never repeats what the reply says.
type DecodeError struct {
	Path string // the field, as in order.items[2].price, or prices.* in a map; empty if the body as a whole is meant
	Err  error  // ErrEmpty, ErrNotJSON, a *json.UnmarshalTypeError or what an UnmarshalJSON method returned

	body []byte
}

// Error names the field and the kinds that do not fit.
func (e *DecodeError) Error() string {
	var cause string
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(e.Err, &mismatch):
		cause = mismatch.Value + " does not fit " + mismatch.Type.String()
	case errors.Is(e.Err, ErrEmpty), errors.Is(e.Err, ErrNotJSON):
		cause = e.Err.Error()
	default:
		cause = fmt.Sprintf("refused by its type: %T", e.Err)
	}
	if e.Path == "" {
		return "decode reply: " + cause
	}
	return "decode reply: " + e.Path + ": " + cause
}

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// Body returns the beginning of the reply, at most 512 bytes. It may hold
// secrets: it is for the eyes of the caller and not for logs.
func (e *DecodeError) Body() []byte { return bytes.Clone(e.body) }

// Unmarshal decodes a reply into *v, which is set to its zero value first.
//
// What encoding/json takes is decoded by it and costs no more. The rest is read
// leniently, as replies often differ from their documentation: a byte order mark, raw
// control characters in strings, bytes that are not UTF-8 (U+FFFD stands for
// each), numbers and booleans in quotes, bare numbers and booleans where text
// is expected, "" for zero, floats for integers where nothing is lost, "" or []
// for an object, "" or {} for a list, and one value for a list of them. Numbers
// in an any are a json.Number either way, so that long ids stay exact.
//
// A field that cannot be reconciled is a *DecodeError, after all others were
// filled in. A body that is not one JSON value and nothing else is a
// *DecodeError and leaves *v zero.
func Unmarshal(data []byte, v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return &json.InvalidUnmarshalError{Type: reflect.TypeOf(v)}
	}
	target = target.Elem()
	target.SetZero()
	if strict(bytes.TrimPrefix(data, byteOrderMark), v) == nil {
		return nil
	}
	target.SetZero()

	s, err := body(data)
	if err != nil {
		return &DecodeError{Err: err}
	}
	l := lenient{scanner: s}
	if !l.value(target.Type()) || !l.atEnd() {
		err := fmt.Errorf("%w at byte %d", ErrNotJSON, len(data)-len(l.data)+l.pos)
		return &DecodeError{Err: err, body: beginning(data)}
	}
	failure := l.mismatch
	if err := strict(l.out, v); err != nil && failure == nil {
		// Only encoding/json finds that a number overflows.
		path := ""
		if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) {
			path = mismatch.Field
		}
		failure = &DecodeError{Path: path, Err: withoutValue(err, path)}
	}
	if failure != nil {
		failure.body = beginning(data)
		return failure
	}
	return nil
}

// beginning copies, so that an error does not keep a reply of megabytes alive.
func beginning(data []byte) []byte {
	return bytes.Clone(data[:min(len(data), maxBody)])
}

// withoutValue returns err, or if it is a mismatch one that does not repeat the
// value: encoding/json writes "number 3000000000".
func withoutValue(err error, path string) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	kind, _, _ := strings.Cut(mismatch.Value, " ")
	return &json.UnmarshalTypeError{Value: kind, Type: mismatch.Type, Offset: mismatch.Offset, Field: path}
}

// strict decodes with encoding/json. Its decoder, which alone can keep numbers
// exact in an any, costs more and is used only where there is one.
func strict(data []byte, v any) error {
	if !holdsAny(reflect.TypeOf(v)) {
		return json.Unmarshal(data, v)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return ErrNotJSON
	}
	return nil
}

// anyTypes remembers the answers of holdsAny.
var anyTypes sync.Map // reflect.Type to bool

// holdsAny tells whether a value of type t can hold an any into which
// encoding/json decodes.
func holdsAny(t reflect.Type) bool {
	if known, ok := anyTypes.Load(t); ok {
		return known.(bool)
	}
	found := findAny(t, make(map[reflect.Type]bool))
	anyTypes.Store(t, found)
	return found
}

func findAny(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findAny(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if findAny(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

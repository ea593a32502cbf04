package conform

import (
	"encoding/json"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/seed175cf469/wechat"
)

// fileText is what the files of a filled request have in them.
const fileText = "\x89PNG\r\n\x1a\n and more"

// anyText is what stands where any JSON value may.
const anyText = `{"any":true}`

// filler fills values by reflection, each text and number with one of its own.
type filler struct {
	n      int
	inside map[reflect.Type]int
}

// filled is a request with every field filled.
func filled(spec wechat.Spec) any { return filledFrom(spec, 1000) }

// filledFrom is one whose numbers and texts count from first.
func filledFrom(spec wechat.Spec, first int) any {
	req, _ := spec.New()
	f := filler{n: first, inside: map[reflect.Type]int{}}
	f.fill(reflect.ValueOf(req).Elem())
	return req
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	t := v.Type()
	switch t {
	case reflect.TypeFor[wechat.File]():
		v.Set(reflect.ValueOf(wechat.File{Name: "picture.png", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(fileText)), nil
		}}))
		return
	case reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(anyText))
		return
	case reflect.TypeFor[json.Number]():
		v.SetString(strconv.Itoa(f.n))
		return
	}
	switch t.Kind() {
	case reflect.String:
		v.SetString("text " + strconv.Itoa(f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.n))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(f.n) + 0.5)
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		f.fill(v.Elem())
	case reflect.Interface:
		if t.NumMethod() == 0 {
			v.Set(reflect.ValueOf(map[string]any{"any": true}))
		}
	case reflect.Slice:
		if f.inside[t.Elem()] > 1 {
			return
		}
		v.Set(reflect.MakeSlice(t, 1, 1))
		f.fill(v.Index(0))
	case reflect.Map:
		elem := reflect.New(t.Elem()).Elem()
		f.fill(elem)
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(reflect.ValueOf("key").Convert(t.Key()), elem)
	case reflect.Struct:
		// A type inside itself, such as a button in a menu, is filled twice and then left out.
		if f.inside[t] > 1 {
			return
		}
		f.inside[t]++
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				f.fill(v.Field(i))
			}
		}
		f.inside[t]--
	}
}

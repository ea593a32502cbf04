package mock

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/internal/wire"
)

// clone copies a request so deep that what its maker changes afterwards does not show. What cannot be set from
// outside (unexported fields, funcs) is shared.
func clone(request any) any {
	if request == nil {
		return nil
	}
	return cloneValue(reflect.ValueOf(request)).Interface()
}

func cloneValue(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(cloneValue(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(cloneValue(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(cloneValue(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for name, value := range v.Seq2() {
				out.SetMapIndex(name, cloneValue(value))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(cloneValue(v.Field(i)))
			}
		}
	}
	return out
}

// maxShown bounds how much of a request an error message has, in bytes.
const maxShown = 1000

// show is a request as text for a person, without its secrets: its fields by their names in the API.
func show(request any) string {
	v := reflect.ValueOf(request)
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return ""
	}
	v = v.Elem()
	text := ""
	if v.Kind() != reflect.Struct {
		b, _ := json.Marshal(request)
		text = string(b)
	} else {
		var fields []string
		eachField(v, func(name, _ string, field reflect.Value) {
			if field.IsZero() {
				return
			}
			value := field.Interface()
			if file, ok := value.(wechat.File); ok {
				value = file.Name
			}
			b, err := json.Marshal(value)
			if err != nil {
				b, _ = json.Marshal(err.Error())
			}
			quoted, _ := json.Marshal(name)
			fields = append(fields, string(quoted)+":"+string(b))
		})
		text = "{" + strings.Join(fields, ",") + "}"
	}
	text = wire.Redact(text)
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "..."
	}
	return text
}

// eachField visits the fields of a request with the name and the place ("query", "form", "json") that their
// tags give them; the fields of embedded structs stand for themselves.
func eachField(v reflect.Value, visit func(name, place string, field reflect.Value)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct && f.Tag == "" {
			eachField(v.Field(i), visit)
			continue
		}
		if !f.IsExported() {
			continue
		}
		place, tag := "json", f.Tag.Get("json")
		for _, p := range []string{"query", "form"} {
			if t, ok := f.Tag.Lookup(p); ok {
				place, tag = p, t
				break
			}
		}
		if place == "json" && tag == "-" {
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		visit(name, place, v.Field(i))
	}
}

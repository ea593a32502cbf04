package mock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed175cf469/wechat"
)

// complete refuses a request that lacks what the endpoint requires, or has it in another form.
func (x *exchange) complete() *Reply {
	switch {
	case x.broken:
		return &Reply{Code: 47001}
	case x.Method == http.MethodPost && len(x.Body) == 0 && requires(x.endpoint.description.Request):
		return &Reply{Code: 44002}
	}
	return x.lacking(x.endpoint)
}

func requires(fields map[string]*wechat.Shape) bool {
	for _, shape := range fields {
		if shape.Required {
			return true
		}
	}
	return false
}

// lacking is the refusal of the first field, by name, that is missing or wrong.
func (x *exchange) lacking(e *endpoint) *Reply {
	for _, name := range sorted(e.description.Query) {
		if e.description.Query[name].Required && !x.Query.Has(name) {
			return missing(name)
		}
	}
	for name, want := range e.spec.Const {
		got, _ := x.constant(e, name)
		if !strings.HasPrefix(want, "{") && got != want {
			if name = strings.TrimPrefix(name, "?"); name == "grant_type" {
				return &Reply{Code: 40002}
			}
			return missing(name)
		}
	}
	if x.form != nil {
		for _, name := range sorted(e.description.Request) {
			shape := e.description.Request[name]
			_, isFile := x.files[name]
			if shape.Required && !isFile && !x.form.Has(name) {
				return missing(name)
			}
		}
		return nil
	}
	if whole := e.description.Request["$"]; whole != nil {
		return mismatch("the body", x.json, whole)
	}
	object, ok := x.json.(map[string]any)
	if !ok && x.json != nil && len(e.description.Request) > 0 {
		return &Reply{Code: 47001}
	}
	return lackingIn("", object, e.description.Request)
}

func lackingIn(path string, object map[string]any, fields map[string]*wechat.Shape) *Reply {
	for _, name := range sorted(fields) {
		shape, value := fields[name], object[name]
		switch {
		case value != nil:
			if r := mismatch(path+name, value, shape); r != nil {
				return r
			}
		case shape.Required:
			return missing(path + name)
		}
	}
	return nil
}

// mismatch refuses a value that has not the shape.
func mismatch(path string, value any, shape *wechat.Shape) *Reply {
	ok := true
	switch shape.Type {
	case "string":
		_, ok = value.(string)
	case "bool":
		_, ok = value.(bool)
	case "int":
		n, isNumber := value.(json.Number)
		ok = isNumber && !strings.ContainsAny(n.String(), ".eE")
	case "float":
		_, ok = value.(json.Number)
	case "object":
		object, isObject := value.(map[string]any)
		if isObject {
			return lackingIn(path+".", object, shape.Fields)
		}
		ok = false
	case "list":
		list, isList := value.([]any)
		for i, element := range list {
			if r := mismatch(fmt.Sprintf("%s[%d]", path, i), element, shape.Elem); r != nil {
				return r
			}
		}
		ok = isList
	case "map":
		object, isObject := value.(map[string]any)
		for _, name := range sorted(object) {
			if r := mismatch(path+"."+name, object[name], shape.Elem); r != nil {
				return r
			}
		}
		ok = isObject
	}
	if ok {
		return nil
	}
	return &Reply{Code: 47001, Message: fmt.Sprintf("data format error, %s is no %s", path, shape.Type)}
}

// missing is the refusal for a field that is not there. Some have a code of their own.
func missing(path string) *Reply {
	switch path {
	case "appid", "corpid":
		return &Reply{Code: 41002}
	case "secret", "corpsecret", "appsecret":
		return &Reply{Code: 41004}
	case "media":
		return &Reply{Code: 41005}
	case "touser", "openid":
		return &Reply{Code: 40003}
	}
	return &Reply{Code: 40035, Message: "invalid args, " + path + " is missing"}
}

func sorted[V any](fields map[string]V) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// reachable tells whom a call can reach, and refuses one that can reach nobody.
func (s *Server) reachable(x *exchange) (reached []string, refused *Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	follows := func(id string) bool { return !s.gone[id] }
	if x.Product != work && x.endpoint.description.Recipient == "touser" && !strings.Contains(x.Path, "subscribe") { // a consent needs no follow
		follows = s.stateOf(x.App).follows
	}
	for _, r := range x.Recipients {
		if s.openID != nil && x.Product != work && !s.openID(r) {
			return nil, &Reply{Code: 40003}
		}
		if follows(r) {
			reached = append(reached, r)
		}
	}
	if len(reached) == 0 && len(x.Recipients) > 0 && x.endpoint.spec.Effect == wechat.EffectSend {
		return nil, &Reply{Code: 43004}
	}
	return reached, nil
}

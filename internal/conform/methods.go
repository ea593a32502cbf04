package conform

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/seed175cf469/wechat"
)

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// callAll calls each method of a client that has the form of an endpoint, with a request without any field, and
// returns what came through the Caller, by method. It lists where methods and specs part.
func callAll(newClient func(wechat.Caller) any, specs []wechat.Spec, helpers []string) (calls map[string]*wechat.Call, differences []string) {
	calls = map[string]*wechat.Call{}
	add := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	byName := map[string]wechat.Spec{}
	for _, s := range specs {
		byName[s.Name] = s
	}
	var came []*wechat.Call
	stop := errors.New("noted")
	client := reflect.ValueOf(newClient(wechat.CallerFunc(func(_ context.Context, call *wechat.Call) error {
		came = append(came, call)
		return stop
	})))
	for i := range client.NumMethod() {
		method := client.Type().Method(i)
		if !hasForm(method.Type) || slices.Contains(helpers, method.Name) {
			continue
		}
		spec, listed := byName[method.Name]
		if !listed {
			add("%s: the method is no endpoint of Endpoints()", method.Name)
			continue
		}
		delete(byName, method.Name)
		came = nil
		panicked, err := callEmpty(client.Method(i))
		switch {
		case panicked:
			add("%s: with an empty request: %v", method.Name, err)
		case len(came) == 0:
			add("%s: with an empty request it made no call: %v", method.Name, err)
		case len(came) > 1:
			add("%s: makes %d calls", method.Name, len(came))
		case !errors.Is(err, stop):
			add("%s: hides the error of the call: %v", method.Name, err)
		default:
			calls[method.Name] = came[0]
			for _, fault := range faults(method.Type, came[0], spec) {
				add("%s: %s", method.Name, fault)
			}
		}
	}
	for _, name := range names(byName, calls) {
		if _, ok := byName[name]; ok {
			add("%s: the endpoint has no method", name)
		}
	}
	return calls, differences
}

// hasForm reports whether a method is written (ctx), or (ctx, *Req), and gives error, or (*Res, error).
func hasForm(t reflect.Type) bool {
	in, out := t.NumIn()-1, t.NumOut() // the first is the receiver
	return !t.IsVariadic() && in >= 1 && in <= 2 && t.In(1) == contextType && (in == 1 || t.In(2).Kind() == reflect.Pointer) &&
		out >= 1 && out <= 2 && t.Out(out-1) == errorType && (out == 1 || t.Out(0).Kind() == reflect.Pointer)
}

// callEmpty calls a method with a request without any field and returns its error. A panic is one too.
func callEmpty(method reflect.Value) (panicked bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			panicked, err = true, fmt.Errorf("panic: %v", r)
		}
	}()
	args := []reflect.Value{reflect.ValueOf(context.Background())}
	if t := method.Type(); t.NumIn() == 2 {
		args = append(args, reflect.New(t.In(1).Elem()))
	}
	results := method.Call(args)
	err, _ = results[len(results)-1].Interface().(error)
	return false, err
}

// faults lists where the call of a method is not what the spec says.
func faults(method reflect.Type, call *wechat.Call, spec wechat.Spec) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if call.Spec.Name != spec.Name || call.Spec.Pattern != spec.Pattern {
		add("calls %s, %s", call.Spec.Name, call.Spec.Pattern)
	}
	if call.Product == nil || call.Product.Name != spec.Product {
		add("the call is not bound to %s", spec.Product)
	}
	req, res := spec.New()
	switch {
	case method.NumIn() == 3 && method.In(2) != reflect.TypeOf(req):
		add("takes a %v, the endpoint a %T", method.In(2), req)
	case method.NumIn() == 2 && reflect.TypeOf(req) != reflect.TypeFor[*wechat.None]():
		add("takes no request, the endpoint a %T", req)
	case call.Request != nil && reflect.TypeOf(call.Request) != reflect.TypeOf(req):
		add("sends a %T, the endpoint a %T", call.Request, req)
	}
	switch {
	case method.NumOut() == 2 && method.Out(0) != reflect.TypeOf(res):
		add("returns a %v, the endpoint a %T", method.Out(0), res)
	case method.NumOut() == 1 && reflect.TypeOf(res) != reflect.TypeFor[*wechat.None]():
		add("returns no reply, the endpoint a %T", res)
	case reflect.TypeOf(call.Response) != reflect.TypeOf(res):
		add("decodes a %T, the endpoint a %T", call.Response, res)
	}
	if spec.Dedupe != nil && spec.Dedupe(req) == nil {
		add("Dedupe names no field of an empty request")
	}
	return list
}

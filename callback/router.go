package callback

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Router hands each push to the receiver of its type. The zero Router is ready. It must be complete before the first
// push arrives.
type Router struct {
	named      map[string]Receiver
	typed      map[reflect.Type]Receiver
	otherwise  Receiver
	middleware []Middleware
}

// On makes handle receive the pushes of a type, as in
//
//	callback.On(&router, func(ctx context.Context, m *callback.Text) (callback.Reply, error) {
//		return callback.TextReply{Content: "You said " + m.Content}, nil
//	})
//
// *Raw stands for all kinds that this package has no type for. On panics for a type that is none of this package's, and
// for a second receiver of a type.
func On[M Message](r *Router, handle func(ctx context.Context, m M) (Reply, error)) {
	t := reflect.TypeFor[M]()
	if _, known := keyOf()[t]; !known && t != reflect.TypeFor[*Raw]() {
		panic(fmt.Sprintf("callback: no push arrives as a %v; OnEvent takes types of your own", t))
	}
	if r.typed == nil {
		r.typed = map[reflect.Type]Receiver{}
	}
	if r.typed[t] != nil {
		panic(fmt.Sprintf("callback: a second receiver of %v", t))
	}
	r.typed[t] = func(ctx context.Context, m Message) (Reply, error) { return handle(ctx, m.(M)) }
}

// OnEvent makes handle receive the events of a name as a struct of the caller's own, filled in as by Header.Decode, as
// for events that this package does not know, or knows fewer fields of. The name is the Event or InfoType, or that and
// the ChangeType with a slash between, in any case. It comes before On. OnEvent panics for a second receiver of a name.
func OnEvent[T any](r *Router, name string, handle func(ctx context.Context, h *Header, event *T) (Reply, error)) {
	if r.named == nil {
		r.named = map[string]Receiver{}
	}
	name = strings.ToLower(name)
	if r.named[name] != nil {
		panic(fmt.Sprintf("callback: a second receiver of event %q", name))
	}
	r.named[name] = func(ctx context.Context, m Message) (Reply, error) {
		event := new(T)
		if err := m.Head().Decode(event); err != nil {
			return nil, err
		}
		return handle(ctx, m.Head(), event)
	}
}

// OnText makes handle receive texts.
func (r *Router) OnText(handle func(ctx context.Context, m *Text) (Reply, error)) { On(r, handle) }

// Otherwise makes handle receive what nothing else receives. Without it, such pushes are answered success.
func (r *Router) Otherwise(handle Receiver) { r.otherwise = handle }

// Use wraps all receivers, the first middleware outermost.
func (r *Router) Use(middleware ...Middleware) { r.middleware = append(r.middleware, middleware...) }

// Receive hands m to its receiver. It is the Receiver that New needs.
func (r *Router) Receive(ctx context.Context, m Message) (Reply, error) {
	receive := r.find(m)
	for _, wrap := range slices.Backward(r.middleware) {
		receive = wrap(receive)
	}
	return receive(ctx, m)
}

func (r *Router) find(m Message) Receiver {
	h := m.Head()
	if event := strings.ToLower(h.Event + h.InfoType); event != "" && r.named != nil {
		if named := r.named[event+"/"+strings.ToLower(h.ChangeType)]; named != nil {
			return named
		}
		if named := r.named[event]; named != nil {
			return named
		}
	}
	if typed := r.typed[reflect.TypeOf(m)]; typed != nil {
		return typed
	}
	if r.otherwise != nil {
		return r.otherwise
	}
	return func(context.Context, Message) (Reply, error) { return nil, nil }
}

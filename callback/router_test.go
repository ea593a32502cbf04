package callback

import (
	"context"
	"errors"
	"testing"
)

func ask(t *testing.T, r *Router, body string) string {
	t.Helper()
	m, err := Parse(OfficialAccount, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	reply, err := r.Receive(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := reply.(TextReply)
	return text.Content
}

func TestRouter(t *testing.T) {
	type ownEvent struct{ TraceID string }
	var r Router
	equal(t, "the zero Router", ask(t, &r, `{"MsgType":"text"}`), "")
	say := func(text string) (Reply, error) { return TextReply{text}, nil }
	r.OnText(func(_ context.Context, m *Text) (Reply, error) { return say("text " + m.Content) })
	On(&r, func(_ context.Context, m *Subscribe) (Reply, error) { return say("subscribe " + m.EventKey) })
	On(&r, func(_ context.Context, m *UserChange) (Reply, error) { return say("user " + m.UserID) })
	On(&r, func(_ context.Context, m *Raw) (Reply, error) { return say("raw " + m.Event) })
	OnEvent(&r, "Own_Event", func(_ context.Context, h *Header, e *ownEvent) (Reply, error) { return say(h.Event + " " + e.TraceID) })
	OnEvent(&r, "own_event/special", func(context.Context, *Header, *ownEvent) (Reply, error) { return say("special") })
	OnEvent(&r, "view", func(context.Context, *Header, *ownEvent) (Reply, error) { return say("my own view") })
	OnEvent(&r, "some_info", func(_ context.Context, h *Header, _ *ownEvent) (Reply, error) { return say(h.InfoType) })
	r.Otherwise(func(context.Context, Message) (Reply, error) { return say("otherwise") })
	for _, v := range []struct{ body, want string }{
		{`{"MsgType":"text","Content":"a"}`, "text a"},
		{`{"MsgType":"event","Event":"subscribe","EventKey":"k"}`, "subscribe k"},
		{`{"MsgType":"event","Event":"SUBSCRIBE","EventKey":"k"}`, "subscribe k"},
		{`{"MsgType":"event","Event":"change_contact","ChangeType":"create_user","UserID":"u"}`, "user u"},
		{`{"InfoType":"change_contact","ChangeType":"update_user","UserID":"u"}`, "user u"},
		{`{"MsgType":"event","Event":"change_contact","ChangeType":"brand_new"}`, "raw change_contact"},
		{`{"MsgType":"event","Event":"brand_new"}`, "raw brand_new"},
		{`{"MsgType":"event","Event":"own_event","trace_id":7}`, "own_event 7"},
		{`{"MsgType":"event","Event":"own_event","ChangeType":"Special"}`, "special"},
		{`{"MsgType":"event","Event":"VIEW"}`, "my own view"},
		{`{"InfoType":"some_info"}`, "some_info"},
		{`{"MsgType":"image"}`, "otherwise"},
	} {
		equal(t, v.body, ask(t, &r, v.body), v.want)
	}
}

func TestMiddleware(t *testing.T) {
	var r Router
	var order []string
	note := func(name string) Middleware {
		return func(next Receiver) Receiver {
			return func(ctx context.Context, m Message) (Reply, error) {
				order = append(order, name)
				return next(ctx, m)
			}
		}
	}
	stop := errors.New("stop")
	r.Use(note("one"), note("two"))
	r.Use(func(Receiver) Receiver { return func(context.Context, Message) (Reply, error) { return nil, stop } })
	r.Otherwise(func(context.Context, Message) (Reply, error) {
		t.Error("asked")
		return nil, nil
	})
	if _, err := r.Receive(context.Background(), &Text{}); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	equal(t, "order", order, []string{"one", "two"})
}

type stranger struct{ Header }

func TestRouterPanics(t *testing.T) {
	text := func(context.Context, *Text) (Reply, error) { return nil, nil }
	event := func(context.Context, *Header, *struct{}) (Reply, error) { return nil, nil }
	for name, register := range map[string]func(r *Router){
		"a type twice":  func(r *Router) { On(r, text); On(r, text) },
		"a name twice":  func(r *Router) { OnEvent(r, "a", event); OnEvent(r, "A", event) },
		"another type":  func(r *Router) { On(r, func(context.Context, *stranger) (Reply, error) { return nil, nil }) },
		"the interface": func(r *Router) { On(r, func(context.Context, Message) (Reply, error) { return nil, nil }) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			register(new(Router))
		}()
	}
}

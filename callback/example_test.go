package callback_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/seed175cf469/wechat/callback"
	"github.com/seed175cf469/wechat/mock"
)

var config = callback.Config{
	Product: callback.OfficialAccount,
	ID:      "wx00112233445566ff",
	Token:   "token",
	Key:     "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG",
}

// A server for the pushes of an official account.
func Example() {
	var router callback.Router
	router.OnText(func(_ context.Context, m *callback.Text) (callback.Reply, error) {
		return callback.TextReply{Content: "You said " + m.Content}, nil
	})
	callback.On(&router, func(_ context.Context, m *callback.Subscribe) (callback.Reply, error) {
		return callback.TextReply{Content: "Welcome, " + m.FromUserName}, nil
	})
	handler, err := callback.New(config, router.Receive)
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/wechat", handler)
	server := &http.Server{Addr: ":80", Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second}
	defer func() { _ = server.Close() }() // in a program: server.ListenAndServe()

	platform := &mock.Pusher{Handler: handler, ID: config.ID, Token: config.Token, Key: config.Key}
	answer, err := platform.Push(context.Background(), callback.XML(&callback.Subscribe{Header: callback.Header{FromUserName: "openid"}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	var reply struct{ Content string }
	m, _ := callback.Parse(callback.OfficialAccount, answer.Body)
	_ = m.Head().Decode(&reply)
	fmt.Println(reply.Content)
	// Output: Welcome, openid
}

// An event that this package does not know, with the fields that the program needs.
func ExampleOnEvent() {
	type newEvent struct {
		Result struct{ AuditID int64 }
	}
	var router callback.Router
	callback.OnEvent(&router, "brand_new", func(_ context.Context, h *callback.Header, e *newEvent) (callback.Reply, error) {
		fmt.Println(h.FromUserName, e.Result.AuditID)
		return nil, nil
	})
	m, err := callback.Parse(callback.MiniProgram, []byte(`{"FromUserName":"openid","MsgType":"event","Event":"brand_new","result":{"audit_id":"42"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = router.Receive(context.Background(), m)
	// Output: openid 42
}

// Work that takes longer than the platform waits.
func ExampleGo() {
	handler, err := callback.New(config, func(ctx context.Context, m callback.Message) (callback.Reply, error) {
		to := m.Head().FromUserName
		return nil, callback.Go(ctx, func(context.Context) error {
			fmt.Println("a minute later, by the API, to", to)
			return nil
		})
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	platform := &mock.Pusher{Handler: handler, ID: config.ID, Token: config.Token, Key: config.Key}
	answer, err := platform.Push(context.Background(), callback.XML(&callback.Text{Header: callback.Header{FromUserName: "openid"}, Content: "report"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = handler.Shutdown(context.Background())
	fmt.Printf("%s\n", answer.Body)
	// Output:
	// a minute later, by the API, to openid
	// success
}

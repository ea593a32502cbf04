package asynqwechat_test

import (
	"context"
	"fmt"

	"github.com/alicebob/miniredis/v2"
	"github.com/hibiken/asynq"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/asynqwechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// A web server enqueues, and a worker, here in the same process, sends.
func Example() {
	platform := mock.NewServer(officialaccount.Endpoints()...)
	redis, err := miniredis.Run()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer redis.Close()
	options := asynq.RedisClientOpt{Addr: redis.Addr()}

	// What both sides know.
	const shipped asynqwechat.Task[officialaccount.TemplateMessage] = "shipped"

	// The side that enqueues.
	queue := asynq.NewClient(options)
	defer func() { _ = queue.Close() }()
	for range 2 { // somebody pressed the button twice
		_, err = shipped.Enqueue(context.Background(), queue, "order-1-shipped", &officialaccount.TemplateMessage{
			ToUser:     "oFAKE",
			TemplateID: "shipped",
			Data:       map[string]officialaccount.TemplateValue{"thing1": {Value: "tea"}},
		}, asynqwechat.Priority(ratelimit.Urgent))
		fmt.Println(err)
	}

	// The side that works. Its ledger must be one that all workers share: see adapter/rediswechat and adapter/sqlwechat.
	client := wechat.New(append(platform.Options(), wechat.WithLedger(wechat.NewMemoryLedger()))...)
	oa := officialaccount.New(client, wechat.App{ID: "wx00112233445566ff", Secret: "mock secret"})
	sent := make(chan *officialaccount.TemplateReceipt)
	mux := asynq.NewServeMux()
	shipped.Handle(mux, queue, func(ctx context.Context, m *officialaccount.TemplateMessage) error {
		receipt, err := oa.SendTemplateMessage(ctx, m)
		sent <- receipt
		return err
	})
	server := asynq.NewServer(options, asynqwechat.Config(asynq.Config{Concurrency: 10, LogLevel: asynq.ErrorLevel}))
	if err := server.Start(mux); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("sent:", (<-sent).MsgID > 0)
	server.Shutdown()
	// Output:
	// <nil>
	// asynqwechat: task "shipped": task ID conflicts with another task
	// sent: true
}

// A person goes through the messages of which nobody knows whether they arrived.
func ExampleListParked() {
	redis, err := miniredis.Run()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer redis.Close()
	inspector := asynq.NewInspector(asynq.RedisClientOpt{Addr: redis.Addr()})
	queue := asynq.NewClient(asynq.RedisClientOpt{Addr: redis.Addr()})
	defer func() { _, _ = inspector.Close(), queue.Close() }()

	parked, err := asynqwechat.ListParked(inspector)
	if err != nil {
		fmt.Println(err)
	}
	for _, p := range parked {
		fmt.Println(p.Since, p.Task, p.Key, p.Reason)
		arrived := false // what the person has found out
		if arrived {
			err = p.Dismiss(inspector)
		} else {
			err = p.Resend(context.Background(), queue, inspector)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
}

package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/outbox"
)

// person is a row of a list.
type person struct{ openID, order string }

var people = []person{{"alice", "1001"}, {"bob", "1002"}, {"carol", "1003"}, {"dave", "1004"}}

// shipped tells a person that the order is on its way.
func shipped(oa *officialaccount.Client) func(context.Context, person) (*officialaccount.TemplateReceipt, error) {
	return func(ctx context.Context, p person) (*officialaccount.TemplateReceipt, error) {
		return oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{ToUser: p.openID, TemplateID: "shipped",
			Data: map[string]officialaccount.TemplateValue{"character_string1": {Value: p.order}}})
	}
}

func byOrder(p person) string { return "shipped:" + p.order }

func ExampleSend() {
	s := mock.NewServer(officialaccount.Endpoints()...) // in place of the platform
	s.Unfollow("bob")
	oa := officialaccount.New(wechat.New(s.Options()...), wechat.App{ID: "wx00112233445566ff", Secret: "secret"})

	rows := outbox.Items(slices.Values(people), byOrder)
	var lines []string
	for e, err := range outbox.Send(context.Background(), rows, shipped(oa), outbox.Options{}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		line := fmt.Sprintf("%d %s %s", e.Index, e.Value.openID, e.State)
		if errors.Is(e.Err, wechat.ErrUnreachable) {
			line += ": does not follow"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines) // rows are reported as they end
	for _, line := range lines {
		fmt.Println(line)
	}
	// Output:
	// 0 alice sent
	// 1 bob refused: does not follow
	// 2 carol sent
	// 3 dave sent
}

// The day's quota stops a list. A run on the next day, also of another process, goes on where it stopped.
func ExampleSend_resume() {
	s := mock.NewServer(officialaccount.Endpoints()...)
	s.Limit("SendTemplateMessage", mock.PerDay(3))
	ledger := wechat.NewMemoryLedger() // a program that can crash takes one that is kept in a database

	run := func() {
		client := wechat.New(s.Options()...)
		oa := officialaccount.New(client, wechat.App{ID: "wx00112233445566ff", Secret: "secret"})
		rows := outbox.Items(slices.Values(people), byOrder)
		var last outbox.Progress
		o := outbox.Options{Ledger: ledger, Concurrency: 1, Progress: func(p outbox.Progress) { last = p }}
		for _, err := range outbox.Send(context.Background(), rows, shipped(oa), o) {
			var stopped *outbox.StoppedError
			if errors.As(err, &stopped) {
				fmt.Println("quota:", errors.Is(err, wechat.ErrQuotaExhausted), "known when to go on:", !stopped.Again.IsZero())
			}
		}
		fmt.Printf("sent %d, skipped %d, not tried %d\n", last.Sent, last.Skipped, last.NotTried)
	}
	run()
	s.Limit("SendTemplateMessage") // a day later
	run()
	fmt.Println("delivered", len(s.Delivered("")), "twice", len(s.Duplicates()))
	// Output:
	// quota: true known when to go on: true
	// sent 3, skipped 0, not tried 1
	// sent 1, skipped 3, not tried 0
	// delivered 4 twice 0
}

func ExampleQueue() {
	s := mock.NewServer(officialaccount.Endpoints()...)
	oa := officialaccount.New(wechat.New(s.Options()...), wechat.App{ID: "wx00112233445566ff", Secret: "secret"})

	ended := make(chan string, 2)
	report := func(e outbox.Entry[person, *officialaccount.TemplateReceipt]) {
		ended <- e.Value.openID + " " + string(e.State)
	}
	queue := outbox.NewQueue("shipped", 1000, shipped(oa), report, outbox.Options{WaitForQuota: true})
	handler := func(w http.ResponseWriter, r *http.Request) {
		p := person{r.FormValue("openid"), r.FormValue("order")}
		if err := queue.Add(outbox.Item[person]{Key: byOrder(p), Value: p}); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable) // full, or about to end
			return
		}
		w.WriteHeader(http.StatusAccepted)
	}

	end := make(chan error)
	go func() { end <- queue.Run(context.Background()) }()

	for _, p := range []string{"openid=alice&order=1001", "openid=carol&order=1003"} {
		w := httptest.NewRecorder()
		handler(w, httptest.NewRequest(http.MethodPost, "/?"+p, nil))
		fmt.Println(w.Code, <-ended)
	}

	// At the end of the program.
	fmt.Println(queue.Drain(context.Background()), <-end)
	// Output:
	// 202 alice sent
	// 202 carol sent
	// <nil> <nil>
}

package mock_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
)

// notifier is code under test: it is given a client and does not care which.
type notifier struct{ oa *officialaccount.Client }

func (n notifier) shipped(ctx context.Context, openID, order string) string {
	_, err := n.oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{
		ToUser:     openID,
		TemplateID: "shipped",
		Data:       map[string]officialaccount.TemplateValue{"number1": {Value: order}},
	})
	switch {
	case err == nil:
		return "told"
	case errors.Is(err, wechat.ErrOutcomeUnknown):
		return "perhaps told"
	case errors.Is(err, wechat.ErrUnreachable):
		return "not following"
	}
	if after, ok := wechat.RetryAfter(err); ok {
		return fmt.Sprintf("again in %v", after)
	}
	return err.Error()
}

// printer stands for the *testing.T of a test.
type printer struct{}

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func Example() {
	m := mock.New(printer{}) // mock.New(t) in a test
	oa := officialaccount.New(m, wechat.App{ID: "wx00112233445566ff"})
	n := notifier{oa}
	ctx := context.Background()

	mock.Return(m, oa.SendTemplateMessage, &officialaccount.TemplateReceipt{MsgID: 1})
	fmt.Println(n.shipped(ctx, "alice", "7"))

	mock.Fail(m, oa.SendTemplateMessage, mock.Unreachable())
	fmt.Println(n.shipped(ctx, "bob", "8"))

	mock.Fail(m, oa.SendTemplateMessage, mock.RateLimited(2*time.Minute))
	fmt.Println(n.shipped(ctx, "carol", "9"))

	for _, r := range mock.Requests(m, oa.SendTemplateMessage) {
		fmt.Println(r.ToUser, r.Data["number1"].Value)
	}
	// Output:
	// told
	// not following
	// again in 2m0s
	// alice 7
	// bob 8
	// carol 9
}

func ExampleHandle() {
	m := mock.New(printer{})
	oa := officialaccount.New(m, wechat.App{ID: "wx00112233445566ff"})

	// A handler is a func of the method's own type.
	mock.Handle(m, oa.SendTemplateMessage, func(_ context.Context, r *officialaccount.TemplateMessage) (*officialaccount.TemplateReceipt, error) {
		if r.ToUser == "bob" {
			return nil, mock.OutcomeUnknown()
		}
		return &officialaccount.TemplateReceipt{MsgID: 1}, nil
	})
	fmt.Println(notifier{oa}.shipped(context.Background(), "alice", "7"))
	fmt.Println(notifier{oa}.shipped(context.Background(), "bob", "8"))
	// Output:
	// told
	// perhaps told
}

func ExampleServer() {
	s := mock.NewServer(officialaccount.Endpoints()...)
	client := wechat.New(s.Options()...)
	n := notifier{officialaccount.New(client, wechat.App{ID: "wx00112233445566ff", Secret: "secret"})}
	ctx := context.Background()

	// The reply to the first message is lost, and the client repeats it: the platform drops the repeat.
	s.Fault("SendTemplateMessage", mock.Fault{Reset: true, Done: true, Times: 1})
	fmt.Println(n.shipped(ctx, "alice", "7"))
	fmt.Println("sent", len(s.Calls("SendTemplateMessage")), "delivered", len(s.Delivered("alice")), "twice", len(s.Duplicates()))

	// Somebody else's program makes the token invalid: the client fetches another.
	s.RevokeTokens("wx00112233445566ff")
	fmt.Println(n.shipped(ctx, "alice", "8"))
	fmt.Println("tokens", s.TokensIssued("wx00112233445566ff"))

	s.Unfollow("bob")
	fmt.Println(n.shipped(ctx, "bob", "9"))
	// Output:
	// told
	// sent 2 delivered 1 twice 0
	// told
	// tokens 2
	// not following
}

func ExampleServer_Limit() {
	s := mock.NewServer(officialaccount.Endpoints()...)
	s.Limit("SendTemplateMessage", mock.PerDay(1))
	n := notifier{officialaccount.New(wechat.New(s.Options()...), wechat.App{ID: "wx00112233445566ff", Secret: "secret"})}
	ctx := context.Background()

	fmt.Println(n.shipped(ctx, "alice", "7"))
	fmt.Println(n.shipped(ctx, "bob", "8")[:8]) // again in the hours that are left until midnight UTC+8
	fmt.Println("refused by", s.Calls("SendTemplateMessage")[1].Code)
	// Output:
	// told
	// again in
	// refused by errcode 45009
}

func ExampleServer_Followers() {
	app := wechat.App{ID: "wx00112233445566ff", Secret: "secret"}
	s := mock.NewServer(officialaccount.Endpoints()...)
	s.App(app) // what this account does not have does not exist
	s.Followers(app.ID, "alice", "bob", "carol")
	s.Unfollow("bob")
	oa := officialaccount.New(wechat.New(s.Options()...), app)
	ctx := context.Background()

	for openID, err := range oa.AllFollowers(ctx) {
		fmt.Println(openID, err)
	}
	fmt.Println(notifier{oa}.shipped(ctx, "bob", "7"))
	_, err := oa.GetMenu(ctx)
	fmt.Println("no menu yet:", errors.Is(err, wechat.Code(46003)))
	// Output:
	// alice <nil>
	// carol <nil>
	// not following
	// no menu yet: true
}

package sqlwechat_test

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/sqlwechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
)

// The same message is sent by a program that was restarted in between, and arrives once.
func Example() {
	platform := mock.NewServer(officialaccount.Endpoints()...)
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:example?mode=memory&cache=shared")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = db.Close() }()

	for range 2 {
		ledger := sqlwechat.New(db, sqlwechat.SQLite)
		if err := ledger.Migrate(ctx); err != nil {
			fmt.Println(err)
			return
		}
		client := wechat.New(append(platform.Options(), wechat.WithLedger(ledger))...)
		oa := officialaccount.New(client, wechat.App{ID: "wx00112233445566ff", Secret: "mock secret"})
		_, err := oa.SendTemplateMessage(wechat.ContextWithIdempotencyKey(ctx, "order-1-shipped"), &officialaccount.TemplateMessage{
			ToUser:     "oFAKE",
			TemplateID: "shipped",
			Data:       map[string]officialaccount.TemplateValue{"thing1": {Value: "tea"}},
		})
		fmt.Println(err)
	}
	fmt.Println(len(platform.Delivered("oFAKE")), "message")
	// Output:
	// <nil>
	// <nil>
	// 1 message
}

// What dead processes left is listed, so that somebody can find out what became of it.
func ExampleLedger_Scan() {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:scan?mode=memory&cache=shared")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = db.Close() }()
	ledger := sqlwechat.New(db, sqlwechat.SQLite, sqlwechat.WithLease(-time.Second)) // each claim has run out at once
	err = ledger.Migrate(ctx)
	if err == nil {
		_, err = ledger.Begin(ctx, "order-1-shipped", nil)
	}
	if err != nil {
		fmt.Println(err)
		return
	}

	for key, err := range ledger.Scan(ctx, wechat.Unknown, time.Now().Add(time.Minute)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("may have been sent:", key)
		if err := ledger.End(ctx, key, wechat.Entry{State: wechat.Failed}); err != nil { // it was not
			fmt.Println(err)
		}
	}
	// Output: may have been sent: order-1-shipped
}

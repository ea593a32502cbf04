// Package mock stands in for WeChat in tests.
//
// A [Mock] takes the place of the client and answers with what a test gives it, call by call and with the types
// of the API. Nothing is encoded, limited or repeated; it is for tests of code that uses the SDK.
//
//	m := mock.New(t)
//	oa := officialaccount.New(m, app) // in place of officialaccount.New(wechat.New(), app)
//	mock.Return(m, oa.SendTemplateMessage, &officialaccount.TemplateReceipt{MsgID: 1})
//
// A [Server] is a WeChat platform for the real client to talk to, in memory or over HTTP: it issues tokens,
// counts, refuses, loses replies and records what it was asked and what it delivered. It is for tests of what
// happens when the platform is slow, full or broken. What an official account has (followers, tags, menus, files, drafts,
// messages ...) it keeps, so that what was made can be read.
//
//	s := mock.NewServer(officialaccount.Endpoints()...)
//	s.App(app)
//	s.Followers(app.ID, "alice", "bob")
//	client := wechat.New(s.Options()...)
//
// In memory, everything happens in the goroutine of the caller and by the clock of package time, so that in a
// testing/synctest bubble a day of tokens and quotas passes at once.
package mock

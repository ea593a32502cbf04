// Package callback receives what WeChat pushes to servers: messages that people send, and events, of official accounts,
// mini programs, WeCom, third-party platforms, suites and AI bots.
//
//	var router callback.Router
//	callback.On(&router, func(ctx context.Context, m *callback.Text) (callback.Reply, error) {
//		return callback.TextReply{Content: "You said " + m.Content}, nil
//	})
//	handler, err := callback.New(callback.Config{
//		Product: callback.OfficialAccount,
//		ID:      "wx...",
//		Token:   "...", // as in the console
//		Key:     "...", // EncodingAESKey
//	}, router.Receive)
//	http.Handle("/wechat", handler)
//
// # Modes
//
// With a Key, a Handler takes what is encrypted and nothing else, whatever the sender says: that is the console's
// secure mode, and it also serves the compatible mode, whose clear fields are not looked at. Without a Key, which only
// official accounts and mini programs can do without, it is the plain mode: the signature does not cover the body, so
// that whoever can see a request can forge others. XML and JSON are told apart by the body's first byte.
//
// Where the platform encrypts, the answer is encrypted too. An answer that has nothing to say is the bare word success
// (of a bot: nothing at all).
//
// A Key, or a Token, is changed without loss by setting OldKey, or OldToken, to the one that is about to end.
//
// # What is checked
//
// In this order: the method, the size, the signature (in constant time), the timestamp (Config.Window), the padding, the
// receiver's id. Before the signature is checked nothing is read but the cipher text. A push that was recorded and is sent
// again is either too old or recognised as a repeat. DOCTYPEs, entities other than XML's five, and deep nesting are
// refused; characters that XML forbids, which people do send, are dropped.
//
// # Messages
//
// A push arrives as a pointer to its type, such as *Text or *Subscribe; the event's name stands beside the type in each
// product's list. What has no type here is a *Raw. Header.Decode reads fields that a type does not have. A field that
// the platform filled in otherwise than documented is zero, and never an error.
//
// # Five seconds, three times
//
// The platform hangs up after 5 seconds, and pushes the same again until it has been answered, three times in all. The
// receiver's context therefore ends after Config.Timeout. A receiver that goes on regardless is not disturbed: the
// platform is told success, and what it replies is lost. What takes longer on purpose is handed to Go, or
// the whole receiver is wrapped in Background. A repeat is recognised by its MsgId or, where it has none, by its
// content; it gets the answer that the first one got, or success while the first is being handled, and does not reach the
// receiver. An error makes the platform push again, and the receiver is asked again then. Config.Seen shares all this between processes.
//
// Shutdown waits for everything that is under way.
//
// # Tickets and outcomes
//
// Tickets is a Middleware that keeps the tickets of platforms and suites where a TokenSource finds them. Outcomes is one
// that tells what became of template, mass and subscription messages after they were sent.
package callback

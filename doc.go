// Package wechat calls WeChat's server APIs (official account, mini program, WeCom) from programs that send at
// scale. It keeps access tokens, limits, retries and duplicates right by itself, in one process or in many.
//
//	client := wechat.New()
//	oa := officialaccount.New(client, wechat.App{ID: "wx...", Secret: "..."})
//	receipt, err := oa.SendTemplateMessage(ctx, &officialaccount.TemplateMessage{...})
//
// The calls themselves are in the packages officialaccount, miniprogram and work. This package has what they share.
//
// # Clients and apps
//
// A program makes one Client and keeps it. Tokens, limits and connections belong to it. An App is plain data: one
// account's credential and limits. The typed client of an account is made from both and costs next to nothing, so
// that other limits for an app are a new typed client away.
//
// # Tokens
//
// The access token of an app is fetched when a call needs it, by one caller, while the others wait; it is refreshed
// 120 seconds before its end, again by one caller, while the others use the old one. A token that the server refuses
// (it may die early) is replaced once and the call is sent again. Official accounts and mini programs use the stable
// token by default. A TokenStore shares tokens between processes; a TokenSource takes them from somewhere else.
// Tickets for the JS-SDK are kept the same way.
//
// # Limits
//
// What a program may send is set in App.Limits: for the app, for an endpoint, for each recipient. Documented limits
// for each recipient are kept without any setting. Everything else is learned: what the server refuses closes an
// endpoint for all callers, for as long as the server says, and afterwards calls go out at the pace that it was seen
// to sustain. A daily quota that is used up closes its endpoint until 00:00 UTC+8. ContextWithPriority orders those
// who wait.
//
// # Retries
//
// A RetryPolicy bounds the repeats of a call; Realtime and Batch are two of them, ContextWithRetry sets one for some
// calls. Whether a call may be repeated depends on its Effect and on what went wrong:
//
//	                                          read, set   send, create, upload
//	nothing was sent                          again       again
//	written, and no usable reply              again       ErrOutcomeUnknown
//	busy (errcode -1)                         again       ErrOutcomeUnknown
//	the token was refused                     again       again, with a fresh one
//	refused for its rate                      again       again
//	daily quota, any other errcode            no          no
//
// A send whose request has a dedupe key (client_msg_id, clientmsgid) may be repeated while the server remembers the
// key, and the key is filled in. A call that was repeated and failed ends in a RetryExhaustedError with the last
// failure inside.
//
// # Errors
//
// Every failure of a call is an *Error, or wraps one. It matches its errcode and its kind:
//
//	switch {
//	case errors.Is(err, wechat.ErrOutcomeUnknown): // it may have arrived; whatever else err matches came later
//	case errors.Is(err, wechat.ErrUnreachable):    // this person does not follow, or refused
//	case errors.Is(err, wechat.ErrRateLimited), errors.Is(err, wechat.ErrQuotaExhausted):
//		after, ok := wechat.RetryAfter(err)
//	case errors.Is(err, wechat.Code(40037)): // this very errcode
//	}
//
// Explain tells what an errcode means.
//
// # Duplicates
//
// ContextWithIdempotencyKey names the effect of a send, a create or an upload. Two calls with one key have it once,
// as the Ledger remembers: the second gets the first one's reply.
//
// # Secrets
//
// What the SDK prints never shows tokens, secrets, keys and codes: errors, logs, and printed Apps, Clients and
// TokenSources. What a call is for is in clear in its reply: a Session has the session key as a string, and so has a
// ticket. A Secret prints as REDACTED whatever
// the verb; like every type's, its methods are not called for an unexported field of a struct of yours, so keep
// secrets in exported fields, or print with care.
//
// # Watching
//
// WithObserver gets an Event for all that is worth knowing, WithLogger writes the same to a *slog.Logger.
// WithMiddleware wraps each call, WithTransport each attempt.
//
// # Around it
//
// Package outbox sends long lists once each and takes sends from request handlers. Package callback receives what
// WeChat pushes. Package apisign signs and encrypts calls. The modules under adapter share tokens, limits and ledgers
// over Redis and SQL, and queue calls with asynq.
//
// # Writing a product
//
// A program can call an API that this module does not know: a Product says where it is and how it fails, an Endpoint is one
// call with its types, Bind makes a Caller of a client, a product and an app. Spec, Call and Verdict are what middleware,
// mocks and classifiers see of them; Spec.Describe lists an endpoint's fields.
//
// # Testing
//
// Package mock has a Mock that takes the client's place (one line of a test changes) and a Server that speaks the
// platform's protocol in memory or on a port.
package wechat

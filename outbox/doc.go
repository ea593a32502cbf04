// Package outbox sends a long list once each.
//
//	for e, err := range outbox.Send(ctx, rows, send, outbox.Options{Ledger: ledger}) {
//		if err != nil {
//			return err // the list was stopped: *outbox.StoppedError
//		}
//		report.Write([]string{e.Key, string(e.State)})
//	}
//
// Rows come from an iterator and the report goes to one, so that neither the list nor the report need fit in memory.
//
// # What becomes of a row
//
// Each row of the list ends in one line of the report: it was [Sent], and the receipt is there; it was [Skipped], as
// an earlier run has sent it; it was [Refused], for a reason; its outcome is [Unknown], as the reply was lost; or it
// was [NotTried], as the list was stopped before. Only of an Unknown row one cannot say whether the person has got
// the message.
//
// # What stops a list
//
// One row's failure never does. What may pass by itself (a refusal for the rate, a token that somebody else has
// spoiled, a network that is down) is waited for and tried again, up to five times. What would meet all rows alike
// stops the list: [ConcernsAll], or a func of yours. The day's quota stops it too, and [StoppedError] says when it can
// go on; with Options.WaitForQuota the list waits. So does the end of the context: no new row is begun, those under
// way are given Options.Grace, and the rest is read on and reported as NotTried.
//
// # After a crash
//
// Each row has a key, which goes to the client as its idempotency key. The client's record of the call in the ledger
// is the outbox's record of the row: one entry, under the client's key, the same that a call without the outbox would
// find. A run with the same ledger skips what is done and sends what was not carried out. What was under way when the
// process died is Unknown, at most as many rows as Options.Concurrency; it is reported and left alone unless
// Options.RetryUnknown is set.
//
// The send func must hand its context on to the call: the row's key and the ledger are in it.
//
// # Beside live traffic
//
// Rows are ratelimit.Background: whatever else waits for the same limits goes first. They are repeated as
// wechat.Batch says. A send func can set another priority or policy in its context.
//
// # From request handlers
//
// A [Queue] takes single sends from handlers that cannot wait and delivers them in the same way. It is bounded and
// says so when it is full.
package outbox

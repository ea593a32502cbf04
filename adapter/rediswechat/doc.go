// Package rediswechat lets any number of processes work as one: through Redis they share tokens, limits, barriers, the pace
// that they learn, the budget of repeats and the ledger of idempotency keys.
//
//	rdb := redis.NewUniversalClient(&redis.UniversalOptions{Addrs: []string{"localhost:6379"}, ContextTimeoutEnabled: true})
//	client := wechat.New(rediswechat.Options(rdb, rediswechat.WithInstances(3))...)
//
// A single Redis, Sentinel and Cluster all do, from version 5 on. The parts stand alone too: [NewTokenStore], [NewLimiter],
// [NewBarrier], [NewRetryBudget], [NewLedger], and [NewSeen] for the pushes of package callback.
//
// # When Redis fails
//
// No call fails only because Redis did. A call waits for it no longer than a budget (50 ms), and after three failures in a
// row not at all: one call in a second then tries whether it is back. Meanwhile tokens, limits and barriers are those that
// the process knows. The log has one line a minute. The exception is the ledger: a call with an idempotency key is refused
// when nobody can say whether it was made already, unless WithLedgerOpen says otherwise.
//
// # Time
//
// All times go by the clock of Redis: what is stored is how long something lasts or a time of that clock, never one of a
// process's clock. The clocks of the processes do not matter.
//
// # Keys
//
// Keys begin with "wechat:v1:" and have the hash tag of their app, so that all that belongs to an app is on one node of a
// cluster:
//
//	wechat:v1:{officialaccount:wx1}:token:<digest>:token        text    the token; ends with it
//	wechat:v1:{officialaccount:wx1}:token:<digest>:token:lock   text    who fetches it; 35 s
//	wechat:v1:{officialaccount:wx1}:token:<digest>:token:forced text    forced refreshes of the day: number, and what was left of it at the last
//	wechat:v1:{officialaccount:wx1}:window:app:60000000us       hash    events of a window; its period and a 126th
//	wechat:v1:{officialaccount:wx1}:window:app:1000000us        text    the same for at most 60 events; the period
//	wechat:v1:{officialaccount:wx1}:window:SendX:endpoint:day   text    events of a day in UTC+8; until midnight
//	wechat:v1:{officialaccount:wx1}:window:...us:burst          text    when a burst is back; until then
//	wechat:v1:{officialaccount:wx1}<14 characters>              text    the same for a recipient, who does not show
//	wechat:v1:{officialaccount:wx1}:barrier                     hash    when what opens, and of what a pace is known; until the last does
//	wechat:v1:{officialaccount:wx1}:pace:SendX                  text    what is known of a pace, as JSON; 10 minutes or ten windows
//	wechat:v1:{officialaccount:wx1}:flying:SendX                zset    calls in flight at a shared pace; as long as that
//	wechat:v1:{officialaccount:wx1}:repeats                     hash    calls and repeats; 20 s
//	wechat:v1:{officialaccount:wx1}:ledger:SendX:<key>          text    what became of a call; 7 days
//	wechat:v1:{push/wx1/<id>}:seen                              text    what a push was answered; callback.Config.SeenFor
//
// A script or command touches keys of one app only, and those of the ledger and of tokens one key only. A later version
// that writes something else will begin its keys with "wechat:v2:".
package rediswechat

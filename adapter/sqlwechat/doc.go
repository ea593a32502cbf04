// Package sqlwechat keeps the ledger of idempotency keys in a database, so that all processes that use it know what became
// of a call, also after a crash. It works with PostgreSQL, MySQL, MariaDB and SQLite through database/sql and brings no
// driver of its own.
//
//	db, err := sql.Open("pgx", dsn)
//	ledger := sqlwechat.New(db, sqlwechat.PostgreSQL)
//	err = ledger.Migrate(ctx) // makes the table if there is none
//	client := wechat.New(wechat.WithLedger(ledger))
//
// # Once
//
// A key is claimed by one statement, whatever number of processes try it at the same moment. Where the key turns out to be
// somebody else's, a second one reads what stands.
//
// A claim holds for the lease, 15 minutes unless told otherwise. A call that has not ended by then counts as Unknown: its
// process has died, and nobody can tell whether the call was carried out. Such a key is never given out again by itself. A
// person, or a program that knows better, settles it:
//
//	for key, err := range ledger.Scan(ctx, wechat.Unknown, time.Now()) {
//		...
//		err = ledger.End(ctx, key, wechat.Entry{State: wechat.Failed}) // it was not sent: the key is free again
//		err = ledger.End(ctx, key, wechat.Entry{State: wechat.Done})   // it was sent
//	}
//
// # Clocks
//
// All times in the table are the database's, as microseconds since 1970 in UTC. Neither time zones nor the clocks of the
// processes matter: the times that go in and out of this package are converted by their age.
package sqlwechat

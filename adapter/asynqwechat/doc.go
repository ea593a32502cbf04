// Package asynqwechat makes calls by way of asynq, a queue of tasks in Redis: one process enqueues them, workers on any
// number of machines carry them out, and what the SDK answers decides what becomes of the task.
//
// A Task is the name of a kind of task and the type of its request. Those who enqueue and those who work share it:
//
//	const welcome asynqwechat.Task[officialaccount.TemplateMessage] = "welcome"
//
// To enqueue:
//
//	_, err := welcome.Enqueue(ctx, queue, "welcome-"+openid, message, asynqwechat.Priority(ratelimit.Background))
//
// To work:
//
//	server := asynq.NewServer(redis, asynqwechat.Config(asynq.Config{Concurrency: 50}))
//	mux := asynq.NewServeMux()
//	welcome.Handle(mux, queue, asynqwechat.WithoutReply(oa.SendTemplateMessage))
//	err := server.Run(mux)
//
// # Once
//
// The key that a task is enqueued with is the idempotency key of its calls. It has to name the effect: what is enqueued twice
// under one key is sent once. While a task with the key waits, runs or is archived, Enqueue answers asynq.ErrTaskIDConflict;
// after that, and between queues, the client's ledger knows the key.
//
// asynq gives a task to another worker when the first one dies or loses Redis. So the ledger must be one that all workers
// share and that survives them, as those of adapter/rediswechat and adapter/sqlwechat do. With the default, the memory of one
// process, a message whose worker is killed is sent again.
//
// # What becomes of a task
//
//   - It is done: the task is gone, or completed where asynq.Retention was given.
//   - A rate, a quota, or a server that says when to come back: again after that time. It does not count as a failure.
//   - Another worker is at it, or was and died: again in a minute. It does not count as a failure, and ends when the ledger's
//     lease does.
//   - The recipient cannot be reached, the request is wrong, the content is refused: archived at once.
//   - The outcome is unknown: parked in UnknownQueue, which no worker serves, until a person decides. See ListParked.
//   - All else, a network that is down or a permission that lacks: again after asynq's back-off, and archived after
//     asynq.MaxRetry failures, 25 by default.
//
// asynq forgets archived tasks after 90 days, and keeps 10,000 of each queue. Parked ones stay.
package asynqwechat

package main

import (
	"context"
	"errors"
	"time"

	"github.com/hibiken/asynq"

	"github.com/seed175cf469/wechat/adapter/asynqwechat"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// shipped is a kind of task: the name that those who enqueue and those who work know.
const shipped asynqwechat.Task[officialaccount.TemplateMessage] = "shipped"

// A worker that is killed leaves its calls pending in the ledger. asynq takes its tasks for abandoned 60 seconds after the
// last sign of life and gives them to others. The ledger's lease must be over by then, so that these find out that nobody
// knows what became of the calls; were it longer, they would look again each minute until it is. And no living worker may
// still be at a call when its lease ends, so that a task's time-out must be shorter. A message takes well under a second
// here, with all its waiting for a turn.
const (
	taskTimeout = 20 * time.Second
	ledgerLease = 30 * time.Second
)

// queue is the one queue, as seen by who fills it and watches it.
type queue struct {
	client    *asynq.Client
	inspector *asynq.Inspector
}

func openQueue(addr string) *queue {
	o := asynq.RedisClientOpt{Addr: addr}
	return &queue{asynq.NewClient(o), asynq.NewInspector(o)}
}

func (q *queue) close() {
	_ = q.client.Close()
	_ = q.inspector.Close()
}

// fill enqueues a message to each of n people. The openid is the idempotency key: each gets one, whatever happens.
func (q *queue) fill(ctx context.Context, n int) error {
	for i := range n {
		m := &officialaccount.TemplateMessage{ToUser: openID(i), TemplateID: "mock_template",
			Data: map[string]officialaccount.TemplateValue{"thing1": {Value: "龙井茶"}}}
		_, err := shipped.Enqueue(ctx, q.client, openID(i), m, asynqwechat.Priority(ratelimit.Background),
			asynq.Timeout(taskTimeout), asynq.Retention(time.Hour)) // done ones stay, to be counted
		if err != nil {
			return err
		}
	}
	return nil
}

// wait waits until no more than n tasks are neither done nor given up.
func (q *queue) wait(ctx context.Context, n int) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		info, err := q.inspector.GetQueueInfo(asynqwechat.BackgroundQueue)
		if err != nil {
			return err
		}
		if info.Pending+info.Active+info.Scheduled+info.Retry <= n {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// piles are where the messages have ended.
type piles struct {
	sent, refused int
	unknown       map[string]bool // by their keys
}

func (p *piles) all() int { return p.sent + p.refused + len(p.unknown) }

// piles counts what became of the tasks: asynq has completed those that were sent and archived those that the platform
// refused, and asynqwechat has parked those whose outcome is unknown.
func (q *queue) piles() (piles, error) {
	info, err := q.inspector.GetQueueInfo(asynqwechat.BackgroundQueue)
	parked, failure := asynqwechat.ListParked(q.inspector)
	if err := errors.Join(err, failure); err != nil {
		return piles{}, err
	}
	p := piles{sent: info.Completed, refused: info.Archived, unknown: map[string]bool{}}
	for _, task := range parked {
		p.unknown[task.Key] = true
	}
	return p, nil
}

package asynqwechat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hibiken/asynq"
)

// Parked is a task whose outcome is unknown: the message may have arrived or not. It stays until Resend or Dismiss.
type Parked struct {
	Task    string // its kind
	Key     string // the idempotency key, as it was enqueued
	Request json.RawMessage
	Queue   string // where it came from
	Reason  string
	Since   time.Time

	id    string
	again int
}

// ListParked lists all tasks whose outcome is unknown.
func ListParked(i *asynq.Inspector) ([]Parked, error) {
	const size = 1000
	var all []Parked
	// A person may have moved some with asynq's own tools.
	for _, list := range []func(string, ...asynq.ListOption) ([]*asynq.TaskInfo, error){i.ListPendingTasks, i.ListRetryTasks, i.ListArchivedTasks} {
		for page := 1; ; page++ {
			tasks, err := list(UnknownQueue, asynq.PageSize(size), asynq.Page(page))
			if errors.Is(err, asynq.ErrQueueNotFound) { // none has ever been parked
				return nil, nil
			}
			if err != nil {
				return nil, fmt.Errorf("asynqwechat: %w", err)
			}
			for _, task := range tasks {
				var e envelope
				if err := json.Unmarshal(task.Payload, &e); err != nil || e.Parked == nil {
					return nil, fmt.Errorf("asynqwechat: task %q in %s was not parked there", task.ID, UnknownQueue)
				}
				all = append(all, Parked{Task: task.Type, Key: e.Key, Request: e.Request, Queue: e.Parked.Queue, Reason: e.Parked.Reason,
					Since: e.Parked.Since, id: task.ID, again: e.Again})
			}
			if len(tasks) < size {
				break
			}
		}
	}
	return all, nil
}

// Resend has the task sent again, because it did not arrive or arriving twice does no harm. The calls have another idempotency
// key then, so that the ledger does not refuse them. To resend the same Parked twice is to resend it once.
func (p Parked) Resend(ctx context.Context, c *asynq.Client, i *asynq.Inspector, opts ...asynq.Option) error {
	e := envelope{Key: p.Key, Again: p.again + 1, Request: p.Request}
	if err := e.put(ctx, c, p.Task, append([]asynq.Option{asynq.Queue(p.Queue)}, opts...)...); err != nil {
		return fmt.Errorf("asynqwechat: task %q: %w", p.Task, err)
	}
	return p.Dismiss(i)
}

// Dismiss takes the task away, because it arrived or does not matter any more.
func (p Parked) Dismiss(i *asynq.Inspector) error {
	if err := i.DeleteTask(UnknownQueue, p.id); err != nil && !errors.Is(err, asynq.ErrTaskNotFound) {
		return fmt.Errorf("asynqwechat: %w", err)
	}
	return nil
}

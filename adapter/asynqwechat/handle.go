package asynqwechat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hibiken/asynq"

	"github.com/seed175cf469/wechat"
)

const (
	inProgressWait = time.Minute      // until a call that another worker has begun is looked at again
	rateWait       = time.Minute      // where nobody has told when a rate allows the next
	quotaWait      = 15 * time.Minute // the SDK lets one call through so often
	parkTime       = 5 * time.Second
)

// Handle has the tasks of this kind carried out by send, and parks those whose outcome is unknown with queue, a client for
// the same Redis. send finds the idempotency key and the priority in its ctx; it must return the SDK's errors, wrapped or
// not. It may make several calls, each to another endpoint; the ones that were done are not repeated.
func (t Task[Req]) Handle(mux *asynq.ServeMux, queue *asynq.Client, send func(ctx context.Context, req *Req) error) {
	mux.HandleFunc(string(t), func(ctx context.Context, task *asynq.Task) error {
		if task.Type() != string(t) { // the mux goes by the beginning of names
			return asynq.NotFound(ctx, task)
		}
		var e envelope
		req := new(Req)
		err := json.Unmarshal(task.Payload(), &e)
		if err == nil {
			err = json.Unmarshal(e.Request, req)
		}
		if err != nil {
			return fmt.Errorf("asynqwechat: task %q: %w: %w", string(t), err, asynq.SkipRetry)
		}
		return e.process(ctx, queue, string(t), func(ctx context.Context) error { return send(ctx, req) })
	})
}

// WithoutReply makes a method that returns a reply one for Handle. The ledger keeps the reply.
func WithoutReply[Req, Res any](method func(context.Context, *Req) (*Res, error)) func(context.Context, *Req) error {
	return func(ctx context.Context, req *Req) error {
		_, err := method(ctx, req)
		return err
	}
}

// process makes the call and tells asynq, by way of the error, what is to become of the task.
func (e envelope) process(ctx context.Context, c *asynq.Client, name string, send func(context.Context) error) error {
	queue, _ := asynq.GetQueueName(ctx)
	failures, _ := asynq.GetRetryCount(ctx)
	retries, _ := asynq.GetMaxRetry(ctx)
	retries-- // see envelope.task
	switch {
	case queue == UnknownQueue:
		return &laterError{24 * time.Hour, errors.New("asynqwechat: no worker may serve " + UnknownQueue)}
	case failures > retries: // the last of them was the end of a worker
		return fmt.Errorf("asynqwechat: gave up after %d failures: %w", failures, asynq.SkipRetry)
	}
	err := send(wechat.ContextWithPriority(wechat.ContextWithIdempotencyKey(ctx, e.effect()), priority(queue)))
	after, told := wechat.RetryAfter(err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, wechat.ErrOutcomeUnknown):
		return e.park(ctx, c, name, queue, err)
	case errors.Is(err, wechat.ErrInProgress):
		return later(inProgressWait, err)
	case errors.Is(err, wechat.ErrUnreachable), errors.Is(err, wechat.ErrInvalidRequest), errors.Is(err, wechat.ErrContent):
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	case told:
		return later(after, err)
	case errors.Is(err, wechat.ErrRateLimited):
		return later(rateWait, err)
	case errors.Is(err, wechat.ErrQuotaExhausted):
		return later(quotaWait, err)
	case failures == retries:
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	}
	return err
}

// park moves the task to where a person finds it. One that another delivery has parked is there already.
func (e envelope) park(ctx context.Context, c *asynq.Client, name, queue string, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), parkTime)
	defer cancel()
	e.Parked = &parked{Queue: queue, Reason: cause.Error(), Since: time.Now().UTC()}
	if err := e.put(ctx, c, name, asynq.Queue(UnknownQueue)); err != nil {
		// The ledger knows, so that the next delivery comes here again without a request.
		return later(rateWait, fmt.Errorf("%w; it could not be parked: %w", cause, err))
	}
	return fmt.Errorf("%w: parked in %s: %w", cause, UnknownQueue, asynq.RevokeTask)
}

// laterError says that a task has to wait and has not failed.
type laterError struct {
	after time.Duration
	err   error
}

func (e *laterError) Error() string { return e.err.Error() }

func (e *laterError) Unwrap() error { return e.err }

// later is after a time, and a little more so that not all come back at once. asynq counts in whole seconds and would come up
// to one too early.
func later(after time.Duration, err error) error {
	return &laterError{after + time.Second + rand.N(min(after/10, time.Minute)+1), err}
}

// Config completes the configuration of an asynq server that works on tasks of this package: when a task comes again, at once
// if its worker has died; that waiting is no failure; and, where c has no queues, the three of them with 6, 3 and 1 as their
// shares. What c has of these is asked where the SDK has not answered.
func Config(c asynq.Config) asynq.Config {
	if c.Queues == nil {
		c.Queues = map[string]int{UrgentQueue: 6, NormalQueue: 3, BackgroundQueue: 1}
	}
	delay, failure := c.RetryDelayFunc, c.IsFailure
	if delay == nil {
		delay = asynq.DefaultRetryDelayFunc
	}
	c.RetryDelayFunc = func(n int, err error, task *asynq.Task) time.Duration {
		if l, ok := errors.AsType[*laterError](err); ok {
			return l.after
		}
		if errors.Is(err, asynq.ErrLeaseExpired) {
			return 0 // its worker has died, which is no reason to wait
		}
		return delay(n, err, task)
	}
	c.IsFailure = func(err error) bool {
		if _, waits := errors.AsType[*laterError](err); waits {
			return false
		}
		return failure == nil && err != nil || failure != nil && failure(err)
	}
	return c
}

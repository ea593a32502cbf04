package asynqwechat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hibiken/asynq"

	"github.com/seed175cf469/wechat/ratelimit"
)

// The queues. A task's priority is that of its queue.
const (
	UrgentQueue     = "wechat-urgent"
	NormalQueue     = "wechat"
	BackgroundQueue = "wechat-background"
	UnknownQueue    = "wechat-unknown" // where tasks are parked whose outcome is unknown; no worker may serve it
)

// Priority puts a task into the queue for calls of a priority. Without it a task is ratelimit.Normal.
func Priority(p ratelimit.Priority) asynq.Option {
	switch {
	case p > ratelimit.Normal:
		return asynq.Queue(UrgentQueue)
	case p < ratelimit.Normal:
		return asynq.Queue(BackgroundQueue)
	}
	return asynq.Queue(NormalQueue)
}

// priority is that of the calls in a queue; in one of the program's own they are ratelimit.Normal.
func priority(queue string) ratelimit.Priority {
	switch queue {
	case UrgentQueue:
		return ratelimit.Urgent
	case BackgroundQueue:
		return ratelimit.Background
	}
	return ratelimit.Normal
}

const (
	defaultTimeout  = 10 * time.Minute // less than any ledger's lease
	defaultMaxRetry = 25               // asynq's own
)

// Task is the name of a kind of task, asynq's task type, whose request is a Req. Req must survive encoding/json, as all
// request types of the SDK do but those with a wechat.File.
type Task[Req any] string

// Enqueue puts a task into the queue, to be made once under key. Options are asynq's, beside Priority: ProcessIn, MaxRetry,
// Retention and so on. The default timeout is ten minutes; it must be less than the lease of the workers' ledger. Unique is
// of no use, and TaskID is replaced by one of name and key.
//
// An error that matches asynq.ErrTaskIDConflict says that a task with this key is there already.
func (t Task[Req]) Enqueue(ctx context.Context, c *asynq.Client, key string, req *Req, opts ...asynq.Option) (*asynq.TaskInfo, error) {
	if key == "" {
		return nil, fmt.Errorf("asynqwechat: task %q without an idempotency key", string(t))
	}
	request, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("asynqwechat: task %q: %w", string(t), err)
	}
	task, err := envelope{Key: key, Request: request}.task(string(t), opts...)
	if err != nil {
		return nil, fmt.Errorf("asynqwechat: task %q: %w", string(t), err)
	}
	info, err := c.EnqueueContext(ctx, task)
	if err != nil {
		return nil, fmt.Errorf("asynqwechat: task %q: %w", string(t), err)
	}
	return info, nil
}

// envelope is a task's payload.
type envelope struct {
	Key     string          `json:"key"`
	Again   int             `json:"again,omitempty"` // how often a person has had it sent again
	Request json.RawMessage `json:"request"`
	Parked  *parked         `json:"parked,omitempty"`
}

// parked is what is known of a task whose outcome is unknown.
type parked struct {
	Queue  string    `json:"queue"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

// effect is the idempotency key of the calls. What a person has had sent again is another effect, as the ledger and perhaps
// the platform remember the first.
func (e envelope) effect() string {
	if e.Again == 0 {
		return e.Key
	}
	return e.Key + "#" + strconv.Itoa(e.Again)
}

// task is the envelope as a task of asynq's.
func (e envelope) task(name string, opts ...asynq.Option) (*asynq.Task, error) {
	payload, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	retries := defaultMaxRetry
	for _, opt := range opts {
		if n, ok := opt.Value().(int); ok && opt.Type() == asynq.MaxRetryOpt {
			retries = n
		}
	}
	all := append([]asynq.Option{asynq.Queue(NormalQueue), asynq.Timeout(defaultTimeout)}, opts...)
	// asynq archives a task that has failed for the last time also when it only has to wait. One more that is never used
	// keeps it from that; the handler does the counting.
	all = append(all, asynq.MaxRetry(retries+1), asynq.TaskID(name+":"+e.effect()))
	return asynq.NewTask(name, payload, all...), nil
}

// put enqueues what may be there already.
func (e envelope) put(ctx context.Context, c *asynq.Client, name string, opts ...asynq.Option) error {
	task, err := e.task(name, opts...)
	if err != nil {
		return err
	}
	if _, err := c.EnqueueContext(ctx, task); !errors.Is(err, asynq.ErrTaskIDConflict) {
		return err
	}
	return nil
}

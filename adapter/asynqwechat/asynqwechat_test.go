package asynqwechat_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/asynqwechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// What the platform answers decides what becomes of the task.
func TestVerdicts(t *testing.T) {
	busy, page := mock.Reply{Code: -1}, mock.Page(502)
	closed := mock.Reply{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"120"}}}
	tests := []struct {
		name   string
		fault  mock.Fault
		state  asynq.TaskState // 0: gone
		after  time.Duration   // at least, where it comes again
		failed int
		parked bool
	}{
		{name: "sent"},
		{name: "not following", fault: mock.Fault{Reply: &mock.Reply{Code: 43004}}, state: asynq.TaskStateArchived},
		{name: "wrong template", fault: mock.Fault{Reply: &mock.Reply{Code: 40037}}, state: asynq.TaskStateArchived},
		{name: "content", fault: mock.Fault{Reply: &mock.Reply{Code: 40155}}, state: asynq.TaskStateArchived},
		{name: "rate", fault: mock.Fault{Reply: &mock.Reply{Code: 45011}}, state: asynq.TaskStateRetry, after: 30 * time.Second},
		{name: "told when", fault: mock.Fault{Reply: &closed}, state: asynq.TaskStateRetry, after: 2 * time.Minute},
		{name: "quota", fault: mock.Fault{Reply: &mock.Reply{Code: 45009}}, state: asynq.TaskStateRetry, after: 30 * time.Second},
		{name: "permission", fault: mock.Fault{Reply: &mock.Reply{Code: 48001}}, state: asynq.TaskStateRetry, after: 10 * time.Second, failed: 1},
		{name: "refused connection", fault: mock.Fault{Refuse: true}, state: asynq.TaskStateRetry, after: 10 * time.Second, failed: 1},
		{name: "lost", fault: mock.Fault{Reset: true, Done: true}, parked: true},
		{name: "busy", fault: mock.Fault{Reply: &busy}, parked: true},
		{name: "page", fault: mock.Fault{Reply: &page, Done: true}, parked: true},
	}
	eachRedis(t, func(t *testing.T, q *queue) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				s := newServer()
				if test.name != "sent" {
					s.Fault("SendCustomMessage", test.fault)
				}
				oa := newAccount(s, wechat.NewMemoryLedger())
				q.serve(t, asynq.Config{}, func(mux *asynq.ServeMux) { handleAll(mux, q.client, oa) })
				began := time.Now()
				key := fmt.Sprintf("k-%s", test.name)
				info, err := custom.Enqueue(t.Context(), q.client, key, officialaccount.TextMessage("oFAKE", "hello"))
				if err != nil {
					t.Fatal(err)
				}
				var got *asynq.TaskInfo
				eventually(t, "worked on", func() bool {
					got = q.task(t, asynqwechat.NormalQueue, info.ID)
					return got == nil || got.State != asynq.TaskStatePending && got.State != asynq.TaskStateActive
				})
				if got == nil {
					got = &asynq.TaskInfo{}
				}
				if got.State != test.state || got.Retried != test.failed {
					t.Errorf("%v after %d failures: %s; want %v after %d", got.State, got.Retried, got.LastErr, test.state, test.failed)
				}
				if wait := got.NextProcessAt.Sub(began); test.state == asynq.TaskStateRetry && wait < test.after {
					t.Errorf("again after %v, want %v or more", wait, test.after)
				}
				all, err := asynqwechat.ListParked(q.inspector)
				if err != nil || (len(all) == 1) != test.parked {
					t.Errorf("parked: %+v, %v", all, err)
				}
				for _, p := range all {
					if p.Key != key || p.Task != "custom" || p.Queue != asynqwechat.NormalQueue || p.Since.Before(began.Add(-time.Second)) ||
						!strings.Contains(p.Reason, "outcome unknown") || !strings.Contains(string(p.Request), "oFAKE") {
						t.Errorf("parked as %+v", p)
					}
					if err := p.Dismiss(q.inspector); err != nil {
						t.Error(err)
					}
				}
				if n := len(s.Calls("SendCustomMessage")); n > 1 {
					t.Errorf("%d requests", n)
				}
			})
		}
	})
}

// A key is one message, however often and into whatever queue it is put.
func TestOnce(t *testing.T) {
	eachRedis(t, func(t *testing.T, q *queue) {
		s := newServer()
		oa := newAccount(s, wechat.NewMemoryLedger())
		for i := range 3 {
			_, err := template.Enqueue(t.Context(), q.client, "order-1", message("oFAKE"))
			if conflict := errors.Is(err, asynq.ErrTaskIDConflict); conflict != (i > 0) || err != nil && !conflict {
				t.Errorf("put in for the %dth time: %v", i+1, err)
			}
		}
		if _, err := template.Enqueue(t.Context(), q.client, "order-1", message("oFAKE"), asynqwechat.Priority(ratelimit.Urgent)); err != nil {
			t.Error(err)
		}
		// Another kind with the same key is another effect.
		if _, err := custom.Enqueue(t.Context(), q.client, "order-1", officialaccount.TextMessage("oFAKE", "hello")); err != nil {
			t.Error(err)
		}
		q.serve(t, asynq.Config{Concurrency: 1}, func(mux *asynq.ServeMux) { handleAll(mux, q.client, oa) })
		q.idle(t)
		if _, err := template.Enqueue(t.Context(), q.client, "order-1", message("oFAKE")); err != nil { // the ledger knows it
			t.Error(err)
		}
		q.idle(t)
		calls := s.Calls("SendTemplateMessage")
		if len(calls) != 1 || len(s.Calls("SendCustomMessage")) != 1 {
			t.Fatalf("%d and %d requests", len(calls), len(s.Calls("SendCustomMessage")))
		}
		want := message("oFAKE")
		got := *calls[0].Request.(*officialaccount.TemplateMessage)
		if want.ClientMsgID = got.ClientMsgID; !reflect.DeepEqual(&got, want) || got.ClientMsgID == "" {
			t.Errorf("sent %+v, want %+v", got, *want)
		}
	})
}

// While a worker is at it, another one waits and finds it done.
func TestInProgress(t *testing.T) {
	eachRedis(t, func(t *testing.T, q *queue) {
		s := newServer()
		reached, release := make(chan struct{}), make(chan struct{})
		s.Fault("SendCustomMessage", mock.Fault{When: func(mock.Call) bool {
			reached <- struct{}{}
			<-release
			return false
		}})
		oa := newAccount(s, wechat.NewMemoryLedger())
		q.serve(t, asynq.Config{Concurrency: 2}, func(mux *asynq.ServeMux) { handleAll(mux, q.client, oa) })
		m := officialaccount.TextMessage("oFAKE", "hello")
		if _, err := custom.Enqueue(t.Context(), q.client, "k", m); err != nil {
			t.Fatal(err)
		}
		<-reached
		info, err := custom.Enqueue(t.Context(), q.client, "k", m, asynqwechat.Priority(ratelimit.Urgent))
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "put off", func() bool {
			got := q.task(t, asynqwechat.UrgentQueue, info.ID)
			return got != nil && got.State == asynq.TaskStateRetry && got.Retried == 0 && time.Until(got.NextProcessAt) > 30*time.Second
		})
		close(release)
		q.idle(t)
		if err := q.inspector.RunTask(asynqwechat.UrgentQueue, info.ID); err != nil {
			t.Error(err)
		}
		q.idle(t)
		if got := q.task(t, asynqwechat.UrgentQueue, info.ID); got != nil {
			t.Errorf("at last it is %v: %s", got.State, got.LastErr)
		}
		if n := len(s.Calls("SendCustomMessage")); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// watched is a ledger that tells of each key that is begun.
type watched struct {
	wechat.Ledger
	begun func(key string)
}

func (w watched) Begin(ctx context.Context, key string, call *wechat.Call) (wechat.Entry, error) {
	w.begun(key)
	return w.Ledger.Begin(ctx, key, call)
}

// Urgent tasks come first, and the calls have the priority of their queue and the key of their task.
func TestPriorities(t *testing.T) {
	eachRedis(t, func(t *testing.T, q *queue) {
		var mu sync.Mutex
		var seen []string
		l := watched{wechat.NewMemoryLedger(), func(key string) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, key[strings.LastIndex(key, ":")+1:])
		}}
		limiter := &watchedLimiter{seen: map[ratelimit.Priority]bool{}}
		limited := app
		limited.Limits.App = []ratelimit.Limit{ratelimit.PerSecond(100)}
		oa := officialaccount.New(wechat.New(append(newServer().Options(), wechat.WithLedger(l), wechat.WithLimiter(limiter))...), limited)
		for key, p := range map[string]ratelimit.Priority{"background": ratelimit.Background, "normal": ratelimit.Normal, "urgent": ratelimit.Urgent} {
			if _, err := template.Enqueue(t.Context(), q.client, key, message("o"+key), asynqwechat.Priority(p)); err != nil {
				t.Fatal(err)
			}
		}
		q.serve(t, asynq.Config{Concurrency: 1, StrictPriority: true}, func(mux *asynq.ServeMux) { handleAll(mux, q.client, oa) })
		q.idle(t)
		if !reflect.DeepEqual(seen, []string{"urgent", "normal", "background"}) {
			t.Errorf("in the order %q", seen)
		}
		for _, p := range []ratelimit.Priority{ratelimit.Urgent, ratelimit.Normal, ratelimit.Background} {
			if !limiter.saw(p) {
				t.Errorf("no demand of priority %d", p)
			}
		}
	})
}

type watchedLimiter struct {
	local ratelimit.Local
	mu    sync.Mutex
	seen  map[ratelimit.Priority]bool
}

func (l *watchedLimiter) saw(p ratelimit.Priority) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen[p]
}

func (l *watchedLimiter) Allow(ctx context.Context, demands ...ratelimit.Demand) (ratelimit.Decision, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range demands {
		l.seen[d.Priority] = true
	}
	return l.local.Allow(ctx, demands...)
}

// A task that has failed as often as it may still waits for its turn, and is archived only when it fails once more.
func TestFailures(t *testing.T) {
	eachRedis(t, func(t *testing.T, q *queue) {
		answers := []error{errors.New("one"), errors.New("two"), &wechat.Error{Kind: wechat.ErrRateLimited, After: time.Hour},
			wechat.ErrQuotaExhausted, errors.New("three")}
		n := 0
		q.serve(t, asynq.Config{}, func(mux *asynq.ServeMux) {
			template.Handle(mux, q.client, func(context.Context, *officialaccount.TemplateMessage) error { n++; return answers[n-1] })
		})
		info, err := template.Enqueue(t.Context(), q.client, "k", message("oFAKE"), asynq.MaxRetry(2))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []struct {
			failures int
			state    asynq.TaskState
			wait     time.Duration
		}{{1, asynq.TaskStateRetry, 0}, {2, asynq.TaskStateRetry, 0}, {2, asynq.TaskStateRetry, time.Hour}, {2, asynq.TaskStateRetry, 14 * time.Minute}, {2, asynq.TaskStateArchived, 0}} {
			var got *asynq.TaskInfo
			eventually(t, "worked on", func() bool {
				got = q.task(t, asynqwechat.NormalQueue, info.ID)
				return got.State != asynq.TaskStatePending && got.State != asynq.TaskStateActive
			})
			if got.State != want.state || got.State == asynq.TaskStateRetry && got.Retried != want.failures || time.Until(got.NextProcessAt) < want.wait-10*time.Second && want.wait > 0 {
				t.Errorf("after %d runs: %v, %d failures, again in %v: %s", i+1, got.State, got.Retried, time.Until(got.NextProcessAt), got.LastErr)
			}
			if want.state == asynq.TaskStateRetry {
				if err := q.inspector.RunTask(asynqwechat.NormalQueue, info.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n != len(answers) {
			t.Errorf("run %d times", n)
		}
	})
}

// A person has an unknown message sent again: once, however often the button is pressed.
func TestResend(t *testing.T) {
	eachRedis(t, func(t *testing.T, q *queue) {
		s := newServer()
		s.Fault("SendCustomMessage", mock.Fault{Reset: true, Times: 2})
		oa := newAccount(s, wechat.NewMemoryLedger())
		q.serve(t, asynq.Config{}, func(mux *asynq.ServeMux) { handleAll(mux, q.client, oa) })
		put := func() {
			if _, err := custom.Enqueue(t.Context(), q.client, "k", officialaccount.TextMessage("oFAKE", "hello"), asynqwechat.Priority(ratelimit.Urgent)); err != nil {
				t.Fatal(err)
			}
			q.idle(t)
		}
		list := func(want int) []asynqwechat.Parked {
			all, err := asynqwechat.ListParked(q.inspector)
			if err != nil || len(all) != want {
				t.Fatalf("parked: %+v, %v; want %d", all, err, want)
			}
			return all
		}
		list(0)
		put()
		put() // the ledger answers
		if n := len(s.Calls("SendCustomMessage")); n != 1 {
			t.Fatalf("%d requests", n)
		}
		first := list(1)[0]
		if err := first.Resend(t.Context(), q.client, q.inspector); err != nil {
			t.Fatal(err)
		}
		q.idle(t)
		second := list(1)[0]                                            // that one was lost, too
		for _, p := range []asynqwechat.Parked{second, second, first} { // from an old page in a browser
			if err := p.Resend(t.Context(), q.client, q.inspector); err != nil {
				t.Error(err)
			}
			q.idle(t)
		}
		for _, p := range list(1) { // the first repeat is still unknown
			if err := p.Dismiss(q.inspector); err != nil {
				t.Error(err)
			}
		}
		list(0)
		if n := len(s.Calls("SendCustomMessage")); n != 3 {
			t.Errorf("%d requests", n)
		}
		if n := len(s.Delivered("oFAKE")); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

// A worker that is told to serve the parked tasks leaves them alone.
func TestUnknownQueueServed(t *testing.T) {
	eachRedis(t, func(t *testing.T, q *queue) {
		s := newServer()
		s.Fault("SendCustomMessage", mock.Fault{Reset: true})
		oa := newAccount(s, wechat.NewMemoryLedger())
		q.serve(t, asynq.Config{Queues: map[string]int{asynqwechat.NormalQueue: 1, asynqwechat.UnknownQueue: 1}},
			func(mux *asynq.ServeMux) { handleAll(mux, q.client, oa) })
		if _, err := custom.Enqueue(t.Context(), q.client, "k", officialaccount.TextMessage("oFAKE", "hello")); err != nil {
			t.Fatal(err)
		}
		eventually(t, "left alone", func() bool {
			info, err := q.inspector.GetQueueInfo(asynqwechat.UnknownQueue)
			return err == nil && info.Retry == 1
		})
		if all, err := asynqwechat.ListParked(q.inspector); len(all) != 1 || err != nil {
			t.Errorf("parked: %+v, %v", all, err)
		}
		if n := len(s.Calls("SendCustomMessage")); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// What is no task of this kind is archived and never sent.
func TestForeignTasks(t *testing.T) {
	eachRedis(t, func(t *testing.T, q *queue) {
		s := newServer()
		oa := newAccount(s, wechat.NewMemoryLedger())
		q.serve(t, asynq.Config{}, func(mux *asynq.ServeMux) { handleAll(mux, q.client, oa) })
		for name, task := range map[string]*asynq.Task{
			"text":    asynq.NewTask("template", []byte("hello")),
			"request": asynq.NewTask("template", []byte(`{"key":"k","request":[1]}`)),
			"name":    asynq.NewTask("template2", []byte(`{"key":"k","request":{"touser":"oFAKE"}}`), asynq.MaxRetry(0)),
		} {
			info, err := q.client.EnqueueContext(t.Context(), task, asynq.Queue(asynqwechat.NormalQueue))
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, name+" archived", func() bool {
				got := q.task(t, asynqwechat.NormalQueue, info.ID)
				return got != nil && got.State == asynq.TaskStateArchived
			})
		}
		if n := len(s.Calls("")); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestEnqueueRefuses(t *testing.T) {
	c := asynq.NewClient(asynq.RedisClientOpt{Addr: "127.0.0.1:1"})
	defer func() { _ = c.Close() }()
	if _, err := template.Enqueue(t.Context(), c, "", message("oFAKE")); err == nil || !strings.Contains(err.Error(), "idempotency key") {
		t.Errorf("without a key: %v", err)
	}
	upload := asynqwechat.Task[struct{ Media wechat.File }]("upload")
	if _, err := upload.Enqueue(t.Context(), c, "k", &struct{ Media wechat.File }{wechat.FileAt("x")}); err == nil || !strings.Contains(err.Error(), "func") {
		t.Errorf("a file: %v", err)
	}
	if _, err := template.Enqueue(t.Context(), c, "k", message("oFAKE")); err == nil {
		t.Error("without Redis there was no error")
	}
}

// Config keeps what the program has set for tasks of other kinds.
func TestConfig(t *testing.T) {
	own := errors.New("own")
	c := asynqwechat.Config(asynq.Config{
		Queues:         map[string]int{"q": 1},
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return 42 },
		IsFailure:      func(err error) bool { return !errors.Is(err, own) },
	})
	if len(c.Queues) != 1 || c.RetryDelayFunc(1, own, nil) != 42 || c.IsFailure(own) || !c.IsFailure(wechat.ErrBusy) {
		t.Errorf("%+v", c)
	}
	c = asynqwechat.Config(asynq.Config{})
	if len(c.Queues) != 3 || c.RetryDelayFunc(0, own, nil) < 15*time.Second || !c.IsFailure(own) ||
		c.RetryDelayFunc(0, fmt.Errorf("asynq: %w", asynq.ErrLeaseExpired), nil) != 0 {
		t.Errorf("%+v", c)
	}
}

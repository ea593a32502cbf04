package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/asynqwechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/officialaccount"
)

// jobVariable makes this program a worker; it has the job as JSON.
const jobVariable = "WECHAT_CLUSTER_JOB"

// job is all that a worker is told.
type job struct {
	Redis, Platform string
	Worker, Workers int // which one, and how many there are
}

// What a worker may be ordered to do. It answers each order with a line, which is ok or what went wrong.
const (
	rush  = "rush"  // let all goroutines call at once
	serve = "serve" // work on the queue
	ok    = "ok"
)

const (
	rushers = 1000 // goroutines
	// concurrency is how many tasks a worker has under way. Those that wait for their turn are among them, and a worker
	// that is killed leaves all of them in doubt.
	concurrency = 20
)

// exitIfWorker does a worker's job and exits, if this process was started to be one.
func exitIfWorker() {
	text := os.Getenv(jobVariable)
	if text == "" {
		return
	}
	if err := work(text); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// work is the life of a worker: it does what it is ordered until the orders end, as its parent wants it or is no more.
func work(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	rdb := newRedis(j.Redis)
	defer func() { _ = rdb.Close() }()
	queue := asynq.NewClientFromRedisClient(rdb)
	oa := officialaccount.New(j.client(rdb), account())
	server := asynq.NewServerFromRedisClient(rdb, serverConfig())
	mux := asynq.NewServeMux()
	shipped.Handle(mux, queue, asynqwechat.WithoutReply(oa.SendTemplateMessage))

	fmt.Println(ok)
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		var err error
		switch orders.Text() {
		case rush:
			err = rushAll(oa)
		case serve:
			if err = server.Start(mux); err == nil {
				defer server.Shutdown()
			}
		}
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(ok)
	}
	return orders.Err()
}

// client is the SDK, sharing all that it knows with the other workers. Nobody tells it how much the platform takes.
func (j job) client(rdb *redis.Client) *wechat.Client {
	options := rediswechat.Options(rdb, rediswechat.WithInstances(j.Workers), rediswechat.WithLedgerLease(ledgerLease),
		// All processes share one machine here, and while thousands of goroutines begin at once it is late with everything.
		rediswechat.WithBudget(500*time.Millisecond))
	return wechat.New(append(options, wechat.WithBaseURL("officialaccount", j.Platform),
		wechat.WithTransport(func(next http.RoundTripper) http.RoundTripper { return &signed{next, strconv.Itoa(j.Worker)} }))...)
}

// serverConfig is how a worker works on the queue.
func serverConfig() asynq.Config {
	return asynqwechat.Config(asynq.Config{
		Concurrency:              concurrency,
		Queues:                   map[string]int{asynqwechat.BackgroundQueue: 1},
		LogLevel:                 asynq.ErrorLevel,
		DelayedTaskCheckInterval: time.Second, // instead of 5 s, for tasks that come again
	})
}

// rushAll lets a thousand goroutines make a call in the same moment.
func rushAll(oa *officialaccount.Client) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	errs := make([]error, rushers)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			<-begin
			_, errs[i] = oa.GetMaterialCount(ctx)
		})
	}
	close(begin)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// signed writes on each request which worker it comes from, for the platform's records.
type signed struct {
	next   http.RoundTripper
	worker string
}

// RoundTrip sends r with the worker's number.
func (s *signed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(workerHeader, s.worker)
	return s.next.RoundTrip(r)
}

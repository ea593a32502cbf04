package asynqwechat_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/asynqwechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
)

const workerConcurrency = 5

// worker is the life of a process that works until it is killed.
func worker(job []string) error {
	o := asynq.RedisClientOpt{Addr: job[0]}
	c := asynq.NewClient(o)
	client := wechat.New(wechat.WithBaseURL("officialaccount", job[1]), wechat.WithLedger(ledger{redis.NewClient(&redis.Options{Addr: job[0]})}))
	mux := asynq.NewServeMux()
	handleAll(mux, c, officialaccount.New(client, app))
	return asynq.NewServer(o, quiet(asynqwechat.Config(asynq.Config{Concurrency: workerConcurrency}))).Run(mux)
}

// Workers are killed in the middle of their sends and replaced. No message is lost and none arrives twice; those that were
// under way and of which nobody knows are parked.
func TestKilledWorkers(t *testing.T) {
	const messages, kills = 300, 3
	q := newQueue(t, realRedis(t))
	s := newServer()
	s.Fault("SendCustomMessage", mock.Fault{Delay: 50 * time.Millisecond})
	url, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	openid := func(i int) string { return fmt.Sprintf("oFAKE%03d", i) }
	for i := range messages {
		if _, err := custom.Enqueue(t.Context(), q.client, openid(i), officialaccount.TextMessage(openid(i), "hello")); err != nil {
			t.Fatal(err)
		}
	}
	start := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), workerEnv+"="+q.addr+" "+url)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	end := func(cmd *exec.Cmd) {
		_ = cmd.Process.Kill() // SIGKILL
		_ = cmd.Wait()
	}
	workers := []*exec.Cmd{start(), start(), start()}
	for k := range kills {
		eventually(t, "under way", func() bool { return len(s.Calls("SendCustomMessage")) >= (k+1)*messages/(kills+2) })
		end(workers[k])
		workers[k] = start()
	}
	defer func() {
		for _, w := range workers {
			end(w)
		}
	}()

	// Two minutes go by for the leases of asynq and of the ledger, whenever only what dead workers had is left.
	left := func() (n int) {
		info, err := q.inspector.GetQueueInfo(asynqwechat.NormalQueue)
		if err != nil {
			t.Fatal(err)
		}
		return info.Pending + info.Active + info.Retry + info.Scheduled
	}
	eventually(t, "at the end of what can be sent", func() bool {
		info, err := q.inspector.GetQueueInfo(asynqwechat.NormalQueue)
		return err == nil && info.Pending == 0 && info.Active <= kills*workerConcurrency
	})
	for round := 0; left() > 0; round++ {
		if round == 10 {
			t.Fatalf("%d tasks are still there", left())
		}
		for _, w := range workers { // asynq looks for dead workers' tasks when a server starts, and then once a minute
			if err := w.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := w.Wait(); err != nil {
				t.Error(err)
			}
		}
		age(t, q)
		for i := range workers {
			workers[i] = start()
		}
		for range 20 {
			time.Sleep(100 * time.Millisecond)
			if _, err := q.inspector.RunAllRetryTasks(asynqwechat.NormalQueue); err != nil {
				t.Fatal(err)
			}
			if left() == 0 {
				break
			}
		}
	}

	all, err := asynqwechat.ListParked(q.inspector)
	if err != nil {
		t.Fatal(err)
	}
	unknown := map[string]bool{}
	for _, p := range all {
		unknown[p.Key] = true
	}
	lost, twice := 0, 0
	for i := range messages {
		switch n := len(s.Delivered(openid(i))); {
		case n == 0 && !unknown[openid(i)]:
			lost++
		case n > 1:
			twice++
		}
	}
	t.Logf("%d messages, %d workers killed: %d parked as unknown, %d lost, %d twice", messages, kills, len(unknown), lost, twice)
	if lost != 0 || twice != 0 {
		t.Errorf("%d lost, %d twice", lost, twice)
	}
	if len(unknown) == 0 {
		t.Error("no worker was killed in the middle of a send: the test shows nothing")
	}
	if info, err := q.inspector.GetQueueInfo(asynqwechat.NormalQueue); err != nil || info.Archived != 0 {
		t.Errorf("%d archived, %v", info.Archived, err)
	}
}

// age makes the leases of asynq and of the ledger as old as after two minutes.
func age(t *testing.T, q *queue) {
	t.Helper()
	leases := "asynq:{" + asynqwechat.NormalQueue + "}:lease"
	for _, z := range q.rdb.ZRangeWithScores(t.Context(), leases, 0, -1).Val() {
		if err := q.rdb.ZAdd(t.Context(), leases, redis.Z{Score: z.Score - 120, Member: z.Member}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	keys := q.rdb.Scan(t.Context(), 0, "ledger:*", 1000).Iterator()
	for keys.Next(t.Context()) {
		if strings.Contains(keys.Val(), "SendCustomMessage") {
			if err := q.rdb.HIncrBy(t.Context(), keys.Val(), "lease", -120).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := keys.Err(); err != nil {
		t.Fatal(err)
	}
}

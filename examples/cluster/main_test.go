package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat/adapter/asynqwechat"
)

func TestMain(m *testing.M) {
	exitIfWorker()
	os.Exit(m.Run())
}

// newTestRedis starts a redis-server. Without one a test is skipped, but not where CI promises it.
func newTestRedis(t *testing.T) (addr string) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("redis-server is missing (apt-get install redis-server)")
	}
	addr, stop, err := startRedis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return addr
}

// A worker is killed and replaced; the piles add up to the messages, nothing is lost and nothing arrives twice.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes twenty seconds")
	}
	s := settings{redis: newTestRedis(t), workers: 3, sends: 600, quota: 100, kill: true}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	hurried := make(chan error, 1)
	go func() { hurried <- hurry(ctx, s.redis) }()
	var out bytes.Buffer
	err := run(ctx, &out, s)
	cancel()
	if err := <-hurried; err != nil {
		t.Error(err)
	}
	t.Logf("%v\n%s", err, out.String())
	if err != nil {
		t.Fatal()
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var sent, refused, unknown, lost, duplicates, requests, throttled, tokens, killed int
	if _, err := fmt.Sscanf(lines[len(lines)-1], "sent=%d refused=%d unknown=%d lost=%d duplicates=%d requests=%d throttled=%d tokens=%d killed=%d",
		&sent, &refused, &unknown, &lost, &duplicates, &requests, &throttled, &tokens, &killed); err != nil {
		t.Fatal(err)
	}
	if sent+refused+unknown != s.sends || lost != 0 || duplicates != 0 || tokens != 1 || killed != 1 ||
		sent < s.sends*9/10 || refused == 0 || unknown > concurrency || throttled == 0 || requests > s.sends*115/100 {
		t.Error(lines[len(lines)-1])
	}
	rdb := newRedis(s.redis)
	defer func() { _ = rdb.Close() }()
	if n := rdb.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys were left in a Redis that was lent", n)
	}
}

// hurry has the minute after the kill pass at once. When nothing is left but what the killed worker had under way, it makes
// the leases of asynq and of the ledger old, and starts a server, as these look for abandoned tasks when they start.
func hurry(ctx context.Context, addr string) error {
	o := asynq.RedisClientOpt{Addr: addr}
	inspector, rdb := asynq.NewInspector(o), newRedis(addr)
	defer func() { _, _ = inspector.Close(), rdb.Close() }()
	if !waitFor(ctx, func() bool { return abandoned(ctx, inspector) }) {
		return nil // the killed worker had nothing under way
	}
	if err := age(ctx, rdb); err != nil {
		return err
	}
	// The new server is not to take tasks itself.
	if err := inspector.PauseQueue(asynqwechat.BackgroundQueue); err != nil {
		return err
	}
	server := asynq.NewServer(o, serverConfig())
	if err := server.Start(asynq.NotFoundHandler()); err != nil {
		return err
	}
	waitFor(ctx, func() bool { return len(active(inspector)) == 0 })
	server.Shutdown()
	return inspector.UnpauseQueue(asynqwechat.BackgroundQueue)
}

// abandoned reports whether tasks under way have been the only ones, and the same, for some time.
func abandoned(ctx context.Context, inspector *asynq.Inspector) bool {
	before := active(inspector)
	select {
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
		return false
	}
	info, err := inspector.GetQueueInfo(asynqwechat.BackgroundQueue)
	return err == nil && len(before) > 0 && info.Pending+info.Retry == 0 && fmt.Sprint(before) == fmt.Sprint(active(inspector))
}

func active(inspector *asynq.Inspector) (ids []string) {
	tasks, _ := inspector.ListActiveTasks(asynqwechat.BackgroundQueue, asynq.PageSize(1000))
	for _, task := range tasks {
		ids = append(ids, task.ID)
	}
	return ids
}

// age makes all leases two minutes older.
func age(ctx context.Context, rdb *redis.Client) error {
	leases := "asynq:{" + asynqwechat.BackgroundQueue + "}:lease"
	for _, z := range rdb.ZRangeWithScores(ctx, leases, 0, -1).Val() {
		rdb.ZAdd(ctx, leases, redis.Z{Score: z.Score - 120, Member: z.Member})
	}
	keys := rdb.Scan(ctx, 0, "wechat:v1:*:ledger:*", 1000).Iterator()
	for keys.Next(ctx) {
		var since int64
		if n, _ := fmt.Sscanf(rdb.Get(ctx, keys.Val()).Val(), "pending %d", &since); n == 1 {
			rdb.Set(ctx, keys.Val(), fmt.Sprintf("pending %d killed", since-120_000), redis.KeepTTL)
		}
	}
	return keys.Err()
}

func waitFor(ctx context.Context, done func() bool) bool {
	for !done() {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func TestNoRedis(t *testing.T) {
	t.Setenv("PATH", "")
	err := run(t.Context(), new(bytes.Buffer), settings{workers: 1, sends: 1, quota: 1})
	if err == nil || !strings.Contains(err.Error(), "redis-server") || !strings.Contains(err.Error(), "-redis") {
		t.Errorf("without redis-server: %v", err)
	}
}

// What somebody keeps in a Redis is not touched.
func TestRedisInUse(t *testing.T) {
	addr := newTestRedis(t)
	rdb := newRedis(addr)
	defer func() { _ = rdb.Close() }()
	rdb.Set(t.Context(), "somebody's", "", 0)
	if err := run(t.Context(), new(bytes.Buffer), settings{redis: addr, workers: 1, sends: 1, quota: 1}); err == nil {
		t.Error("it was taken")
	}
	if n := rdb.DBSize(t.Context()).Val(); n != 1 {
		t.Errorf("it has %d keys", n)
	}
}

func TestSparkline(t *testing.T) {
	if got, want := sparkline([]int{0, 50, 100}), "▁▄█"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := sparkline(nil); got != "" {
		t.Error(got)
	}
}

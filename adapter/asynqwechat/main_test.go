package asynqwechat_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/asynqwechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// workerEnv makes the test binary a worker: Redis's address and the platform's.
const workerEnv = "ASYNQWECHAT_WORKER"

func TestMain(m *testing.M) {
	if job := os.Getenv(workerEnv); job != "" {
		if err := worker(strings.Fields(job)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if stopRedis != nil {
		stopRedis()
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// eachRedis runs a test against miniredis and against a real server, both empty.
func eachRedis(t *testing.T, test func(t *testing.T, q *queue)) {
	t.Run("miniredis", func(t *testing.T) { test(t, newQueue(t, miniredis.RunT(t).Addr())) })
	t.Run("redis", func(t *testing.T) { test(t, newQueue(t, realRedis(t))) })
}

var (
	redisOnce sync.Once
	redisAddr string
	redisErr  error
	stopRedis func()
)

// realRedis is the address of a server of the tests' own, flushed.
func realRedis(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("redis-server is not installed")
		}
		t.Skip("redis-server is not installed")
	}
	redisOnce.Do(func() { redisAddr, stopRedis, redisErr = startRedis(path) })
	if redisErr != nil {
		t.Fatal(redisErr)
	}
	c := redis.NewClient(&redis.Options{Addr: redisAddr})
	defer func() { _ = c.Close() }()
	if err := c.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return redisAddr
}

func startRedis(path string) (addr string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	addr = l.Addr().String()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", nil, err
	}
	if err := l.Close(); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "asynqwechat")
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(path, "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	c := redis.NewClient(&redis.Options{Addr: addr})
	defer func() { _ = c.Close() }()
	for range 200 {
		if err = c.Ping(context.Background()).Err(); err == nil {
			return addr, stop, nil
		}
		time.Sleep(25 * time.Millisecond)
	}
	stop()
	return "", nil, err
}

// queue is all that a test has of asynq.
type queue struct {
	addr      string
	client    *asynq.Client
	inspector *asynq.Inspector
	rdb       *redis.Client
}

func newQueue(t *testing.T, addr string) *queue {
	t.Helper()
	o := asynq.RedisClientOpt{Addr: addr}
	q := &queue{addr: addr, client: asynq.NewClient(o), inspector: asynq.NewInspector(o), rdb: redis.NewClient(&redis.Options{Addr: addr})}
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{q.client, q.inspector, q.rdb} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return q
}

// serve works on the queues until the test ends.
func (q *queue) serve(t *testing.T, c asynq.Config, handle func(mux *asynq.ServeMux)) {
	t.Helper()
	server, mux := asynq.NewServer(asynq.RedisClientOpt{Addr: q.addr}, quiet(asynqwechat.Config(c))), asynq.NewServeMux()
	handle(mux)
	if err := server.Start(mux); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Shutdown)
}

func quiet(c asynq.Config) asynq.Config {
	c.TaskCheckInterval, c.DelayedTaskCheckInterval, c.ShutdownTimeout = 10*time.Millisecond, 50*time.Millisecond, time.Second
	c.LogLevel = asynq.FatalLevel
	return c
}

// task is what became of one: "gone" where it is no more.
func (q *queue) task(t *testing.T, queue, id string) *asynq.TaskInfo {
	t.Helper()
	info, err := q.inspector.GetTaskInfo(queue, id)
	if err != nil {
		if strings.Contains(err.Error(), "not found") {
			return nil
		}
		t.Fatal(err)
	}
	return info
}

// eventually waits until a worker has done what a test waits for.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("still not %s", what)
		}
	}
}

// idle waits until no task is left to be worked on now.
func (q *queue) idle(t *testing.T) {
	t.Helper()
	eventually(t, "idle", func() bool {
		for _, name := range []string{asynqwechat.UrgentQueue, asynqwechat.NormalQueue, asynqwechat.BackgroundQueue} {
			info, err := q.inspector.GetQueueInfo(name)
			if err == nil && info.Pending+info.Active > 0 {
				return false
			}
		}
		return true
	})
}

// ledger is a small one in Redis that outlives processes.
type ledger struct{ rdb *redis.Client }

var beginScript = redis.NewScript(`
local e = redis.call('HMGET', KEYS[1], 'state', 'result', 'lease')
local now = redis.call('TIME')[1]
if e[1] and e[1] ~= 'failed' then
	if e[1] == 'pending' and tonumber(e[3]) < tonumber(now) then e[1] = 'unknown' end
	return {e[1], e[2] or ''}
end
redis.call('HSET', KEYS[1], 'state', 'pending', 'lease', now + ARGV[1])
return {'', ''}`)

const testLease = 60 // seconds

func (l ledger) Begin(ctx context.Context, key string, _ *wechat.Call) (wechat.Entry, error) {
	e, err := beginScript.Run(ctx, l.rdb, []string{"ledger:" + key}, testLease).StringSlice()
	if err != nil {
		return wechat.Entry{}, err
	}
	return wechat.Entry{State: wechat.State(e[0]), Result: []byte(e[1]), Updated: time.Now()}, nil
}

func (l ledger) End(ctx context.Context, key string, e wechat.Entry) error {
	return l.rdb.HSet(ctx, "ledger:"+key, "state", string(e.State), "result", e.Result).Err()
}

const (
	template asynqwechat.Task[officialaccount.TemplateMessage] = "template"
	custom   asynqwechat.Task[officialaccount.CustomMessage]   = "custom"
)

var app = wechat.App{ID: "wx00112233445566ff", Secret: "mock secret", Limits: ratelimit.Limits{Recipient: []ratelimit.Limit{}}}

// handleAll has both kinds of tasks carried out by oa.
func handleAll(mux *asynq.ServeMux, c *asynq.Client, oa *officialaccount.Client) {
	template.Handle(mux, c, asynqwechat.WithoutReply(oa.SendTemplateMessage))
	custom.Handle(mux, c, oa.SendCustomMessage)
}

// newServer is a platform that knows the app.
func newServer() *mock.Server {
	s := mock.NewServer(officialaccount.Endpoints()...)
	s.App(app)
	return s
}

func newAccount(s *mock.Server, l wechat.Ledger) *officialaccount.Client {
	opts := append(s.Options(), wechat.WithLedger(l), wechat.WithRetry(wechat.RetryPolicy{MaxAttempts: 1}))
	return officialaccount.New(wechat.New(opts...), app)
}

func message(openid string) *officialaccount.TemplateMessage {
	return &officialaccount.TemplateMessage{ToUser: openid, TemplateID: "t", Data: map[string]officialaccount.TemplateValue{"thing1": {Value: "茶 & <b>"}}}
}

package rediswechat_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(jobVariable); job != "" {
		os.Exit(work(job))
	}
	goleak.VerifyTestMain(m)
}

// patient is for tests of what is right, on a machine that may be busy.
var patient = rediswechat.WithBudget(10 * time.Second)

// server is a redis-server of a test's own.
type server struct {
	t    testing.TB
	addr string
	args []string
	cmd  *exec.Cmd
}

// program finds redis-server. Without it a test is skipped, but not where CI promises it.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is missing: apt-get install redis-server", name)
	default:
		t.Skipf("%s is missing (apt-get install redis-server); what needs a real Redis is not tested", name)
	}
	return path
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// startRedis starts a redis-server with nothing in it.
func startRedis(t testing.TB, args ...string) *server {
	t.Helper()
	path := program(t, "redis-server")
	port := freePort(t)
	s := &server{t: t, addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), args: append([]string{
		path, "--port", strconv.Itoa(port), "--save", "", "--appendonly", "no", "--dir", t.TempDir(), "--bind", "127.0.0.1"}, args...)}
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *server) start() {
	s.t.Helper()
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	rdb := redis.NewClient(&redis.Options{Addr: s.addr})
	defer func() { _ = rdb.Close() }()
	for began := time.Now(); rdb.Ping(context.Background()).Err() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			s.t.Fatal("redis-server does not start")
		}
	}
}

func (s *server) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGCONT)
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// client is a client that needs to know nothing of this package.
func (s *server) client() *redis.Client {
	rdb := redis.NewClient(&redis.Options{Addr: s.addr})
	s.t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

// startCluster starts a Redis Cluster of three masters.
func startCluster(t testing.TB) *redis.ClusterClient {
	t.Helper()
	cli := program(t, "redis-cli")
	var addrs []string
	for range 3 {
		s := startRedis(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
		addrs = append(addrs, s.addr)
	}
	args := append([]string{"--cluster", "create"}, addrs...)
	if out, err := exec.Command(cli, append(args, "--cluster-yes")...).CombinedOutput(); err != nil {
		t.Fatalf("redis-cli --cluster create: %v\n%s", err, out)
	}
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs, ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = rdb.Close() })
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var up atomic.Int32
		err := rdb.ForEachMaster(context.Background(), func(ctx context.Context, node *redis.Client) error {
			info, err := node.ClusterInfo(ctx).Result()
			if strings.Contains(info, "cluster_state:ok") {
				up.Add(1)
			}
			return err
		})
		if up.Load() == 3 && rdb.Set(context.Background(), "up", 1, time.Second).Err() == nil {
			return rdb
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("the cluster does not come up: %d of 3 nodes, %v", up.Load(), err)
		}
		rdb.ReloadState(context.Background())
	}
}

// newLog keeps what is logged.
func newLog() (*slog.Logger, *lockedText) {
	var b lockedText
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}

func app(n int) string { return fmt.Sprintf("{officialaccount:wx%016d}", n) }

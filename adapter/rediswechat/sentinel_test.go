package rediswechat_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// startSentinel has a Sentinel watch over a master and its replica. It returns the master, and a client that follows the
// Sentinel's word.
func startSentinel(t *testing.T) (master *server, rdb *redis.Client) {
	t.Helper()
	master = startRedis(t)
	host, port, err := net.SplitHostPort(master.addr)
	if err != nil {
		t.Fatal(err)
	}
	replica := startRedis(t, "--replicaof", host, port).client()
	own, dir := freePort(t), t.TempDir()
	config := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("port %d\nbind 127.0.0.1\ndir %s\nsentinel monitor wx %s %s 1\n"+
		"sentinel down-after-milliseconds wx 300\nsentinel failover-timeout wx 3000\n", own, dir, host, port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(own)), args: []string{program(t, "redis-server"), config, "--sentinel"}}
	s.start()
	t.Cleanup(s.kill)
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: s.addr})
	defer func() { _ = sentinel.Close() }()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		known, _ := sentinel.Replicas(t.Context(), "wx").Result()
		if len(known) == 1 && strings.Contains(replica.Info(t.Context(), "replication").Val(), "master_link_status:up") {
			break
		}
		if time.Since(began) > 30*time.Second {
			t.Fatal("the Sentinel does not see the replica")
		}
	}
	rdb = redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "wx", SentinelAddrs: []string{s.addr}, ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = rdb.Close() })
	return master, rdb
}

// The master is killed. Until the Sentinel has made the replica master, and from then on with that, every call succeeds.
func TestFailover(t *testing.T) {
	master, rdb := startSentinel(t)
	platform := mock.NewServer(officialaccount.Endpoints()...)
	account := wechat.App{ID: "wx1", Secret: "s", Limits: ratelimit.Limits{App: []ratelimit.Limit{ratelimit.PerMinute(100_000)}}}
	platform.App(account)
	logger, text := newLog()
	client := wechat.New(append(platform.Options(), rediswechat.Options(rdb, rediswechat.WithLogger(logger))...)...)
	oa := officialaccount.New(client, account)
	calls, slow := 0, 0
	call := func() {
		t.Helper()
		began := time.Now()
		if _, err := oa.GetMaterialCount(t.Context()); err != nil {
			t.Error(err)
		}
		if calls++; time.Since(began) > 60*time.Millisecond {
			slow++
		}
		time.Sleep(2 * time.Millisecond)
	}
	for range 100 {
		call()
	}
	master.kill()
	killed := time.Now()
	for !strings.Contains(text.String(), "answers again") {
		if call(); time.Since(killed) > 30*time.Second {
			t.Fatalf("no new master is found:\n%s", text)
		}
	}
	back := time.Since(killed)
	for range 100 {
		call()
	}
	t.Logf("a new master after %v; %d calls, %d of them over 60 ms", back.Round(10*time.Millisecond), calls, slow)
	if slow > 30 {
		t.Errorf("%d of %d calls were slow", slow, calls)
	}
	if n := platform.TokensIssued("wx1"); n != 1 {
		t.Errorf("%d tokens were fetched; want 1", n)
	}
	if n := rdb.Exists(t.Context(), "wechat:v1:{officialaccount:wx1}:window:app:60000000us").Val(); n != 1 {
		t.Error("the limits are not those of the new master")
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// newRedis is a client that keeps to the time that rediswechat gives Redis for an answer.
func newRedis(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true})
}

// useRedis takes the Redis at addr, which must be empty as all in it counts as this program's and is deleted at the end,
// or starts one.
func useRedis(ctx context.Context, addr string) (_ string, stop func(), err error) {
	if addr == "" {
		return startRedis(ctx)
	}
	rdb := newRedis(addr)
	n, err := rdb.DBSize(ctx).Result()
	if err == nil && n > 0 {
		err = fmt.Errorf("it has %d keys, and an empty one is needed", n)
	}
	if err != nil {
		_ = rdb.Close()
		return "", nil, fmt.Errorf("the Redis at %s: %w", addr, err)
	}
	return addr, func() {
		_ = rdb.FlushDB(context.WithoutCancel(ctx)).Err()
		_ = rdb.Close()
	}, nil
}

// startRedis starts the machine's redis-server with nothing in it.
func startRedis(ctx context.Context) (addr string, stop func(), err error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return "", nil, errors.New("redis-server is not installed: install it (apt-get install redis-server, brew install redis) or pass -redis host:port")
	}
	if addr, err = freeAddr(); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "wechat-cluster")
	if err != nil {
		return "", nil, err
	}
	host, port, _ := net.SplitHostPort(addr)
	server := exec.Command(path, "--bind", host, "--port", port, "--dir", dir, "--save", "", "--appendonly", "no") //nolint:gosec // G204: the machine's own redis-server
	if err := server.Start(); err != nil {
		_ = os.RemoveAll(dir)
		return "", nil, err
	}
	stop = func() {
		if server.Process.Signal(syscall.SIGTERM) != nil { // a system without signals
			_ = server.Process.Kill()
		}
		_ = server.Wait()
		_ = os.RemoveAll(dir)
	}
	if err := answers(ctx, addr); err != nil {
		stop()
		return "", nil, fmt.Errorf("redis-server does not answer: %w", err)
	}
	return addr, stop, nil
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// answers waits until the Redis at addr is up.
func answers(ctx context.Context, addr string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	rdb := newRedis(addr)
	defer func() { _ = rdb.Close() }()
	for {
		if err = rdb.Ping(ctx).Err(); err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Cluster shows that any number of processes work as one sender.
//
// It starts a Redis of its own, the built-in platform with a quota for each second that no worker is told, and three
// workers, which are processes of their own and share one queue of 10,000 template messages. When a quarter is done one
// worker is killed by SIGKILL and another takes its place. At the end the platform tells what it has seen: nothing was
// lost, and nothing was sent twice. What the killed worker had under way is reported as unknown.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// settings are what the command line says.
type settings struct {
	redis   string
	workers int
	sends   int
	quota   int
	kill    bool
}

func main() {
	exitIfWorker()
	var s settings
	flag.StringVar(&s.redis, "redis", "", "host:port of an empty Redis to use and to empty again; the default is to start redis-server")
	flag.IntVar(&s.workers, "workers", 3, "worker processes")
	flag.IntVar(&s.sends, "sends", 10_000, "messages to send")
	flag.IntVar(&s.quota, "quota", 500, "messages that the platform takes in each second; no worker is told")
	flag.BoolVar(&s.kill, "kill", true, "kill a worker in the middle, and replace it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, s); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		stop()
		os.Exit(1)
	}
}

// run starts all that is needed, shows it at work, and ends it again.
func run(ctx context.Context, out io.Writer, s settings) error {
	if s.workers < 1 || s.sends < 1 || s.quota < 1 {
		return errors.New("-workers, -sends and -quota must be at least 1")
	}
	addr, stopRedis, err := useRedis(ctx, s.redis)
	if err != nil {
		return err
	}
	defer stopRedis()
	platform, err := startPlatform(s)
	if err != nil {
		return err
	}
	defer platform.Close()
	crew := &crew{job: job{Redis: addr, Platform: platform.url, Workers: s.workers}}
	defer crew.kill()
	queue := openQueue(addr)
	defer queue.close()
	d := &demonstration{figures: figures{settings: s}, out: out, platform: platform, crew: crew, queue: queue}
	if err := d.run(ctx); err != nil {
		return err
	}
	d.print(out)
	return errors.Join(d.verdict(), crew.stop())
}

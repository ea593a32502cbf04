package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// demonstration is what happens, step by step, and what was measured on the way.
type demonstration struct {
	figures
	out      io.Writer
	platform *platform
	crew     *crew
	queue    *queue
	orphans  int // tasks that a killed worker may have had under way
}

func (d *demonstration) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{d.askLimiter, d.coldStart, d.send, d.settle, d.count} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *demonstration) say(format string, args ...any) {
	_, _ = fmt.Fprintf(d.out, format+"\n", args...)
}

// askLimiter comes first, while nobody else asks Redis anything.
func (d *demonstration) askLimiter(ctx context.Context) (err error) {
	rdb := newRedis(d.crew.job.Redis)
	defer func() { _ = rdb.Close() }()
	d.limiter, err = measureLimiter(ctx, rdb)
	return err
}

func (d *demonstration) coldStart(ctx context.Context) (err error) {
	for range d.workers {
		if _, err := d.crew.start(ctx); err != nil {
			return err
		}
	}
	d.say("%d workers. In each %d goroutines call at once, and nobody has a token.", d.workers, rushers)
	d.cold, err = d.crew.everybody(rush)
	d.fetches = d.platform.fetches()
	return err
}

// send has the workers send what is in the queue, until nothing is left but what a killed one had under way.
func (d *demonstration) send(ctx context.Context) error {
	if err := d.queue.fill(ctx, d.sends); err != nil {
		return err
	}
	d.say("%d messages are in the queue. The platform takes %d in each second and has told nobody.", d.sends, d.quota)
	d.began = time.Now()
	if _, err := d.crew.everybody(serve); err != nil {
		return err
	}
	if d.kill {
		if err := d.replace(ctx); err != nil {
			return err
		}
	}
	err := d.queue.wait(ctx, d.orphans)
	d.took = time.Since(d.began)
	return err
}

// replace kills a worker when a quarter is done, and has another take its place.
func (d *demonstration) replace(ctx context.Context) (err error) {
	if err := d.queue.wait(ctx, d.sends*3/4); err != nil {
		return err
	}
	d.orphans = concurrency
	if d.killed, err = d.crew.replace(ctx); err != nil {
		return err
	}
	d.say("Worker %d was killed by SIGKILL, and worker %d has taken its place.", d.killed, d.crew.started)
	return nil
}

// settle waits until there is no task of which it is open what becomes of it.
func (d *demonstration) settle(ctx context.Context) error {
	if d.killed > 0 {
		d.say("All is sent but what worker %d had under way. asynq gives that to others a minute after the kill ...", d.killed)
	}
	return d.queue.wait(ctx, 0)
}

func (d *demonstration) count(context.Context) (err error) {
	d.piles, err = d.queue.piles()
	d.view = d.platform.view(d.sends, d.piles.unknown, d.began.Add(d.took))
	return err
}

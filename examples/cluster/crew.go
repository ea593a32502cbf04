package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// crew is the worker processes.
type crew struct {
	job     job
	started int
	working []*process
}

// process is a worker that lives.
type process struct {
	number  int
	cmd     *exec.Cmd
	orders  io.WriteCloser
	answers *bufio.Scanner
}

// start starts another worker: this program once more. It dies with ctx.
func (c *crew) start(ctx context.Context) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c.started++
	c.job.Worker = c.started
	text, err := json.Marshal(c.job)
	if err != nil {
		return nil, err
	}
	p := &process{number: c.started, cmd: exec.CommandContext(ctx, self)} //nolint:gosec // G204: it is this program
	p.cmd.Env = append(os.Environ(), jobVariable+"="+string(text))
	p.cmd.Stderr = os.Stderr
	if p.orders, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answers = bufio.NewScanner(stdout)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	c.working = append(c.working, p)
	return p, p.answer()
}

// order has the worker do something and waits until it has.
func (p *process) order(what string) error {
	if _, err := fmt.Fprintln(p.orders, what); err != nil {
		return fmt.Errorf("worker %d: %w", p.number, err)
	}
	return p.answer()
}

func (p *process) answer() error {
	switch {
	case !p.answers.Scan():
		return fmt.Errorf("worker %d has ended", p.number)
	case p.answers.Text() != ok:
		return fmt.Errorf("worker %d: %s", p.number, p.answers.Text())
	}
	return nil
}

// everybody has all workers do something at the same time, and tells how long it took.
func (c *crew) everybody(what string) (time.Duration, error) {
	began := time.Now()
	errs := make([]error, len(c.working))
	var wg sync.WaitGroup
	for i, p := range c.working {
		wg.Go(func() { errs[i] = p.order(what) })
	}
	wg.Wait()
	return time.Since(began), errors.Join(errs...)
}

// replace kills a worker without a warning and has a new one take its place. It returns the number of the killed one.
func (c *crew) replace(ctx context.Context) (int, error) {
	i := len(c.working) / 2
	victim := c.working[i]
	if err := victim.cmd.Process.Kill(); err != nil { // SIGKILL
		return 0, err
	}
	_ = victim.cmd.Wait()
	c.working = slices.Delete(c.working, i, i+1)
	p, err := c.start(ctx)
	if err != nil {
		return 0, err
	}
	return victim.number, p.order(serve)
}

// stop lets the workers end what they have under way.
func (c *crew) stop() error {
	var errs []error
	for _, p := range c.working {
		_ = p.orders.Close()
	}
	for _, p := range c.working {
		errs = append(errs, p.cmd.Wait())
	}
	c.working = nil
	return errors.Join(errs...)
}

// kill ends the workers that are left.
func (c *crew) kill() {
	for _, p := range c.working {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
	c.working = nil
}

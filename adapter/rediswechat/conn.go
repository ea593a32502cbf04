package rediswechat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	patience   = 3           // failures in a row until Redis counts as down
	probeEvery = time.Second // while it does, one call in so long asks it all the same
	logEvery   = time.Minute
)

// errDown is what is known without asking.
var errDown = errors.New("rediswechat: Redis has not answered lately")

// conn is Redis with a time budget and a circuit breaker. The nodes of a cluster fail one by one, so there each app, which
// lives on one node, has a breaker of its own.
type conn struct {
	rdb    redis.UniversalClient
	prefix string
	budget time.Duration
	log    *slog.Logger
	split  bool          // apps live on different nodes
	turns  chan struct{} // as many calls ask at once as there are connections: waiting for one is no fault of Redis

	failing atomic.Int32 // number of outages, so that a healthy Redis costs no lock
	back    atomic.Int64 // when the last outage ended, in Unix nanoseconds

	mu      sync.Mutex
	outages map[circuit]*outage
	logged  time.Time
}

// circuit is what fails as one.
type circuit struct {
	node   string // the app, where each may be on a node of its own
	writes bool
}

// outage is a number of failures in a row.
type outage struct {
	fails int
	next  time.Time // when Redis is asked again, once it counts as down
	told  bool      // the log has it
}

func (o *outage) open() bool { return o.fails >= patience }

func newConn(rdb redis.UniversalClient, c *config) *conn {
	n := &conn{rdb: rdb, prefix: c.prefix, budget: c.budget, log: c.logger, outages: map[circuit]*outage{}}
	bounded, connections := true, 10*runtime.GOMAXPROCS(0)
	switch r := rdb.(type) {
	case *redis.Client:
		connections = r.Options().PoolSize
		if !r.Options().ContextTimeoutEnabled {
			n.rdb = r.WithTimeout(c.budget) // on the same connections
		}
	case *redis.ClusterClient:
		n.split, bounded, connections = true, r.Options().ContextTimeoutEnabled, r.Options().PoolSize
	case *redis.Ring:
		n.split, bounded, connections = true, r.Options().ContextTimeoutEnabled, r.Options().PoolSize
	}
	n.turns = make(chan struct{}, max(connections, 1))
	if !bounded {
		n.log.Warn("rediswechat: without ContextTimeoutEnabled the Redis client does not keep to the time budget", "budget", c.budget)
	}
	return n
}

// A script reads only or writes too. A Redis that is full, or a replica since a failover, answers the first kind and not
// the second: each has a breaker of its own.
type script struct {
	*redis.Script
	writes bool
}

func reading(source string) *script { return &script{redis.NewScript(source), false} }
func writing(source string) *script { return &script{redis.NewScript(source), true} }

// run runs a script on the keys of one app. A nil reply is no error.
func (n *conn) run(ctx context.Context, budget time.Duration, script *script, keys []string, args ...any) (any, error) {
	circuit := circuit{writes: script.writes}
	if n.split {
		circuit.node, _ = cutTag(strings.TrimPrefix(keys[0], n.prefix))
	}
	var reply any
	err := n.guard(ctx, budget, circuit, func(ctx context.Context) (err error) {
		reply, err = script.Run(ctx, n.rdb, keys, args...).Result()
		return err
	})
	return reply, err
}

// guard keeps ask within the budget, and does without it while Redis counts as down.
func (n *conn) guard(ctx context.Context, budget time.Duration, at circuit, ask func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case n.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-n.turns }()
	if !n.mayAsk(at) {
		return errDown
	}
	bound, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	err := ask(bound)
	switch {
	case err == nil || errors.Is(err, redis.Nil):
		n.answered(at)
		return nil
	case ctx.Err() != nil: // the caller's time was up, not the budget
		return ctx.Err()
	}
	n.failed(at, err)
	return fmt.Errorf("rediswechat: %w", err)
}

// mayAsk reports whether Redis is to be asked.
func (n *conn) mayAsk(at circuit) bool {
	if n.failing.Load() == 0 {
		return true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	o := n.outages[at]
	if o == nil || !o.open() {
		return true
	}
	now := time.Now()
	if now.Before(o.next) {
		return false
	}
	o.next = now.Add(probeEvery)
	return true
}

func (n *conn) answered(at circuit) {
	if n.failing.Load() == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	o := n.outages[at]
	if o == nil {
		return
	}
	delete(n.outages, at)
	n.failing.Store(int32(len(n.outages)))
	if o.open() {
		n.back.Store(time.Now().UnixNano())
	}
	if o.told {
		n.log.Info("rediswechat: Redis answers again", "app", at.node, "writes", at.writes)
	}
}

func (n *conn) failed(at circuit, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	o := n.outages[at]
	if o == nil {
		o = &outage{}
		n.outages[at] = o
		n.failing.Store(int32(len(n.outages)))
	}
	now := time.Now()
	if o.fails++; o.open() {
		o.next = now.Add(probeEvery)
	}
	if now.Sub(n.logged) >= logEvery {
		n.logged, o.told = now, true
		n.log.Warn("rediswechat: Redis did not answer as it should; this process goes on by itself", "app", at.node, "writes", at.writes, "error", err)
	}
}

// lately reports whether an outage lasts, or has ended less than d ago.
func (n *conn) lately(d time.Duration) bool {
	if n.failing.Load() > 0 {
		return true
	}
	back := n.back.Load()
	return back != 0 && time.Since(time.Unix(0, back)) < d
}

// cutTag splits a key of the core behind the hash tag that it begins with: "{officialaccount:wx1}" and the rest.
func cutTag(key string) (tag, rest string) {
	if strings.HasPrefix(key, "{") {
		if end := strings.IndexByte(key, '}'); end > 1 {
			return key[:end+1], key[end+1:]
		}
	}
	return "", key
}

// name is the Redis key of a kind for a key of the core: "wechat:v1:{officialaccount:wx1}:kind" and the rest. So all that
// belongs to an app, or to a key that has no hash tag, is on one node of a cluster.
func (n *conn) name(kind, key string) string { return string(n.appendName(nil, kind, key)) }

func (n *conn) appendName(b []byte, kind, key string) []byte {
	b = append(b, n.prefix...)
	tag, rest := cutTag(key)
	if tag == "" {
		return append(append(append(append(b, "{key:"...), key...), "}:"...), kind...)
	}
	return append(append(append(append(b, tag...), ':'), kind...), rest...)
}

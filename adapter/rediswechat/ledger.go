package rediswechat

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
)

// Ledger remembers in Redis what became of calls with an idempotency key: for 7 days after the last change unless told
// otherwise. A key that was begun and not ended for longer than the lease is Unknown: its process has died on the way, and
// nobody can tell whether the call was carried out. Such a call is never sent again blindly. Ages go by the clock of Redis.
//
// A ledger is only as safe as its Redis: a failover may lose the last second, and a Redis that evicts keys or is flushed
// forgets calls that were made. Give it noeviction and appendonly, or use a database.
type Ledger struct {
	conn        *conn
	keep, lease time.Duration
	alone       wechat.Ledger // while Redis does not answer; nil: calls are refused then
}

var (
	//go:embed begin.lua
	beginSource string
	beginScript = writing(beginSource)

	endScript = writing(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], string.format('%s %.0f - %s', ARGV[1], now, ARGV[2]), 'PX', ARGV[3])
return 1`)
)

const (
	ledgerBudget = 20              // times the budget, as without an answer the call is refused
	endTries     = 4               // what became of a call is worth some patience
	endPause     = time.Second / 8 // doubled each time
)

func newLedger(n *conn, c *config) *Ledger {
	l := &Ledger{conn: n, keep: c.ledgerKeep, lease: c.lease}
	if c.ledgerOpen {
		l.alone = wechat.NewMemoryLedger()
	}
	return l
}

// Begin claims key, in one step for all processes.
func (l *Ledger) Begin(ctx context.Context, key string, call *wechat.Call) (wechat.Entry, error) {
	reply, err := l.conn.run(ctx, ledgerBudget*l.conn.budget, beginScript, []string{l.conn.name("ledger", key)},
		rand.Text(), l.lease.Milliseconds(), l.keep.Milliseconds())
	switch {
	case err == nil:
	case l.alone != nil && ctx.Err() == nil:
		return l.alone.Begin(ctx, key, call)
	default:
		return wechat.Entry{}, err
	}
	list, _ := reply.([]any)
	if len(list) != 3 {
		return wechat.Entry{}, fmt.Errorf("rediswechat: Redis answered %T to Begin", reply)
	}
	state, _ := list[0].(string)
	if state == "" {
		if l.alone != nil { // it may have begun here while Redis did not answer
			return l.alone.Begin(ctx, key, call)
		}
		return wechat.Entry{}, nil
	}
	result, _ := list[1].(string)
	age, _ := list[2].(int64)
	e := wechat.Entry{State: wechat.State(state), Updated: time.Now().Add(-time.Duration(age) * time.Millisecond)}
	if result != "" {
		e.Result = []byte(result)
	}
	return e, nil
}

// End records what became of a claimed key. It tries for some time, as a key that stays Pending becomes Unknown.
func (l *Ledger) End(ctx context.Context, key string, e wechat.Entry) (err error) {
	if l.alone != nil {
		if err := l.alone.End(ctx, key, e); err != nil {
			return err
		}
	}
	pause := endPause
	for try := 1; ; try++ {
		_, err = l.conn.run(ctx, ledgerBudget*l.conn.budget, endScript, []string{l.conn.name("ledger", key)},
			string(e.State), string(e.Result), l.keep.Milliseconds())
		if err == nil || try == endTries || ctx.Err() != nil {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
		pause *= 2
	}
}

// Scan lists the keys of all apps that are in a state and were last updated before a time. It goes through all keys of the
// database, node by node, without holding Redis up, and may list a key twice or miss one that changes meanwhile. What is
// Pending for longer than the lease is listed as Unknown.
func (l *Ledger) Scan(ctx context.Context, s wechat.State, before time.Time) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		nodes, err := l.nodes(ctx)
		if err != nil {
			yield("", fmt.Errorf("rediswechat: %w", err))
			return
		}
		for _, node := range nodes {
			if !l.scan(ctx, node, s, before, yield) {
				return
			}
		}
	}
}

// nodes are those that have keys.
func (l *Ledger) nodes(ctx context.Context) (nodes []redis.Cmdable, err error) {
	var mu sync.Mutex
	add := func(_ context.Context, node *redis.Client) error {
		mu.Lock()
		defer mu.Unlock()
		nodes = append(nodes, node)
		return nil
	}
	switch r := l.conn.rdb.(type) {
	case *redis.ClusterClient:
		err = r.ForEachMaster(ctx, add)
	case *redis.Ring:
		err = r.ForEachShard(ctx, add)
	default:
		nodes = []redis.Cmdable{r}
	}
	return nodes, err
}

// scan lists the keys of one node. It returns false when there is nobody to go on for.
func (l *Ledger) scan(ctx context.Context, node redis.Cmdable, s wechat.State, before time.Time, yield func(string, error) bool) bool {
	fail := func(err error) bool {
		yield("", fmt.Errorf("rediswechat: %w", err))
		return false
	}
	there, err := node.Time(ctx).Result()
	if err != nil {
		return fail(err)
	}
	here := time.Now()
	var cursor uint64
	for {
		names, next, err := node.Scan(ctx, cursor, glob(l.conn.prefix)+"*ledger:*", 1000).Result()
		if err != nil {
			return fail(err)
		}
		values := make([]*redis.StringCmd, len(names))
		// Each command has one key; an error of one stands in its own result.
		_, _ = node.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, name := range names {
				values[i] = p.Get(ctx, name)
			}
			return nil
		})
		for i, name := range names {
			key, ok := l.keyOf(name)
			if !ok {
				continue
			}
			v, err := values[i].Result()
			if err == redis.Nil { //nolint:errorlint // the client's own sentinel, never wrapped here
				continue // it ended meanwhile
			}
			if err != nil {
				return fail(err)
			}
			state, at := parse(v)
			age := there.Sub(time.UnixMilli(at))
			if state == wechat.Pending && age > l.lease {
				state = wechat.Unknown
			}
			if state == s && here.Add(-age).Before(before) && !yield(key, nil) {
				return false
			}
		}
		if cursor = next; cursor == 0 {
			return true
		}
	}
}

// keyOf is the core's key of a Redis key, if that is one of the ledger's.
func (l *Ledger) keyOf(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, l.conn.prefix)
	if !ok {
		return "", false
	}
	if key, ok := strings.CutPrefix(rest, "ledger:"); ok {
		return key, true
	}
	tag, rest := cutTag(rest)
	rest, ok = strings.CutPrefix(rest, ":ledger")
	return tag + rest, ok && tag != ""
}

// parse reads the state and the time of a value: "done 1700000000000 - {...}".
func parse(v string) (wechat.State, int64) {
	state, rest, _ := strings.Cut(v, " ")
	at, _, _ := strings.Cut(rest, " ")
	ms, _ := strconv.ParseInt(at, 10, 64) // 0, long ago, where it is no number
	return wechat.State(state), ms
}

// glob quotes what a pattern would not take literally.
func glob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(s)
}

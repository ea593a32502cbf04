package rediswechat

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Seen remembers in Redis which pushes have arrived and what they were answered, so that a push that comes again to
// another process is recognised: it is a callback.Seen. When Redis does not answer it fails, and callback.Config.RefuseUnseen
// decides.
type Seen struct{ conn *conn }

// NewSeen returns a Seen over rdb.
func NewSeen(rdb redis.UniversalClient, opts ...Option) *Seen {
	return &Seen{newConn(rdb, newConfig(opts))}
}

var (
	addSeen = writing(`
local found = redis.call('GET', KEYS[1])
if found then return {0, found} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1, ''}`)

	setSeen = writing(`
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

	removeSeen = writing(`return redis.call('DEL', KEYS[1])`)
)

// Add stores value under key for ttl if there is nothing, in one step, and returns true; else it returns what is there.
func (s *Seen) Add(ctx context.Context, key string, value []byte, ttl time.Duration) (found []byte, added bool, err error) {
	reply, err := s.conn.run(ctx, s.conn.budget, addSeen, s.key(key), value, milliseconds(ttl))
	if err != nil {
		return nil, false, err
	}
	list, _ := reply.([]any)
	if len(list) != 2 {
		return nil, false, fmt.Errorf("rediswechat: Redis answered %T to Add", reply)
	}
	n, _ := list[0].(int64)
	text, _ := list[1].(string)
	return []byte(text), n == 1, nil
}

// Set stores value under key for ttl, whatever is there.
func (s *Seen) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	_, err := s.conn.run(ctx, s.conn.budget, setSeen, s.key(key), value, milliseconds(ttl))
	return err
}

// Remove takes away what is under key.
func (s *Seen) Remove(ctx context.Context, key string) error {
	_, err := s.conn.run(ctx, s.conn.budget, removeSeen, s.key(key))
	return err
}

// key spreads pushes over a cluster: nothing but itself is ever asked for together with one.
func (s *Seen) key(key string) []string { return []string{s.conn.prefix + "{" + key + "}:seen"} }

// milliseconds is at least 1, as Redis has no shorter life.
func milliseconds(d time.Duration) int64 { return max(1, d.Milliseconds()) }

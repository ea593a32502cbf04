package rediswechat

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed175cf469/wechat"
)

// TokenStore keeps tokens and tickets in Redis, each under a key that ends when the token does. When that is goes by the
// clock of Redis, whatever the clocks of the processes say. Every step is one script on one key.
type TokenStore struct {
	conn *conn
	at   func(TokenKey) (string, Format)
	seal *sealer // nil: not encrypted
	err  error   // why it cannot be used
}

// TokenKey says which token is meant.
type TokenKey struct {
	Product string // "officialaccount", "miniprogram", "work"
	App     string // AppID or CorpID
	Kind    string // "token", "classic" for App.Classic, and with ":GetTicket?type=jsapi" or the like behind it for tickets
}

// endless is how long a token is kept that never ends.
const endless = 24 * time.Hour

var (
	loadToken = reading(`
local value = redis.call('GET', KEYS[1])
return value and {value, redis.call('PTTL', KEYS[1])}`)

	// What stands is replaced where it is ARGV[1], or where nothing stands.
	replaceToken = writing(`
local value = redis.call('GET', KEYS[1])
if value and value ~= ARGV[1] then
  return {value, redis.call('PTTL', KEYS[1])}
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return {ARGV[2], tonumber(ARGV[3])}`)

	// A holder that asks again, as it missed the answer, is let in again.
	lockToken = writing(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

	unlockToken = writing(`
return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0`)
)

func newTokenStore(n *conn, c *config) *TokenStore {
	s := &TokenStore{conn: n, at: c.tokenKey}
	if c.encrypt {
		s.seal, s.err = newSealer(c.encryptKey)
	}
	return s
}

// place is where and how the token of a key is kept.
func (s *TokenStore) place(key string) (redisKey string, f form) {
	tag, rest := cutTag(key)
	if s.at != nil && tag != "" && !strings.HasSuffix(rest, ":forced") {
		product, app, _ := strings.Cut(strings.Trim(tag, "{}"), ":")
		_, kind, _ := strings.Cut(strings.TrimPrefix(rest, ":"), ":") // behind the digest of the secret
		if at, format := s.at(TokenKey{product, app, kind}); at != "" {
			return at, format.form()
		}
	}
	redisKey = s.conn.name("token", key)
	if s.seal != nil {
		return redisKey, s.seal.form(redisKey)
	}
	return redisKey, Plain.form()
}

// Load returns what is stored under key, or wechat.ErrNoToken.
func (s *TokenStore) Load(ctx context.Context, key string) (wechat.Token, error) {
	if s.err != nil {
		return wechat.Token{}, s.err
	}
	at, form := s.place(key)
	reply, err := s.conn.run(ctx, s.conn.budget, loadToken, []string{at})
	if err != nil {
		return wechat.Token{}, err
	}
	if t, _, ok := read(reply, form); ok {
		return t, nil
	}
	return wechat.Token{}, wechat.ErrNoToken
}

// Replace stores fresh where old still stands, or where nothing stands that can be read, and returns what stands then.
func (s *TokenStore) Replace(ctx context.Context, key string, old, fresh wechat.Token) (wechat.Token, error) {
	if s.err != nil {
		return wechat.Token{}, s.err
	}
	life := endless
	if !fresh.Expiry.IsZero() {
		life = time.Until(fresh.Expiry)
	}
	at, form := s.place(key)
	was := ""
	if old.Value != "" {
		was = form.write(old.Value.Reveal())
	}
	for range 2 {
		reply, err := s.conn.run(ctx, s.conn.budget, replaceToken, []string{at},
			was, form.write(fresh.Value.Reveal()), max(life.Milliseconds(), 1))
		if err != nil {
			return wechat.Token{}, err
		}
		stands, raw, ok := read(reply, form)
		switch {
		case ok && stands.Value == fresh.Value:
			return fresh, nil
		case ok:
			return stands, nil
		}
		was = raw // written with another key, or by somebody else: as good as nothing
	}
	return wechat.Token{}, errors.New("rediswechat: what stands under the token's key cannot be read")
}

// read reads a reply of value and milliseconds to live. It also returns the value as it stands in Redis.
func read(reply any, f form) (t wechat.Token, raw string, ok bool) {
	list, _ := reply.([]any)
	if len(list) != 2 {
		return wechat.Token{}, "", false
	}
	raw, _ = list[0].(string)
	value, ok := f.read(raw)
	if !ok {
		return wechat.Token{}, raw, false
	}
	t.Value = wechat.Secret(value)
	if left, _ := list[1].(int64); left > 0 {
		t.Expiry = time.Now().Add(time.Duration(left) * time.Millisecond)
	}
	return t, raw, true
}

// Lock takes the lock of key for at most ttl, or returns wechat.ErrLocked. The lock holds a random value of its holder's;
// unlock leaves alone what another has taken since.
func (s *TokenStore) Lock(ctx context.Context, key string, ttl time.Duration) (unlock func(), err error) {
	lock := []string{s.conn.name("token", key) + ":lock"}
	owner := rand.Text()
	reply, err := s.conn.run(ctx, s.conn.budget, lockToken, lock, owner, max(ttl.Milliseconds(), 1))
	if err != nil {
		return nil, err
	}
	if taken, _ := reply.(int64); taken != 1 {
		return nil, wechat.ErrLocked
	}
	return func() {
		// Where it fails, the lock ends by itself, and the log has the failure.
		_, _ = s.conn.run(context.WithoutCancel(ctx), s.conn.budget, unlockToken, lock, owner)
	}, nil
}

// Format is a way to write a token down.
type Format uint8

// The formats.
const (
	Plain Format = iota // the token itself
	PHP                 // a text as PHP's serialize writes it: s:3:"abc";
)

// form writes and reads values; the same value is always written in the same way, so that scripts can compare.
type form struct {
	write func(value string) string
	read  func(raw string) (value string, ok bool)
}

func (f Format) form() form {
	if f == PHP {
		return form{
			write: func(value string) string { return fmt.Sprintf(`s:%d:"%s";`, len(value), value) },
			read: func(raw string) (string, bool) {
				var n int
				if _, err := fmt.Sscanf(raw, "s:%d:", &n); err != nil {
					return "", false
				}
				value, ok := strings.CutSuffix(strings.TrimPrefix(raw, fmt.Sprintf(`s:%d:"`, n)), `";`)
				return value, ok && len(value) == n
			},
		}
	}
	return form{
		write: func(value string) string { return value },
		read:  func(raw string) (string, bool) { return raw, raw != "" && !strings.HasPrefix(raw, sealed) },
	}
}

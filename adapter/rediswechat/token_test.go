package rediswechat_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/mock"
)

const tokenKey = "{officialaccount:wx1}:0123456789abcdef:token"

// mini is a Redis in this process.
func mini(t testing.TB) (*miniredis.Miniredis, *redis.Client) {
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr()})
	t.Cleanup(func() { _ = rdb.Close() })
	return m, rdb
}

func TestTokenStoreContract(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	t.Run("single", func(t *testing.T) {
		rdb := startRedis(t).client()
		mock.VerifyTokenStore(t, rediswechat.NewTokenStore(rdb, patient))
		mock.VerifyTokenStore(t, rediswechat.NewTokenStore(rdb, patient, rediswechat.WithTokenEncryption(key)))
	})
	t.Run("cluster, P128", func(t *testing.T) {
		mock.VerifyTokenStore(t, rediswechat.NewTokenStore(startCluster(t), patient))
	})
}

func token(value string, life time.Duration) wechat.Token {
	return wechat.Token{Value: wechat.Secret(value), Expiry: time.Now().Add(life)}
}

func replace(t *testing.T, s *rediswechat.TokenStore, key string, old, fresh wechat.Token) string {
	t.Helper()
	stands, err := s.Replace(context.Background(), key, old, fresh)
	if err != nil {
		t.Fatal(err)
	}
	return stands.Value.Reveal()
}

func TestTokenEndsByTheClockOfRedis(t *testing.T) {
	m, rdb := mini(t)
	m.SetTime(time.Now().Add(-2 * time.Minute)) // which is another than ours
	s := rediswechat.NewTokenStore(rdb, patient)
	replace(t, s, tokenKey, wechat.Token{}, token("A", time.Hour))
	got, err := s.Load(context.Background(), tokenKey)
	if err != nil || time.Until(got.Expiry).Round(time.Second) != time.Hour {
		t.Errorf("the token lives for %v, %v; want 1h", time.Until(got.Expiry), err)
	}
	m.FastForward(time.Hour)
	if _, err := s.Load(context.Background(), tokenKey); !errors.Is(err, wechat.ErrNoToken) {
		t.Errorf("after its end: %v; want ErrNoToken", err)
	}
	if got := replace(t, s, tokenKey, token("A", 0), token("B", time.Hour)); got != "B" {
		t.Errorf("in the place of a token that has ended stands %q; want the new one", got)
	}
}

func TestOlderAnswerNeverWins(t *testing.T) { // P004
	_, rdb := mini(t)
	s := rediswechat.NewTokenStore(rdb, patient)
	old := token("A", time.Hour)
	replace(t, s, tokenKey, wechat.Token{}, old)
	replace(t, s, tokenKey, old, token("D", time.Hour))
	if got := replace(t, s, tokenKey, old, token("C", time.Hour)); got != "D" {
		t.Errorf("%q stands; want D", got)
	}
}

func TestTokensAreEncryptedAtRest(t *testing.T) {
	m, rdb := mini(t)
	s := rediswechat.NewTokenStore(rdb, patient, rediswechat.WithTokenEncryption([]byte("0123456789abcdef")))
	first := token("61_secretvalue", time.Hour)
	replace(t, s, tokenKey, wechat.Token{}, first)
	for _, k := range m.Keys() {
		if v, _ := m.Get(k); strings.Contains(v, "secretvalue") {
			t.Errorf("%s has %q", k, v)
		}
	}
	if got := replace(t, s, tokenKey, first, token("62_next", time.Hour)); got != "62_next" {
		t.Errorf("Replace compares what it cannot: %q stands", got)
	}
	for name, other := range map[string]*rediswechat.TokenStore{
		"another key": rediswechat.NewTokenStore(rdb, patient, rediswechat.WithTokenEncryption([]byte("fedcba9876543210"))),
		"no key":      rediswechat.NewTokenStore(rdb, patient),
	} {
		if got, err := other.Load(context.Background(), tokenKey); !errors.Is(err, wechat.ErrNoToken) {
			t.Errorf("%s: Load gives %q, %v; want ErrNoToken", name, got.Value.Reveal(), err)
		}
		if got := replace(t, other, tokenKey, wechat.Token{}, token("63_own", time.Hour)); got != "63_own" {
			t.Errorf("%s: what cannot be read is not replaced: %q stands", name, got)
		}
		replaceRaw(t, m, s)
	}
	short := rediswechat.NewTokenStore(rdb, patient, rediswechat.WithTokenEncryption(nil))
	if _, err := short.Load(context.Background(), tokenKey); err == nil || errors.Is(err, wechat.ErrNoToken) {
		t.Errorf("an empty key: %v; want an error that says so", err)
	}
}

func replaceRaw(t *testing.T, m *miniredis.Miniredis, s *rediswechat.TokenStore) {
	m.FlushAll()
	replace(t, s, tokenKey, wechat.Token{}, token("62_next", time.Hour))
}

func TestTokensOfOtherSDKs(t *testing.T) {
	m, rdb := mini(t)
	for _, tt := range []struct {
		name   string
		at     func(rediswechat.TokenKey) (string, rediswechat.Format)
		key    string
		stored string
	}{
		{"WxJava", wxJava, "wx:access_token:wx1", "61_abc"},
		{"EasyWeChat", easyWeChat("s3cret"), "easywechat:official_account.access_token.wx1.s3cret.1", `s:6:"61_abc";`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := rediswechat.NewTokenStore(rdb, patient, rediswechat.WithTokenKey(tt.at))
			if err := m.Set(tt.key, tt.stored); err != nil {
				t.Fatal(err)
			}
			m.SetTTL(tt.key, time.Hour)
			got, err := s.Load(context.Background(), tokenKey)
			if err != nil || got.Value != "61_abc" || time.Until(got.Expiry).Round(time.Second) != time.Hour {
				t.Fatalf("Load: %q until %v, %v", got.Value.Reveal(), got.Expiry, err)
			}
			replace(t, s, tokenKey, got, token("62_def", time.Hour))
			if v, _ := m.Get(tt.key); v != strings.Replace(tt.stored, "61_abc", "62_def", 1) {
				t.Errorf("stored: %q", v)
			}
			replace(t, s, tokenKey+":forced", wechat.Token{}, token("1 1h0m0s", time.Hour))
			if v, _ := m.Get(tt.key); strings.Contains(v, "1700000000") {
				t.Errorf("what is no token stands in the token's place: %q", v)
			}
		})
	}
}

func TestLockKnowsItsHolder(t *testing.T) { // P018
	m, rdb := mini(t)
	s := rediswechat.NewTokenStore(rdb, patient)
	ctx := context.Background()
	late, err := s.Lock(ctx, tokenKey, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(ctx, tokenKey, time.Second); !errors.Is(err, wechat.ErrLocked) {
		t.Fatalf("%v; want ErrLocked", err)
	}
	m.FastForward(2 * time.Second)
	unlock, err := s.Lock(ctx, tokenKey, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	late()
	if _, err := s.Lock(ctx, tokenKey, time.Second); !errors.Is(err, wechat.ErrLocked) {
		t.Errorf("a late unlock has released another's lock: %v", err)
	}
	unlock()
	if keys := m.Keys(); len(keys) != 0 {
		t.Errorf("left: %v", keys)
	}
}

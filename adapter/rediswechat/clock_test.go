package rediswechat_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/ratelimit"
)

// Two processes whose clocks are decades apart share a real Redis, and whatever the one has done the other sees as it was:
// one of them lives in a bubble, where it is the year 2000.
func TestClocksApart(t *testing.T) {
	s := startRedis(t)
	const key = "{officialaccount:wx1}:SendX"
	demand := ratelimit.Demand{Key: key + ":openid", Scope: ratelimit.ScopeRecipient, Limit: ratelimit.PerMinute(4)}
	client := func() *redis.Client {
		return redis.NewClient(&redis.Options{Addr: s.addr, ContextTimeoutEnabled: true})
	}
	// allowed is how many turns are left of a person's minute.
	allowed := func(l *rediswechat.Limiter) (n int) {
		for {
			d, err := l.Allow(t.Context(), demand)
			if err != nil {
				t.Fatal(err)
			}
			if !d.OK {
				if !near(d.RetryAfter, time.Minute) {
					t.Errorf("the next turn comes in %v; want a minute", d.RetryAfter)
				}
				return n
			}
			n++
		}
	}

	synctest.Test(t, func(t *testing.T) {
		rdb := client()
		defer func() { _ = rdb.Close() }()
		fresh := wechat.Token{Value: "fresh", Expiry: time.Now().Add(time.Hour)}
		if _, err := rediswechat.NewTokenStore(rdb, patient).Replace(t.Context(), tokenKey, wechat.Token{}, fresh); err != nil {
			t.Fatal(err)
		}
		raise(t, rediswechat.NewBarrier(rdb, patient), key, time.Minute)
		l := rediswechat.NewLimiter(rdb, patient)
		for range 3 {
			if d, err := l.Allow(t.Context(), demand); err != nil || !d.OK {
				t.Fatal(d, err)
			}
		}
		if e, err := rediswechat.NewLedger(rdb, patient).Begin(t.Context(), key+":order", &wechat.Call{}); err != nil || e.State != "" {
			t.Fatal(e, err)
		}
	})

	rdb := client()
	defer func() { _ = rdb.Close() }()
	store := rediswechat.NewTokenStore(rdb, patient)
	if token, err := store.Load(t.Context(), tokenKey); err != nil || token.Value != "fresh" || !near(time.Until(token.Expiry), time.Hour) {
		t.Errorf("%v, %v; want the token, good for an hour", token, err)
	}
	b := rediswechat.NewBarrier(rdb, patient)
	if d := closed(t, b, key); !near(d, time.Minute) {
		t.Errorf("closed for %v; want a minute", d)
	}
	if n := allowed(rediswechat.NewLimiter(rdb, patient)); n != 1 {
		t.Errorf("%d turns left of four; want 1", n)
	}
	ledger := rediswechat.NewLedger(rdb, patient)
	if e, err := ledger.Begin(t.Context(), key+":order", &wechat.Call{}); err != nil || e.State != wechat.Pending || !near(time.Since(e.Updated), 0) {
		t.Errorf("%+v, %v; want a call that was begun just now", e, err)
	}
	if err := b.Lower(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	learned(t, []ratelimit.Pacer{b}) // in real time

	synctest.Test(t, func(t *testing.T) {
		rdb := client()
		defer func() { _ = rdb.Close() }()
		ctx := t.Context()
		done, err := rediswechat.NewBarrier(rdb, patient).Admit(ctx, paceKey, ratelimit.Normal)
		if err != nil {
			t.Fatal(err)
		}
		done(ratelimit.Outcome{Refused: true, RetryAfter: time.Minute})
	})
	time.Sleep(150 * time.Millisecond) // until the barriers are looked at again
	if d := closed(t, b, paceKey); !near(d, time.Minute) {
		t.Errorf("refused there, and closed for %v here; want a minute", d)
	}
}

// clockVariable says how the clock of a process from skewed goes: "fast" or "slow" by two minutes, or right.
const clockVariable = "REDISWECHAT_TEST_CLOCK"

// skewed builds this test with a package time whose clock can go wrong.
func skewed(t *testing.T) (program string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const reads, imports = "sec, nsec, mono := runtimeNow()\n", "import (\n"
	text := strings.Replace(string(source), reads, reads+"\tsec += clockIsFast\n", 1)
	text = strings.Replace(text, imports, imports+"\t\"syscall\"\n", 1)
	if len(text) == len(source)+len("\tsec += clockIsFast\n\t\"syscall\"\n") {
		text += `
var clockIsFast = func() int64 {
	how, _ := syscall.Getenv("` + clockVariable + `")
	return map[string]int64{"fast": 120, "slow": -120}[how]
}()
`
	} else {
		t.Fatalf("%s does not read the clock as it did; this test has to learn how", path)
	}
	dir := t.TempDir()
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: filepath.Join(dir, "time.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"time.go": text, "overlay.json": string(overlay)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program = filepath.Join(dir, "skewed.test")
	build := exec.Command("go", "test", "-c", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	return program
}

// Three processes with clocks two minutes slow, right and two minutes fast are one sender all the same: they fetch one token,
// share a quota that nobody has told them, and send each message once.
func TestProcessesWithWrongClocks(t *testing.T) {
	if testing.Short() {
		t.Skip("building the processes takes a minute")
	}
	program := skewed(t)
	s := startRedis(t)
	wx, url := platform(t, mock.PerSecond(20))
	jobs := func(j job) (jobs []job) {
		j.Redis, j.Platform, j.program = s.addr, url, program
		for _, j.clock = range []string{"slow", "right", "fast"} {
			jobs = append(jobs, j)
		}
		return jobs
	}
	r := all(t, jobs(job{Calls: 67, AtOnce: 67}), nothing)
	judge(t, wx, r, 12500*time.Millisecond)
	if r.Skew != 240*time.Second {
		t.Errorf("the clocks were %v apart; want 4 minutes", r.Skew)
	}
	before := len(wx.Calls("SendTemplateMessage"))
	r = all(t, jobs(job{Calls: 50, AtOnce: 10, Keyed: true}), nothing)
	if r.Failed > 0 || r.Done+r.InProgress != 150 || len(wx.Duplicates()) > 0 {
		t.Errorf("%+v, %d sent twice", r, len(wx.Duplicates()))
	}
	if n := len(wx.Calls("SendTemplateMessage")) - before; n < 50 || n > 58 {
		t.Errorf("%d requests for 50 messages", n)
	}
	if n := wx.TokensIssued("wx1"); n != 1 {
		t.Errorf("%d tokens were fetched; want 1", n)
	}
}

package rediswechat_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/ratelimit"
)

// jobVariable makes the test binary do a job instead of tests: so a test has processes of its own.
const jobVariable = "REDISWECHAT_TEST_JOB"

// job is what one process does: calls, by so many goroutines.
type job struct {
	Redis, Platform string
	Process         int
	Calls, AtOnce   int
	PerSecond       int    // limit of the app; 0: the process has to find out
	Lock            string // takes this token's lock and sleeps
	Keyed           bool   // calls have idempotency keys, the same in all processes
	Instances       int

	program string // with a clock that goes as it is told; "": this one
	clock   string // how that goes
}

type result struct {
	Done, InProgress, Failed int
	First                    string // failure
	Took                     time.Duration
	Slowest                  time.Duration
	Began                    time.Time     // by the process's clock
	Skew                     time.Duration // how far their clocks are apart, where several are added up
}

// work does a job in a process of its own. Whoever has started it waits for the line "ready", and for the result.
func work(text string) int {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx := context.Background()
	rdb := redis.NewClient(&redis.Options{Addr: j.Redis})
	defer func() { _ = rdb.Close() }()
	if j.Lock != "" {
		if _, err := rediswechat.NewTokenStore(rdb).Lock(ctx, j.Lock, 3*time.Second); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("ready")
		time.Sleep(time.Hour)
	}
	account := wechat.App{ID: "wx1", Secret: "s"}
	if j.PerSecond > 0 {
		account.Limits.App = []ratelimit.Limit{ratelimit.PerSecond(j.PerSecond)}
	}
	client := wechat.New(append(rediswechat.Options(rdb, rediswechat.WithInstances(max(j.Instances, 1)),
		rediswechat.WithBudget(500*time.Millisecond), // a machine that tests share is slow
		rediswechat.WithLogger(slog.New(slog.NewTextHandler(os.Stderr, nil)))),
		wechat.WithBaseURL("officialaccount", j.Platform))...)
	oa := officialaccount.New(client, account)
	fmt.Println("ready")
	_, _ = io.ReadAll(os.Stdin) // all begin at once

	var mu sync.Mutex
	var r result
	var next atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for range j.AtOnce {
		wg.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(j.Calls) {
					return
				}
				id := fmt.Sprintf("%d-%d", j.Process, n)
				call := wechat.ContextWithPriority(ctx, ratelimit.Background)
				if j.Keyed {
					id = fmt.Sprint(n)
					call = wechat.ContextWithIdempotencyKey(call, id)
				}
				asked := time.Now()
				_, err := oa.SendTemplateMessage(call, &officialaccount.TemplateMessage{ToUser: "openid-" + id, TemplateID: "t",
					Data: map[string]officialaccount.TemplateValue{"x": {Value: id}}})
				mu.Lock()
				r.Slowest = max(r.Slowest, time.Since(asked))
				switch {
				case err == nil:
					r.Done++
				case errors.Is(err, wechat.ErrInProgress):
					r.InProgress++
				default:
					r.Failed++
					r.First = err.Error()
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	r.Took, r.Began = time.Since(began), began
	_ = json.NewEncoder(os.Stdout).Encode(r)
	return 0
}

// process is a job under way.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout *json.Decoder
	errors lockedText
}

func start(t *testing.T, j job) *process {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(cmp.Or(j.program, os.Args[0]))}
	p.cmd.Env = append(os.Environ(), jobVariable+"="+string(text), clockVariable+"="+j.clock)
	p.cmd.Stderr = &p.errors
	p.stdin = must(p.cmd.StdinPipe())
	stdout := must(p.cmd.StdoutPipe())
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	line := make([]byte, len("ready\n"))
	if _, err := io.ReadFull(stdout, line); err != nil {
		t.Fatalf("the process does not begin: %v\n%s", err, p.errors.String())
	}
	p.stdout = json.NewDecoder(stdout)
	return p
}

// finish waits for a process's result.
func (p *process) finish() result {
	p.t.Helper()
	var r result
	if err := p.stdout.Decode(&r); err != nil {
		p.t.Fatalf("no result: %v\n%s", err, p.errors.String())
	}
	if text := p.errors.String(); text != "" {
		p.t.Logf("a process says:\n%s", text)
	}
	return r
}

// together starts n processes at once and adds up what they have done.
func together(t *testing.T, n int, j job, meanwhile func()) result {
	t.Helper()
	return all(t, slices.Repeat([]job{j}, n), meanwhile)
}

// all has a process do each of the jobs, at once, and adds up what they have done.
func all(t *testing.T, jobs []job, meanwhile func()) result {
	t.Helper()
	var all []*process
	for i, j := range jobs {
		j.Process = i
		all = append(all, start(t, j))
	}
	for _, p := range all {
		_ = p.stdin.Close()
	}
	meanwhile()
	var sum result
	var first, last time.Time
	for _, p := range all {
		r := p.finish()
		if first.IsZero() || r.Began.Before(first) {
			first = r.Began
		}
		if r.Began.After(last) {
			last = r.Began
		}
		sum.Done += r.Done
		sum.InProgress += r.InProgress
		sum.Failed += r.Failed
		sum.Took = max(sum.Took, r.Took)
		sum.Slowest = max(sum.Slowest, r.Slowest)
		if r.First != "" {
			sum.First = r.First
		}
	}
	sum.Skew = last.Sub(first).Round(10 * time.Second)
	return sum
}

// platform is a WeChat over HTTP, for processes.
func platform(t *testing.T, limits ...mock.Limit) (s *mock.Server, url string) {
	s = mock.NewServer(officialaccount.Endpoints()...)
	s.App(wechat.App{ID: "wx1", Secret: "s"})
	if len(limits) > 0 {
		s.Limit("SendTemplateMessage", limits...)
	}
	url, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, url
}

func nothing() {}

// Three processes with a thousand goroutines each begin at once and fetch one token.
func TestProcessesFetchOneToken(t *testing.T) { // P002
	s := startRedis(t)
	wx, url := platform(t)
	r := together(t, 3, job{Redis: s.addr, Platform: url, Calls: 1000, AtOnce: 1000}, nothing)
	if r.Done != 3000 {
		t.Errorf("%+v; want 3000 done", r)
	}
	if n := wx.TokensIssued("wx1"); n != 1 {
		t.Errorf("%d tokens were fetched; want 1", n)
	}
}

// 3 times 67 calls under 20 in each natural second of the platform's, which is told to the processes.
func TestProcessesShareAQuota(t *testing.T) {
	s := startRedis(t)
	wx, url := platform(t, mock.PerSecond(20))
	r := together(t, 3, job{Redis: s.addr, Platform: url, Calls: 67, AtOnce: 67, PerSecond: 20}, nothing)
	judge(t, wx, r, 12500*time.Millisecond)
}

// The same where nobody knows the limit.
func TestProcessesLearnAQuota(t *testing.T) {
	s := startRedis(t)
	wx, url := platform(t, mock.PerSecond(20))
	r := together(t, 3, job{Redis: s.addr, Platform: url, Calls: 67, AtOnce: 67}, nothing)
	judge(t, wx, r, 12500*time.Millisecond)
}

// judge looks at 201 calls under 20 a second, which need ten seconds.
func judge(t *testing.T, wx *mock.Server, r result, longest time.Duration) {
	t.Helper()
	sent := len(wx.Calls("SendTemplateMessage"))
	t.Logf("%d calls took %d requests and %v", r.Done, sent, r.Took.Round(10*time.Millisecond))
	if r.Done != 201 || r.Failed > 0 {
		t.Errorf("%+v; want all 201 done", r)
	}
	if sent > 231 {
		t.Errorf("%d requests for 201 calls; want at most 1.15 times as many", sent)
	}
	if r.Took > longest {
		t.Errorf("it took %v; want at most %v", r.Took, longest)
	}
	if dup := len(wx.Duplicates()); dup > 0 {
		t.Errorf("%d were sent twice", dup)
	}
}

// Redis is killed in the middle and comes back empty: nothing is lost, nothing is sent twice, and the limit is kept.
func TestProcessesOutliveRedis(t *testing.T) {
	s := startRedis(t)
	wx, url := platform(t, mock.PerSecond(20))
	r := together(t, 3, job{Redis: s.addr, Platform: url, Calls: 67, AtOnce: 67, PerSecond: 20, Instances: 3}, func() {
		time.Sleep(2 * time.Second)
		s.kill()
		time.Sleep(3 * time.Second)
		s.start()
	})
	judge(t, wx, r, 20*time.Second) // three shares of 20 are 18, and they hold for a minute
	if n := wx.TokensIssued("wx1"); n != 1 {
		t.Errorf("%d tokens were fetched; want 1", n)
	}
}

// A process is killed while it holds the token's lock. The others go on when its time is over.
func TestDeadHolderOfTheLock(t *testing.T) { // P018
	s := startRedis(t)
	wx, url := platform(t)
	holder := start(t, job{Redis: s.addr, Lock: lockOf(t, s.addr)})
	if err := holder.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r := together(t, 2, job{Redis: s.addr, Platform: url, Calls: 10, AtOnce: 10}, nothing)
	if r.Done != 20 || r.Took > 10*time.Second {
		t.Errorf("%+v; want 20 done soon after the lock's 3 s", r)
	}
	if n := wx.TokensIssued("wx1"); n != 1 {
		t.Errorf("%d tokens were fetched; want 1", n)
	}
}

// lockOf finds the key under which the token is kept, as the store is asked for it.
func lockOf(t *testing.T, addr string) string {
	t.Helper()
	_, url := platform(t)
	var key string
	store := &spy{key: &key}
	client := wechat.New(wechat.WithBaseURL("officialaccount", url), wechat.WithTokenStore(store))
	if _, err := officialaccount.New(client, wechat.App{ID: "wx1", Secret: "s"}).GetMaterialCount(context.Background()); err != nil {
		t.Fatal(err)
	}
	return key
}

// spy is a token store that is asked in vain.
type spy struct {
	mu  sync.Mutex
	key *string
}

func (s *spy) Load(_ context.Context, key string) (wechat.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.key = key
	return wechat.Token{}, wechat.ErrNoToken
}

func (s *spy) Replace(_ context.Context, _ string, _, fresh wechat.Token) (wechat.Token, error) {
	return fresh, nil
}

func (s *spy) Lock(context.Context, string, time.Duration) (func(), error) { return func() {}, nil }

// Three processes have the same list of 100 messages, each with an idempotency key. Each is sent once.
func TestProcessesSendOnce(t *testing.T) {
	s := startRedis(t)
	wx, url := platform(t)
	r := together(t, 3, job{Redis: s.addr, Platform: url, Calls: 100, AtOnce: 20, Keyed: true}, nothing)
	if r.Failed > 0 || r.Done+r.InProgress != 300 {
		t.Errorf("%+v", r)
	}
	if n := len(wx.Calls("SendTemplateMessage")); n != 100 {
		t.Errorf("%d requests for 100 messages", n)
	}
}

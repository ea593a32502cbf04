package rediswechat_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/seed175cf469/wechat/adapter/rediswechat"
	"github.com/seed175cf469/wechat/internal/quotaserver"
	"github.com/seed175cf469/wechat/ratelimit"
)

// clock sets the clock of a miniredis to that of the bubble, or to one that is off, before each command.
type clock struct {
	m   *miniredis.Miniredis
	off *atomic.Int64 // nanoseconds
}

func (c clock) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c clock) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.m.SetTime(time.Now().Add(time.Duration(c.off.Load())))
		return next(ctx, cmd)
	}
}

func (c clock) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// processes are so many barriers on one Redis, whose time is that of the bubble.
func processes(t *testing.T, m *miniredis.Miniredis, n int) (pacers []ratelimit.Pacer, end func()) {
	t.Helper()
	var clients []*redis.Client
	for range n {
		rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), ContextTimeoutEnabled: true})
		rdb.AddHook(clock{m, new(atomic.Int64)})
		clients = append(clients, rdb)
		pacers = append(pacers, rediswechat.NewBarrier(rdb, patient, rediswechat.WithInstances(n)))
	}
	return pacers, func() {
		for _, rdb := range clients {
			_ = rdb.Close()
		}
	}
}

// Three processes that share a pace do about as well as one with a pace of its own: each of the two others makes a few calls
// before it knows of the first refusal, and looks at 20 ms for a place in flight that another has left.
func TestStorm(t *testing.T) {
	const others = 6
	for _, tt := range quotaserver.Scenarios() {
		t.Run(tt.Name, func(t *testing.T) {
			if tt.Calls > 200 && testing.Short() {
				t.Skip("scripts are slow in miniredis")
			}
			m := miniredis.RunT(t)
			synctest.Test(t, func(t *testing.T) {
				pacers, end := processes(t, m, 3)
				defer end()
				time.Sleep(tt.Start)
				if tt.Change > 0 {
					time.AfterFunc(tt.Change, func() { tt.Server.SetQuota(tt.Changed) })
				}
				taken, wall := tt.Server.Storm(app(1)+":SendX", tt.Calls, tt.Goroutines, pacers...)
				t.Logf("%d of %d done, %d requests, %v", taken, tt.Calls, tt.Server.Requests, wall.Round(time.Millisecond))
				if taken != tt.Calls {
					t.Errorf("%d calls done, want all %d", taken, tt.Calls)
				}
				if tt.Server.Requests > tt.Requests+others {
					t.Errorf("%d requests, want at most %d", tt.Server.Requests, tt.Requests+others)
				}
				longest := tt.Wall * 6 / 5
				if tt.Server.Flying > 0 { // a second until all that was in flight before the first refusal has come back
					longest += time.Second
				}
				if wall > longest {
					t.Errorf("took %v, want at most %v", wall, longest)
				}
			})
		})
	}
}

const paceKey = "{officialaccount:wx1}:SendX"

// inBubble runs a test with so many processes on one Redis.
func inBubble(t *testing.T, n int, test func(t *testing.T, m *miniredis.Miniredis, pacers []ratelimit.Pacer)) {
	t.Helper()
	m := miniredis.RunT(t)
	synctest.Test(t, func(t *testing.T) {
		pacers, end := processes(t, m, n)
		defer end()
		test(t, m, pacers)
	})
}

func admit(t *testing.T, p ratelimit.Pacer) func(ratelimit.Outcome) {
	t.Helper()
	done, err := p.Admit(t.Context(), paceKey, ratelimit.Normal)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// learned has the processes learn a quota of 10 in a second.
func learned(t *testing.T, pacers []ratelimit.Pacer) {
	t.Helper()
	s := &quotaserver.Server{Quota: 10, Period: time.Second, Tell: true}
	if taken, _ := s.Storm(paceKey, 40, 40, pacers...); taken != 40 {
		t.Fatalf("%d of 40 taken", taken)
	}
}

// A pace that one process has learned is that of a process which begins later.
func TestPaceIsKnownToNewcomers(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, _ *miniredis.Miniredis, pacers []ratelimit.Pacer) {
		learned(t, pacers[:2])
		began := time.Now()
		for range 20 {
			admit(t, pacers[2])(ratelimit.Outcome{})
		}
		if d := time.Since(began); d < 1800*time.Millisecond || d > 2500*time.Millisecond {
			t.Errorf("20 calls took %v; want what ten in a second need", d)
		}
	})
}

// Of those who wait in a process the most urgent takes the next turn, also one that was given for another.
func TestPaceGoesByPriority(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, _ *miniredis.Miniredis, pacers []ratelimit.Pacer) {
		learned(t, pacers)
		for range 3 { // until the next turn is a tenth of a second away
			admit(t, pacers[0])(ratelimit.Outcome{})
		}
		var order []ratelimit.Priority
		var wg sync.WaitGroup
		for _, p := range []ratelimit.Priority{ratelimit.Background, ratelimit.Background, ratelimit.Normal, ratelimit.Urgent} {
			wg.Go(func() {
				done, err := pacers[0].Admit(t.Context(), paceKey, p)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, p) // turns are 100 ms apart
				done(ratelimit.Outcome{})
			})
			time.Sleep(time.Millisecond)
		}
		wg.Wait()
		want := []ratelimit.Priority{ratelimit.Urgent, ratelimit.Normal, ratelimit.Background, ratelimit.Background}
		if !slices.Equal(order, want) {
			t.Errorf("served %v; want %v", order, want)
		}
	})
}

// Who cannot wait long enough fails at once and is told when to come back; what it was given goes to the next.
func TestPaceAndDeadlines(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, _ *miniredis.Miniredis, pacers []ratelimit.Pacer) {
		learned(t, pacers)
		admit(t, pacers[0])(ratelimit.Outcome{Refused: true, RetryAfter: time.Minute})
		for i, p := range pacers {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			began := time.Now()
			_, err := p.Admit(ctx, paceKey, ratelimit.Normal)
			var exceeded *ratelimit.ExceededError
			if !errors.As(err, &exceeded) || !errors.Is(err, context.DeadlineExceeded) || !near(exceeded.Decision.RetryAfter, time.Minute) {
				t.Errorf("process %d: %v; want a refusal with the minute", i, err)
			}
			if d := time.Since(began); d > time.Second {
				t.Errorf("process %d failed after %v; want at once", i, d)
			}
			cancel()
		}

		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Minute / 2)
			cancel()
		}()
		if _, err := pacers[1].Admit(ctx, paceKey, ratelimit.Normal); !errors.Is(err, context.Canceled) {
			t.Errorf("%v; want the caller's cancel", err)
		}
		admit(t, pacers[1])(ratelimit.Outcome{})
		if d := time.Since(began); d < 59*time.Second || d > 62*time.Second {
			t.Errorf("the trial went after %v; want a minute", d)
		}
	})
}

// A process that is killed reports nothing of its calls in flight. Their places are free after two minutes, whether
// somebody waits for them or not.
func TestPlacesOfTheDead(t *testing.T) {
	for name, idle := range map[string]time.Duration{"waited for": 0, "nobody calls": 3 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			if idle == 0 && testing.Short() {
				t.Skip("it asks six thousand times")
			}
			placesOfTheDead(t, idle)
		})
	}
}

func placesOfTheDead(t *testing.T, idle time.Duration) {
	t.Helper()
	inBubble(t, 2, func(t *testing.T, m *miniredis.Miniredis, pacers []ratelimit.Pacer) {
		s := &quotaserver.Server{Flying: 4}
		if taken, _ := s.Storm(paceKey, 300, 20, pacers...); taken != 300 {
			t.Fatalf("%d of 300 taken", taken)
		}
		killed, limit := time.Now(), 0
		for { // the whole flight
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := pacers[0].Admit(ctx, paceKey, ratelimit.Normal)
			cancel()
			if err != nil {
				break
			}
			limit++
		}
		if limit == 0 || limit > 5 {
			t.Fatalf("%d may be in flight; want about 4", limit)
		}
		time.Sleep(idle)
		m.FastForward(idle)
		admit(t, pacers[1])(ratelimit.Outcome{})
		if d := time.Since(killed); d < 110*time.Second || d > max(130*time.Second, idle+10*time.Second) {
			t.Errorf("the next call was let go after %v; want 2 minutes", d)
		}
	})
}

// While Redis does not answer each process keeps to its share; afterwards they are one again.
func TestPaceOutlivesRedis(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, m *miniredis.Miniredis, pacers []ratelimit.Pacer) {
		learned(t, pacers)
		m.SetError("LOADING Redis is loading the dataset in memory")
		s := &quotaserver.Server{Quota: 10, Period: time.Second, Tell: true}
		if taken, wall := s.Storm(paceKey, 100, 20, pacers...); taken != 100 || s.Requests > 140 || wall > 20*time.Second {
			t.Errorf("without Redis %d of 100 taken with %d requests in %v", taken, s.Requests, wall)
		}
		m.SetError("")
		time.Sleep(2 * time.Second)
		s = &quotaserver.Server{Quota: 10, Period: time.Second, Tell: true}
		if taken, wall := s.Storm(paceKey, 100, 20, pacers...); taken != 100 || s.Requests > 112 || wall > 14*time.Second {
			t.Errorf("afterwards %d of 100 taken with %d requests in %v", taken, s.Requests, wall)
		}
	})
}

// After a failover the clock may be another's. The pace goes on.
func TestPaceAndClocks(t *testing.T) {
	for _, jump := range []time.Duration{-2 * time.Minute, 2 * time.Minute} {
		t.Run(jump.String(), func(t *testing.T) {
			m := miniredis.RunT(t)
			synctest.Test(t, func(t *testing.T) {
				var off atomic.Int64
				rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), ContextTimeoutEnabled: true})
				defer func() { _ = rdb.Close() }()
				rdb.AddHook(clock{m, &off})
				pacers := []ratelimit.Pacer{rediswechat.NewBarrier(rdb, patient)}
				learned(t, pacers)
				off.Store(int64(jump))
				began := time.Now()
				for range 20 {
					admit(t, pacers[0])(ratelimit.Outcome{})
				}
				if d := time.Since(began); d < 1500*time.Millisecond || d > 3*time.Second {
					t.Errorf("20 calls took %v; want what ten in a second need", d)
				}
			})
		})
	}
}

// Whatever the key, its scripts run on a cluster.
func TestPaceOnACluster(t *testing.T) {
	rdb := startCluster(t)
	b := rediswechat.NewBarrier(rdb, patient)
	for _, key := range []string{paceKey, "no tag", "{", "a}b{c}", "", "}"} {
		for _, o := range []ratelimit.Outcome{{Refused: true, RetryAfter: 50 * time.Millisecond}, {}, {}} {
			done, err := b.Admit(t.Context(), key, ratelimit.Normal)
			if err != nil {
				t.Fatal(err)
			}
			done(o)
		}
	}
	var states atomic.Int64
	err := rdb.ForEachMaster(t.Context(), func(ctx context.Context, node *redis.Client) error {
		keys, err := node.Keys(ctx, "*:pace*").Result()
		states.Add(int64(len(keys)))
		return err
	})
	if n := states.Load(); err != nil || n != 6 {
		t.Errorf("the pace of %d keys is in Redis, %v; want all six", n, err)
	}
}

// flaky is a hook that does something to commands that say word.
type flaky struct {
	clock
	word string
	do   func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error
}

func (f flaky) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	next = f.clock.ProcessHook(next)
	return func(ctx context.Context, cmd redis.Cmder) error {
		if slices.Contains(cmd.Args(), any(f.word)) {
			return f.do(ctx, cmd, next)
		}
		return next(ctx, cmd)
	}
}

// withFlaky runs a test with one process, to whose commands that say word do happens.
func withFlaky(t *testing.T, word string, do func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error,
	test func(t *testing.T, m *miniredis.Miniredis, p ratelimit.Pacer)) {
	t.Helper()
	m := miniredis.RunT(t)
	synctest.Test(t, func(t *testing.T) {
		rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), ContextTimeoutEnabled: true})
		defer func() { _ = rdb.Close() }()
		rdb.AddHook(flaky{clock{m, new(atomic.Int64)}, word, do})
		test(t, m, rediswechat.NewBarrier(rdb, patient, rediswechat.WithLogger(slog.New(slog.DiscardHandler))))
	})
}

// A reply that gets lost has go-redis send a command again. That gives no second turn, and counts nothing twice.
func TestPaceAsksTwice(t *testing.T) {
	for _, word := range []string{"admit", "done"} {
		t.Run(word, func(t *testing.T) {
			again := func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
				_ = next(ctx, cmd)
				return next(ctx, cmd)
			}
			withFlaky(t, word, again, func(t *testing.T, m *miniredis.Miniredis, p ratelimit.Pacer) {
				s := &quotaserver.Server{Flying: 4}
				if taken, _ := s.Storm(paceKey, 300, 20, p); taken != 300 {
					t.Fatalf("%d of 300 taken", taken)
				}
				s = &quotaserver.Server{Quota: 10, Period: time.Second, Tell: true}
				if taken, wall := s.Storm(paceKey, 100, 20, p); taken != 100 || s.Requests > 112 || wall > 14*time.Second {
					t.Errorf("%d of 100 taken with %d requests in %v", taken, s.Requests, wall)
				}
				if m.Exists("wechat:v1:{officialaccount:wx1}:flying:SendX") {
					t.Error("calls are in flight that have come back")
				}
			})
		})
	}
}

// What became of calls while Redis was away it is told afterwards, so that their places in flight are free at once.
func TestPlacesAfterAnOutage(t *testing.T) {
	var away atomic.Bool
	fail := func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
		if away.Load() {
			return errors.New("connection refused")
		}
		return next(ctx, cmd)
	}
	withFlaky(t, ":SendX", fail, func(t *testing.T, _ *miniredis.Miniredis, p ratelimit.Pacer) {
		s := &quotaserver.Server{Flying: 4}
		if taken, _ := s.Storm(paceKey, 300, 20, p); taken != 300 {
			t.Fatalf("%d of 300 taken", taken)
		}
		first, second := admit(t, p), admit(t, p)
		away.Store(true)
		first(ratelimit.Outcome{})
		second(ratelimit.Outcome{})
		time.Sleep(3 * time.Second)
		away.Store(false)
		began := time.Now()
		for range 20 {
			admit(t, p)(ratelimit.Outcome{})
		}
		if d := time.Since(began); d > 3*time.Second {
			t.Errorf("20 calls took %v after the outage", d)
		}
	})
}

// Without Redis from the start a process does as well as one that has never heard of it.
func TestPaceWithoutRedis(t *testing.T) {
	fail := func(context.Context, redis.Cmder, redis.ProcessHook) error { return errors.New("connection refused") }
	for _, s := range []*quotaserver.Server{
		{Quota: 20, Period: time.Second, Tell: true},
		{Quota: 300, Period: time.Minute, Tell: true},
	} {
		withFlaky(t, ":SendX", fail, func(t *testing.T, _ *miniredis.Miniredis, p ratelimit.Pacer) {
			calls := 10 * s.Quota
			if taken, wall := s.Storm(paceKey, calls, 200, p); taken != calls || s.Requests > calls*108/100 || wall > 12*s.Period {
				t.Errorf("%d of %d taken with %d requests in %v", taken, calls, s.Requests, wall)
			}
		})
	}
}

// Who comes while the first in line asks in vain is not left waiting.
func TestPaceWakesAfterAFailure(t *testing.T) {
	var slow atomic.Bool
	fail := func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
		if slow.CompareAndSwap(true, false) {
			time.Sleep(50 * time.Millisecond)
			return errors.New("i/o timeout")
		}
		return next(ctx, cmd)
	}
	withFlaky(t, "admit", fail, func(t *testing.T, _ *miniredis.Miniredis, p ratelimit.Pacer) {
		learned(t, []ratelimit.Pacer{p})
		began := time.Now()
		slow.Store(true)
		var wg sync.WaitGroup
		for _, priority := range []ratelimit.Priority{ratelimit.Normal, ratelimit.Urgent, ratelimit.Normal} {
			wg.Go(func() {
				done, err := p.Admit(t.Context(), paceKey, priority)
				if err != nil {
					t.Error(err)
					return
				}
				done(ratelimit.Outcome{})
			})
			time.Sleep(10 * time.Millisecond)
		}
		wg.Wait()
		if d := time.Since(began); d > 2*time.Second {
			t.Errorf("three calls took %v", d)
		}
	})
}

// An outage while the quota is still being felt out: those who wait alone are one with the others again soon after.
func TestPaceOfAnEarlyOutage(t *testing.T) {
	inBubble(t, 3, func(t *testing.T, m *miniredis.Miniredis, pacers []ratelimit.Pacer) {
		time.AfterFunc(500*time.Millisecond, func() { m.SetError("LOADING Redis is loading the dataset in memory") })
		time.AfterFunc(6500*time.Millisecond, func() { m.SetError("") })
		s := &quotaserver.Server{Quota: 20, Period: time.Second, Tell: true}
		taken, wall := s.Storm(paceKey, 201, 201, pacers...)
		t.Logf("%d of 201 taken with %d requests in %v", taken, s.Requests, wall)
		if taken != 201 || s.Requests > 241 || wall > 16*time.Second {
			t.Errorf("%d of 201 taken with %d requests in %v", taken, s.Requests, wall)
		}
	})
}

// A turn that nobody is left to take is given back, and the next one comes as early as that would have.
func TestPaceTakesBackTurns(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, _ *miniredis.Miniredis, pacers []ratelimit.Pacer) {
		learned(t, pacers)
		for range 5 { // until the next turn is a tenth of a second away
			admit(t, pacers[0])(ratelimit.Outcome{})
		}
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		if _, err := pacers[0].Admit(ctx, paceKey, ratelimit.Normal); !errors.Is(err, context.Canceled) {
			t.Fatalf("%v; want a turn that is waited for", err)
		}
		admit(t, pacers[1])(ratelimit.Outcome{})
		if d := time.Since(began); d > 130*time.Millisecond {
			t.Errorf("the turn was taken after %v; want a tenth of a second", d)
		}
	})
}

// One turn in eight goes to whoever has waited longest, so that nobody starves.
func TestPaceStarvesNobody(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, _ *miniredis.Miniredis, pacers []ratelimit.Pacer) {
		learned(t, pacers)
		var served []ratelimit.Priority
		var wg sync.WaitGroup
		for i := range 31 {
			p := ratelimit.Urgent
			if i == 5 {
				p = ratelimit.Background
			}
			wg.Go(func() {
				done, err := pacers[0].Admit(t.Context(), paceKey, p)
				if err != nil {
					t.Error(err)
					return
				}
				served = append(served, p) // turns are 100 ms apart
				done(ratelimit.Outcome{})
			})
			time.Sleep(time.Millisecond)
		}
		wg.Wait()
		if i := slices.Index(served, ratelimit.Background); i > 16 {
			t.Errorf("the background call was number %d of 31; want one of the next 16", i+1)
		}
	})
}

// It is not the way to Redis that sets the pace of a process.
func TestPaceOfADistantRedis(t *testing.T) {
	const trip = 5 * time.Millisecond
	travel := func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
		time.Sleep(trip)
		return next(ctx, cmd)
	}
	withFlaky(t, ":SendX", travel, func(t *testing.T, _ *miniredis.Miniredis, p ratelimit.Pacer) {
		admit(t, p)(ratelimit.Outcome{Refused: true})
		time.Sleep(time.Second)
		s := &quotaserver.Server{Latency: 20 * time.Millisecond}
		if taken, wall := s.Storm(paceKey, 1000, 300, p); taken != 1000 || wall > time.Second {
			t.Errorf("%d of 1000 taken in %v; one turn in %v would take 5s", taken, wall, trip)
		}
	})
}

// A pace of less than a call in a window stays finite.
func TestPaceStaysFinite(t *testing.T) {
	logger, text := newLog()
	m := miniredis.RunT(t)
	synctest.Test(t, func(t *testing.T) {
		rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), ContextTimeoutEnabled: true})
		defer func() { _ = rdb.Close() }()
		rdb.AddHook(clock{m, new(atomic.Int64)})
		p := rediswechat.NewBarrier(rdb, patient, rediswechat.WithLogger(logger))
		for _, o := range []ratelimit.Outcome{{Refused: true}, {}, {Refused: true}, {Refused: true, RetryAfter: time.Hour}} {
			admit(t, p)(o)
		}
		for range 2 { // an hour each
			admit(t, p)(ratelimit.Outcome{})
		}
		admit(t, p)(ratelimit.Outcome{Refused: true})
	})
	if text.String() != "" {
		t.Errorf("a script has failed:\n%s", text)
	}
}

// A context that has ended gets no turn.
func TestPaceAndEndedContexts(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, _ *miniredis.Miniredis, pacers []ratelimit.Pacer) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 2 {
			if _, err := pacers[0].Admit(ctx, paceKey, ratelimit.Normal); !errors.Is(err, context.Canceled) {
				t.Errorf("%v; want the context's error", err)
			}
			learned(t, pacers)
		}
	})
}

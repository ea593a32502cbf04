package ratelimit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// quotaServer takes quota calls in each period and refuses the rest, in the time of a synctest bubble.
type quotaServer struct {
	quota   int           // 0: any number
	period  time.Duration // begins with the natural second or minute
	sliding bool          // not so: it is any period
	tell    bool          // a refusal has a Retry-After, in whole seconds, rounded up
	named   time.Duration // a refusal names this window
	block   time.Duration // after a refusal everything is refused for so long
	flying  int           // calls in flight; 0: any number
	latency time.Duration // give or take a tenth; 0: 1 to 5 ms

	mu       sync.Mutex
	taken    []time.Time // calls of the current period
	blocked  time.Time
	inFlight int
	requests int
	refused  int
}

// call makes one request.
func (s *quotaServer) call() ratelimit.Outcome {
	trip := time.Millisecond + rand.N(4*time.Millisecond)
	if s.latency > 0 {
		trip = s.latency*9/10 + rand.N(s.latency/5)
	}
	time.Sleep(trip / 2)
	o := s.arrive()
	time.Sleep(trip / 2)
	if s.flying > 0 && !o.Concurrency {
		s.mu.Lock()
		s.inFlight--
		s.mu.Unlock()
	}
	return o
}

func (s *quotaServer) arrive() ratelimit.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if s.flying > 0 {
		if s.inFlight >= s.flying {
			s.refused++
			return ratelimit.Outcome{Refused: true, Concurrency: true}
		}
		s.inFlight++
	}
	if s.quota == 0 {
		return ratelimit.Outcome{}
	}
	now := time.Now()
	start := now.Truncate(s.period)
	if s.sliding {
		start = now.Add(-s.period + 1)
	}
	for len(s.taken) > 0 && s.taken[0].Before(start) {
		s.taken = s.taken[1:]
	}
	if len(s.taken) < s.quota && !now.Before(s.blocked) {
		s.taken = append(s.taken, now)
		return ratelimit.Outcome{}
	}
	s.refused++
	opens := start.Add(s.period)
	if s.sliding {
		opens = s.taken[0].Add(s.period)
	}
	if s.block > 0 {
		if !now.Before(s.blocked) {
			s.blocked = now.Add(s.block)
		}
		opens = s.blocked
	}
	o := ratelimit.Outcome{Refused: true, Window: s.named}
	if s.tell {
		o.RetryAfter = (opens.Sub(now) + time.Second - 1).Truncate(time.Second)
	}
	return o
}

func (s *quotaServer) setQuota(quota int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quota = quota
}

// send makes one call as a client does that tries six times, and reports whether it was taken.
func (s *quotaServer) send(p ratelimit.Pacer, key string) bool {
	for range 6 {
		done, err := p.Admit(context.Background(), key, ratelimit.Normal)
		if err != nil {
			return false
		}
		o := s.call()
		done(o)
		if !o.Refused {
			return true
		}
	}
	return false
}

// storm makes so many calls from so many goroutines. It returns how many were taken and how long it took.
func (s *quotaServer) storm(p ratelimit.Pacer, key string, calls, goroutines int) (int, time.Duration) {
	var begun, taken atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for range goroutines {
		wg.Go(func() {
			for begun.Add(1) <= int64(calls) {
				if s.send(p, key) {
					taken.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return int(taken.Load()), time.Since(begin)
}

// check holds the outcome of a storm against its bounds.
func (s *quotaServer) check(t *testing.T, taken, calls, maxRequests int, wall, maxWall time.Duration) {
	t.Helper()
	t.Logf("%d of %d done, %d requests, %v", taken, calls, s.requests, wall.Round(time.Millisecond))
	if taken != calls {
		t.Errorf("%d calls done, want all %d", taken, calls)
	}
	if s.requests > maxRequests {
		t.Errorf("%d requests, want at most %d", s.requests, maxRequests)
	}
	if wall > maxWall {
		t.Errorf("took %v, want at most %v", wall, maxWall)
	}
}

func TestStorm(t *testing.T) {
	const (
		early  = 50 * time.Millisecond // into a natural second and minute
		second = time.Second
		minute = time.Minute
	)
	for _, tt := range []struct {
		name       string
		start      time.Duration // after a natural minute began
		calls      int
		goroutines int
		server     *quotaServer
		change     time.Duration // when the quota changes
		changed    int           // to this
		requests   int           // at most
		wall       time.Duration // at most
	}{
		// The quota alone needs 9 s, 3 s, 9 s, 99 s.
		{"20 a second", early, 200, 200, &quotaServer{quota: 20, period: second, tell: true}, 0, 0, 215, 11250 * time.Millisecond},
		{"5 a second", early, 20, 20, &quotaServer{quota: 5, period: second, tell: true}, 0, 0, 25, 4500 * time.Millisecond},
		{"100 a second", early, 1000, 500, &quotaServer{quota: 100, period: second, tell: true}, 0, 0, 1050, 11250 * time.Millisecond},
		{"20 a second, for long", early, 2000, 200, &quotaServer{quota: 20, period: second, tell: true}, 0, 0, 2040, 120 * second},
		{"1 a second", early, 30, 30, &quotaServer{quota: 1, period: second, tell: true}, 0, 0, 40, 36 * second},

		{"20 a second, late in it", 950 * time.Millisecond, 200, 200, &quotaServer{quota: 20, period: second, tell: true}, 0, 0, 225, 11250 * time.Millisecond},
		{"20 a sliding second", early, 200, 200, &quotaServer{quota: 20, period: second, sliding: true, tell: true}, 0, 0, 215, 11250 * time.Millisecond},
		{"20 a second, window named", early, 200, 200, &quotaServer{quota: 20, period: second, named: second}, 0, 0, 215, 11250 * time.Millisecond},
		{"20 a second, nothing told", early, 200, 200, &quotaServer{quota: 20, period: second}, 0, 0, 215, 11250 * time.Millisecond},

		// The quota alone needs 180 s, or less where the first minute is a short one.
		{"300 a minute", early, 1000, 500, &quotaServer{quota: 300, period: minute, tell: true}, 0, 0, 1060, 225 * second},
		{"300 a minute, late in it", 50 * second, 1000, 500, &quotaServer{quota: 300, period: minute, tell: true}, 0, 0, 1060, 225 * second},
		{"300 a sliding minute", early, 1000, 500, &quotaServer{quota: 300, period: minute, sliding: true, tell: true}, 0, 0, 1060, 225 * second},
		{"300 a minute, window named", early, 1000, 500, &quotaServer{quota: 300, period: minute, named: minute}, 0, 0, 1060, 225 * second},
		{"300 a minute, nothing told", early, 1000, 500, &quotaServer{quota: 300, period: minute}, 0, 0, 1060, 270 * second},
		{"300 a sliding minute, nothing told", early, 1000, 500, &quotaServer{quota: 300, period: minute, sliding: true}, 0, 0, 1060, 270 * second},
		{"300 a minute, blocked for 60 s", early, 1000, 500, &quotaServer{quota: 300, period: minute, named: minute, block: minute}, 0, 0, 1060, 225 * second},

		// Windows of other lengths; the quota alone needs 90 s and 38 s.
		{"100 in 10 s", early, 1000, 500, &quotaServer{quota: 100, period: 10 * second, tell: true}, 0, 0, 1050, 112500 * time.Millisecond},
		{"20 in 2 s", early, 400, 200, &quotaServer{quota: 20, period: 2 * second, tell: true}, 0, 0, 430, 47500 * time.Millisecond},

		// The quota alone needs 30 s and 54 s.
		{"20 a second, then 10", early, 400, 200, &quotaServer{quota: 20, period: second, tell: true}, 10 * second, 10, 440, 40 * second},
		{"20 a second, then 40", early, 2000, 200, &quotaServer{quota: 20, period: second, tell: true}, 10 * second, 40, 2060, 75 * second},

		{"5 in flight", early, 2000, 200, &quotaServer{flying: 5}, 0, 0, 2040, 2 * second},
		{"20 a second, 5 in flight", early, 200, 200, &quotaServer{quota: 20, period: second, tell: true, flying: 5}, 0, 0, 225, 12 * second},

		{"20 a second, 50 ms away", early, 200, 200, &quotaServer{quota: 20, period: second, tell: true, latency: 50 * time.Millisecond}, 0, 0, 240, 12500 * time.Millisecond},
		{"20 a second, 300 ms away", early, 200, 200, &quotaServer{quota: 20, period: second, tell: true, latency: 300 * time.Millisecond}, 0, 0, 250, 16 * second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(tt.start)
				s := tt.server
				if tt.change > 0 {
					time.AfterFunc(tt.change, func() { s.setQuota(tt.changed) })
				}
				taken, wall := s.storm(new(ratelimit.Local), "a", tt.calls, tt.goroutines)
				s.check(t, taken, tt.calls, tt.requests, wall, tt.wall)
			})
		})
	}
}

// Two endpoints of an app have quotas of their own.
func TestStormEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(50 * time.Millisecond)
		l := new(ratelimit.Local)
		slow := &quotaServer{quota: 5, period: time.Second, tell: true}
		fast := &quotaServer{quota: 100, period: time.Second, tell: true}
		var wg sync.WaitGroup
		wg.Go(func() {
			taken, wall := slow.storm(l, "slow", 50, 50)
			slow.check(t, taken, 50, 58, wall, 11250*time.Millisecond)
		})
		wg.Go(func() {
			taken, wall := fast.storm(l, "fast", 1000, 500)
			fast.check(t, taken, 1000, 1050, wall, 11250*time.Millisecond)
		})
		wg.Wait()
	})
}

// Processes that share a quota without knowing of each other find their shares. The quota alone needs 9 s.
func TestStormProcesses(t *testing.T) {
	const calls, quota = 10_000, 1000
	t.Logf("%10s %10s %10s %10s %10s %10s", "processes", "goroutines", "done", "requests", "refused", "time")
	for _, processes := range []int{1, 5, 10, 50} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(50 * time.Millisecond)
			s := &quotaServer{quota: quota, period: time.Second, tell: true}
			var taken atomic.Int64
			var wg sync.WaitGroup
			begin := time.Now()
			for range processes {
				wg.Go(func() {
					n, _ := s.storm(new(ratelimit.Local), "a", calls/processes, calls/processes)
					taken.Add(int64(n))
				})
			}
			wg.Wait()
			wall := time.Since(begin)
			t.Logf("%10d %10d %10d %10d %10d %10v", processes, calls, taken.Load(), s.requests, s.refused, wall.Round(time.Millisecond))
			if taken.Load() != calls {
				t.Errorf("%d processes: %d calls done, want all %d", processes, taken.Load(), calls)
			}
			if s.requests > calls*5/4 || wall > 20*time.Second {
				t.Errorf("%d processes: %d requests in %v, want at most %d in 20s", processes, s.requests, wall, calls*5/4)
			}
		})
	}
}

// A server without a quota is at full speed after ten round trips, and stays there.
func TestStormWithoutQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const trip = 50 * time.Millisecond
		l := new(ratelimit.Local)
		s := &quotaServer{latency: trip}
		taken, wall := s.storm(l, "a", 1000, 1000)
		s.check(t, taken, 1000, 1000, wall, 10*trip)
		taken, wall = s.storm(l, "a", 1000, 1000)
		s.check(t, taken, 1000, 2000, wall, trip*5/2)
		time.Sleep(time.Hour)
		taken, wall = s.storm(l, "a", 1000, 1000)
		s.check(t, taken, 1000, 3000, wall, trip*5/2)
	})
}

// The first calls of a key hang for 10 s, and so do the trials after a barrier; the others need not wait for them.
func TestStormHungCalls(t *testing.T) {
	hang := func(l *ratelimit.Local, wg *sync.WaitGroup, n int) {
		for range n {
			done, err := l.Admit(context.Background(), "a", ratelimit.Normal)
			if err != nil {
				t.Error(err)
				return
			}
			wg.Go(func() {
				time.Sleep(10 * time.Second)
				done(ratelimit.Outcome{})
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		l := new(ratelimit.Local)
		s := new(quotaServer)
		var wg sync.WaitGroup
		hang(l, &wg, 2)
		taken, wall := s.storm(l, "a", 1000, 1000)
		s.check(t, taken, 1000, 1000, wall, time.Second)

		done, err := l.Admit(context.Background(), "a", ratelimit.Normal)
		if err != nil {
			t.Fatal(err)
		}
		done(ratelimit.Outcome{Refused: true})
		hang(l, &wg, 2)
		taken, wall = s.storm(l, "a", 100, 100)
		s.check(t, taken, 100, 1100, wall, 2*time.Second)
		wg.Wait()
	})
}

// WeCom blocks what has exceeded an hour's quota for an hour, and does not say so: it passes for a minute.
func TestStormHourBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &quotaServer{quota: 500, period: time.Hour, named: time.Minute, block: time.Hour}
		taken, wall := s.storm(new(ratelimit.Local), "a", 600, 10)
		s.check(t, taken, 600, 630, wall, 2*time.Hour)
	})
}

func ExampleLocal_Admit() {
	l := new(ratelimit.Local)
	done, err := l.Admit(context.Background(), "wx1/SendTemplateMessage", ratelimit.Normal)
	if err != nil {
		fmt.Println(err)
		return
	}
	// ... the call is made, and the server refuses it ...
	done(ratelimit.Outcome{Refused: true, RetryAfter: 3 * time.Second})

	until, _ := l.Until(context.Background(), "wx1/SendTemplateMessage")
	fmt.Println("closed for", time.Until(until).Round(time.Second))
	// Output: closed for 3s
}

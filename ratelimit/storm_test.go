package ratelimit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// quotaServer takes quota calls in each period and refuses the rest, in the time of a synctest bubble.
type quotaServer struct {
	quota   int
	period  time.Duration
	sliding bool          // any period, not those that begin with the natural second or minute
	tell    bool          // Retry-After in whole seconds, rounded up
	named   time.Duration // the window that a refusal names; 0: none
	block   time.Duration // everything is refused for so long after the first refusal
	flying  int           // calls that may be in flight; 0: any number
	latency [2]time.Duration

	mu       sync.Mutex
	taken    []time.Time // accepted calls of the last period
	blocked  time.Time
	inFlight int
	requests int
	refused  int
}

// call makes one request and says what became of it.
func (s *quotaServer) call() Outcome {
	lo, hi := s.latency[0], s.latency[1]
	if hi == 0 {
		lo, hi = time.Millisecond, 5*time.Millisecond
	}
	trip := lo
	if hi > lo {
		trip += rand.N(hi - lo)
	}
	time.Sleep(trip / 2)
	o := s.arrive()
	time.Sleep(trip - trip/2)
	if s.flying > 0 && !o.Concurrency {
		s.mu.Lock()
		s.inFlight--
		s.mu.Unlock()
	}
	return o
}

func (s *quotaServer) arrive() Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if s.flying > 0 {
		if s.inFlight >= s.flying {
			s.refused++
			return Outcome{Refused: true, Concurrency: true}
		}
		s.inFlight++
	}
	if s.quota == 0 {
		return Outcome{}
	}
	now := time.Now()
	start := now.Truncate(s.period)
	if s.sliding {
		start = now.Add(-s.period)
	}
	for len(s.taken) > 0 && (s.taken[0].Before(start) || s.sliding && s.taken[0].Equal(start)) {
		s.taken = s.taken[1:]
	}
	if len(s.taken) < s.quota && now.After(s.blocked) {
		s.taken = append(s.taken, now)
		return Outcome{}
	}
	s.refused++
	opens := now.Truncate(s.period).Add(s.period)
	if s.sliding && len(s.taken) > 0 {
		opens = s.taken[0].Add(s.period)
	}
	if s.block > 0 {
		if !now.Before(s.blocked) {
			s.blocked = now.Add(s.block)
		}
		opens = s.blocked
	}
	o := Outcome{Refused: true, Window: s.named}
	if s.tell {
		o.RetryAfter = (opens.Sub(now) + time.Second - 1).Truncate(time.Second)
	}
	return o
}

// setQuota changes the quota after d.
func (s *quotaServer) setQuota(d time.Duration, quota int) {
	time.Sleep(d)
	s.mu.Lock()
	s.quota = quota
	s.mu.Unlock()
}

// attempts is how often a caller tries a call.
const attempts = 6

// send makes one call through the pacer as a client would and reports whether it was taken.
func send(p Pacer, key string, s *quotaServer) bool {
	for range attempts {
		done, err := p.Admit(context.Background(), key, Normal)
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

// storm makes n calls from so many goroutines, 50 ms after a natural second and minute began. It returns
// how many were taken and how long it took.
func storm(p Pacer, key string, s *quotaServer, goroutines, n int) (int, time.Duration) {
	var next, taken atomic.Int64
	begin := time.Now()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				if send(p, key, s) {
					taken.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return int(taken.Load()), time.Since(begin)
}

// pacer is a paceSet with its barriers.
type pacer struct {
	barriers barrierSet
	paces    paceSet
}

func (p *pacer) Admit(ctx context.Context, key string, pr Priority) (func(Outcome), error) {
	return p.paces.admit(ctx, &p.barriers, key, pr)
}

func TestStorm(t *testing.T) {
	const second, minute = time.Second, time.Minute
	ms := func(n int) [2]time.Duration {
		return [2]time.Duration{time.Duration(n) * 9 / 10 * time.Millisecond, time.Duration(n) * 11 / 10 * time.Millisecond}
	}
	type change struct {
		after time.Duration
		quota int
	}
	for _, tt := range []struct {
		name       string
		goroutines int
		calls      int
		server     *quotaServer
		change     change
		requests   int           // at most
		wall       time.Duration // at most
	}{
		{"20 a second, 200 at once", 200, 200, &quotaServer{quota: 20, period: second, tell: true}, change{}, 225, 11250 * time.Millisecond},
		{"5 a second, 20 at once", 20, 20, &quotaServer{quota: 5, period: second, tell: true}, change{}, 25, 5 * second},
		{"100 a second, 1000 from 500", 500, 1000, &quotaServer{quota: 100, period: second, tell: true}, change{}, 1100, 11250 * time.Millisecond},
		{"20 a second, 2000", 200, 2000, &quotaServer{quota: 20, period: second, tell: true}, change{}, 2100, 120 * second},
		{"300 a natural minute", 500, 1000, &quotaServer{quota: 300, period: minute, tell: true}, change{}, 1100, 225 * second},
		{"300 a natural minute, window named", 500, 1000, &quotaServer{quota: 300, period: minute, named: minute}, change{}, 1100, 225 * second},
		{"300 a natural minute, nothing told", 500, 1000, &quotaServer{quota: 300, period: minute}, change{}, 1100, 300 * second},
		{"20 a sliding second", 200, 200, &quotaServer{quota: 20, period: second, sliding: true, tell: true}, change{}, 225, 11250 * time.Millisecond},
		{"300 a sliding minute", 500, 1000, &quotaServer{quota: 300, period: minute, sliding: true, tell: true}, change{}, 1100, 225 * second},
		{"300 a sliding minute, nothing told", 500, 1000, &quotaServer{quota: 300, period: minute, sliding: true}, change{}, 1100, 300 * second},
		{"20 a second, window named", 200, 200, &quotaServer{quota: 20, period: second, named: second}, change{}, 225, 11250 * time.Millisecond},
		{"20 a second, nothing told", 200, 200, &quotaServer{quota: 20, period: second}, change{}, 225, 11250 * time.Millisecond},
		{"300 a minute, blocked for 60 s", 500, 1000, &quotaServer{quota: 300, period: minute, named: minute, block: minute}, change{}, 1100, 260 * second},
		{"20 a second, halved", 200, 400, &quotaServer{quota: 20, period: second, tell: true}, change{10 * second, 10}, 440, 40 * second},
		{"20 a second, doubled", 200, 2000, &quotaServer{quota: 20, period: second, tell: true}, change{10 * second, 40}, 2200, 80 * second},
		{"5 in flight", 200, 2000, &quotaServer{flying: 5}, change{}, 2050, 5 * second},
		{"20 a second, 50 ms away", 200, 200, &quotaServer{quota: 20, period: second, tell: true, latency: ms(50)}, change{}, 225, 11250 * time.Millisecond},
		{"20 a second, 300 ms away", 200, 200, &quotaServer{quota: 20, period: second, tell: true, latency: ms(300)}, change{}, 250, 13 * second},
		{"10 s windows", 200, 1000, &quotaServer{quota: 100, period: 10 * second, tell: true}, change{}, 1100, 125 * second},
		{"2 s windows", 200, 400, &quotaServer{quota: 20, period: 2 * second, tell: true}, change{}, 500, 55 * second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(50 * time.Millisecond)
				s := tt.server
				if tt.change.after > 0 {
					go s.setQuota(tt.change.after, tt.change.quota)
				}
				taken, wall := storm(&pacer{}, "a", s, tt.goroutines, tt.calls)
				t.Logf("%d done, %d requests, %v", taken, s.requests, wall.Round(time.Millisecond))
				if taken != tt.calls {
					t.Errorf("%d calls done, want all %d", taken, tt.calls)
				}
				if s.requests > tt.requests {
					t.Errorf("%d requests, want at most %d", s.requests, tt.requests)
				}
				if wall > tt.wall {
					t.Errorf("took %v, want at most %v", wall, tt.wall)
				}
			})
		})
	}
}

var _ = fmt.Sprint

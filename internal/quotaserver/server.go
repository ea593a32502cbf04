// Package quotaserver simulates servers with quotas, to see how well a ratelimit.Pacer gets along with them.
package quotaserver

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed175cf469/wechat/ratelimit"
)

// Server takes Quota calls in each Period and refuses the rest, in the time of a synctest bubble.
type Server struct {
	Quota   int           // 0: any number
	Period  time.Duration // begins with the natural second or minute
	Sliding bool          // not so: it is any period
	Tell    bool          // a refusal has a Retry-After, in whole seconds, rounded up
	Named   time.Duration // a refusal names this window
	Block   time.Duration // after a refusal everything is refused for so long
	Flying  int           // calls in flight; 0: any number
	Latency time.Duration // give or take a tenth; 0: 1 to 5 ms

	mu       sync.Mutex
	taken    []time.Time // calls of the current period
	blocked  time.Time
	inFlight int
	Requests int
	Refused  int
}

// call makes one request.
func (s *Server) call() ratelimit.Outcome {
	trip := time.Millisecond + rand.N(4*time.Millisecond)
	if s.Latency > 0 {
		trip = s.Latency*9/10 + rand.N(s.Latency/5)
	}
	time.Sleep(trip / 2)
	o := s.arrive()
	time.Sleep(trip / 2)
	if s.Flying > 0 && !o.Concurrency {
		s.mu.Lock()
		s.inFlight--
		s.mu.Unlock()
	}
	return o
}

func (s *Server) arrive() ratelimit.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Requests++
	if s.Flying > 0 {
		if s.inFlight >= s.Flying {
			s.Refused++
			return ratelimit.Outcome{Refused: true, Concurrency: true}
		}
		s.inFlight++
	}
	if s.Quota == 0 {
		return ratelimit.Outcome{}
	}
	now := time.Now()
	start := now.Truncate(s.Period)
	if s.Sliding {
		start = now.Add(-s.Period + 1)
	}
	for len(s.taken) > 0 && s.taken[0].Before(start) {
		s.taken = s.taken[1:]
	}
	if len(s.taken) < s.Quota && !now.Before(s.blocked) {
		s.taken = append(s.taken, now)
		return ratelimit.Outcome{}
	}
	s.Refused++
	opens := start.Add(s.Period)
	if s.Sliding {
		opens = s.taken[0].Add(s.Period)
	}
	if s.Block > 0 {
		if !now.Before(s.blocked) {
			s.blocked = now.Add(s.Block)
		}
		opens = s.blocked
	}
	o := ratelimit.Outcome{Refused: true, Window: s.Named}
	if s.Tell {
		o.RetryAfter = (opens.Sub(now) + time.Second - 1).Truncate(time.Second)
	}
	return o
}

// SetQuota changes the quota from now on.
func (s *Server) SetQuota(quota int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Quota = quota
}

// send makes one call as a client does that tries six times, and reports whether it was taken.
func (s *Server) send(p ratelimit.Pacer, key string) bool {
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

// Storm makes so many calls from so many goroutines, which are spread over the pacers: each of them is a process. It
// returns how many were taken and how long that took.
func (s *Server) Storm(key string, calls, goroutines int, pacers ...ratelimit.Pacer) (taken int, took time.Duration) {
	var begun, done atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range goroutines {
		wg.Go(func() {
			for begun.Add(1) <= int64(calls) {
				if s.send(pacers[i%len(pacers)], key) {
					done.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return int(done.Load()), time.Since(begin)
}

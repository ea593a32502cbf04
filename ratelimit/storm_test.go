package ratelimit_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat/internal/quotaserver"
	"github.com/seed175cf469/wechat/ratelimit"
)

// check holds the outcome of a storm against its bounds.
func check(t *testing.T, s *quotaserver.Server, taken, calls, maxRequests int, wall, maxWall time.Duration) {
	t.Helper()
	t.Logf("%d of %d done, %d requests, %v", taken, calls, s.Requests, wall.Round(time.Millisecond))
	if taken != calls {
		t.Errorf("%d calls done, want all %d", taken, calls)
	}
	if s.Requests > maxRequests {
		t.Errorf("%d requests, want at most %d", s.Requests, maxRequests)
	}
	if wall > maxWall {
		t.Errorf("took %v, want at most %v", wall, maxWall)
	}
}

func TestStorm(t *testing.T) {
	for _, tt := range quotaserver.Scenarios() {
		t.Run(tt.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(tt.Start)
				if tt.Change > 0 {
					time.AfterFunc(tt.Change, func() { tt.Server.SetQuota(tt.Changed) })
				}
				taken, wall := tt.Server.Storm("a", tt.Calls, tt.Goroutines, new(ratelimit.Local))
				check(t, tt.Server, taken, tt.Calls, tt.Requests, wall, tt.Wall)
			})
		})
	}
}

// Two endpoints of an app have quotas of their own.
func TestStormEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(50 * time.Millisecond)
		l := new(ratelimit.Local)
		slow := &quotaserver.Server{Quota: 5, Period: time.Second, Tell: true}
		fast := &quotaserver.Server{Quota: 100, Period: time.Second, Tell: true}
		var wg sync.WaitGroup
		wg.Go(func() {
			taken, wall := slow.Storm("slow", 50, 50, l)
			check(t, slow, taken, 50, 58, wall, 11250*time.Millisecond)
		})
		wg.Go(func() {
			taken, wall := fast.Storm("fast", 1000, 500, l)
			check(t, fast, taken, 1000, 1050, wall, 11250*time.Millisecond)
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
			s := &quotaserver.Server{Quota: quota, Period: time.Second, Tell: true}
			var taken atomic.Int64
			var wg sync.WaitGroup
			begin := time.Now()
			for range processes {
				wg.Go(func() {
					n, _ := s.Storm("a", calls/processes, calls/processes, new(ratelimit.Local))
					taken.Add(int64(n))
				})
			}
			wg.Wait()
			wall := time.Since(begin)
			t.Logf("%10d %10d %10d %10d %10d %10v", processes, calls, taken.Load(), s.Requests, s.Refused, wall.Round(time.Millisecond))
			if taken.Load() != calls {
				t.Errorf("%d processes: %d calls done, want all %d", processes, taken.Load(), calls)
			}
			if s.Requests > calls*5/4 || wall > 20*time.Second {
				t.Errorf("%d processes: %d requests in %v, want at most %d in 20s", processes, s.Requests, wall, calls*5/4)
			}
		})
	}
}

// A server without a quota is at full speed after ten round trips, and stays there.
func TestStormWithoutQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const trip = 50 * time.Millisecond
		l := new(ratelimit.Local)
		s := &quotaserver.Server{Latency: trip}
		taken, wall := s.Storm("a", 1000, 1000, l)
		check(t, s, taken, 1000, 1000, wall, 10*trip)
		taken, wall = s.Storm("a", 1000, 1000, l)
		check(t, s, taken, 1000, 2000, wall, trip*5/2)
		time.Sleep(time.Hour)
		taken, wall = s.Storm("a", 1000, 1000, l)
		check(t, s, taken, 1000, 3000, wall, trip*5/2)
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
		s := new(quotaserver.Server)
		var wg sync.WaitGroup
		hang(l, &wg, 2)
		taken, wall := s.Storm("a", 1000, 1000, l)
		check(t, s, taken, 1000, 1000, wall, time.Second)

		done, err := l.Admit(context.Background(), "a", ratelimit.Normal)
		if err != nil {
			t.Fatal(err)
		}
		done(ratelimit.Outcome{Refused: true})
		hang(l, &wg, 2)
		taken, wall = s.Storm("a", 100, 100, l)
		check(t, s, taken, 100, 1100, wall, 2*time.Second)
		wg.Wait()
	})
}

// WeCom blocks what has exceeded an hour's quota for an hour, and does not say so: it passes for a minute.
func TestStormHourBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &quotaserver.Server{Quota: 500, Period: time.Hour, Named: time.Minute, Block: time.Hour}
		taken, wall := s.Storm("a", 600, 10, new(ratelimit.Local))
		check(t, s, taken, 600, 630, wall, 2*time.Hour)
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

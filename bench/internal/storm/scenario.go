package storm

import (
	"cmp"
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed175cf469/wechat/officialaccount"
)

// early is when a run starts after a natural second began.
const early = 50 * time.Millisecond

// Scenario is a number of calls to a server that takes Quota of them in each natural second.
type Scenario struct {
	Name                     string
	Quota, Calls, Goroutines int
}

// Scenarios are all scenarios, the smallest first.
func Scenarios() []Scenario {
	return []Scenario{
		{"20 calls one after another, 5 a second", 5, 20, 1},
		{"20 calls at once, 5 a second", 5, 20, 20},
		{"200 calls at once, 20 a second", 20, 200, 200},
		{"1,000 calls from 500 goroutines, 100 a second", 100, 1000, 500},
	}
}

// Need is how long the quota makes all calls take, where the first second is used from its start.
func (s Scenario) Need() time.Duration {
	return time.Duration((s.Calls-1)/s.Quota) * time.Second
}

// Result is what became of a scenario.
type Result struct {
	Done, Requests, Refused int
	Wall                    time.Duration
	Seconds                 []Second // what the server saw
}

// Run carries out s with a new client of the kind c.
func (s Scenario) Run(ctx context.Context, c Client) Result {
	srv := &server{quota: s.Quota}
	http := httptest.NewServer(srv)
	defer http.Close()
	send := c.make(s, http.URL)

	time.Sleep(time.Until(time.Now().Add(-early).Truncate(time.Second).Add(time.Second + early)))
	began := time.Now()
	r := Result{Done: Spread(s.Calls, s.Goroutines, func(i int) error { return send(ctx, Message(i)) })}
	r.Wall = time.Since(began)
	r.Seconds = srv.seconds
	for _, second := range r.Seconds {
		r.Refused += second.Refused
		r.Requests += second.Accepted + second.Refused
	}
	return r
}

// Spread makes calls from so many goroutines and returns how many of them had no error.
func Spread(calls, goroutines int, call func(i int) error) int {
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(calls); i = next.Add(1) {
				if call(int(i)) == nil {
					done.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return int(done.Load())
}

// Message is a template message to person i.
func Message(i int) *officialaccount.TemplateMessage {
	return &officialaccount.TemplateMessage{
		ToUser: OpenID(i), TemplateID: "ngqIpbwh8bUfcSsECmogfXcV14J0tQlEpBO27izEYtY", URL: "https://example.invalid/orders?id=1&from=wechat",
		Data: map[string]officialaccount.TemplateValue{
			"thing1": {Value: "龙井茶"}, "amount2": {Value: "¥39.80"}, "time3": {Value: "2026-01-01 12:00"}, "character_string4": {Value: "A0001"},
		},
	}
}

// OpenID is the openid of person i, of 28 characters.
func OpenID(i int) string { return fmt.Sprintf("o6_bmjrPTlm6_2sgVt7h%08x", uint32(i)*2654435761) }

// Median is the result with the median of each number, and the seconds of the run with the median number of requests.
func Median(results []Result) Result {
	middle := func(by func(a, b Result) int) Result {
		return slices.SortedFunc(slices.Values(results), by)[len(results)/2]
	}
	m := middle(func(a, b Result) int { return cmp.Compare(a.Requests, b.Requests) })
	m.Done = middle(func(a, b Result) int { return cmp.Compare(a.Done, b.Done) }).Done
	m.Refused = middle(func(a, b Result) int { return cmp.Compare(a.Refused, b.Refused) }).Refused
	m.Wall = middle(func(a, b Result) int { return cmp.Compare(a.Wall, b.Wall) }).Wall
	return m
}

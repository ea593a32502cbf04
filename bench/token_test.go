package bench_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/bench/internal/storm"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
)

// latency of the platform, so that calls meet.
const latency = 20 * time.Millisecond

var app = wechat.App{ID: "wx0123456789abcdef", Secret: "secret"}

// sharers are the SDKs that share a token between goroutines.
var sharers = []struct {
	name string
	make func(*mock.Server) sender
}{
	{"wechat", func(s *mock.Server) sender { return sdk(s.Options()...) }},
	{"silenceper", func(s *mock.Server) sender { return bySilenceper(s.Transport()) }},
}

func newPlatform() *mock.Server {
	s := mock.NewServer(officialaccount.Endpoints()...)
	s.App(app)
	s.Fault("", mock.Fault{Delay: latency})
	return s
}

// fetches counts the calls for a token that have reached the platform.
func fetches(s *mock.Server) int {
	return len(s.Calls("GetStableAccessToken")) + len(s.Calls("GetAccessToken"))
}

// crowd makes calls at once and returns how many failed.
func crowd(calls int, s sender) int {
	return calls - storm.Spread(calls, calls, func(i int) error { return s(context.Background(), storm.Message(i)) })
}

// BenchmarkColdStart is 10,000 goroutines that call when there is no token yet.
func BenchmarkColdStart(b *testing.B) {
	const calls = 10_000
	for _, sharer := range sharers {
		b.Run(sharer.name, func(b *testing.B) {
			var fetched, failed int
			for b.Loop() {
				platform := newPlatform()
				failed += crowd(calls, sharer.make(platform))
				fetched += fetches(platform)
			}
			b.ReportMetric(float64(fetched)/float64(b.N), "fetches/op")
			b.ReportMetric(float64(failed)/float64(b.N), "failed/op")
		})
	}
}

// BenchmarkRevoked is 1,000 goroutines that call with a token that has been revoked, after 2,000 calls with a good one.
func BenchmarkRevoked(b *testing.B) {
	const calls = 1000
	for _, sharer := range sharers {
		b.Run(sharer.name, func(b *testing.B) {
			var fetched, failed, refused int
			for b.Loop() {
				platform := newPlatform()
				s := sharer.make(platform)
				crowd(calls, s)
				crowd(calls, s)
				before := fetches(platform)
				platform.RevokeTokens(app.ID)
				failed += crowd(calls, s)
				fetched += fetches(platform) - before
				for _, call := range platform.Calls("SendTemplateMessage") {
					if call.Code != 0 {
						refused++
					}
				}
			}
			b.ReportMetric(float64(fetched)/float64(b.N), "fetches/op")
			b.ReportMetric(float64(failed)/float64(b.N), "failed/op")
			b.ReportMetric(float64(refused)/float64(b.N), "refused/op")
		})
	}
}

// BenchmarkIdleApps is 10,000 apps on one client that have made a call each, and make no more.
func BenchmarkIdleApps(b *testing.B) {
	const apps = 10_000
	ids := make([]string, apps)
	for i := range ids {
		ids[i] = fmt.Sprintf("wx%016x", i)
	}
	var bytes, goroutines float64
	for b.Loop() {
		client := wechat.New(wechat.WithHTTPClient(&http.Client{Transport: memory()}))
		clients := make([]*officialaccount.Client, apps)
		warm := officialaccount.New(client, app)
		if _, err := warm.SendTemplateMessage(b.Context(), storm.Message(0)); err != nil {
			b.Fatal(err)
		}
		before, routines := heap(), runtime.NumGoroutine()
		for i := range clients {
			clients[i] = officialaccount.New(client, wechat.App{ID: ids[i], Secret: "secret"})
			if _, err := clients[i].SendTemplateMessage(b.Context(), storm.Message(i)); err != nil {
				b.Fatal(err)
			}
		}
		bytes += (heap() - before) / apps
		goroutines += float64(runtime.NumGoroutine() - routines)
		runtime.KeepAlive(clients)
	}
	b.ReportMetric(bytes/float64(b.N), "B/app")
	b.ReportMetric(goroutines/float64(b.N), "goroutines")
}

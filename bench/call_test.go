package bench_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/bench/internal/storm"
)

// openids are many of them in one piece, so that a benchmark measures what is done with one and not how it is found.
type openids string

const openidLen = 28

func newOpenids(n int) openids {
	var all strings.Builder
	for i := range n {
		all.WriteString(storm.OpenID(i))
	}
	return openids(all.String())
}

func (o openids) at(i int) string { return string(o[i*openidLen : (i+1)*openidLen]) }

// benchmarkSend sends one message an operation from each of so many goroutines, to people in turn. There are so many of
// them that nobody gets more than four in a minute, which is where this SDK would begin to wait.
func benchmarkSend(b *testing.B, goroutines int, newSender func() sender) {
	people := max(100_000, b.N/3)
	ids := newOpenids(people)
	s := newSender()
	if err := s(b.Context(), storm.Message(-1)); err != nil { // fetches the token
		b.Fatal(err)
	}
	var next atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			ctx, m := context.Background(), storm.Message(0)
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				m.ToUser = ids.at(int(n) % people)
				m.ClientMsgID = ""
				if err := s(ctx, m); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkCall is one template message with four values over a transport in memory.
func BenchmarkCall(b *testing.B) {
	for _, peer := range []struct {
		name string
		make func() sender
	}{
		{"wechat", func() sender { return sdk(wechat.WithHTTPClient(&http.Client{Transport: memory()})) }},
		{"resty-hooks", func() sender { return restyHooks(memory()) }},
		{"resty-documented", func() sender { return restyDocumented(memory()) }},
		{"net-http", func() sender { return byHand(&http.Client{Transport: memory()}, baseURL) }},
		{"silenceper", func() sender { return bySilenceper(memory()) }},
	} {
		b.Run(peer.name, func(b *testing.B) { benchmarkSend(b, 2, peer.make) })
	}
}

// BenchmarkLoopback is the same over HTTP, where the server takes its part of the processors too: from one goroutine,
// which waits for each reply, and from two, which keep two processors busy.
func BenchmarkLoopback(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json; encoding=utf-8")
		_, _ = io.WriteString(w, answer(r.URL.Path))
	}))
	b.Cleanup(srv.Close)
	for _, peer := range []struct {
		name string
		make func() sender
	}{
		{"wechat", func() sender { return sdk(wechat.WithBaseURL("officialaccount", srv.URL)) }},
		{"net-http", func() sender {
			return byHand(&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}, srv.URL)
		}},
	} {
		b.Run("alone/"+peer.name, func(b *testing.B) { benchmarkSend(b, 1, peer.make) })
		b.Run("together/"+peer.name, func(b *testing.B) { benchmarkSend(b, 2, peer.make) })
	}
}

package bench_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/bench/internal/storm"
)

// openids returns n of them.
func openids(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = storm.OpenID(i)
	}
	return ids
}

// benchmarkSend sends one message an operation, to people in turn. There are so many of them that nobody gets more
// than four in a minute, which is where this SDK would begin to wait.
func benchmarkSend(b *testing.B, newSender func() sender) {
	ids := openids(max(100_000, b.N/3))
	s := newSender()
	if err := s(b.Context(), storm.Message(-1)); err != nil { // fetches the token
		b.Fatal(err)
	}
	var next atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		ctx, m := context.Background(), storm.Message(0)
		for pb.Next() {
			m.ToUser = ids[int(next.Add(1))%len(ids)]
			m.ClientMsgID = ""
			if err := s(ctx, m); err != nil {
				b.Error(err)
				return
			}
		}
	})
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
		b.Run(peer.name, func(b *testing.B) { benchmarkSend(b, peer.make) })
	}
}

// BenchmarkLoopback is the same over HTTP.
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
		b.Run(peer.name, func(b *testing.B) { benchmarkSend(b, peer.make) })
	}
}

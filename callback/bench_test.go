//go:build unix

package callback

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func benchRouter() *Router {
	var r Router
	On(&r, func(_ context.Context, m *Text) (Reply, error) { return TextReply{"You said " + m.Content}, nil })
	return &r
}

// pushes makes requests of messages that differ, signed and encrypted.
func pushes(b *testing.B, c Config, n int) (targets []string, bodies [][]byte) {
	for i := range n {
		r := sealed(b, c, fmt.Sprintf("<xml><ToUserName><![CDATA[gh_97417a04a28d]]></ToUserName><FromUserName><![CDATA[o9AgO5Kd5ggOC-bXrbNODIiE3bGY]]></FromUserName><CreateTime>1714112445</CreateTime><MsgType><![CDATA[text]]></MsgType><Content><![CDATA[hello, is anybody there?]]></Content><MsgId>%d</MsgId></xml>", i+1))
		body, _ := io.ReadAll(r.Body)
		targets, bodies = append(targets, r.URL.String()), append(bodies, body)
	}
	return targets, bodies
}

// BenchmarkPush is a push in secure mode with its encrypted answer, without HTTP.
func BenchmarkPush(b *testing.B) {
	c := secure(OfficialAccount)
	c.Window = -1
	h := newHandler(b, c, benchRouter().Receive)
	targets, bodies := pushes(b, c, 10_000)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		if i%len(targets) == 0 {
			h.config.Seen = NewMemorySeen() // so that none is a repeat
		}
		r := httptest.NewRequest(http.MethodPost, targets[i%len(targets)], bytes.NewReader(bodies[i%len(targets)]))
		if w := serve(h, r); w.Code != 200 || !strings.HasPrefix(w.Body.String(), "<xml><Encrypt>") {
			b.Fatalf("status %d", w.Code)
		}
	}
}

// BenchmarkRepeat is a push that was answered before.
func BenchmarkRepeat(b *testing.B) {
	c := secure(OfficialAccount)
	h := newHandler(b, c, benchRouter().Receive)
	targets, bodies := pushes(b, c, 1)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, targets[0], bytes.NewReader(bodies[0]))
		if w := serve(h, r); w.Code != 200 {
			b.Fatalf("status %d", w.Code)
		}
	}
}

// BenchmarkParse is the reading of a clear message.
func BenchmarkParse(b *testing.B) {
	body := XML(&Text{Header: Header{ToUserName: "gh_97417a04a28d", FromUserName: "o9AgO5Kd5ggOC-bXrbNODIiE3bGY"}, Content: "hello, is anybody there?"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(OfficialAccount, body); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPushRate offers 5,000 pushes a second for two seconds over loopback HTTP, secure mode, client and server on the
// same cores, and tells how many were answered in a second, how long the slowest hundredth took, and the processor time
// of a push on both sides: two cores have 400 us for each.
func BenchmarkPushRate(b *testing.B) {
	const rate, seconds, connections = 5000, 2, 64
	for b.Loop() {
		c := secure(OfficialAccount)
		h := newHandler(b, c, benchRouter().Receive)
		server := httptest.NewServer(h)
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
		targets, bodies := pushes(b, c, rate*seconds)
		took := make([]time.Duration, rate*seconds)
		var failed atomic.Int64
		var next atomic.Int64
		var wg sync.WaitGroup
		start, used := time.Now(), processorTime(b)
		for range connections {
			wg.Go(func() {
				for {
					i := int(next.Add(1)) - 1
					if i >= len(targets) {
						return
					}
					due := start.Add(time.Duration(i) * time.Second / rate)
					time.Sleep(time.Until(due))
					resp, err := client.Post(server.URL+targets[i], "text/xml", bytes.NewReader(bodies[i]))
					if err != nil {
						failed.Add(1)
						continue
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
					if resp.StatusCode != 200 {
						failed.Add(1)
					}
					took[i] = time.Since(due)
				}
			})
		}
		wg.Wait()
		elapsed := time.Since(start)
		client.CloseIdleConnections()
		server.Close()
		slices.Sort(took)
		b.ReportMetric(float64(len(targets))/elapsed.Seconds(), "pushes/s")
		b.ReportMetric(float64((processorTime(b)-used).Microseconds())/float64(len(targets)), "cpu-us/push")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(failed.Load()), "failed")
	}
}

// processorTime is what the process has used so far, on all cores.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

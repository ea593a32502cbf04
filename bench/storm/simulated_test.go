package main

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/bench/internal/storm"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/work"
)

const (
	sendTemplate = "SendTemplateMessage"
	sendMessage  = "SendMessage"
)

// errcode makes l refuse with HTTP 200 and an errcode.
func errcode(l mock.Limit, code wechat.Code, text string) mock.Limit {
	l.Refusal = func(time.Time) mock.Reply { return mock.Reply{Code: code, Message: text} }
	return l
}

// silent429 makes l refuse with HTTP 429 that does not tell when to come back.
func silent429(l mock.Limit) mock.Limit {
	l.Refusal = func(time.Time) mock.Reply { return mock.TooManyRequests(0) }
	return l
}

func perNaturalMinute(n int) mock.Limit {
	return mock.Limit{Rate: n, Window: time.Minute, Natural: true}
}

// TestSimulated runs this SDK, with nothing configured, into limits of other kinds than the command's. The platform
// is in memory and 2 to 6 ms away, the time is simulated. Calls that the limit lets wait longer than a minute are made
// with the policy for batches.
func TestSimulated(t *testing.T) {
	out := table.NewWriter()
	out.SetStyle(table.StyleLight)
	out.Style().Format.Header = 0
	out.AppendHeader(table.Row{"limit, and how it refuses", "calls", "goroutines", "done", "requests", "refused", "time", "time / need"})
	for _, tt := range []struct {
		name              string
		endpoint          string
		limit             mock.Limit
		calls, goroutines int
		need              time.Duration // what the limit alone makes it take; 0: nothing to speak of
		batch             bool
	}{
		{"20 a second, 429 with Retry-After", sendTemplate, mock.PerSecond(20).As429(), 200, 200, 9 * time.Second, false},
		{"20 a second, 429 with a date", sendTemplate, mock.PerSecond(20).As429Date(), 200, 200, 9 * time.Second, false},
		{"20 a second, 429 that tells nothing", sendTemplate, silent429(mock.PerSecond(20)), 200, 200, 9 * time.Second, false},
		{"20 a second, 45009 naming the second", sendTemplate,
			errcode(mock.PerSecond(20), 45009, "reach max api second frequence limit"), 200, 200, 9 * time.Second, false},
		{"300 a natural minute, 45011 naming the minute", sendTemplate,
			errcode(perNaturalMinute(300), 45011, "api minute-quota reach limit, must slower, retry next minute"), 1000, 500, 3 * time.Minute, true},
		{"300 a natural minute, 429 with Retry-After", sendTemplate, perNaturalMinute(300).As429(), 1000, 500, 3 * time.Minute, true},
		{"300 a natural minute, 429 that tells nothing", sendTemplate, silent429(perNaturalMinute(300)), 1000, 500, 3 * time.Minute, true},
		{"5 in flight on WeCom, 45033", sendMessage, mock.AtOnce(5), 2000, 200, 2000 / 5 * 4 * time.Millisecond, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				platform := mock.NewServer(append(officialaccount.Endpoints(), work.Endpoints()...)...)
				platform.Limit(tt.endpoint, tt.limit)
				for i := range 5 { // 2 to 6 ms, 4 ms on average
					platform.Fault(tt.endpoint, mock.Fault{Skip: i, Every: 5, Delay: time.Duration(2+i) * time.Millisecond})
				}
				options := platform.Options()
				if tt.batch {
					options = append(options, wechat.WithRetry(wechat.Batch()))
				}
				send := sender(tt.endpoint, wechat.New(options...))
				time.Sleep(50 * time.Millisecond) // into a natural second and minute
				began := time.Now()
				done := storm.Spread(tt.calls, tt.goroutines, func(i int) error { return send(t.Context(), i) })
				wall := time.Since(began)
				requests, refused := 0, 0
				for _, c := range platform.Calls(tt.endpoint) {
					requests++
					if c.Code != 0 || c.Status != 200 {
						refused++
					}
				}
				out.AppendRow(table.Row{tt.name, tt.calls, tt.goroutines, done, requests, refused,
					fmt.Sprintf("%.2f s", wall.Seconds()), fmt.Sprintf("%.2f", wall.Seconds()/tt.need.Seconds())})
				if done != tt.calls {
					t.Errorf("%d of %d calls done", done, tt.calls)
				}
			})
		})
	}
	t.Logf("\n%s", out.RenderMarkdown())
}

func sender(endpoint string, c *wechat.Client) func(ctx context.Context, i int) error {
	if endpoint == sendMessage {
		w := work.New(c, wechat.App{ID: "ww0123456789abcdef", Secret: "secret", AgentID: 1})
		return func(ctx context.Context, i int) error {
			_, err := w.SendMessage(ctx, work.TextMessage(fmt.Sprintf("member%d", i), "hello"))
			return err
		}
	}
	oa := officialaccount.New(c, wechat.App{ID: "wx0123456789abcdef", Secret: "secret"})
	return func(ctx context.Context, i int) error {
		_, err := oa.SendTemplateMessage(ctx, storm.Message(i))
		return err
	}
}

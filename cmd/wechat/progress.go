package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/outbox"
)

// progressEvery is the time between two drawings.
const progressEvery = 200 * time.Millisecond

// bar draws how far a list has come on one line of a terminal. The nil bar draws nothing.
type bar struct {
	w     io.Writer
	width func() int
	color bool
	total int64 // 0: not known
	began time.Time
	drawn time.Time
	since []mark // of the last seconds, for the rate
}

// mark is how many rows had ended at a time.
type mark struct {
	at   time.Time
	rows int64
}

// newBar returns a bar for w where that is a terminal, and else nil.
func newBar(w io.Writer, total int64) *bar {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	width := func() int {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
		return 80
	}
	return &bar{w: w, width: width, total: total, began: time.Now(), color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// update draws p, unless the last drawing is fresh.
func (b *bar) update(p outbox.Progress) {
	now := time.Now()
	if b == nil || now.Sub(b.drawn) < progressEvery && p.Waiting.IsZero() {
		return
	}
	b.drawn = now
	_, _ = io.WriteString(b.w, "\r"+b.line(p, now)+"\x1b[K") // a terminal that has gone stops nothing
}

// end draws p for good.
func (b *bar) end(p outbox.Progress) {
	if b == nil {
		return
	}
	b.drawn = time.Time{}
	b.update(p)
	_, _ = io.WriteString(b.w, "\n") // as above
}

// line is what is drawn.
func (b *bar) line(p outbox.Progress, now time.Time) string {
	rows := p.Rows()
	rate := b.rate(rows, now)
	text := fmt.Sprintf("%d rows", rows)
	if b.total > 0 {
		text = fmt.Sprintf("%d/%d  %3d%%", rows, b.total, rows*100/b.total)
	}
	text += fmt.Sprintf("  %.0f/s", rate)
	switch {
	case !p.Waiting.IsZero():
		text += "  waits for quota until " + p.Waiting.Format("Jan 2 15:04")
	case b.total > rows && rate > 0:
		text += "  ETA " + time.Duration(float64(b.total-rows)/rate*float64(time.Second)).Round(time.Second).String()
	case b.total > 0 && rows >= b.total:
		text += "  in " + now.Sub(b.began).Round(100*time.Millisecond).String()
	}
	if bad := fmt.Sprintf("  %d refused", p.Refused); p.Refused > 0 {
		text += b.paint("31", bad)
	} else {
		text += bad
	}
	if p.Unknown > 0 {
		text += b.paint("33", fmt.Sprintf("  %d unknown", p.Unknown))
	}
	room := b.width() - len(text) - 4
	if b.total <= 0 || room < 8 {
		return text
	}
	room = min(room, 30)
	full := int(int64(room) * rows / b.total)
	return "[" + b.paint("32", strings.Repeat("=", full)) + strings.Repeat(" ", room-full) + "] " + text
}

// rate is the number of rows a second, over the last seconds.
func (b *bar) rate(rows int64, now time.Time) float64 {
	b.since = append(b.since, mark{now, rows})
	for len(b.since) > 2 && now.Sub(b.since[0].at) > 5*time.Second {
		b.since = b.since[1:]
	}
	first := b.since[0]
	if len(b.since) == 1 {
		first = mark{at: b.began}
	}
	if d := now.Sub(first.at).Seconds(); d > 0 {
		return float64(rows-first.rows) / d
	}
	return 0
}

// paint colours a text, unless that is not wanted.
func (b *bar) paint(color, text string) string {
	if !b.color || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// counter counts the requests of an endpoint.
type counter struct {
	endpoint            string
	attempts, throttled atomic.Int64
}

func (c *counter) observe(_ context.Context, e wechat.Event) {
	if e.Type != wechat.EventAttempt || e.Call.Spec.Name != c.endpoint {
		return
	}
	c.attempts.Add(1)
	if e.Kind == wechat.ErrRateLimited {
		c.throttled.Add(1)
	}
}

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/seed175cf469/wechat/outbox"
)

func TestBarLine(t *testing.T) {
	began := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		total int64
		width int
		after time.Duration
		p     outbox.Progress
		want  string
	}{
		{"half", 1000, 80, 5 * time.Second, outbox.Progress{Sent: 490, Refused: 10}, "[===============               ] 500/1000   50%  100/s  ETA 5s  10 refused"},
		{"end", 1000, 80, 10 * time.Second, outbox.Progress{Sent: 1000}, "[==============================] 1000/1000  100%  100/s  in 10s  0 refused"},
		{"narrow", 1000, 40, 5 * time.Second, outbox.Progress{Sent: 500}, "500/1000   50%  100/s  ETA 5s  0 refused"},
		{"no total", 0, 80, 2 * time.Second, outbox.Progress{Sent: 30, Unknown: 2}, "32 rows  16/s  0 refused  2 unknown"},
		{"quota", 100, 80, time.Second, outbox.Progress{Sent: 50, Waiting: began.Add(8 * time.Hour)}, "50/100   50%  50/s  waits for quota until Dec 1 16:00  0 refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &bar{width: func() int { return tt.width }, total: tt.total, began: began}
			if got := b.line(tt.p, began.Add(tt.after)); got != tt.want && !strings.HasSuffix(got, "] "+tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestBarColor(t *testing.T) {
	b := &bar{width: func() int { return 80 }, total: 10, began: time.Now(), color: true}
	if line := b.line(outbox.Progress{Sent: 5, Refused: 1}, time.Now()); !strings.Contains(line, "\x1b[31m") {
		t.Errorf("got %q", line)
	}
	if newBar(new(strings.Builder), 10) != nil {
		t.Error("a bar for what is no terminal")
	}
	var none *bar
	none.update(outbox.Progress{})
	none.end(outbox.Progress{})
}

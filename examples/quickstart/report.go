package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/seed175cf469/wechat"
)

// outcome is what became of a row.
type outcome string

const (
	sent    outcome = "sent"
	refused outcome = "refused" // the platform did not take it: the person cannot be reached, a quota is used up
	invalid outcome = "invalid" // the row can never be sent
	unknown outcome = "unknown" // it may have arrived

	notTried outcome = "not tried" // the program was interrupted first
)

// outcomeOf tells what an error means for a row.
func outcomeOf(err error) outcome {
	switch {
	case err == nil:
		return sent
	case errors.Is(err, wechat.ErrOutcomeUnknown):
		return unknown
	case errors.Is(err, wechat.ErrInvalidRequest):
		return invalid
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return notTried
	}
	return refused
}

// report counts what became of the rows, and by observing the client what it took.
type report struct {
	requests, throttled, repeated, tokens atomic.Int64

	mu      sync.Mutex
	rows    map[outcome]int
	reasons map[string]int
}

func newReport() *report { return &report{rows: map[outcome]int{}, reasons: map[string]int{}} }

// observe counts the events of the template messages, and tokens.
func (r *report) observe(_ context.Context, e wechat.Event) {
	if e.Type == wechat.EventTokenRefresh && e.Err == nil {
		r.tokens.Add(1)
	}
	if e.Call == nil || e.Call.Spec.Name != "SendTemplateMessage" {
		return
	}
	switch e.Type {
	case wechat.EventAttempt:
		r.requests.Add(1)
	case wechat.EventThrottled:
		r.throttled.Add(1)
	case wechat.EventRetry:
		r.repeated.Add(1)
	default:
	}
}

func (r *report) add(err error) {
	reason := ""
	var e *wechat.Error
	if errors.As(err, &e) {
		reason = fmt.Sprintf("%v", e.Kind)
		if e.Code != 0 {
			reason = fmt.Sprintf("%v (%d)", e.Kind, int(e.Code))
		}
	} else if err != nil {
		reason = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	o := outcomeOf(err)
	r.rows[o]++
	if o != sent {
		r.reasons[string(o)+": "+reason]++
	}
}

// print writes the table and the last line.
func (r *report) print(w io.Writer, rows, duplicates int, took time.Duration) {
	tried := r.rows[sent] + r.rows[refused] + r.rows[invalid] + r.rows[unknown]
	r.rows[notTried] = rows - tried
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"what", "how many"})
	t.AppendRow(table.Row{"rows", rows})
	for _, o := range []outcome{sent, refused, invalid, unknown} {
		t.AppendRow(table.Row{o, r.rows[o]})
	}
	if r.rows[notTried] > 0 {
		t.AppendRow(table.Row{notTried, r.rows[notTried]})
	}
	t.AppendRow(table.Row{"delivered twice", duplicates})
	t.AppendSeparator()
	for _, line := range sortedByCount(r.reasons) {
		t.AppendRow(table.Row{line, r.reasons[line]})
	}
	t.AppendSeparator()
	t.AppendRow(table.Row{"requests", r.requests.Load()})
	t.AppendRow(table.Row{"requests refused for rate", r.throttled.Load()})
	t.AppendRow(table.Row{"requests repeated", r.repeated.Load()})
	t.AppendRow(table.Row{"tokens fetched", r.tokens.Load()})
	t.AppendRow(table.Row{"time", took.Round(10 * time.Millisecond)})
	t.Render()
	_, _ = fmt.Fprintf(w, "sent=%d refused=%d invalid=%d unknown=%d duplicates=%d requests=%d throttled=%d tokens=%d\n",
		r.rows[sent], r.rows[refused], r.rows[invalid], r.rows[unknown], duplicates,
		r.requests.Load(), r.throttled.Load(), r.tokens.Load())
}

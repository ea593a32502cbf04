package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// figures are what was measured.
type figures struct {
	settings
	limiter limiterCost
	cold    time.Duration // the cold start
	fetches int           // of tokens in it
	began   time.Time     // of the sending
	took    time.Duration // until nothing was left but what the killed worker had under way
	killed  int           // which worker; 0: none
	piles   piles
	view    view
}

// quotaTime is how long the quota alone makes it take: it is full at the beginning of each second.
func (f *figures) quotaTime() time.Duration {
	return time.Duration((f.sends-1)/f.quota) * time.Second
}

// print writes the table and the last line.
func (f *figures) print(w io.Writer) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"what", "to reach", "measured"})
	t.AppendRows(f.goals())
	t.AppendSeparator()
	t.AppendRows(f.outcome())
	t.AppendSeparator()
	t.AppendRows(f.server())
	t.Render()
	v := &f.view
	_, _ = fmt.Fprintf(w, "sent=%d refused=%d unknown=%d lost=%d duplicates=%d requests=%d throttled=%d tokens=%d killed=%d seconds=%.1f\n",
		f.piles.sent, f.piles.refused, len(f.piles.unknown), v.lost, v.twice, v.requests, v.throttled, v.tokens, min(f.killed, 1), f.took.Seconds())
}

// goals are the rows that have a figure to reach.
func (f *figures) goals() []table.Row {
	requests, longest := f.sends*115/100, max(f.quotaTime()*5/4, time.Second) // what the project has set itself as its aim
	micro := func(d time.Duration) string { return fmt.Sprintf("%.0f us", float64(d)/float64(time.Microsecond)) }
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	return []table.Row{
		goal(fmt.Sprintf("%d processes, one Redis, %d goroutines each, cold", f.workers, rushers), "1 token fetch",
			fmt.Sprintf("%d, all done in %s", f.fetches, seconds(f.cold)), f.fetches == 1),
		goal("Redis limiter, 3 demands", "1 round trip",
			fmt.Sprintf("%.3g; %s, PING %s", f.limiter.roundTrips, micro(f.limiter.allow), micro(f.limiter.ping)), f.limiter.roundTrips < 1.01),
		goal(fmt.Sprintf("%d processes, quota of %d/s not known: requests", f.workers, f.quota), fmt.Sprintf("at most %d", requests),
			strconv.Itoa(f.view.requests), f.view.requests <= requests),
		goal("the same: time; the quota needs "+seconds(f.quotaTime()), "at most "+seconds(longest), seconds(f.took), f.took <= longest),
		goal("lost", "0", strconv.Itoa(f.view.lost), f.view.lost == 0),
		goal("sent twice", "0", strconv.Itoa(f.view.twice), f.view.twice == 0),
	}
}

func goal(what, want, got string, reached bool) table.Row {
	if !reached {
		got += " (missed)"
	}
	return table.Row{what, want, got}
}

// outcome is what the queue knows.
func (f *figures) outcome() []table.Row {
	return []table.Row{
		{"messages", "", f.sends},
		{"sent", "", f.piles.sent},
		{"refused, the person does not follow", "", f.piles.refused},
		{"unknown, parked", "", fmt.Sprintf("%d, of which %d arrived", len(f.piles.unknown), f.view.unknownDelivered)},
	}
}

// server is what the platform has seen.
func (f *figures) server() []table.Row {
	v := &f.view
	rows := []table.Row{
		{"the platform saw: requests", "", v.requests},
		{"refused for rate", "", v.throttled},
		{"delivered", "", v.delivered},
		{"delivered again", "", v.twice},
		{"tokens issued", "", v.tokens},
		{"requests in each second", "", sparkline(v.perSecond)},
	}
	for i := range f.workers + min(f.killed, 1) {
		fate := ""
		if i+1 == f.killed {
			fate = ", then killed"
		}
		rows = append(rows, table.Row{fmt.Sprintf("delivered by worker %d", i+1), "", fmt.Sprintf("%d%s", v.byWorker[strconv.Itoa(i+1)], fate)})
	}
	return rows
}

// sparkline draws numbers as bars, the largest of full height.
func sparkline(numbers []int) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, n := range numbers {
		b.WriteRune(bars[n*(len(bars)-1)/max(1, slices.Max(numbers))])
	}
	return b.String()
}

// verdict is an error if a message was lost or sent twice.
func (f *figures) verdict() error {
	v := &f.view
	switch {
	case v.lost > 0 || v.twice > 0:
		return fmt.Errorf("%d messages were lost and %d were sent twice", v.lost, v.twice)
	case f.piles.all() != f.sends:
		return fmt.Errorf("%d of %d messages are in a pile", f.piles.all(), f.sends)
	case f.piles.sent+v.unknownDelivered != v.delivered:
		return fmt.Errorf("%d messages are said to be sent, and the platform has delivered %d", f.piles.sent+v.unknownDelivered, v.delivered)
	}
	return nil
}

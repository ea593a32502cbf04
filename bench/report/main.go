// Report runs the benchmarks and the storms and prints one table in Markdown: what this SDK reaches, what others reach
// in the same runs, and what it is to reach. Times are those of the fastest run, as other work on the machine only ever
// makes them longer; all else is the median of the runs.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"golang.org/x/perf/benchfmt"

	"github.com/seed175cf469/wechat/bench/internal/storm"
)

func main() {
	runs := flag.Int("runs", 5, "runs")
	storms := flag.Bool("storm", true, "run the storms too, half a minute a run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, max(*runs, 1), *storms); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, runs int, storms bool) error {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"what", "this SDK", "beside", "ratio", "to reach"})
	if storms {
		rows, err := stormRows(ctx, runs)
		if err != nil {
			return err
		}
		t.AppendRows(rows)
	}
	all := make([]figures, runs)
	for i := range all {
		var err error
		if all[i], err = benchmarks(ctx); err != nil {
			return err
		}
	}
	for _, l := range lines {
		row, err := l.row(all)
		if err != nil {
			return err
		}
		t.AppendRow(row)
	}
	fmt.Println(t.RenderMarkdown())
	return nil
}

// goal is "reached" or not, beside what was to be reached.
func goal(text string, reached bool) string {
	if reached {
		return text
	}
	return text + " **(missed)**"
}

// stormRows are the storms that have a goal.
func stormRows(ctx context.Context, runs int) ([]table.Row, error) {
	clients := map[string]storm.Client{}
	for _, c := range storm.Clients() {
		clients[c.Name] = c
	}
	const other = "resty, Retry-After by hand"
	var rows []table.Row
	for _, s := range storm.Scenarios() {
		if s.Goroutines != s.Calls { // not at once
			continue
		}
		results := map[string]storm.Result{}
		for _, name := range []string{other, storm.Learned, storm.Configured} {
			list := make([]storm.Result, runs)
			for i := range list {
				list[i] = s.Run(ctx, clients[name])
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			results[name] = storm.Median(list)
		}
		for _, g := range []struct {
			client   string
			requests int
			wall     float64 // of what the quota needs; 0: no goal
		}{
			{storm.Learned, map[int]int{20: 28, 200: 250}[s.Calls], map[int]float64{200: 1.25}[s.Calls]},
			{storm.Configured, map[int]int{20: 20, 200: 204}[s.Calls], 0},
		} {
			r := results[g.client]
			wall := r.Wall.Seconds() / s.Need().Seconds()
			text := fmt.Sprintf("all done, at most %d requests", g.requests)
			if g.wall > 0 {
				text += fmt.Sprintf(", %.2f of the time that the quota needs", g.wall)
			}
			rows = append(rows, table.Row{
				s.Name + "; " + strings.TrimPrefix(g.client, "this SDK, "), describe(s, r), other + ": " + describe(s, results[other]),
				fmt.Sprintf("%.2f of the time needed", wall),
				goal(text, r.Done == s.Calls && r.Requests <= g.requests && (g.wall == 0 || wall <= g.wall)),
			})
		}
	}
	return rows, nil
}

func describe(s storm.Scenario, r storm.Result) string {
	return fmt.Sprintf("%d of %d done, %d requests, %.1f s", r.Done, s.Calls, r.Requests, r.Wall.Seconds())
}

// figures are what one run of the benchmarks measured, by benchmark and unit.
type figures map[string]map[string]float64

// benchmarks runs all benchmarks once, each for a short time, so that what is compared is measured close together.
func benchmarks(ctx context.Context) (figures, error) {
	const module = "github.com/seed175cf469/wechat"
	all := figures{}
	for _, args := range [][]string{{"-bench=.", module + "/bench"}, {"-bench=^BenchmarkToken$", module}} {
		cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-run=^$", "-cpu=2", "-benchtime=300ms"}, args...)...) //nolint:gosec // a constant command
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, os.Stderr), os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%v: %w", cmd, err)
		}
		reader := benchfmt.NewReader(&out, "")
		for reader.Scan() {
			r, ok := reader.Result().(*benchfmt.Result)
			if !ok {
				continue // units and lines that are no results
			}
			values := map[string]float64{}
			for _, v := range r.Values {
				values[v.Unit] = v.Value
			}
			all[strings.TrimSuffix(r.Name.String(), "-2")] = values
		}
		if err := reader.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// line is a line of the table.
type line struct {
	what, ours string
	unit       string
	beside     []string // the smallest of them counts
	most       float64  // that is to be reached; negative: nothing
	ratio      bool     // most is of what is beside
}

const none = -1

var lines = []line{
	{"a template message, transport in memory", "Call/wechat", "sec/op", []string{"Call/resty-hooks"}, 1.25, true},
	{"the same, allocations", "Call/wechat", "allocs/op", []string{"Call/resty-hooks"}, 78, false},
	{"the same, bytes", "Call/wechat", "B/op", []string{"Call/resty-hooks"}, none, false},
	{"the same, beside resty as documented", "Call/wechat", "sec/op", []string{"Call/resty-documented"}, none, false},
	{"the same, beside net/http by hand", "Call/wechat", "sec/op", []string{"Call/net-http"}, none, false},
	{"the same, beside silenceper/wechat", "Call/wechat", "sec/op", []string{"Call/silenceper"}, none, false},
	{"a template message over loopback HTTP, one goroutine", "Loopback/alone/wechat", "sec/op", []string{"Loopback/alone/net-http"}, 1.10, true},
	{"the same, two goroutines", "Loopback/together/wechat", "sec/op", []string{"Loopback/together/net-http"}, none, false},
	{"window of 4 a minute, a million openids", "Recipients/wechat", "sec/op",
		[]string{"Recipients/go-cache", "Recipients/x-time-rate", "Recipients/time-stamps"}, 0.5, true},
	{"the same, heap an openid", "Recipients/wechat", "B/openid",
		[]string{"Recipients/time-stamps", "Recipients/x-time-rate", "Recipients/go-cache"}, 48, false},
	{"a token from memory", "Token/wechat", "sec/op", []string{"Token/go-cache"}, 100e-9, false},
	{"the same, allocations", "Token/wechat", "allocs/op", []string{"Token/go-cache"}, 0, false},
	{"the gate before a call, nothing refused", "Gate/alone", "sec/op", nil, 100e-9, false},
	{"the same, two goroutines", "Gate/together", "sec/op", nil, none, false},
	{"the same, allocations", "Gate/alone", "allocs/op", nil, 0, false},
	{"10,000 goroutines without a token: fetches", "ColdStart/wechat", "fetches/op", []string{"ColdStart/silenceper"}, 1, false},
	{"the same, calls that failed", "ColdStart/wechat", "failed/op", []string{"ColdStart/silenceper"}, 0, false},
	{"1,000 goroutines, token revoked: fetches", "Revoked/wechat", "fetches/op", []string{"Revoked/silenceper"}, 1, false},
	{"the same, calls that failed", "Revoked/wechat", "failed/op", []string{"Revoked/silenceper"}, 0, false},
	{"10,000 idle apps on one client, heap each", "IdleApps", "B/app", nil, 2048, false},
	{"the same, goroutines", "IdleApps", "goroutines", nil, 0, false},
}

// row makes the line of the runs.
func (l line) row(runs []figures) (table.Row, error) {
	ours, err := l.value(runs, l.ours)
	if err != nil {
		return nil, err
	}
	beside, ratio, toReach := "-", "-", "-"
	measured := ours
	if len(l.beside) > 0 {
		best, smallest := "", math.Inf(1)
		for _, name := range l.beside {
			v, err := l.value(runs, name)
			if err != nil {
				return nil, err
			}
			if v < smallest {
				best, smallest = name, v
			}
		}
		beside = best[strings.LastIndexByte(best, '/')+1:] + ": " + l.format(smallest)
		if smallest > 0 {
			ratio = fmt.Sprintf("%.2f", ours/smallest)
		}
		if l.ratio {
			measured = ours / smallest
		}
	}
	if l.most >= 0 {
		text := "at most " + l.format(l.most)
		if l.ratio {
			text = fmt.Sprintf("ratio at most %.2f", l.most)
		}
		toReach = goal(text, measured <= l.most)
	}
	return table.Row{l.what, l.format(ours), beside, ratio, toReach}, nil
}

// value is what the runs say of a benchmark: the fastest time, or the median of what is no time.
func (l line) value(runs []figures, name string) (float64, error) {
	var values []float64
	for _, run := range runs {
		v, ok := run[name][l.unit]
		if !ok {
			return 0, fmt.Errorf("there is no figure for %s in %s", name, l.unit)
		}
		values = append(values, v)
	}
	slices.Sort(values)
	if l.unit == "sec/op" {
		return values[0], nil
	}
	return values[len(values)/2], nil
}

// format writes v in the line's unit.
func (l line) format(v float64) string {
	switch unit, _, _ := strings.Cut(l.unit, "/"); {
	case unit == "sec" && v < 1e-6:
		return fmt.Sprintf("%.0f ns", v*1e9)
	case unit == "sec":
		return fmt.Sprintf("%.1f µs", v*1e6)
	case unit == "B":
		return fmt.Sprintf("%.0f B", v)
	}
	return fmt.Sprintf("%.0f", v)
}

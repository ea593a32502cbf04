// Storm lets clients run into a quota that nobody told them: a server on loopback takes so many calls in each natural
// second and answers the rest with HTTP 429 and a Retry-After. It prints what each client got done, with how many
// requests and in what time, and what the server saw in each second. Runs start 50 ms after a natural second begins.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/seed175cf469/wechat/bench/internal/storm"
)

func main() {
	runs := flag.Int("runs", 1, "runs of each client; what is printed is the median")
	svg := flag.String("svg", "", "a file for a picture of 200 calls at once, 20 a second")
	markdown := flag.Bool("markdown", false, "print the tables as Markdown")
	only := flag.String("only", "", "only the scenarios whose names have this in them")
	flag.Parse()
	if *runs < 1 {
		fmt.Fprintln(os.Stderr, "storm: -runs must be at least 1")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *runs, *only, *svg, *markdown); err != nil {
		fmt.Fprintln(os.Stderr, "storm:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, runs int, only, svg string, markdown bool) error {
	for _, s := range storm.Scenarios() {
		if !strings.Contains(s.Name, only) {
			continue
		}
		var rows []row
		for _, c := range storm.Clients() {
			results := make([]storm.Result, runs)
			for i := range results {
				results[i] = s.Run(ctx, c)
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			rows = append(rows, row{c.Name, storm.Median(results)})
		}
		show(s, rows, markdown)
		if svg != "" && s.Calls == 200 {
			if err := draw(svg, s, rows); err != nil {
				return err
			}
			svg = ""
		}
	}
	if svg != "" {
		return errors.New("-only leaves out the scenario of the picture")
	}
	return nil
}

// row is what became of a scenario with one client.
type row struct {
	client string
	storm.Result
}

// show prints the rows of a scenario.
func show(s storm.Scenario, rows []row, markdown bool) {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = 0 // as it is written
	t.AppendHeader(table.Row{"client", "done", "requests", "refused", "time", "time / need", "each second: taken+refused"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 7, WidthMax: 72}})
	for _, r := range rows {
		ratio := "-" // a client that gives up is not fast
		if r.Done == s.Calls {
			ratio = fmt.Sprintf("%.2f", r.Wall.Seconds()/s.Need().Seconds())
		}
		t.AppendRow(table.Row{r.client, r.Done, r.Requests, r.Refused, fmt.Sprintf("%.2f s", r.Wall.Seconds()), ratio, seconds(r.Seconds)})
	}
	title := fmt.Sprintf("%s; the quota needs %v", s.Name, s.Need().Round(time.Second))
	if markdown {
		fmt.Printf("### %s\n\n%s\n\n", title, t.RenderMarkdown())
		return
	}
	t.SetTitle(title)
	fmt.Println(t.Render())
	fmt.Println()
}

// seconds has a word for each second, as in "20+180".
func seconds(list []storm.Second) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = fmt.Sprintf("%d+%d", s.Accepted, s.Refused)
		if s.Refused == 0 {
			words[i] = fmt.Sprint(s.Accepted)
		}
	}
	return strings.Join(words, " ")
}

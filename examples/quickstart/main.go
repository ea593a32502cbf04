// Quickstart sends a template message to each row of a list, through the whole SDK, and shows that none was lost or
// sent twice.
//
// Without any setting it talks to the built-in platform, which makes every trouble that the real one can: a quota for
// each second, people who left, tokens that die, replies that get lost after the work was done. With WECHAT_APPID,
// WECHAT_SECRET and WECHAT_TEMPLATE_ID it does the same with the real service, and only with -send anything is sent.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/officialaccount"
)

//go:embed recipients.csv
var recipients []byte

// senders is how many calls are under way at once. The SDK finds out how many the platform takes.
const senders = 50

func main() {
	list := flag.String("list", "", "a CSV file with the columns openid, name, item, amount, order; without the real service the default is a made-up one")
	really := flag.Bool("send", false, "with the real service: send, and not only show what would be sent")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *list, *really); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, list string, really bool) error {
	app := wechat.App{ID: os.Getenv("WECHAT_APPID"), Secret: wechat.Secret(os.Getenv("WECHAT_SECRET"))}
	template := os.Getenv("WECHAT_TEMPLATE_ID")
	if app.ID != "" && (app.Secret == "" || template == "" || list == "") {
		return errors.New("the real service needs WECHAT_APPID, WECHAT_SECRET, WECHAT_TEMPLATE_ID and -list")
	}
	rows, err := rowsOf(list)
	if err != nil {
		return fmt.Errorf("the list: %w", err)
	}
	report := newReport()
	options := []wechat.Option{wechat.WithObserver(report.observe)}
	duplicates := func() int { return 0 }
	switch {
	case app.ID == "":
		platform, err := startPlatform(rows)
		if err != nil {
			return err
		}
		defer platform.Close()
		app, template, duplicates = platform.app, "mock_template", platform.duplicates
		options = append(options, wechat.WithBaseURL("officialaccount", platform.url))
		_, _ = fmt.Fprintf(out, "Sending %d messages to the built-in platform at %s\n", len(rows), platform.url)
	case !really:
		dryRun(out, template, rows)
		return nil
	}
	began := time.Now()
	send(ctx, officialaccount.New(wechat.New(options...), app), template, rows, report)
	report.print(out, len(rows), duplicates(), time.Since(began))
	return ctx.Err()
}

// rowsOf reads the list at path, or the made-up one.
func rowsOf(path string) ([]row, error) {
	if path == "" {
		return readRows(bytes.NewReader(recipients))
	}
	f, err := os.Open(path) //nolint:gosec // G304: the user named it
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readRows(f)
}

// send sends a message to each row, until ctx ends.
func send(ctx context.Context, oa *officialaccount.Client, template string, rows []row, report *report) {
	bar := progressbar.NewOptions(len(rows), progressbar.OptionSetDescription("sending"), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(), progressbar.OptionSetItsString("messages"), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetVisibility(term.IsTerminal(int(os.Stderr.Fd()))))
	work := make(chan row)
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for r := range work {
				// The order's number names the message: however often it is tried, it arrives once.
				ctx := wechat.ContextWithIdempotencyKey(ctx, r.order)
				_, err := oa.SendTemplateMessage(ctx, message(template, r))
				report.add(err)
				_ = bar.Add(1)
			}
		})
	}
	for _, r := range rows {
		if ctx.Err() != nil {
			break
		}
		work <- r
	}
	close(work)
	wg.Wait()
	_ = bar.Finish()
}

// message is the template message for a row.
func message(template string, r row) *officialaccount.TemplateMessage {
	return &officialaccount.TemplateMessage{
		ToUser: r.openID, TemplateID: template, URL: "https://example.invalid/orders?id=" + r.order + "&from=wechat",
		Data: map[string]officialaccount.TemplateValue{
			"thing1": {Value: r.name}, "thing2": {Value: r.item}, "amount3": {Value: "¥" + r.amount}, "character_string4": {Value: r.order},
		},
	}
}

// dryRun shows what would be sent.
func dryRun(w io.Writer, template string, rows []row) {
	_, _ = fmt.Fprintf(w, "Dry run: %d messages with template %q. Run with -send to send them. The first ones:\n", len(rows), template)
	for _, r := range rows[:min(3, len(rows))] {
		_, _ = fmt.Fprintf(w, "  to %s: %+v\n", r.openID, message(template, r).Data)
	}
}

// sortedByCount are the keys of m, the largest first.
func sortedByCount(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if d := m[b] - m[a]; d != 0 {
			return d
		}
		return len(a) - len(b)
	})
}

package main

import (
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	_ "modernc.org/sqlite" // the ledger's driver

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/sqlwechat"
	"github.com/seed175cf469/wechat/outbox"
	"github.com/seed175cf469/wechat/ratelimit"
)

// defaultConcurrency is enough for 500 messages a second with replies after 100 ms. All that is under way may be refused
// when a rate is found out, and is unknown after a crash.
const defaultConcurrency = 50

// sendFlags are what send is told.
type sendFlags struct {
	account                              accountFlags
	composition                          composition
	format, name, ledger, report         string
	concurrency, rate                    int
	spread                               time.Duration
	dryRun, resume, retryUnknown, asJSON bool
	skipInvalid, waitForQuota, noLedger  bool
}

func newSend() *cobra.Command {
	var f sendFlags
	cmd := &cobra.Command{
		Use:   "send KIND LIST",
		Short: "Sends a message to each row of a list, once",
		Long: "Sends a message to each row of a list, once. KIND is template, subscribe (of a mini program, or with --product\n" +
			"officialaccount of an official account), custom (customer service) or work (WeCom). LIST is a CSV file whose first\n" +
			"line names the columns, or one with a JSON object on each line (.jsonl), or - for standard input.\n\n" +
			"The recipient stands in the column openid, touser or userid, or in that of --to. --data maps columns to the data of a\n" +
			"template: KEY=COLUMN, or KEY=TEXT with columns in braces, as in 'thing1=Dear {name}'. --text is the text of\n" +
			"custom and work messages, --message the whole message as JSON; both take columns in braces.\n\n" +
			"The whole list is checked before anything is sent. What becomes of each row goes to the report, a CSV file next to the\n" +
			"list, and into a ledger, by which --resume goes on after a crash or a stop without sending anything twice. Rows that\n" +
			"were under way at a crash are unknown: they are reported and left alone, unless --retry-unknown is said.\n\n" +
			"A row's key is its recipient: who stands twice in a list gets one message. --key names a column that tells such rows\n" +
			"apart, as an order's number.\n\n" +
			"Exit codes: 0 every row was sent, 1 it could not begin, 2 nothing was sent as something is wrong with the command\n" +
			"line or the list, 3 some rows were refused or are unknown, 4 stopped before the end, 5 stopped as the day's quota is\n" +
			"used up, 130 interrupted. After 4, 5 and 130 --resume goes on.",
		Example: "  wechat send template people.csv --template-id TPL --data thing1=name --data time2=day --dry-run\n" +
			"  wechat send template people.csv --template-id TPL --data thing1=name --data time2=day\n" +
			"  wechat send template people.csv --template-id TPL --data thing1=name --data time2=day --resume\n" +
			"  wechat send work staff.jsonl --to userid --text 'Hello {name}'",
		Args: asUsage(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1]) },
	}
	f.account.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.composition.templateID, "template-id", "", "template of the messages")
	flags.StringArrayVar(&f.composition.data, "data", nil, "KEY=COLUMN of the template's data; again for each key")
	flags.StringVar(&f.composition.page, "page", "", "what a tap opens: a URL, or a page of the mini program")
	flags.StringVar(&f.composition.page, "url", "", "the same")
	flags.StringVar(&f.composition.text, "text", "", "text of custom and work messages")
	flags.StringVar(&f.composition.message, "message", "", "the message as a JSON object, or @FILE; other flags win")
	flags.StringVar(&f.composition.to, "to", "", "column of the recipient (default openid, touser or userid)")
	flags.StringVar(&f.composition.key, "key", "", "column that tells the rows apart (default: the recipient)")
	flags.StringVar(&f.name, "name", "", "name of the sending: rows of another name are other rows (default: the list's file name)")
	flags.StringVar(&f.format, "format", "", "csv or jsonl (default: as the list's name ends)")
	flags.StringVar(&f.report, "report", "", "file of the report, - for standard output (default: LIST.report.csv)")
	flags.StringVar(&f.ledger, "ledger", "", "SQLite file of the ledger (default: LIST.ledger)")
	flags.BoolVar(&f.noLedger, "no-ledger", false, "keep no ledger: the sending cannot be resumed")
	flags.BoolVar(&f.dryRun, "dry-run", false, "check every row and send nothing")
	flags.BoolVar(&f.resume, "resume", false, "go on where an earlier run has ended")
	flags.BoolVar(&f.retryUnknown, "retry-unknown", false, "send unknown rows again; some people may get the message twice")
	flags.BoolVar(&f.skipInvalid, "skip-invalid", false, "refuse the rows that are wrong and send the others")
	flags.BoolVar(&f.waitForQuota, "wait-for-quota", false, "wait for the next day when the day's quota is used up")
	flags.IntVar(&f.concurrency, "concurrency", defaultConcurrency, "rows under way at once; at least messages a second times seconds a reply takes")
	flags.IntVar(&f.rate, "rate", 0, "messages a second at most (default: what the platform is seen to take)")
	flags.DurationVar(&f.spread, "spread", 0, "begin after a random part of this time")
	flags.BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	return cmd
}

// run sends a list.
func (f *sendFlags) run(cmd *cobra.Command, kindName, list string) error {
	a, err := f.account.open(cmd)
	if err != nil {
		return err
	}
	k, err := kindOf(kindName, a)
	if err != nil {
		return err
	}
	if a.platform, err = platformOf(k.product); err != nil {
		return err
	}
	spec, _, err := lookup(k.endpoint, a.platform)
	if err != nil {
		return err
	}
	if f.rate > 0 {
		// Spread over the second, as what is sent in one go arrives in two of the platform's seconds.
		limit := ratelimit.Limit{Rate: f.rate, Period: time.Second, Burst: max(1, f.rate/20)}
		a.app.Limits.Endpoints = map[string][]ratelimit.Limit{spec.Name: {limit}}
	}
	c, err := newComposer(k, spec, f.composition)
	if err != nil {
		return usage(err)
	}
	if err := f.complete(list); err != nil {
		return usage(err)
	}
	total, err := f.check(cmd, list, c)
	if err != nil || f.dryRun {
		return err
	}
	ledger, closeLedger, err := f.openLedger(cmd.Context())
	if err != nil {
		return err
	}
	summary, err := f.send(cmd, a, spec, c, list, total, ledger)
	return errors.Join(f.conclude(cmd, summary, err), closeLedger())
}

// complete fills in what is told by the list's name.
func (f *sendFlags) complete(list string) (err error) {
	if list == "-" {
		if f.format == "" {
			return errors.New("standard input needs --format")
		}
		if f.ledger == "" {
			f.noLedger = true
		} else if f.name == "" {
			return errors.New("standard input with a --ledger needs a --name")
		}
		if f.report == "" {
			f.report = "-"
		}
		if f.dryRun {
			return nil
		}
	}
	if f.format, err = listFormat(f.format, list); err != nil {
		return err
	}
	if f.resume && f.noLedger {
		return errors.New("--resume needs a ledger")
	}
	if f.name == "" {
		f.name = filepath.Base(list)
	}
	if f.ledger == "" {
		f.ledger = list + ".ledger"
	}
	if f.report == "" {
		f.report = list + ".report.csv"
	}
	return nil
}

// openList opens a list.
func openList(cmd *cobra.Command, list string) (io.ReadCloser, error) {
	if list == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	file, err := os.Open(list) //nolint:gosec // G304: the file that the user names
	if err != nil {
		return nil, usage(err)
	}
	return file, nil
}

// maxProblems is how many wrong rows are named.
const maxProblems = 20

// check makes the message of each row and returns their number, 0 where the list can be read only once. Rows that are
// wrong are an error, unless they are to be skipped.
func (f *sendFlags) check(cmd *cobra.Command, list string, c *composer) (total int64, err error) {
	if list == "-" && !f.dryRun {
		return 0, nil
	}
	file, err := openList(cmd, list)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var (
		wrong, twice int64
		sample       any
		seed         = maphash.MakeSeed()
		lines        = map[uint64]int64{} // by hash of the key
	)
	problem := func(x row, text string) {
		if wrong+twice <= maxProblems {
			cmd.PrintErrf("line %d: %s\n", x.line, text)
		}
	}
	for x, err := range readList(file, f.format) {
		if err != nil && x.line == 0 {
			return 0, usage(fmt.Errorf("%s: %w", list, err))
		}
		total++
		if err == nil {
			x, err = c.compose(x)
		}
		if err != nil {
			wrong++
			problem(x, err.Error())
			continue
		}
		if sample == nil {
			sample = x.request
		}
		hash := maphash.String(seed, x.key)
		if first, ok := lines[hash]; ok {
			twice++
			problem(x, fmt.Sprintf("the key %q stands in line %d already: it will not be sent again", x.key, first))
			continue
		}
		lines[hash] = x.line
	}
	if total == 0 {
		return 0, usage(fmt.Errorf("%s has no rows", list))
	}
	if f.dryRun || wrong > 0 || twice > 0 {
		cmd.PrintErrf("%d rows: %d good, %d wrong, %d with the key of an earlier one\n", total, total-wrong-twice, wrong, twice)
	}
	if f.dryRun && sample != nil {
		if err := printJSON(cmd.OutOrStdout(), sample); err != nil {
			return 0, err
		}
	}
	if wrong > 0 && !f.skipInvalid {
		return 0, usage(fmt.Errorf("%d of %d rows are wrong; nothing was sent (--skip-invalid sends the others)", wrong, total))
	}
	return total, nil
}

// openLedger opens the ledger. It must be there when an earlier run is to be resumed, and must not when not.
func (f *sendFlags) openLedger(ctx context.Context) (wechat.Ledger, func() error, error) {
	if f.noLedger {
		return nil, func() error { return nil }, nil
	}
	switch _, err := os.Stat(f.ledger); {
	case err == nil && !f.resume:
		return nil, nil, usage(fmt.Errorf("%s is there: say --resume to go on, or remove it to send the list once more", f.ledger))
	case errors.Is(err, fs.ErrNotExist) && f.resume:
		return nil, nil, usage(fmt.Errorf("there is nothing to resume: %s is not there", f.ledger))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	// What is written is safe from a process that is killed. A machine that loses its power may forget the last rows: to
	// wait for the disk twice a row would make it the limit of how fast a list is sent.
	dsn := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: f.ledger}).EscapedPath(), RawQuery: "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer; who waits, waits here
	ledger := sqlwechat.New(db, sqlwechat.SQLite, sqlwechat.WithLease(24*time.Hour))
	if err := ledger.Migrate(ctx); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return ledger, db.Close, nil
}

// summary is what has become of a list.
type summary struct {
	Rows     int64   `json:"rows"`
	Sent     int64   `json:"sent"`
	Skipped  int64   `json:"skipped"` // sent by an earlier run
	Refused  int64   `json:"refused"`
	Unknown  int64   `json:"unknown"`
	NotTried int64   `json:"not_tried"`
	Requests int64   `json:"requests"` // of which the platform refused Throttled for the rate
	Throttle int64   `json:"throttled"`
	Seconds  float64 `json:"seconds"`
	Report   string  `json:"report,omitempty"`
}

// send sends the rows and writes the report.
func (f *sendFlags) send(cmd *cobra.Command, a *account, spec wechat.Spec, c *composer, list string, total int64, ledger wechat.Ledger) (s summary, err error) {
	file, err := openList(cmd, list)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out, err := openReport(cmd, f.report)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, out.close()) }()

	counter := counter{endpoint: spec.Name}
	client := wechat.Bind(a.client(wechat.WithObserver(counter.observe), wechat.WithQuotaLookup()), a.Product, a.app)
	began, drawn, last := time.Now(), newBar(cmd.ErrOrStderr(), total), outbox.Progress{}
	rows := f.items(readList(file, f.format), c)
	call := func(ctx context.Context, x row) (json.RawMessage, error) {
		res, err := do(ctx, client, spec, x.request)
		if err != nil {
			return nil, err
		}
		return json.Marshal(res)
	}
	options := outbox.Options{
		Concurrency: f.concurrency, Ledger: ledger, RetryUnknown: f.retryUnknown, WaitForQuota: f.waitForQuota, Spread: f.spread,
		Progress: func(p outbox.Progress) { last = p; drawn.update(p) },
	}
	var stopped error
	for e, err := range outbox.Send(cmd.Context(), rows, call, options) {
		if err != nil {
			stopped = err
			continue
		}
		if err := out.write(e); err != nil {
			stopped = err // nobody would learn what became of the rest
			break
		}
	}
	drawn.end(last)
	s = summary{
		Rows: last.Rows(), Sent: last.Sent, Skipped: last.Skipped, Refused: last.Refused, Unknown: last.Unknown, NotTried: last.NotTried,
		Requests: counter.attempts.Load(), Throttle: counter.throttled.Load(), Seconds: time.Since(began).Seconds(),
	}
	if f.report != "-" {
		s.Report = f.report
	}
	return s, stopped
}

// items makes the rows of a list into messages.
func (f *sendFlags) items(rows iter.Seq2[row, error], c *composer) iter.Seq2[outbox.Item[row], error] {
	return func(yield func(outbox.Item[row], error) bool) {
		for x, err := range rows {
			if err == nil {
				x, err = c.compose(x)
			}
			if !yield(outbox.Item[row]{Key: f.name + ":" + x.key, Value: x}, err) {
				return
			}
		}
	}
}

// conclude prints the summary and tells the exit code.
func (f *sendFlags) conclude(cmd *cobra.Command, s summary, stopped error) error {
	if s.Rows > 0 || stopped == nil {
		if err := f.print(cmd, s); err != nil {
			return err
		}
	}
	goOn := "; --resume goes on"
	if f.noLedger {
		goOn = ""
	}
	switch {
	case stopped == nil && s.Refused+s.Unknown+s.NotTried == 0:
		return nil
	case stopped == nil:
		return &exitError{exitSome, fmt.Errorf("%d rows were refused and %d are unknown", s.Refused, s.Unknown)}
	case errors.Is(stopped, context.Canceled):
		return &exitError{exitInterrupted, fmt.Errorf("interrupted: %w%s", stopped, goOn)}
	case s.Rows == 0:
		return stopped
	case errors.Is(stopped, wechat.ErrQuotaExhausted):
		return &exitError{exitQuota, fmt.Errorf("%w%s", stopped, goOn)}
	}
	return &exitError{exitStopped, fmt.Errorf("%w%s", stopped, goOn)}
}

func (f *sendFlags) print(cmd *cobra.Command, s summary) error {
	if f.asJSON {
		w := cmd.OutOrStdout()
		if f.report == "-" {
			w = cmd.ErrOrStderr()
		}
		return printJSON(w, s)
	}
	cmd.PrintErrf("%d rows in %.1f s: %d sent, %d sent earlier, %d refused, %d unknown, %d not tried\n", s.Rows, s.Seconds, s.Sent, s.Skipped, s.Refused, s.Unknown, s.NotTried)
	cmd.PrintErrf("%d requests, %d of them refused for the rate\n", s.Requests, s.Throttle)
	if s.Report != "" {
		cmd.PrintErrf("report: %s\n", s.Report)
	}
	return nil
}

// report is the report of a sending: a line for each row.
type report struct {
	csv  *csv.Writer
	file io.Closer
}

func openReport(cmd *cobra.Command, path string) (*report, error) {
	if path == "-" {
		r := &report{csv: csv.NewWriter(cmd.OutOrStdout()), file: io.NopCloser(nil)}
		return r, r.head()
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) //nolint:gosec // G304: the user says where; it names people
	if err != nil {
		return nil, err
	}
	r := &report{csv: csv.NewWriter(file), file: file}
	return r, r.head()
}

func (r *report) head() error {
	return r.csv.Write([]string{"line", "recipient", "key", "state", "errcode", "reason", "receipt"})
}

func (r *report) write(e outbox.Entry[row, json.RawMessage]) error {
	code, reason := "", ""
	if e.Err != nil {
		reason = e.Err.Error()
		var refused *wechat.Error
		if errors.As(e.Err, &refused) && refused.Code != 0 {
			code = strconv.Itoa(int(refused.Code))
		}
		var item *outbox.ItemError
		if errors.As(e.Err, &item) {
			reason = item.Err.Error()
		}
	}
	return r.csv.Write([]string{strconv.FormatInt(e.Value.line, 10), e.Value.recipient, e.Value.key, string(e.State), code, reason, strings.TrimSpace(string(e.Receipt))})
}

func (r *report) close() error {
	r.csv.Flush()
	return errors.Join(r.csv.Error(), r.file.Close())
}

package sqlwechat_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/sqlwechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
)

const racedKeys = 1000

// child is the life of a process that a test has started.
func child(job []string) error {
	what, dialect, driver, dsn, table, argument := job[0], job[1], job[2], job[3], job[4], job[5]
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	dialects := map[string]sqlwechat.Dialect{}
	for _, d := range []sqlwechat.Dialect{sqlwechat.PostgreSQL, sqlwechat.MySQL, sqlwechat.SQLite} {
		dialects[d.String()] = d
	}
	ledger := sqlwechat.New(db, dialects[dialect], sqlwechat.WithTable(table), sqlwechat.WithLease(time.Minute))
	switch what {
	case "race":
		return race(db, ledger)
	case "send":
		return send(account(ledger, argument))
	}
	return fmt.Errorf("a child cannot %s", what)
}

// race claims what it can and prints it. Each process has its own order, so that none runs ahead of the others for good.
func race(db *sql.DB, ledger *sqlwechat.Ledger) error {
	const callers = 4
	db.SetMaxIdleConns(callers)
	var warm sync.WaitGroup
	for range callers {
		warm.Go(func() { _, _ = ledger.Begin(context.Background(), "warm", nil) })
	}
	warm.Wait()
	fmt.Println("ready")
	if _, err := io.ReadAll(os.Stdin); err != nil {
		return err
	}
	order := rand.Perm(racedKeys)
	var mu sync.Mutex
	var failures []error
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := c; i < racedKeys; i += callers {
				key := fmt.Sprint(order[i])
				e, err := ledger.Begin(context.Background(), key, nil)
				mu.Lock()
				if err != nil {
					failures = append(failures, err)
				} else if e.State == "" {
					fmt.Println(key)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

var app = wechat.App{ID: "wx00112233445566ff", Secret: "mock secret"}

func account(ledger wechat.Ledger, url string) *officialaccount.Client {
	return officialaccount.New(wechat.New(wechat.WithLedger(ledger), wechat.WithBaseURL("officialaccount", url)), app)
}

// send sends the one message of TestKilled.
func send(oa *officialaccount.Client) error {
	ctx := wechat.ContextWithIdempotencyKey(context.Background(), "order-1")
	return oa.SendCustomMessage(ctx, officialaccount.TextMessage("oFAKE", "shipped"))
}

// Three processes race for the same keys, and each key is claimed once.
func TestRace(t *testing.T) {
	eachDatabase(t, func(t *testing.T, d *database) {
		ready, start, err := os.Pipe() // the end of the pipe is the signal to start
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = ready.Close() }()
		var processes []*exec.Cmd
		var outputs []*bufio.Scanner
		for range 3 {
			cmd := d.child(t, "race", "")
			cmd.Stdin = ready
			output, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(output)
			if !lines.Scan() {
				t.Fatal("a process is not ready")
			}
			processes, outputs = append(processes, cmd), append(outputs, lines)
		}
		if err := start.Close(); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		claims := map[string]int{}
		var wg sync.WaitGroup
		for i, cmd := range processes {
			wg.Go(func() {
				n := 0
				for outputs[i].Scan() {
					mu.Lock()
					claims[outputs[i].Text()]++
					mu.Unlock()
					n++
				}
				t.Logf("one process claimed %d", n)
				if n == 0 {
					t.Error("there was no race")
				}
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for key, n := range claims {
			if n != 1 {
				t.Errorf("%q was claimed %d times", key, n)
			}
		}
		if len(claims) != racedKeys {
			t.Errorf("%d of %d keys were claimed", len(claims), racedKeys)
		}
	})
}

// A process is killed while the reply to its call is under way. Nobody sends the message again: it is in progress, and
// Unknown once the lease is over.
func TestKilled(t *testing.T) {
	eachDatabase(t, func(t *testing.T, d *database) {
		s := mock.NewServer(officialaccount.Endpoints()...)
		s.App(app)
		s.Fault("SendCustomMessage", mock.Fault{Delay: time.Minute, Times: 1})
		url, err := s.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()

		cmd := d.child(t, "send", url)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for until := time.Now().Add(30 * time.Second); len(s.Calls("SendCustomMessage")) == 0; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatal("the process has not called")
			}
		}
		if err := cmd.Process.Kill(); err != nil { // SIGKILL
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the process was not killed")
		}

		l := d.ledger(sqlwechat.WithLease(time.Minute))
		if err := send(account(l, url)); !errors.Is(err, wechat.ErrInProgress) {
			t.Errorf("within the lease: %v", err)
		}
		d.exec(t, "UPDATE {table} SET updated = updated - 61000000, lease = lease - 61000000")
		if err := send(account(l, url)); !errors.Is(err, wechat.ErrOutcomeUnknown) {
			t.Errorf("after the lease: %v", err)
		}
		unknown := scan(t, l, wechat.Unknown, time.Now())
		if len(unknown) != 1 || !strings.HasSuffix(unknown[0], ":SendCustomMessage:order-1") {
			t.Errorf("Unknown: %q", unknown)
		}
		if n := len(s.Calls("SendCustomMessage")); n != 1 {
			t.Errorf("%d requests", n)
		}

		// Somebody has looked: it did not arrive.
		end(t, l, unknown[0], wechat.Entry{State: wechat.Failed})
		for range 2 {
			if err := send(account(l, url)); err != nil {
				t.Error(err)
			}
		}
		if n := len(s.Calls("SendCustomMessage")); n != 2 {
			t.Errorf("%d requests at last", n)
		}
		if done := scan(t, l, wechat.Done, time.Now().Add(soon)); !slices.Equal(done, unknown) {
			t.Errorf("Done: %q", done)
		}
	})
}

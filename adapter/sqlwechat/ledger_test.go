package sqlwechat_test

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/adapter/sqlwechat"
	"github.com/seed175cf469/wechat/mock"
)

func TestContract(t *testing.T) {
	eachDatabase(t, func(t *testing.T, d *database) { mock.VerifyLedger(t, d.ledger()) })
}

// Several processes that start together all want the table.
func TestMigrateAtOnce(t *testing.T) {
	for _, dialect := range []sqlwechat.Dialect{sqlwechat.SQLite, sqlwechat.PostgreSQL, sqlwechat.MySQL} {
		t.Run(dialect.String(), func(t *testing.T) {
			d := open(t, dialect)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if err := d.ledger().Migrate(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			claim(t, d.ledger(), "k", "")
			if err := d.ledger().Migrate(t.Context()); err != nil {
				t.Error(err)
			}
			claim(t, d.ledger(), "k", wechat.Pending)
		})
	}
}

// claim begins key and checks what stands.
func claim(t *testing.T, l wechat.Ledger, key string, want wechat.State) wechat.Entry {
	t.Helper()
	e, err := l.Begin(t.Context(), key, &wechat.Call{})
	if err != nil || e.State != want {
		t.Errorf("Begin of %.40q: %q, %v; want %q", key, e.State, err, want)
	}
	return e
}

func end(t *testing.T, l wechat.Ledger, key string, e wechat.Entry) {
	t.Helper()
	if err := l.End(t.Context(), key, e); err != nil {
		t.Errorf("End of %.40q: %v", key, err)
	}
}

func scan(t *testing.T, l wechat.LedgerScanner, s wechat.State, before time.Time) []string {
	t.Helper()
	var keys []string
	for key, err := range l.Scan(t.Context(), s, before) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	return keys
}

var soon = time.Minute // the clocks of a test and of its database are the same, but not to the microsecond

// A claim runs out into Unknown, is never given out again by itself, and what is settled is settled.
func TestLease(t *testing.T) {
	eachDatabase(t, func(t *testing.T, d *database) {
		l, patient := d.ledger(sqlwechat.WithLease(time.Minute)), d.ledger(sqlwechat.WithLease(time.Hour))
		claim(t, l, "dead", "")
		claim(t, l, "late", "")
		claim(t, patient, "patient", "")
		end(t, l, "left", wechat.Entry{State: wechat.Pending, Result: []byte("an item")})
		d.exec(t, "UPDATE {table} SET updated = updated - 120000000, lease = lease - 120000000")

		later := time.Now().Add(soon)
		if keys := scan(t, l, wechat.Unknown, later); len(keys) != 2 || !slices.Contains(keys, "dead") || !slices.Contains(keys, "late") {
			t.Errorf("Unknown: %q", keys)
		}
		if keys := scan(t, l, wechat.Pending, later); len(keys) != 2 || !slices.Contains(keys, "patient") || !slices.Contains(keys, "left") {
			t.Errorf("Pending: %q", keys)
		}
		claim(t, patient, "dead", wechat.Unknown) // the lease is the claimer's
		claim(t, l, "patient", wechat.Pending)
		if e := claim(t, l, "left", wechat.Pending); string(e.Result) != "an item" {
			t.Errorf("what End has made pending came back with %q", e.Result)
		}

		end(t, l, "late", wechat.Entry{State: wechat.Done, Result: []byte("{}")})
		claim(t, l, "late", wechat.Done)
		end(t, l, "dead", wechat.Entry{State: wechat.Failed})
		claim(t, l, "dead", "")
		if keys := scan(t, l, wechat.Unknown, later); len(keys) != 0 {
			t.Errorf("Unknown at last: %q", keys)
		}
	})
}

// Keys of any length and bytes are told apart and listed as they were given.
func TestKeys(t *testing.T) {
	long := "{officialaccount:wx1}:SendTemplateMessage:" + strings.Repeat("k", 512)
	keys := []string{"a", "A", "a ", "a\t", "á", "a\u0301", "订单-1", "100%_?$1\\'\"", strings.Repeat("x", 512), strings.Repeat("x", 513),
		long + "1", long + "2", "nul\x00a", "nul\x00b", "bad\xff", "bad\xfe", ""}
	slices.Sort(keys)
	eachDatabase(t, func(t *testing.T, d *database) {
		l := d.ledger()
		for _, key := range keys {
			claim(t, l, key, "")
		}
		for _, key := range keys {
			claim(t, l, key, wechat.Pending)
			end(t, l, key, wechat.Entry{State: wechat.Done, Result: []byte(key)})
			if e := claim(t, l, key, wechat.Done); string(e.Result) != key {
				t.Errorf("the result of %.40q is %.40q", key, e.Result)
			}
		}
		got := scan(t, l, wechat.Done, time.Now().Add(soon))
		slices.Sort(got)
		if !slices.Equal(got, keys) {
			t.Errorf("scanned %q, want %q", got, keys)
		}
	})
}

func TestResults(t *testing.T) {
	blob := make([]byte, 1<<20)
	for i := range blob {
		blob[i] = byte(i * i >> 3)
	}
	eachDatabase(t, func(t *testing.T, d *database) {
		l := d.ledger()
		for i, result := range [][]byte{nil, []byte("{}"), []byte("\x00'\\\xff"), blob} {
			key := fmt.Sprint(i)
			claim(t, l, key, "")
			end(t, l, key, wechat.Entry{State: wechat.Done, Result: result})
			if e := claim(t, l, key, wechat.Done); string(e.Result) != string(result) {
				t.Errorf("%d bytes came back as %d other ones", len(result), len(e.Result))
			}
			end(t, l, key, wechat.Entry{State: wechat.Failed})
			claim(t, l, key, "")
			if e := claim(t, l, key, wechat.Pending); e.Result != nil {
				t.Errorf("a key that was claimed again still has a result of %d bytes", len(e.Result))
			}
		}
	})
}

// The session's time zone and the process's do not matter. Both servers run in another one than the test.
func TestTimes(t *testing.T) {
	eachDatabase(t, func(t *testing.T, d *database) {
		l := d.ledger()
		began := time.Now()
		claim(t, l, "k", "")
		e := claim(t, l, "k", wechat.Pending)
		if e.Updated.Before(began.Add(-time.Second)) || e.Updated.After(time.Now().Add(time.Second)) {
			t.Errorf("updated at %v, and it is %v", e.Updated, began)
		}
		d.exec(t, "UPDATE {table} SET updated = updated - 3600000000")
		if e := claim(t, l, "k", wechat.Pending); e.Updated.Sub(began).Round(time.Minute) != -time.Hour {
			t.Errorf("updated %v ago, want an hour", time.Since(e.Updated))
		}
		for shift, want := range map[time.Duration]int{-61 * time.Minute: 0, -59 * time.Minute: 1, time.Hour: 1} {
			for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 8*3600)} {
				if keys := scan(t, l, wechat.Pending, began.Add(shift).In(zone)); len(keys) != want {
					t.Errorf("%d entries from before %v, want %d", len(keys), shift, want)
				}
			}
		}
		if keys := scan(t, l, wechat.Pending, time.Time{}); len(keys) != 0 {
			t.Errorf("%d entries from before all times", len(keys))
		}
	})
}

// A scan goes through more than a page, also where all were updated at once, and lets the loop change what it lists.
func TestScan(t *testing.T) {
	const n = 1203
	eachDatabase(t, func(t *testing.T, d *database) {
		d.db.SetMaxOpenConns(1) // a scan that kept its connection would wait for itself here
		l := d.ledger()
		for i := range n {
			end(t, l, fmt.Sprintf("%04d", i), wechat.Entry{State: wechat.Unknown})
		}
		d.exec(t, "UPDATE {table} SET updated = updated - updated % 3600000000 - 7200000000")
		seen := map[string]bool{}
		before := time.Now()
		for key, err := range l.Scan(t.Context(), wechat.Unknown, before) {
			if err != nil {
				t.Fatal(err)
			}
			if seen[key] {
				t.Fatalf("%q is listed twice", key)
			}
			seen[key] = true
			if len(seen)%2 == 0 {
				end(t, l, key, wechat.Entry{State: wechat.Failed})
			}
		}
		if len(seen) != n {
			t.Errorf("%d of %d are listed", len(seen), n)
		}
		if left := scan(t, l, wechat.Unknown, before); len(left) != (n+1)/2 {
			t.Errorf("%d are left, want %d", len(left), (n+1)/2)
		}
		for range l.Scan(t.Context(), wechat.Unknown, before) {
			break
		}
	})
}

func TestPrune(t *testing.T) {
	const n = 2100
	eachDatabase(t, func(t *testing.T, d *database) {
		l := d.ledger()
		for i := range n {
			end(t, l, fmt.Sprint(i), wechat.Entry{State: []wechat.State{wechat.Done, wechat.Failed}[i%2]})
		}
		end(t, l, "unknown", wechat.Entry{State: wechat.Unknown})
		claim(t, l, "pending", "")
		d.exec(t, "UPDATE {table} SET updated = updated - 7200000000")
		end(t, l, "young", wechat.Entry{State: wechat.Done})
		if pruned, err := l.Prune(t.Context(), time.Now().Add(-3*time.Hour)); pruned != 0 || err != nil {
			t.Errorf("forgot %d that are too young, %v", pruned, err)
		}
		if pruned, err := l.Prune(t.Context(), time.Now().Add(-time.Hour)); pruned != n || err != nil {
			t.Errorf("forgot %d, %v; want %d", pruned, err, n)
		}
		claim(t, l, "unknown", wechat.Unknown)
		claim(t, l, "pending", wechat.Pending)
		claim(t, l, "young", wechat.Done)
		claim(t, l, "1", "")
	})
}

// Claims, ends, scans and prunes at once are no deadlock, and each key is claimed by one.
func TestAllAtOnce(t *testing.T) {
	const callers, keys = 8, 50
	eachDatabase(t, func(t *testing.T, d *database) {
		l := d.ledger()
		var mu sync.Mutex
		claims := map[string]int{}
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for i := range keys {
					key := fmt.Sprint(i)
					e, err := l.Begin(t.Context(), key, nil)
					if err != nil {
						t.Error(err)
					}
					if e.State != "" {
						continue
					}
					mu.Lock()
					claims[key]++
					state := wechat.Failed
					if claims[key] == 3 { // given back twice, then done
						state = wechat.Done
					}
					mu.Unlock()
					end(t, l, key, wechat.Entry{State: state})
				}
			})
		}
		wg.Go(func() {
			for range 10 {
				scan(t, l, wechat.Failed, time.Now())
				if _, err := l.Prune(t.Context(), time.Now().Add(-time.Hour)); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Wait()
		for key, n := range claims {
			if n > 3 {
				t.Errorf("%q was claimed %d times after it was done", key, n-3)
			}
		}
		if len(claims) != keys {
			t.Errorf("%d of %d keys were claimed", len(claims), keys)
		}
	})
}

// Where the database's default is the strictest isolation, callers that meet fail there for a moment. Nobody notices.
func TestSerializable(t *testing.T) {
	d := open(t, sqlwechat.PostgreSQL)
	if err := d.ledger().Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var name string
	if err := d.db.QueryRowContext(t.Context(), "SELECT current_database()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	d.exec(t, `ALTER DATABASE "`+name+`" SET default_transaction_isolation = 'serializable'`)
	defer d.exec(t, `ALTER DATABASE "`+name+`" RESET default_transaction_isolation`)
	db, err := sql.Open(d.driver, d.dsn) // the setting holds for new connections
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	mock.VerifyLedger(t, sqlwechat.New(db, d.dialect, sqlwechat.WithTable(d.table)))
}

// A database that is restarted, or throws its clients out, costs a moment.
func TestReconnect(t *testing.T) {
	for dialect, statement := range map[sqlwechat.Dialect]string{
		sqlwechat.PostgreSQL: "SELECT pg_terminate_backend(%d)",
		sqlwechat.MySQL:      "KILL CONNECTION %d",
	} {
		t.Run(dialect.String(), func(t *testing.T) {
			d := open(t, dialect)
			l := d.ledger()
			if err := l.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			other, err := sql.Open(d.driver, d.dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = other.Close() }()
			d.db.SetMaxOpenConns(1)
			for i := range 3 {
				var id int64
				of := map[sqlwechat.Dialect]string{sqlwechat.PostgreSQL: "SELECT pg_backend_pid()", sqlwechat.MySQL: "SELECT CONNECTION_ID()"}[dialect]
				if err := d.db.QueryRowContext(t.Context(), of).Scan(&id); err != nil {
					t.Fatal(err)
				}
				if _, err := other.ExecContext(t.Context(), fmt.Sprintf(statement, id)); err != nil {
					t.Fatal(err)
				}
				claim(t, l, fmt.Sprint(i), "")
				end(t, l, fmt.Sprint(i), wechat.Entry{State: wechat.Done})
			}
		})
	}
}

func TestWrongOptions(t *testing.T) {
	d := open(t, sqlwechat.SQLite)
	for name, l := range map[string]*sqlwechat.Ledger{
		"table":   sqlwechat.New(d.db, sqlwechat.SQLite, sqlwechat.WithTable("a; DROP TABLE b")),
		"dialect": sqlwechat.New(d.db, 0),
	} {
		_, begun := l.Begin(t.Context(), "k", nil)
		_, pruned := l.Prune(t.Context(), time.Now())
		errs := []error{l.Migrate(t.Context()), begun, l.End(t.Context(), "k", wechat.Entry{}), pruned}
		for _, err := range l.Scan(t.Context(), wechat.Done, time.Now()) {
			errs = append(errs, err)
		}
		if len(errs) != 5 || slices.Contains(errs, nil) {
			t.Errorf("a wrong %s: %v", name, errs)
		}
	}
}

// What the database refuses is told at once and says what it was.
func TestNoTable(t *testing.T) {
	for _, dialect := range []sqlwechat.Dialect{sqlwechat.SQLite, sqlwechat.PostgreSQL, sqlwechat.MySQL} {
		t.Run(dialect.String(), func(t *testing.T) {
			d := open(t, dialect)
			began := time.Now()
			_, err := d.ledger().Begin(t.Context(), "k", nil)
			if err == nil || !strings.Contains(err.Error(), d.table) {
				t.Errorf("without a table: %v", err)
			}
			if took := time.Since(began); took > 500*time.Millisecond {
				t.Errorf("that took %v: it was tried again", took)
			}
		})
	}
}

// docs/sql.md has the schema for those who make tables by hand.
func TestDocumentedSchema(t *testing.T) {
	text, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, dialect := range []sqlwechat.Dialect{sqlwechat.PostgreSQL, sqlwechat.MySQL, sqlwechat.SQLite} {
		for _, statement := range sqlwechat.Schema(dialect) {
			if !strings.Contains(string(text), statement) {
				t.Errorf("docs/sql.md lacks what %v is given:\n%s", dialect, statement)
			}
		}
	}
}

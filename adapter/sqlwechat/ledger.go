package sqlwechat

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed175cf469/wechat"
)

const (
	defaultTable = "wechat_ledger_v1"
	defaultLease = 15 * time.Minute
	longestKey   = 512 // bytes; longer ones are hashed
	pageSize     = 500
	pruneSize    = 1000
)

// Ledger is a wechat.Ledger and a wechat.LedgerScanner in a database. It is safe for concurrent use; whatever number of
// them may use a table at the same time.
type Ledger struct {
	db      *sql.DB
	dialect Dialect
	table   string
	lease   time.Duration
	sql     *statements
	err     error // what is wrong with the options: each method says so
}

var (
	_ wechat.Ledger        = (*Ledger)(nil)
	_ wechat.LedgerScanner = (*Ledger)(nil)
)

// Option changes a default.
type Option func(*Ledger)

// WithLease says after what time a call that was begun and not ended counts as Unknown. The default is 15 minutes. It must be
// longer than calls with an idempotency key last, with all their waits and repeats; one that ends later still says how it
// ended. Each claim keeps the lease it was made with.
func WithLease(d time.Duration) Option { return func(l *Ledger) { l.lease = d } }

// WithTable replaces the table's name, wechat_ledger_v1: letters, digits and underscores, at most 48 of them.
func WithTable(name string) Option { return func(l *Ledger) { l.table = name } }

var tableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,47}$`)

// New returns the ledger in db, which is not closed. An unknown dialect or a table's name that is none is the error of each
// method.
func New(db *sql.DB, dialect Dialect, opts ...Option) *Ledger {
	l := &Ledger{db: db, dialect: dialect, table: defaultTable, lease: defaultLease}
	for _, opt := range opts {
		opt(l)
	}
	if !tableName.MatchString(l.table) {
		l.err = fmt.Errorf("sqlwechat: %q cannot be the name of a table", l.table)
	} else {
		l.sql, l.err = dialect.statements(l.table)
	}
	return l
}

// Migrate makes the table and its index where they are missing, and changes nothing where they stand. Any number of
// processes may call it at once. A later version of the schema will have a table of another name.
func (l *Ledger) Migrate(ctx context.Context) error {
	if l.err != nil {
		return l.err
	}
	return l.try(ctx, "migrate", func() error {
		tx, err := l.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for _, statement := range l.sql.schema {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
		return tx.Commit()
	})
}

// Begin claims key by one statement. Where the key is not the caller's, it reads what stands. A claim that has outlived
// its lease stands as Unknown.
func (l *Ledger) Begin(ctx context.Context, key string, _ *wechat.Call) (wechat.Entry, error) {
	if l.err != nil {
		return wechat.Entry{}, l.err
	}
	id, long := l.id(key)
	claim := 1 + rand.Int64N(math.MaxInt64) // tells our claim from others', also where the reply to it was lost
	var entry wechat.Entry
	err := l.try(ctx, "begin", func() error {
		for {
			mine, err := l.claim(ctx, id, long, claim)
			if mine || err != nil {
				return err
			}
			// A row that is gone or free by now can be claimed.
			if entry, mine, err = l.read(ctx, id, claim); errors.Is(err, sql.ErrNoRows) || err == nil && entry.State == wechat.Failed {
				continue
			}
			if mine {
				entry = wechat.Entry{}
			}
			return err
		}
	})
	if err != nil {
		return wechat.Entry{}, err
	}
	return entry, nil
}

func (l *Ledger) claim(ctx context.Context, id, long any, claim int64) (mine bool, err error) {
	res, err := l.db.ExecContext(ctx, l.sql.claim, id, long, claim, l.lease.Microseconds())
	if err != nil {
		return false, err
	}
	if l.dialect == MySQL {
		stands, err := res.LastInsertId()
		return stands == claim, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

func (l *Ledger) read(ctx context.Context, id any, claim int64) (e wechat.Entry, mine bool, err error) {
	var stands, age int64
	if err := l.db.QueryRowContext(ctx, l.sql.read, id).Scan(&stands, &e.State, &e.Result, &age); err != nil {
		return wechat.Entry{}, false, err
	}
	e.Updated = time.Now().Add(-time.Duration(age) * time.Microsecond)
	return e, stands == claim && e.State == wechat.Pending, nil
}

// End records what became of a key. Where the database fails it tries again for about a second, as a key that stays Pending
// becomes Unknown.
func (l *Ledger) End(ctx context.Context, key string, e wechat.Entry) error {
	if l.err != nil {
		return l.err
	}
	id, long := l.id(key)
	return l.try(ctx, "end", func() error {
		_, err := l.db.ExecContext(ctx, l.sql.end, id, long, string(e.State), e.Result)
		return err
	})
}

// Scan lists the keys in a state that were last updated before a time, the oldest first. It reads 500 at a time and holds no
// connection in between, so that End may be called in the loop. A claim that has outlived its lease is listed as Unknown.
func (l *Ledger) Scan(ctx context.Context, s wechat.State, before time.Time) iter.Seq2[string, error] {
	var walk []part
	switch s {
	case wechat.Pending:
		walk = []part{running}
	case wechat.Done:
		walk = []part{done}
	case wechat.Failed:
		walk = []part{failed}
	case wechat.Unknown:
		walk = []part{lapsed, unknown} // in this order, as End makes unknown what was lapsed
	}
	return func(yield func(string, error) bool) {
		if l.err != nil {
			yield("", l.err)
			return
		}
		for _, p := range walk {
			last := row{updated: math.MinInt64}
			for more := true; more; {
				page, err := l.page(ctx, p, before, last)
				if err != nil {
					yield("", err)
					return
				}
				for _, last = range page {
					if !yield(last.key(), nil) {
						return
					}
				}
				more = len(page) == pageSize
			}
		}
	}
}

type row struct {
	id      string
	long    []byte
	updated int64
}

func (r row) key() string {
	if r.long != nil {
		return string(r.long)
	}
	return r.id
}

func (l *Ledger) page(ctx context.Context, p part, before time.Time, last row) (page []row, err error) {
	err = l.try(ctx, "scan", func() error {
		page = page[:0]
		rows, err := l.db.QueryContext(ctx, l.sql.scan[p], age(before), last.updated, last.updated, l.text(last.id), pageSize)
		if err != nil {
			return err
		}
		for rows.Next() {
			var r row
			if err := rows.Scan(&r.id, &r.long, &r.updated); err != nil {
				return errors.Join(err, rows.Close())
			}
			page = append(page, r)
		}
		return errors.Join(rows.Err(), rows.Close())
	})
	return page, err
}

// Prune forgets the keys that are Done or Failed and were last updated before a time, 1,000 in a statement, and tells how
// many. A call with a forgotten key is made again. Pending and Unknown ones stay: they have to be settled by End first.
func (l *Ledger) Prune(ctx context.Context, before time.Time) (int64, error) {
	if l.err != nil {
		return 0, l.err
	}
	var total int64
	for {
		var n int64
		err := l.try(ctx, "prune", func() error {
			args := []any{age(before), pruneSize}
			if l.dialect != MySQL {
				args = append(args, age(before))
			}
			res, err := l.db.ExecContext(ctx, l.sql.prune, args...)
			if err != nil {
				return err
			}
			n, err = res.RowsAffected()
			return err
		})
		total += n
		if err != nil || n == 0 {
			return total, err
		}
	}
}

// age is for how many microseconds t has passed, as the database knows no other clock than its own.
func age(t time.Time) int64 { return time.Since(t).Microseconds() }

// id is how a key stands in the table: as it is, or hashed and beside it the whole where it is too long, or no text that all
// databases take.
func (l *Ledger) id(key string) (id, long any) {
	if len(key) <= longestKey && utf8.ValidString(key) && !strings.Contains(key, "\x00") {
		return l.text(key), nil
	}
	sum := sha256.Sum256([]byte(key))
	return l.text("sha256:" + hex.EncodeToString(sum[:])), []byte(key)
}

// text is an id as an argument. In MySQL it is bytes, so that no character set has a say.
func (l *Ledger) text(id string) any {
	if l.dialect == MySQL {
		return []byte(id)
	}
	return id
}

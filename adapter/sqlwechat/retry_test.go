package sqlwechat

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
)

type sqliteError int

func (e sqliteError) Error() string { return fmt.Sprintf("SQLite's %d", int(e)) }
func (e sqliteError) Code() int     { return int(e) }

func TestPassing(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{driver.ErrBadConn, true},
		{errors.New("read: connection reset by peer"), true},
		{&pgconn.PgError{Code: "40001"}, true},  // serialization failure
		{&pgconn.PgError{Code: "57P01"}, true},  // the server shuts down
		{&pgconn.PgError{Code: "53300"}, true},  // too many connections
		{&pgconn.PgError{Code: "42P01"}, false}, // no such table
		{&pgconn.PgError{Code: "57014"}, false}, // cancelled
		{fmt.Errorf("x: %w", &mysql.MySQLError{Number: 1213, SQLState: [5]byte([]byte("40001")), Message: "Deadlock found"}), true},
		{&mysql.MySQLError{Number: 1205, SQLState: [5]byte([]byte("HY000")), Message: "Lock wait timeout exceeded"}, true},
		{&mysql.MySQLError{Number: 1040, SQLState: [5]byte([]byte("08004")), Message: "Too many connections"}, true},
		{&mysql.MySQLError{Number: 1146, SQLState: [5]byte([]byte("42S02")), Message: "Table doesn't exist"}, false},
		{sqliteError(5), true},          // busy
		{sqliteError(5 | 2<<8), true},   // one of its kinds
		{sqliteError(1), false},         // an error in the statement
		{sqliteError(19 | 6<<8), false}, // a constraint
	} {
		if got := passing(test.err); got != test.want {
			t.Errorf("passing(%v) = %v", test.err, got)
		}
	}
}

func TestTry(t *testing.T) {
	l := &Ledger{}
	broken := errors.New("broken pipe")
	n := 0
	if err := l.try(t.Context(), "x", func() error {
		if n++; n < 3 {
			return broken
		}
		return nil
	}); err != nil || n != 3 {
		t.Errorf("%v after %d", err, n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := l.try(ctx, "x", func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("with a deadline: %v", err)
	}
}

package sqlwechat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
)

const (
	tries      = 8
	firstPause = 10 * time.Millisecond // doubled each time: about a second in all
)

// try does what may be done twice, and does it again where the database has a passing problem: a deadlock, a lock that
// another holds, a connection that broke.
func (l *Ledger) try(ctx context.Context, what string, do func() error) error {
	for n := range tries {
		err := do()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || n == tries-1 || !passing(err) {
			return fmt.Errorf("sqlwechat: %s: %w", what, err)
		}
		pause := time.NewTimer(firstPause<<n/2 + rand.N(firstPause<<n/2))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("sqlwechat: %s: %w", what, err)
		}
	}
	return nil
}

// mysqlError is how the usual driver writes what the server refused: "Error 1213 (40001): Deadlock found".
var mysqlError = regexp.MustCompile(`Error (\d+) \((\w{5})\): `)

// passing reports whether a repeat may help. What the server itself refuses is final, but for a few SQLSTATEs; everything
// else is a matter of connections. The drivers' types are not known here, so they are told by their methods and texts.
func passing(err error) bool {
	var postgres interface{ SQLState() string }
	var sqlite interface{ Code() int }
	switch {
	case errors.As(err, &postgres):
		return passingState(postgres.SQLState())
	case errors.As(err, &sqlite):
		primary := sqlite.Code() & 0xff
		return primary == 5 || primary == 6 // SQLITE_BUSY, SQLITE_LOCKED
	}
	if m := mysqlError.FindStringSubmatch(err.Error()); m != nil {
		return m[1] == "1205" || passingState(m[2]) // 1205: waited too long for a lock
	}
	return true
}

// passingState knows the classes: 08 connections, 40 deadlocks and the like, 53 resources, 57P a server that stops or starts.
func passingState(state string) bool {
	return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "40") || strings.HasPrefix(state, "53") || strings.HasPrefix(state, "57P")
}

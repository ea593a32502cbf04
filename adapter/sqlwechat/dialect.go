package sqlwechat

import (
	"fmt"
	"strconv"
	"strings"
)

// Dialect is the kind of a database.
type Dialect uint8

// The dialects.
const (
	PostgreSQL Dialect = iota + 1 // 12 and later
	MySQL                         // MySQL 8.0, MariaDB 10.4 and later
	SQLite                        // 3.42 and later
)

func (d Dialect) String() string {
	switch d {
	case PostgreSQL:
		return "PostgreSQL"
	case MySQL:
		return "MySQL"
	case SQLite:
		return "SQLite"
	default:
		return "Dialect(" + strconv.Itoa(int(d)) + ")"
	}
}

// statements are a ledger's statements in one dialect, with their arguments in order.
type statements struct {
	schema []string        // does nothing where it stands
	claim  string          // id, long id, claim, lease
	read   string          // id
	end    string          // id, long id, state, result
	scan   map[part]string // age, then where the page before ended: updated, updated, id; then the length of the page
	prune  string          // age, number; where the table is named twice, the age again
}

// part is what a scan walks through at once.
type part string

// A claim that has run out is Unknown although its row still says pending; what End has made pending never runs out.
const (
	running part = "state = 'pending' AND (lease IS NULL OR lease >= {now})"
	lapsed  part = "state = 'pending' AND lease < {now}"
	done    part = "state = 'done'"
	failed  part = "state = 'failed'"
	unknown part = "state = 'unknown'"
)

const (
	insertClaim = `INSERT INTO {table} (id, long_id, claim, state, updated, lease) VALUES (?, ?, ?, 'pending', {now}, {now} + ?)
ON CONFLICT (id) DO UPDATE SET claim = excluded.claim, state = excluded.state, result = NULL, updated = excluded.updated, lease = excluded.lease
WHERE {table}.state = 'failed'`
	insertEnd = `INSERT INTO {table} (id, long_id, claim, state, result, updated) VALUES (?, ?, 0, ?, ?, {now})
ON CONFLICT (id) DO UPDATE SET state = excluded.state, result = excluded.result, updated = excluded.updated, lease = NULL`
	// The row may have changed between the two looks at it, so both ask the same.
	pruneTwice = `DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE state IN ('done', 'failed') AND updated < {now} - ? LIMIT ?)
AND state IN ('done', 'failed') AND updated < {now} - ?`

	// MySQL has no condition there and cannot return the row, but LAST_INSERT_ID(x) tells x: the claim that stands.
	// Assignments are carried out from left to right, so the state comes last.
	insertClaimMySQL = `INSERT INTO {table} (id, long_id, claim, state, updated, lease) VALUES (?, ?, LAST_INSERT_ID(?), 'pending', {now}, {now} + ?)
ON DUPLICATE KEY UPDATE claim = LAST_INSERT_ID(IF(state = 'failed', VALUES(claim), claim)), result = IF(state = 'failed', NULL, result),
updated = IF(state = 'failed', VALUES(updated), updated), lease = IF(state = 'failed', VALUES(lease), lease), state = IF(state = 'failed', 'pending', state)`
	insertEndMySQL = `INSERT INTO {table} (id, long_id, claim, state, result, updated) VALUES (?, ?, 0, ?, ?, {now})
ON DUPLICATE KEY UPDATE state = VALUES(state), result = VALUES(result), updated = VALUES(updated), lease = NULL`
	pruneMySQL = `DELETE FROM {table} WHERE state IN ('done', 'failed') AND updated < {now} - ? LIMIT ?`

	readRow  = `SELECT claim, CASE WHEN ` + string(lapsed) + ` THEN 'unknown' ELSE state END, result, {now} - updated FROM {table} WHERE id = ?`
	scanPage = `SELECT id, long_id, updated FROM {table} WHERE {part} AND updated < {now} - ? AND updated >= ? AND (updated > ? OR id > ?)
ORDER BY updated, id LIMIT ?`

	schemaIndex = `CREATE INDEX IF NOT EXISTS {table}_state ON {table} (state, updated, id)`
)

// statements writes the statements for a table.
func (d Dialect) statements(table string) (*statements, error) {
	s := statements{claim: insertClaim, read: readRow, end: insertEnd, prune: pruneTwice}
	var now string // microseconds since 1970
	switch d {
	case PostgreSQL:
		now = "(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000)::bigint"
		s.schema = []string{
			`SELECT pg_advisory_xact_lock(hashtext('{table}'))`, // IF NOT EXISTS alone fails where two do it at once
			`CREATE TABLE IF NOT EXISTS {table} (
	id      text COLLATE "C" PRIMARY KEY,
	long_id bytea,
	claim   bigint NOT NULL,
	state   text COLLATE "C" NOT NULL,
	result  bytea,
	updated bigint NOT NULL,
	lease   bigint
)`, schemaIndex}
	case MySQL:
		now = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))"
		s.claim, s.end, s.prune = insertClaimMySQL, insertEndMySQL, pruneMySQL
		s.schema = []string{`CREATE TABLE IF NOT EXISTS {table} (
	id      varbinary(512) NOT NULL PRIMARY KEY,
	long_id longblob,
	claim   bigint NOT NULL,
	state   varchar(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	result  longblob,
	updated bigint NOT NULL,
	lease   bigint,
	INDEX {table}_state (state, updated, id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`}
	case SQLite:
		now = "CAST(unixepoch('subsec') * 1000000 AS INTEGER)"
		s.schema = []string{`CREATE TABLE IF NOT EXISTS {table} (
	id      TEXT NOT NULL PRIMARY KEY,
	long_id BLOB,
	claim   INTEGER NOT NULL,
	state   TEXT NOT NULL,
	result  BLOB,
	updated INTEGER NOT NULL,
	lease   INTEGER
)`, schemaIndex}
	default:
		return nil, fmt.Errorf("sqlwechat: %v is none of the dialects", d)
	}

	words := strings.NewReplacer("{table}", table, "{now}", now)
	finish := func(text string) string {
		text = words.Replace(text)
		if d == PostgreSQL {
			for n := 1; strings.Contains(text, "?"); n++ {
				text = strings.Replace(text, "?", "$"+strconv.Itoa(n), 1)
			}
		}
		return text
	}
	for i := range s.schema {
		s.schema[i] = finish(s.schema[i])
	}
	for _, text := range []*string{&s.claim, &s.read, &s.end, &s.prune} {
		*text = finish(*text)
	}
	s.scan = map[part]string{}
	for _, p := range []part{running, lapsed, done, failed, unknown} {
		s.scan[p] = finish(strings.Replace(scanPage, "{part}", string(p), 1))
	}
	return &s, nil
}

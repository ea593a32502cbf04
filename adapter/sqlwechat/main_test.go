package sqlwechat_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/seed175cf469/wechat/adapter/sqlwechat"
)

// childEnv makes the test binary one of several processes: "what driver dsn table argument".
const childEnv = "SQLWECHAT_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := child(strings.Split(job, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	for _, stop := range stops {
		stop()
	}
	os.Exit(code)
}

// database is one that the tests run against.
type database struct {
	dialect     sqlwechat.Dialect
	driver, dsn string
	db          *sql.DB
	table       string
}

func (d *database) ledger(opts ...sqlwechat.Option) *sqlwechat.Ledger {
	return sqlwechat.New(d.db, d.dialect, append([]sqlwechat.Option{sqlwechat.WithTable(d.table)}, opts...)...)
}

// eachDatabase runs a test against each database, with a table of its own that is there.
func eachDatabase(t *testing.T, test func(t *testing.T, d *database)) {
	for _, dialect := range []sqlwechat.Dialect{sqlwechat.SQLite, sqlwechat.PostgreSQL, sqlwechat.MySQL} {
		t.Run(dialect.String(), func(t *testing.T) {
			d := open(t, dialect)
			if err := d.ledger().Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			test(t, d)
		})
	}
}

func open(t *testing.T, dialect sqlwechat.Dialect) *database {
	t.Helper()
	d := &database{dialect: dialect, table: fmt.Sprintf("ledger_%d", time.Now().UnixNano())}
	switch dialect {
	case sqlwechat.PostgreSQL:
		d.driver, d.dsn = "pgx", server(t, "SQLWECHAT_POSTGRES_DSN", startPostgres)
	case sqlwechat.MySQL:
		d.driver, d.dsn = "mysql", server(t, "SQLWECHAT_MYSQL_DSN", startMariaDB)
	case sqlwechat.SQLite:
		d.driver, d.dsn = "sqlite", "file:"+filepath.Join(t.TempDir(), "ledger.db")+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)"
	}
	db, err := sql.Open(d.driver, d.dsn)
	if err != nil {
		t.Fatal(err)
	}
	d.db = db
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), "DROP TABLE IF EXISTS "+d.table); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// exec changes the table behind the ledger's back.
func (d *database) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := d.db.ExecContext(t.Context(), strings.ReplaceAll(statement, "{table}", d.table)); err != nil {
		t.Fatal(err)
	}
}

// child starts the test binary as another process that does what.
func (d *database) child(t *testing.T, what, argument string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{what, d.dialect.String(), d.driver, d.dsn, d.table, argument}, "\n"))
	cmd.Stderr = os.Stderr
	return cmd
}

var (
	servers sync.Mutex
	started = map[string]string{} // DSNs of the servers that run, or were said to
	failed  = map[string]error{}
	stops   []func()
)

// errMissing says that a server is not installed.
var errMissing = errors.New("not installed")

// server is the DSN that the environment names, or that of a server that is started for the tests.
func server(t *testing.T, env string, start func() (dsn string, stop func(), err error)) string {
	t.Helper()
	if dsn := os.Getenv(env); dsn != "" {
		return dsn
	}
	servers.Lock()
	defer servers.Unlock()
	if started[env] == "" && failed[env] == nil {
		dsn, stop, err := start()
		if err != nil {
			failed[env] = err
		} else {
			started[env], stops = dsn, append(stops, stop)
		}
	}
	switch err := failed[env]; {
	case errors.Is(err, errMissing) && os.Getenv("CI") != "true":
		t.Skipf("set %s, or install the server: %v", env, err)
	case err != nil:
		t.Fatalf("neither %s is set nor does a server start: %v", env, err)
	}
	return started[env]
}

// startPostgres runs a server on a socket in a folder of its own.
func startPostgres() (dsn string, stop func(), err error) {
	initdb, err := find("initdb", "/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", nil, err
	}
	if initdb, err = filepath.EvalSymlinks(initdb); err != nil {
		return "", nil, err
	}
	dir, as, err := home("postgres")
	if err != nil {
		return "", nil, err
	}
	data := filepath.Join(dir, "data")
	if err := run(as, initdb, "-D", data, "-U", "wechat", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return "", nil, err
	}
	return serve(as, dir, fmt.Sprintf("host=%s user=wechat dbname=postgres sslmode=disable", dir), "pgx", syscall.SIGINT,
		filepath.Join(filepath.Dir(initdb), "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "timezone=Asia/Shanghai")
}

// startMariaDB runs a server on a socket in a folder of its own.
func startMariaDB() (dsn string, stop func(), err error) {
	mariadbd, err := find("mariadbd", "/usr/sbin/mariadbd")
	if err != nil {
		return "", nil, err
	}
	install, err := find("mariadb-install-db")
	if err != nil {
		return "", nil, err
	}
	dir, as, err := home("mysql")
	if err != nil {
		return "", nil, err
	}
	data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "s")
	if err := run(as, install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal"); err != nil {
		return "", nil, err
	}
	return serve(as, dir, "root@unix("+socket+")/test", "mysql", syscall.SIGTERM,
		mariadbd, "--no-defaults", "--datadir="+data, "--socket="+socket, "--pid-file="+filepath.Join(dir, "pid"), "--skip-networking",
		"--skip-grant-tables", "--innodb-flush-log-at-trx-commit=0", "--default-time-zone=+08:00", "--init-file="+filepath.Join(dir, "init"))
}

func find(name string, patterns ...string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, pattern := range patterns {
		if paths, err := filepath.Glob(pattern); err == nil && len(paths) > 0 {
			return paths[len(paths)-1], nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, errMissing)
}

// home makes a folder for a server. As root, which the servers refuse to run as, it belongs to the user that the package
// has made for the server.
func home(name string) (dir string, as *syscall.Credential, err error) {
	if dir, err = os.MkdirTemp("/tmp", "sqlwechat"); err != nil { // a socket's path must be short
		return "", nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "init"), []byte("CREATE DATABASE IF NOT EXISTS test;\n"), 0o600); err != nil {
		return "", nil, err
	}
	if os.Geteuid() != 0 {
		return dir, nil, nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", errMissing, err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return "", nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return "", nil, err
	}
	for _, path := range []string{dir, filepath.Join(dir, "init")} {
		if err := os.Chown(path, uid, gid); err != nil {
			return "", nil, err
		}
	}
	return dir, &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func command(as *syscall.Credential, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

func run(as *syscall.Credential, name string, args ...string) error {
	if out, err := command(as, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// serve starts a server, waits until it answers, and tells how to end it.
func serve(as *syscall.Credential, dir, dsn, driver string, end os.Signal, name string, args ...string) (string, func(), error) {
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return "", nil, err
	}
	cmd := command(as, name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop := func() {
		_ = cmd.Process.Signal(end)
		_ = cmd.Wait()
		_ = log.Close()
		_ = os.RemoveAll(dir)
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		stop()
		return "", nil, err
	}
	defer func() { _ = db.Close() }()
	for until := time.Now().Add(time.Minute); ; {
		if err = db.Ping(); err == nil {
			return dsn, stop, nil
		}
		if time.Now().After(until) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	stop()
	return "", nil, fmt.Errorf("%s does not answer: %w: %s", name, err, text)
}

package main

import (
	"bufio"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// buildCommand builds the real command.
func buildCommand(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wechat")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestKill: a sending that is killed ten times, at moments that nobody chose, and then resumed. Every row is in the last
// report, what it says was sent was delivered once, what it says is unknown once or not at all, and nothing twice.
// Customer service messages are sent, which the platform does not know again.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 15 seconds")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the platform is stopped by a signal")
	}
	const rows, kills, concurrency = 2000, 10, 10
	noAccount(t)
	binary, dir := buildCommand(t), t.TempDir()
	list := filepath.Join(dir, "people.csv")
	var text strings.Builder
	text.WriteString("openid,name\n")
	for i := range rows {
		fmt.Fprintf(&text, "o%027d,Name %d\n", i, i)
	}
	if err := os.WriteFile(list, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	platform := write(t, "platform.yaml", "faults: {SendCustomMessage: [{delay: 50ms}]}\n")
	deliveries := filepath.Join(dir, "deliveries.csv")
	url, stop := startProcess(t, binary, "mock", platform, "--listen", "127.0.0.1:0", "-q", "--json", "--deliveries", deliveries)

	send := func(resume bool) *exec.Cmd {
		args := []string{"send", "custom", list, "--text", "Hello {name}", "--concurrency", strconv.Itoa(concurrency), "--base-url", url}
		if resume {
			args = append(args, "--resume")
		}
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Env = append(os.Environ(), "WECHAT_APPID=wx1", "WECHAT_SECRET=s")
		return cmd
	}
	table := "\n| run | ended after | done | under way | unknown |\n|---|---|---|---|---|\n"
	note := func(run int, after string) {
		counts := ledgerCounts(t, list+".ledger")
		table += fmt.Sprintf("| %d | %s | %d | %d | %d |\n", run, after, counts["done"], counts["pending"], counts["unknown"])
	}
	for run := range kills {
		_, err := os.Stat(list + ".ledger")
		cmd := send(err == nil)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		life := 150*time.Millisecond + rand.N(700*time.Millisecond)
		time.Sleep(life) // the moment of a kill is not to depend on what the process does
		if err := cmd.Process.Kill(); err != nil {
			t.Fatalf("run %d had ended before it was killed: %v", run+1, err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatalf("run %d had ended before it was killed", run+1)
		}
		note(run+1, "killed, "+life.Round(time.Millisecond).String())
	}
	began := time.Now()
	last := send(true)
	out, err := last.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != exitSome) {
		t.Fatalf("the last run: %v: %s", err, out)
	}
	note(kills+1, "its end, "+time.Since(began).Round(time.Millisecond).String())
	t.Log(table)

	var got seen
	if err := json.Unmarshal([]byte(stop()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Duplicates != 0 {
		t.Errorf("%d messages were delivered twice", got.Duplicates)
	}
	delivered := deliveredTo(t, deliveries)
	counts := map[string]int{}
	for line, state := range readReport(t, list+".report.csv") {
		n, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		counts[state]++
		times := delivered[fmt.Sprintf("o%027d", n-2)]
		switch state {
		case "sent", "skipped":
			if times != 1 {
				t.Errorf("line %s is %s and was delivered %d times", line, state, times)
			}
		case "unknown":
			if times > 1 {
				t.Errorf("line %s is unknown and was delivered %d times", line, times)
			}
		default:
			t.Errorf("line %s is %s", line, state)
		}
	}
	if total := counts["sent"] + counts["skipped"] + counts["unknown"]; total != rows {
		t.Errorf("%d rows in the report, want %d", total, rows)
	}
	if most := kills * concurrency; counts["unknown"] > most {
		t.Errorf("%d rows are unknown, but only %d were under way at the kills", counts["unknown"], most)
	}
	t.Logf("%v; %d delivered, %d twice", counts, got.Delivered, got.Duplicates)
}

// startProcess starts the platform as a process of its own until stop is called, which returns what it printed.
func startProcess(t *testing.T, binary string, args ...string) (url string, stop func() string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	var out strings.Builder
	cmd.Stdout = &out
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.TrimSpace(strings.TrimPrefix(line, "the platform is at "))
	return url, func() string {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
}

// ledgerCounts counts the rows of a ledger by state.
func ledgerCounts(t *testing.T, path string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only read
	rows, err := db.QueryContext(t.Context(), "SELECT state, count(*) FROM wechat_ledger_v1 GROUP BY state")
	if err != nil {
		return counts // it was killed before there was a table
	}
	defer func() { _ = rows.Close() }() // as above
	for rows.Next() {
		var (
			state string
			n     int
		)
		if err := rows.Scan(&state, &n); err != nil {
			t.Fatal(err)
		}
		counts[state] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return counts
}

// deliveredTo reads how many messages each recipient has got.
func deliveredTo(t *testing.T, path string) map[string]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, r := range records[1:] {
		times[r[3]]++
	}
	return times
}

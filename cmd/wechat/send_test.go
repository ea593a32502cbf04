package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/miniprogram"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/work"
)

// readReport reads a report: the state of each line of the list, and the errcode where there is one.
func readReport(t *testing.T, path string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, r := range records[1:] {
		if states[r[0]] != "" {
			t.Errorf("line %s stands twice in the report", r[0])
		}
		states[r[0]] = strings.TrimSpace(r[3] + " " + r[4])
	}
	return states
}

const people = "openid,name,day\nalice,Ann,2026-12-01\nbob,Bob,2026-12-02\ncarol,Cy,2026-12-03\n"

func TestSendTemplate(t *testing.T) {
	s, url := newPlatform(t)
	s.Unfollow("bob")
	list := write(t, "people.csv", people)
	args := []string{"send", "template", list, "--base-url", url, "--template-id", "T", "--data", "thing1=Dear {name}", "--data", "time2=day", "--url", "https://example.com/?d={day}"}
	r := command(t, "", append(args, "--json")...)
	if r.code != exitSome {
		t.Fatalf("%+v", r)
	}
	var sum summary
	if err := json.Unmarshal([]byte(r.out), &sum); err != nil || sum.Rows != 3 || sum.Sent != 2 || sum.Refused != 1 || sum.Requests != 3 {
		t.Errorf("%+v, %v", sum, err)
	}
	states := readReport(t, list+".report.csv")
	if states["2"] != "sent" || states["3"] != "refused 43004" || states["4"] != "sent" {
		t.Errorf("report %v", states)
	}
	got := s.Delivered("alice")[0].Call.Request.(*officialaccount.TemplateMessage)
	if got.TemplateID != "T" || got.Data["thing1"].Value != "Dear Ann" || got.Data["time2"].Value != "2026-12-01" || got.URL != "https://example.com/?d=2026-12-01" {
		t.Errorf("got %+v", got)
	}

	// Without --resume the list is not sent again; with it, what was sent is not.
	if r = command(t, "", args...); r.code != exitUsage || !strings.Contains(r.err, "--resume") {
		t.Errorf("%+v", r)
	}
	s.Follow("bob")
	if r = command(t, "", append(args, "--resume")...); r.code != 0 || !strings.Contains(r.err, "1 sent, 2 sent earlier, 0 refused") {
		t.Errorf("%+v", r)
	}
	if d := s.Delivered(""); len(d) != 3 || len(s.Duplicates()) != 0 {
		t.Errorf("%d delivered", len(d))
	}
	states = readReport(t, list+".report.csv")
	if states["2"] != "skipped" || states["3"] != "sent" {
		t.Errorf("report %v", states)
	}
}

// TestSendKinds: each kind goes to its endpoint, from CSV or JSON lines.
func TestSendKinds(t *testing.T) {
	s, url := newPlatform(t)
	s.App(wechat.App{ID: "ww1", Secret: testSecret, AgentID: 7})
	secret := write(t, "secret", testSecret)
	lines := write(t, "people.jsonl", `{"openid": "alice", "id": "alice", "name": "Ann", "n": 3}`+"\n")
	for _, tt := range []struct {
		args  []string
		check func(req any) bool
	}{
		{[]string{"subscribe", "--template-id", "T", "--data", "number1=n", "--page", "pages/index?n={n}"}, func(req any) bool {
			m, ok := req.(*miniprogram.SubscribeMessage)
			return ok && m.ToUser == "alice" && m.Data["number1"].Value == "3" && m.Page == "pages/index?n=3"
		}},
		{[]string{"subscribe", "--product", "officialaccount", "--template-id", "T", "--data", "number1=n"}, func(req any) bool {
			m, ok := req.(*officialaccount.SubscribeNotice)
			return ok && m.Data["number1"].Value == "3"
		}},
		{[]string{"custom", "--text", "Hello {name}"}, func(req any) bool {
			m, ok := req.(*officialaccount.CustomMessage)
			return ok && m.MsgType == "text" && m.Text.Content == "Hello Ann"
		}},
		{[]string{"custom", "--message", `{"msgtype": "news", "news": {"articles": [{"title": "For {name}"}]}}`}, func(req any) bool {
			m, ok := req.(*officialaccount.CustomMessage)
			return ok && m.News != nil && m.News.Articles[0].Title == "For Ann"
		}},
		{[]string{"work", "--appid", "ww1", "--secret-file", secret, "--agentid", "7", "--to", "id", "--text", "Hello {name}"}, func(req any) bool {
			m, ok := req.(*work.Message)
			return ok && m.ToUser == "alice" && m.Text.Content == "Hello Ann"
		}},
	} {
		t.Run(tt.args[0], func(t *testing.T) {
			before := len(s.Delivered(""))
			r := command(t, "", append([]string{"send", tt.args[0], lines, "--base-url", url, "--no-ledger"}, tt.args[1:]...)...)
			d := s.Delivered("")
			if r.code != 0 || len(d) != before+1 || !tt.check(d[before].Call.Request) {
				t.Fatalf("%d delivered, %+v", len(d)-before, r)
			}
		})
	}
}

func TestSendDryRun(t *testing.T) {
	s, url := newPlatform(t)
	list := write(t, "people.csv", people+"dave,,2026-12-04\n,Eve,2026-12-05\nalice,Ann,2026-12-06\nx,y\n")
	r := command(t, "", "send", "template", list, "--dry-run", "--base-url", url, "--template-id", "T", "--data", "thing1=name")
	for _, want := range []string{
		"line 5: thing1 is empty", "line 6: it has no recipient", `line 7: the key "alice" stands in line 2 already`, "line 8: it has 2 values for 3 columns",
		"7 rows: 3 good, 3 wrong, 1 with the key of an earlier one",
	} {
		if !strings.Contains(r.err, want) {
			t.Errorf("no %q in %s", want, r.err)
		}
	}
	if r.code != exitUsage || !strings.Contains(r.out, `"touser": "alice"`) || len(s.Calls("")) != 0 {
		t.Errorf("%+v, %d calls", r, len(s.Calls("")))
	}
	if files, _ := filepath.Glob(list + ".*"); len(files) != 0 {
		t.Errorf("a dry run has left %q", files)
	}

	// The same list is not sent either, unless the wrong rows are to be skipped.
	args := []string{"send", "template", list, "--base-url", url, "--template-id", "T", "--data", "thing1=name"}
	if r = command(t, "", args...); r.code != exitUsage || len(s.Calls("")) != 0 {
		t.Errorf("%+v", r)
	}
	if r = command(t, "", append(args, "--skip-invalid")...); r.code != exitSome || len(s.Delivered("")) != 3 {
		t.Errorf("%+v", r)
	}
	states := readReport(t, list+".report.csv")
	for line, want := range map[string]string{"2": "sent", "4": "sent", "5": "refused", "6": "refused", "8": "refused"} {
		if got := states[line]; got != want && (line != "2" || got != "skipped") {
			t.Errorf("line %s is %s, want %s", line, got, want)
		}
	}
}

// TestSendKey: rows of one recipient are told apart by the column of their key.
func TestSendKey(t *testing.T) {
	s, url := newPlatform(t)
	list := write(t, "orders.csv", "openid,order\nalice,1\nalice,2\n")
	args := []string{"send", "custom", list, "--base-url", url, "--text", "Order {order}"}
	if r := command(t, "", append(args, "--key", "order")...); r.code != 0 || len(s.Delivered("alice")) != 2 {
		t.Errorf("%+v", r)
	}
}

// TestSendStops: a failure that concerns all rows stops the list, and the exit code says which it was.
func TestSendStops(t *testing.T) {
	s, url := newPlatform(t)
	args := func(list string) []string {
		return []string{"send", "template", list, "--base-url", url, "--template-id", "T", "--data", "thing1=name", "--concurrency", "1"}
	}
	list := write(t, "people.csv", people)
	s.Script("SendTemplateMessage", mock.Reply{}, mock.Reply{Code: 40037})
	r := command(t, "", args(list)...)
	if states := readReport(t, list+".report.csv"); r.code != exitStopped || states["2"] != "sent" || states["3"] != "refused 40037" || states["4"] != "not tried" && !strings.HasPrefix(states["4"], "not tried") {
		t.Errorf("%+v, %v", r, states)
	}

	list = write(t, "people.csv", people)
	s.Limit("SendTemplateMessage", mock.PerDay(2))
	if r = command(t, "", args(list)...); r.code != exitQuota || !strings.Contains(r.err, "again at") || !strings.Contains(r.err, "--resume") {
		t.Errorf("%+v", r)
	}
}

func TestSendUsage(t *testing.T) {
	_, url := newPlatform(t)
	list := write(t, "people.csv", people)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"letter", list}, `unknown kind "letter": there are template, subscribe, custom, work`},
		{[]string{"template", list}, "--template-id is missing"},
		{[]string{"template", list, "--template-id", "T"}, "--data is missing"},
		{[]string{"template", list, "--template-id", "T", "--data", "thing1"}, "KEY=COLUMN"},
		{[]string{"template", list, "--template-id", "T", "--data", "a=b", "--text", "x"}, "no --text"},
		{[]string{"custom", list}, "--text or --message is missing"},
		{[]string{"custom", list, "--text", "x", "--data", "a=b"}, "no --data"},
		{[]string{"custom", list, "--message", "x"}, "no JSON object"},
		{[]string{"custom", list, "--text", "x", "--resume"}, "nothing to resume"},
		{[]string{"custom", list, "--text", "x", "--resume", "--no-ledger"}, "needs a ledger"},
		{[]string{"custom", list + ".csv", "--text", "x"}, "no such file"},
		{[]string{"custom", "list.xlsx", "--text", "x"}, "--format"},
		{[]string{"custom", "-", "--text", "x"}, "--format"},
		{[]string{"custom", list, "--text", "x", "--to", "user"}, `there is no column "user"`},
		{[]string{"work", list, "--text", "x", "--product", "miniprogram"}, "not sent by miniprogram"},
		{[]string{"template", list, "--template-id", "T", "--data", "thing1=nme"}, `there is no column "nme"`},
	} {
		if r := command(t, "", append([]string{"send", "--base-url", url}, tt.args...)...); r.code != exitUsage || !strings.Contains(r.err, tt.want) {
			t.Errorf("%q: %+v, want %q", tt.args, r, tt.want)
		}
	}
}

// TestSendPipe: a list from standard input, its report on standard output.
func TestSendPipe(t *testing.T) {
	s, url := newPlatform(t)
	r := command(t, people, "send", "custom", "-", "--format", "csv", "--base-url", url, "--text", "Hello {name}")
	if r.code != 0 || len(s.Delivered("")) != 3 || strings.Count(r.out, ",sent,") != 3 {
		t.Errorf("%+v", r)
	}
}

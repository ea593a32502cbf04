package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/seed175cf469/wechat/mock"
)

// TestSendInterrupted: an interrupted list ends with its report, the exit code says so, and it can be resumed.
func TestSendInterrupted(t *testing.T) {
	s, url := newPlatform(t)
	list := write(t, "people.csv", people)
	ctx, cancel := context.WithCancel(t.Context())
	s.Handle("SendCustomMessage", func(mock.Call) mock.Reply { cancel(); return mock.Reply{} })
	s.Fault("SendCustomMessage", mock.Fault{Delay: 50 * time.Millisecond})
	args := []string{"send", "custom", list, "--base-url", url, "--text", "Hello {name}", "--concurrency", "1"}
	var errs strings.Builder
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&errs)
	root.SetErr(&errs)
	if code := exitCode(root.ExecuteContext(ctx)); code != exitInterrupted || !strings.Contains(errs.String(), "--resume goes on") {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
	if states := readReport(t, list+".report.csv"); states["2"] != "sent" || states["3"] != "not tried" || states["4"] != "not tried" {
		t.Errorf("report %v", states)
	}
	if r := command(t, "", append(args, "--resume")...); r.code != 0 || len(s.Delivered("")) != 3 || len(s.Duplicates()) != 0 {
		t.Errorf("%+v, %d delivered", r, len(s.Delivered("")))
	}
}

package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/seed175cf469/wechat/mock"
)

func TestErrcode(t *testing.T) {
	r := command(t, "", "errcode", "45009")
	for _, want := range []string{"45009 on officialaccount", "45009 on work", "当日额度", "Kind: quota exhausted", "SendTemplateMessage: "} {
		if r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("no %q in %+v", want, r)
		}
	}
	if r = command(t, "", "errcode", "--product", "work", "--json", "45009"); r.code != 0 {
		t.Fatal(r)
	}
	var got []meaning
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || len(got) != 1 || got[0].Products[0] != "work" || got[0].Kind != "rate limited" {
		t.Errorf("%+v, %v", got, err)
	}
	if r = command(t, "", "errcode", "--", "-1"); !strings.Contains(r.out, "-1 on officialaccount, miniprogram, work") {
		t.Errorf("%+v", r)
	}
	if r = command(t, "", "errcode", "987654"); r.code != exitFailed || !strings.Contains(r.err, "not documented") {
		t.Errorf("%+v", r)
	}
}

func TestToken(t *testing.T) {
	s, url := newPlatform(t)
	s.TokenLife(90 * time.Minute)
	r := command(t, "", "token", "--base-url", url)
	if r.code != 0 || !strings.Contains(r.out, "age      30m0s") || !strings.Contains(r.out, "in 1h30m0s") || strings.Contains(r.out, "mock_") {
		t.Errorf("%+v", r)
	}
	if n := s.TokensIssued(testApp); n != 1 {
		t.Errorf("%d tokens", n)
	}
	first := command(t, "", "token", "--base-url", url, "--show", "--json")
	second := command(t, "", "token", "--base-url", url, "--show", "--json", "--refresh")
	if n := s.TokensIssued(testApp); n != 2 || !strings.Contains(first.out, "mock_") || first.out == second.out {
		t.Errorf("%d tokens, %+v, %+v", n, first, second)
	}
}

func TestTokenRefused(t *testing.T) {
	_, url := newPlatform(t)
	t.Setenv("WECHAT_SECRET", "wrong-"+testSecret[:3])
	if r := command(t, "", "token", "--base-url", url); r.code != exitFailed || !strings.Contains(r.err, "40125") || strings.Contains(r.err, "wrong-") {
		t.Errorf("%+v", r)
	}
}

func TestQuota(t *testing.T) {
	s, url := newPlatform(t)
	s.Limit("SendTemplateMessage", mock.PerDay(10), mock.PerSecond(5))
	for range 3 {
		if r := command(t, "", "call", "--base-url", url, "SendTemplateMessage", "touser=a", "template_id=T", `data={}`); r.code != 0 {
			t.Fatal(r)
		}
	}
	r := command(t, "", "quota", "--base-url", url, "--json", "SendTemplateMessage")
	var got []pathQuota
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	want := pathQuota{Path: "/cgi-bin/message/template/send", Daily: 10, Used: 3, Left: 7, Calls: 5, Secs: 1}
	if got[0] != want {
		t.Errorf("got %+v", got[0])
	}
	if r = command(t, "", "quota", "--base-url", url); r.code != 0 || !strings.Contains(r.out, "/cgi-bin/message/custom/send") || !strings.Contains(r.out, "5 in 1 s") {
		t.Errorf("%+v", r)
	}
}

// TestQuotaClear: nothing is cleared that was not confirmed.
func TestQuotaClear(t *testing.T) {
	s, url := newPlatform(t)
	r := command(t, "y\n", "quota", "clear", "--base-url", url)
	if r.code != exitUsage || !strings.Contains(r.err, "--yes") || len(s.Calls("ClearQuota")) != 0 {
		t.Errorf("%+v", r)
	}
	if r = command(t, "", "quota", "clear", "--yes", "--base-url", url); r.code != 0 || len(s.Calls("ClearQuota")) != 1 {
		t.Errorf("%+v", r)
	}
	if r = command(t, "", "quota", "clear", "--yes", "--base-url", url, "SendTemplateMessage"); r.code != 0 || len(s.Calls("ClearAPIQuota")) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestQuotaWork(t *testing.T) {
	_, url := newPlatform(t)
	if r := command(t, "", "quota", "--product", "work", "--base-url", url, "SendMessage"); r.code != exitUsage || !strings.Contains(r.err, "work has no such call") {
		t.Errorf("%+v", r)
	}
}

func TestRid(t *testing.T) {
	s, url := newPlatform(t)
	s.Script("GetRidInfo", mock.Reply{JSON: map[string]any{"request": map[string]any{"invoke_time": 1, "client_ip": "203.0.113.7", "request_body": "{}"}}})
	if r := command(t, "", "rid", "--base-url", url, "61725984-6126f6f9-040f19c4"); r.code != 0 || !strings.Contains(r.out, `"client_ip": "203.0.113.7"`) {
		t.Errorf("%+v", r)
	}
}

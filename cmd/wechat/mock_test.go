package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
)

// startMock runs the mock command in this process until stop is called, which returns what it printed.
func startMock(t *testing.T, args ...string) (url string, stop func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	var out strings.Builder
	root := newRoot()
	root.SetArgs(append([]string{"mock", "--listen", "127.0.0.1:0"}, args...))
	root.SetOut(&out)
	root.SetErr(w)
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx); _ = w.Close() }()
	first := make([]byte, 200)
	n, err := r.Read(first)
	if err != nil {
		t.Fatal(<-done)
	}
	line := strings.TrimSpace(string(first[:n]))
	url, ok := strings.CutPrefix(line, "the platform is at ")
	if !ok {
		t.Fatalf("it says %q", line)
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return url, func() string {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		return out.String()
	}
}

const platformFile = `
apps:
  - {product: officialaccount, appid: wx1234567890abcdef, secret: the-very-secret}
token_life: 1h
unfollowed: [bob]
limits:
  SendTemplateMessage: [{rate: 1, per: minute, recipient: true}]
faults:
  GetUserInfo: [{every: 2, errcode: 40003}]
  CreateTag: [{times: 1, status: 502, body: "<html>"}]
  GetMenu: [{reset: true}]
`

func TestMockCommand(t *testing.T) {
	noAccount(t)
	t.Setenv("WECHAT_APPID", testApp)
	t.Setenv("WECHAT_SECRET", testSecret)
	deliveries := t.TempDir() + "/deliveries.csv"
	url, stop := startMock(t, write(t, "platform.yaml", platformFile), "--deliveries", deliveries)
	for _, tt := range []struct {
		args []string
		want string // in what is printed
	}{
		{[]string{"token"}, "in 1h0m0s"},
		{[]string{"call", "SendTemplateMessage", "touser=alice", "template_id=T", "data={}"}, "msgid"},
		{[]string{"call", "SendTemplateMessage", "touser=bob", "template_id=T", "data={}"}, "43004"},
		{[]string{"call", "GetUserInfo", "openid=alice"}, "nickname"},
		{[]string{"call", "GetUserInfo", "openid=alice"}, "40003"},
		{[]string{"call", "CreateTag", `tag={"name":"vip"}`}, "may have been carried out"},
		{[]string{"call", "--product", "officialaccount", "GetMenu"}, "gave up"},
	} {
		if r := command(t, "", append(tt.args, "--base-url", url)...); !strings.Contains(r.out+r.err, tt.want) {
			t.Errorf("%q: %+v", tt.args, r)
		}
	}
	out := stop()
	for _, want := range []string{"SendTemplateMessage       ok", "SendTemplateMessage       errcode 43004", "CreateTag                 HTTP 502", "GetMenu                   no reply", "1 messages delivered to 1 recipients, 0 of them again", "1  GetUserInfo: errcode 40003"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if b, err := os.ReadFile(deliveries); err != nil || !strings.Contains(string(b), testApp+",SendTemplateMessage,alice\n") {
		t.Errorf("%s, %v", b, err)
	}
}

func TestMockQuiet(t *testing.T) {
	url, stop := startMock(t, "-q", "--json")
	noAccount(t)
	t.Setenv("WECHAT_APPID", "any")
	t.Setenv("WECHAT_SECRET", "any")
	if r := command(t, "", "token", "--base-url", url); r.code != 0 {
		t.Errorf("%+v", r)
	}
	var got seen
	if err := json.Unmarshal([]byte(stop()), &got); err != nil || got.Calls["GetStableAccessToken"]["ok"] != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMockFile(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "it is empty",
		"aps: []":            "aps",
		"apps: [{appid: a}]": "an appid and a secret",
		"apps: [{appid: a, secret: s, product: x}]":  `unknown product "x"`,
		"limits: {SendTemplatMessage: [{rate: 1}]}":  "did you mean SendTemplateMessage",
		"limits: {SendTemplateMessage: [{rate: 0}]}": "more than 0",
		"limits: {all: [{rate: 1, per: fortnight}]}": "fortnight",
		"faults: {Nothing: [{reset: true}]}":         `no endpoint "Nothing"`,
		"token_life: long":                           "long",
	} {
		if r := command(t, "", "mock", write(t, "platform.yaml", text)); r.code != exitUsage || !strings.Contains(r.err, want) {
			t.Errorf("%q: %+v, want %q", text, r, want)
		}
	}
}

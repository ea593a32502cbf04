package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
)

const (
	testApp    = "wx1234567890abcdef"
	testSecret = "the-very-secret"
)

// newPlatform starts a platform on loopback with one official account, and puts the account into the environment.
func newPlatform(t *testing.T) (s *mock.Server, url string) {
	t.Helper()
	var specs []wechat.Spec
	for _, p := range platforms() {
		specs = append(specs, p.specs...)
	}
	s = mock.NewServer(specs...)
	s.App(wechat.App{ID: testApp, Secret: testSecret}, "officialaccount")
	url, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	noAccount(t)
	t.Setenv("WECHAT_APPID", testApp)
	t.Setenv("WECHAT_SECRET", testSecret)
	return s, url
}

// noAccount keeps the account of whoever runs the tests out of them.
func noAccount(t *testing.T) {
	t.Helper()
	for _, name := range []string{"WECHAT_APPID", "WECHAT_SECRET", "WECHAT_AGENTID", "WECHAT_PROFILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
}

// result is what a command has left.
type result struct {
	out, err string
	code     int
}

// command runs a command line with standard input.
func command(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var out, errs strings.Builder
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(strings.NewReader(stdin))
	root.SetOut(&out)
	root.SetErr(&errs)
	code := exitCode(root.ExecuteContext(t.Context()))
	for _, text := range []string{out.String(), errs.String()} {
		if strings.Contains(text, testSecret) {
			t.Errorf("%q printed the secret: %s", args, text)
		}
	}
	return result{out.String(), errs.String(), code}
}

// write writes a file into a directory of the test.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestUsage: what is wrong with a command line is exit code 2, and no page of help.
func TestUsage(t *testing.T) {
	noAccount(t)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"nothing"}, `unknown command "nothing"`},
		{[]string{"errcode"}, "accepts 1 arg"},
		{[]string{"errcode", "x"}, `"x" is no errcode`},
		{[]string{"errcode", "1", "--product", "wx"}, `unknown product "wx"`},
		{[]string{"token", "--nothing"}, "unknown flag"},
		{[]string{"token"}, "no account"},
		{[]string{"token", "--appid", "wx1"}, "no secret for wx1"},
		{[]string{"call"}, "requires at least 1 arg"},
		{[]string{"send", "template"}, "accepts 2 arg"},
	} {
		if r := command(t, "", tt.args...); r.code != exitUsage || !strings.Contains(r.err, tt.want) || strings.Contains(r.err, "Usage:") {
			t.Errorf("%q: exit code %d, %s; want %q", tt.args, r.code, r.err, tt.want)
		}
	}
}

func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	if r := command(t, "", "man", dir); r.code != 0 {
		t.Fatal(r)
	}
	for _, page := range []string{"wechat.1", "wechat-send.1", "wechat-quota-clear.1"} {
		if b, err := os.ReadFile(filepath.Join(dir, page)); err != nil || !strings.Contains(string(b), ".TH") {
			t.Errorf("%s: %v", page, err)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := command(t, "", "completion", shell); r.code != 0 || !strings.Contains(r.out, "wechat") {
			t.Errorf("%s: exit code %d, %d bytes", shell, r.code, len(r.out))
		}
	}
	if r := command(t, "", "__complete", "call", "sendtempl"); !strings.Contains(r.out, "SendTemplateMessage") {
		t.Errorf("call completes to %q", r.out)
	}
}

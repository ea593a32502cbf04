package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/mock"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/work"
)

func TestCall(t *testing.T) {
	s, url := newPlatform(t)
	message := `{"touser": "alice", "template_id": "T", "data": {"thing1": {"value": "茶 & <b>"}}}`
	want := &officialaccount.TemplateMessage{ToUser: "alice", TemplateID: "T", Data: map[string]officialaccount.TemplateValue{"thing1": {Value: "茶 & <b>"}}}
	for _, tt := range []struct {
		name, stdin string
		args        []string
		want        any
	}{
		{"data", "", []string{"SendTemplateMessage", "--data", message}, want},
		{"file", "", []string{"sendtemplatemessage", "-d", "@" + write(t, "m.json", message)}, want},
		{"standard input", message, []string{"SendTemplateMessage"}, want},
		{"standard input by name", message, []string{"SendTemplateMessage", "-d", "-"}, want},
		{"arguments", "", []string{"SendTemplateMessage", "touser=alice", "template_id=T", `data={"thing1":{"value":"茶 & <b>"}}`}, want},
		{"arguments win", "", []string{"SendTemplateMessage", "-d", strings.Replace(message, "alice", "bob", 1), "touser=alice"}, want},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := len(s.Calls("SendTemplateMessage"))
			r := command(t, tt.stdin, append([]string{"call", "--base-url", url}, tt.args...)...)
			calls := s.Calls("SendTemplateMessage")
			if r.code != 0 || len(calls) != before+1 || !strings.Contains(r.out, `"msgid": `) {
				t.Fatalf("%d calls, %+v", len(calls)-before, r)
			}
			got := calls[before].Request.(*officialaccount.TemplateMessage)
			got.ClientMsgID = "" // the client's own
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestCallPlaces: a field is given by its name wherever it travels.
func TestCallPlaces(t *testing.T) {
	s, url := newPlatform(t)
	r := command(t, "", "call", "--base-url", url, "GetUserInfo", "openid=alice", "lang=en")
	if calls := s.Calls("GetUserInfo"); r.code != 0 || len(calls) != 1 || calls[0].Query.Get("openid") != "alice" || calls[0].Query.Get("lang") != "en" {
		t.Errorf("%+v: %+v", r, calls)
	}
	photo := write(t, "photo.png", "\x89PNG\r\n\x1a\npixels")
	r = command(t, "", "call", "--base-url", url, "UploadTempMedia", "--product", "officialaccount", "type=image", "media="+photo)
	if calls := s.Calls("UploadTempMedia"); r.code != 0 || len(calls) != 1 || !strings.Contains(string(calls[0].Body), "pixels") || calls[0].Query.Get("type") != "image" {
		t.Errorf("%+v: %d calls", r, len(calls))
	}
	r = command(t, "", "call", "--base-url", url, "GetMenu")
	if len(s.Calls("GetMenu")) != 1 {
		t.Errorf("an endpoint that asks nothing: %+v", r)
	}
}

// TestCallWork: the product of the account decides where a name is in several, and the agent id is filled in.
func TestCallWork(t *testing.T) {
	s, url := newPlatform(t)
	s.App(wechat.App{ID: "ww1", Secret: testSecret, AgentID: 7})
	t.Setenv("WECHAT_APPID", "ww1")
	t.Setenv("WECHAT_AGENTID", "7")
	r := command(t, "", "call", "--base-url", url, "SendMessage", "touser=bob", "msgtype=text", `text={"content":"hi"}`)
	calls := s.Calls("SendMessage")
	if r.code != 0 || len(calls) != 1 || !strings.Contains(string(calls[0].Body), `"agentid":7`) {
		t.Fatalf("%+v: %+v", r, calls)
	}
	if got := calls[0].Request.(*work.Message); got.ToUser != "bob" || got.Text.Content != "hi" {
		t.Errorf("got %+v", got)
	}
}

func TestCallFile(t *testing.T) {
	s, url := newPlatform(t)
	s.Script("GetTempMedia", mock.Reply{Header: map[string][]string{"Content-Type": {"image/png"}}, Body: []byte("\x89PNG\r\n\x1a\npixels")})
	path := filepath.Join(t.TempDir(), "out.png")
	r := command(t, "", "call", "--base-url", url, "--product", "officialaccount", "GetTempMedia", "media_id=M", "-o", path)
	if b, err := os.ReadFile(path); err != nil || !strings.Contains(string(b), "pixels") || r.out != "" {
		t.Errorf("%q, %v, %+v", b, err, r)
	}
}

func TestCallErrors(t *testing.T) {
	s, url := newPlatform(t)
	s.Script("GetUserInfo", mock.Reply{Code: 40003})
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"SendTemplatMesage"}, exitUsage, "did you mean SendTemplateMessage"},
		{[]string{"Xyzzyplugh"}, exitUsage, `no endpoint "Xyzzyplugh"` + "\n"},
		{[]string{"GetUserInfo", "opnid=x"}, exitUsage, `has no field "opnid": did you mean openid?`},
		{[]string{"GetUserInfo", "openid"}, exitUsage, "field=value"},
		{[]string{"GetUserInfo", "-d", "[]"}, exitUsage, "no JSON object"},
		{[]string{"GetUserInfo", "-d", "@/nowhere/x"}, exitUsage, "no such file"},
		{[]string{"GetStableAccessToken", "secret=x"}, exitUsage, "filled in"},
		{[]string{"SendTemplateMessage", "-d", `{"data": {"a": {"vlue": 1}}}`}, exitUsage, "vlue"},
		{[]string{"GetUserInfo", "openid=x"}, exitFailed, "40003"},
	} {
		if r := command(t, "", append([]string{"call", "--base-url", url}, tt.args...)...); r.code != tt.code || !strings.Contains(r.err, tt.want) {
			t.Errorf("%q: %+v, want %d, %q", tt.args, r, tt.code, tt.want)
		}
	}
	noAccount(t)
	if r := command(t, "", "call", "SendTemplatMesage"); !strings.Contains(r.err, "did you mean") {
		t.Errorf("without an account: %+v", r)
	}
}

// TestCallHides: a token is printed only when it is asked for; the ticket of a QR code is none.
func TestCallHides(t *testing.T) {
	_, url := newPlatform(t)
	r := command(t, "", "call", "--base-url", url, "GetStableAccessToken")
	if r.code != 0 || strings.Contains(r.out, "mock_") || !strings.Contains(r.out, "REDACTED") {
		t.Errorf("%+v", r)
	}
	if r = command(t, "", "call", "--base-url", url, "--show", "GetStableAccessToken"); !strings.Contains(r.out, "mock_") {
		t.Errorf("%+v", r)
	}
	reply := map[string]any{"ticket": "x", "url": "u"}
	if hide(reply, "CreateQRCode"); reply["ticket"] != "x" {
		t.Errorf("got %v", reply)
	}
	if hide(reply, "GetTicket"); reply["ticket"] == "x" {
		t.Errorf("got %v", reply)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"CreateTag", "DeleteTag", "UpdateTag", "SendTemplateMessage", "GetUserInfo"}
	for name, want := range map[string][]string{
		"createtags": {"CreateTag"}, "GetUser": {"GetUserInfo"}, "template": {"SendTemplateMessage"}, "q": nil,
	} {
		if got := nearest(name, names); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if d := distance("kitten", "sitting"); d != 3 {
		t.Errorf("distance %d", d)
	}
}

package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/miniprogram"
	"github.com/seed175cf469/wechat/officialaccount"
	"github.com/seed175cf469/wechat/work"
)

// run runs the command line and returns what it printed.
func run(args ...string) (string, error) {
	var out strings.Builder
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.Execute()
	return out.String(), err
}

func TestEndpoints(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"words in either case", []string{"--product", "officialaccount", "TEMPLATE", "/send"},
			"PRODUCT          NAME                 EFFECT  CALL\n" +
				"officialaccount  SendTemplateMessage  send    POST /cgi-bin/message/template/send\n"},
		{"the name alone", []string{"code2session", "--product=miniprogram"},
			"PRODUCT      NAME          EFFECT  CALL\n" +
				"miniprogram  Code2Session  create  GET /sns/jscode2session\n"},
		{"the same call in each product", []string{"getaccesstoken"},
			"PRODUCT          NAME            EFFECT  CALL\n" +
				"officialaccount  GetAccessToken  create  GET /cgi-bin/token\n" +
				"miniprogram      GetAccessToken  create  GET /cgi-bin/token\n" +
				"work             GetAccessToken  read    GET /cgi-bin/gettoken\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := run(append([]string{"endpoints"}, tt.args...)...)
			if err != nil || got != tt.want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, tt.want)
			}
		})
	}
}

func TestEndpointsJSON(t *testing.T) {
	out, err := run("endpoints", "--product", "officialaccount", "--json", "sendtemplatemessage")
	if err != nil {
		t.Fatal(err)
	}
	var got []wechat.Description
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 {
		t.Fatalf("%d endpoints", len(got))
	}
	d := got[0]
	if d.Product != "officialaccount" || d.Method != "POST" || d.Path != "/cgi-bin/message/template/send" ||
		d.Effect != "send" || d.Recipient != "touser" {
		t.Errorf("got %+v", d)
	}
	if want := (&wechat.Shape{Type: "string", Required: true}); !reflect.DeepEqual(d.Request["touser"], want) {
		t.Errorf("touser is %+v", d.Request["touser"])
	}
	if want := (&wechat.Shape{Type: "int"}); !reflect.DeepEqual(d.Reply["msgid"], want) {
		t.Errorf("msgid is %+v", d.Reply["msgid"])
	}
}

// TestEndpointsAll: without a filter none is left out.
func TestEndpointsAll(t *testing.T) {
	out, err := run("endpoints")
	if err != nil {
		t.Fatal(err)
	}
	want := 1 + len(officialaccount.Endpoints()) + len(miniprogram.Endpoints()) + len(work.Endpoints())
	if got := strings.Count(out, "\n"); got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
}

func TestEndpointsNone(t *testing.T) {
	for _, tt := range []struct{ arg, want string }{
		{"--product=mini", `unknown product "mini"`},
		{"nothing-has-this", `no endpoint has ["nothing-has-this"] in its name or path`},
	} {
		if out, err := run("endpoints", tt.arg); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(out, "Usage") {
			t.Errorf("%s: %v, printed %q", tt.arg, err, out)
		}
	}
}

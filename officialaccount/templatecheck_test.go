package officialaccount

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat"
)

const templatePath = "/cgi-bin/template/get_all_private_template"

func templateServer(later ...string) *server {
	const first = `{"template_id":"T1","content":"{{first.DATA}}\n订单：{{ keyword1.DATA }}\n{{first.DATA}}{{remark.DATA}}"}`
	return &server{reply: func(r request) response {
		if r.path != templatePath {
			return response{}
		}
		list := first
		if r.n < len(later) {
			list = later[r.n]
		}
		return jsonBody(`{"template_list":[` + list + `]}`)
	}}
}

func data(keys ...string) map[string]TemplateValue {
	m := map[string]TemplateValue{}
	for _, key := range keys {
		m[key] = TemplateValue{Value: "x"}
	}
	return m
}

func TestTemplateKeys(t *testing.T) {
	for content, want := range map[string][]string{
		"{{first.DATA}}\n{{ thing1.DATA }} {{first.DATA}}": {"first", "thing1"},
		"{{character_string2.DATA}}":                       {"character_string2"},
		"no keys, {{first}}, {first.DATA}":                 nil,
	} {
		if got := templateKeys(content); !slices.Equal(got, want) {
			t.Errorf("%q has %v, want %v", content, got, want)
		}
	}
}

func TestTemplateChecker(t *testing.T) {
	s := templateServer()
	checker := NewTemplateChecker(s.client(), time.Hour)
	for _, tt := range []struct {
		name string
		m    TemplateMessage
		want []string // in the error; none: no error
	}{
		{"fits", TemplateMessage{TemplateID: "T1", Data: data("first", "keyword1", "remark")}, nil},
		{"missing and unknown", TemplateMessage{TemplateID: "T1", Data: data("frist", "keyword1", "extra")},
			[]string{"missing first, remark", "not in the template extra, frist"}},
		{"missing", TemplateMessage{TemplateID: "T1", Data: data("first", "keyword1")}, []string{"missing remark", "not in the template none"}},
		{"another account's", TemplateMessage{TemplateID: "T9"}, []string{`"T9"`}},
	} {
		err := checker.Check(t.Context(), &tt.m)
		if (err != nil) != (tt.want != nil) || err != nil && !errors.Is(err, wechat.ErrInvalidRequest) {
			t.Errorf("%s: %v", tt.name, err)
		}
		for _, part := range tt.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v does not say %s", tt.name, err, part)
			}
		}
	}
	if n := len(s.to(templatePath)); n != 1 {
		t.Errorf("the templates were asked %d times", n)
	}
}

func TestTemplateCheckerAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := templateServer(`{"template_id":"T1","content":"{{a.DATA}}"}`, `{"template_id":"T1","content":"{{a.DATA}}"},{"template_id":"T2","content":"{{b.DATA}}"}`,
			`{"template_id":"T1","content":"{{c.DATA}}"}`)
		checker := NewTemplateChecker(s.client(), time.Hour)
		check := func(id, key string) error {
			return checker.Check(t.Context(), &TemplateMessage{TemplateID: id, Data: data(key)})
		}
		if err := check("T1", "a"); err != nil {
			t.Fatal(err)
		}
		if err := check("T2", "b"); err == nil {
			t.Error("T2 is not there yet")
		}
		time.Sleep(time.Minute)
		if err := check("T2", "b"); err != nil {
			t.Errorf("T2 was added: %v", err)
		}
		time.Sleep(time.Hour)
		if err := check("T1", "c"); err != nil {
			t.Errorf("T1 was changed: %v", err)
		}
		if n := len(s.to(templatePath)); n != 3 {
			t.Errorf("the templates were asked %d times, want 3", n)
		}
	})
}

func TestTemplateCheckerTogether(t *testing.T) {
	s := templateServer()
	checker := NewTemplateChecker(s.client(), time.Hour)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := checker.Check(t.Context(), &TemplateMessage{TemplateID: "T1", Data: data("first", "keyword1", "remark")}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(s.to(templatePath)); n != 1 {
		t.Errorf("the templates were asked %d times, want 1", n)
	}
}

func TestTemplateCheckerPassesErrorsOn(t *testing.T) {
	s := &server{reply: func(r request) response {
		if r.path == templatePath {
			return jsonBody(`{"errcode":48001,"errmsg":"api unauthorized rid: 65000000-0badcafe-00000001"}`)
		}
		return response{}
	}}
	err := NewTemplateChecker(s.client(), time.Hour).Check(t.Context(), &TemplateMessage{TemplateID: "T1"})
	if !errors.Is(err, wechat.Code(48001)) || errors.Is(err, wechat.ErrInvalidRequest) {
		t.Errorf("err = %v", err)
	}
}

package wechat_test

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
)

type tmplValue struct {
	Value string `json:"value"`
	Color string `json:"color,omitempty"`
}
type tmpl struct {
	ToUser     string               `json:"touser"`
	TemplateID string               `json:"template_id"`
	URL        string               `json:"url,omitempty"`
	ID         string               `json:"client_msg_id,omitempty"`
	Data       map[string]tmplValue `json:"data"`
}

var sendTmpl = wechat.Endpoint[tmpl, receipt]{
	Name: "SendTemplateMessage", Pattern: "POST /cgi-bin/message/template/send", Effect: wechat.EffectSend,
	To: func(m *tmpl) []string { return []string{m.ToUser} }, Dedupe: func(m *tmpl) *string { return &m.ID }, DedupeFor: 600e9,
}

func BenchmarkCall(b *testing.B) {
	header := http.Header{"Content-Type": {"application/json; encoding=utf-8"}}
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		if t := httptrace.ContextClientTrace(r.Context()); t != nil {
			t.GetConn("h")
			t.GotConn(httptrace.GotConnInfo{})
		}
		_, _ = io.Copy(io.Discard, r.Body)
		return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(`{"errcode":0,"errmsg":"ok","msgid":200228332}`)), Request: r}, nil
	})
	a := wechat.App{ID: "x", TokenSource: wechat.StaticToken("STATIC")}
	c := wechat.Bind(wechat.New(wechat.WithHTTPClient(&http.Client{Transport: transport})), newProduct("officialaccount"), a)
	m := &tmpl{ToUser: "oFAKE_openid_0000000000000001", TemplateID: "T", URL: "https://example.invalid/", Data: map[string]tmplValue{"first": {Value: "a"}, "keyword1": {Value: "b"}, "keyword2": {Value: "c"}, "remark": {Value: "d"}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sendTmpl.Do(b.Context(), c, m); err != nil {
			b.Fatal(err)
		}
	}
}

package callback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed175cf469/wechat/internal/wxcrypt"
)

const officialMessage = "RypEvHKD8QQKFhvQ6QleEB4J58tiPdvo+rtK1I9qca6aM/wvqnLSV5zEPeusUiX5L5X/0lWfrf0QADHHhGd3QczcdCUpj911L3vg3W/sYYvuJTs3TUUkSUXxaccAS0qhxchrRYt66wiSpGLYL42aM6A8dTT+6k4aSknmPj48kzJs8qLjvd4Xgpue06DOdnLxAUHzM6+kDZ+HMZfJYuR+LtwGc2hgf5gsijff0ekUNXZiqATP7PF5mZxZ3Izoun1s4zG4LUMnvw2r+KqCKIw+3IQH03v+BCA9nMELNqbSf6tiWSrXJB3LAVGUcallcrw8V2t9EL4EhzJWrQUax5wLVMNS0+rUPA3k22Ncx4XXZS9o0MBH27Bo6BpNelZpS+/uh9KsNlY6bHCmJU9p8g7m3fVKn28H3KDYA5Pl/T8Z1ptDAVe0lXdQ2YoyyH2uyPIGHBZZIs2pDBS8R07+qN+E7Q=="

// forever takes pushes of any age, as those of the official samples are old.
func forever(c Config) Config {
	c.Window = -1
	return c
}

var (
	officialWork = forever(Config{Product: Work, ID: "wx5823bf96d3bd56c7", Token: "QDG6eK", Key: "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C"})
	officialMP   = forever(Config{Product: MiniProgram, ID: "wxba5fad812f8e6fb9", Token: "AAAAA", Key: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
	wechatpy     = forever(Config{Product: Work, ID: "wx49f0ab532d5d035a", Token: "123456", Key: otherKey})
)

func TestURLCheck(t *testing.T) {
	workEcho := "P9nAzCzyDtyTWESHep1vC5X9xho/qYX3Zpb4yKa9SKld1DsH3Iyt3tP3zNdtp+4RPcs8TgAE7OaBO+FZXvnaqQ=="
	pyEcho := "4ByGGj+sVCYcvGeQYhaKIk1o0pQRNbRjxybjTGblXrBaXlTXeOo1+bXFXDQQb1o6co6Yh9Bv41n7hOchLF6p+Q=="
	plain := officialMP
	plain.Key = ""
	account := forever(Config{Product: OfficialAccount, Token: testToken})
	for _, v := range []struct {
		name   string
		config Config
		query  string
		status int
		want   string
	}{
		{"WeCom", officialWork, "msg_signature=5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3&timestamp=1409659589&nonce=263014780&echostr=" + url.QueryEscape(workEcho), 200, "1616140317555161061"},
		{"P118 WeCom, decoded once too often", officialWork, "msg_signature=5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3&timestamp=1409659589&nonce=263014780&echostr=" + workEcho, 200, "1616140317555161061"},
		{"WeCom of another library", wechatpy, "msg_signature=dd6b9c95b495b3f7e2901bfbc76c664930ffdb96&timestamp=1411443780&nonce=437374425&echostr=" + url.QueryEscape(pyEcho), 200, "5927782489442352469"},
		{"mini program", officialMP, "signature=f464b24fc39322e44b38aa78f5edd27bd1441696&timestamp=1714036504&nonce=1514711492&echostr=4375120948345356249", 200, "4375120948345356249"},
		{"mini program, plain", plain, "signature=f464b24fc39322e44b38aa78f5edd27bd1441696&timestamp=1714036504&nonce=1514711492&echostr=4375120948345356249", 200, "4375120948345356249"},
		{"P117 official account", account, "signature=34919e59ba55fa8c4a3b219863c3aa47b0d49c95&timestamp=1700000000&nonce=90001&echostr=7777777", 200, "7777777"},
		{"P117 wrong signature", account, "signature=34919e59ba55fa8c4a3b219863c3aa47b0d49c94&timestamp=1700000000&nonce=90001&echostr=7777777", 403, ""},
		{"WeCom with the signature of an official account", officialWork, "signature=5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3&timestamp=1409659589&nonce=263014780&echostr=" + url.QueryEscape(workEcho), 400, ""},
		{"WeCom, another echostr", officialWork, "msg_signature=5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3&timestamp=1409659589&nonce=263014780&echostr=abcd", 403, ""},
		{"no echostr", plain, "signature=f464b24fc39322e44b38aa78f5edd27bd1441696&timestamp=1714036504&nonce=1514711492", 400, ""},
		{"P119 nothing at all", plain, "", 400, ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			h := newHandler(t, v.config, new(inbox).receive)
			w := serve(h, httptest.NewRequest(http.MethodGet, "/?"+v.query, nil))
			if w.Code != v.status {
				t.Fatalf("status %d, want %d", w.Code, v.status)
			}
			if v.status == 200 && w.Body.String() != v.want {
				t.Errorf("body %q, want %q", w.Body, v.want)
			}
			if v.status != 200 && strings.Contains(w.Body.String(), "7777777") {
				t.Error("the echostr is echoed although the signature is wrong")
			}
			if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain") {
				t.Errorf("content type %q", got)
			}
		})
	}
}

// TestVectors is the official samples of pushes, with the handler's checks all on but that of the time.
func TestVectors(t *testing.T) {
	push := "+qdx1OKCy+5JPCBFWw70tm0fJGb2Jmeia4FCB7kao+/Q5c/ohsOzQHi8khUOb05JCpj0JB4RvQMkUyus8TPxLKJGQqcvZqzDpVzazhZv6JsXUnnR8XGT740XgXZUXQ7vJVnAG+tE8NUd4yFyjPy7GgiaviNrlCTj+l5kdfMuFUPpRSrfMZuMcp3Fn2Pede2IuQrKEYwKSqFIZoNqJ4M8EajAsjLY2km32IIjdf8YL/P50F7mStwntrA2cPDrM1kb6mOcfBgRtWygb3VIYnSeOBrebufAlr7F9mFUPAJGj04="
	plain := officialMP
	plain.Key = ""
	demo := func(t *testing.T, m Message) {
		d, ok := m.(*DebugDemo)
		if !ok || d.DebugStr != "hello world" || d.FromUserName != "o9AgO5Kd5ggOC-bXrbNODIiE3bGY" || d.CreateTime != 1714112445 {
			t.Errorf("%T: %+v", m, m)
		}
	}
	t.Run("WeCom message", func(t *testing.T) {
		var b inbox
		h := newHandler(t, officialWork, b.receive)
		w := serve(h, httptest.NewRequest(http.MethodPost, "/?msg_signature=477715d11cdb4164915debcba66cb864d751f3e6&timestamp=1409659813&nonce=1372623149",
			strings.NewReader("<xml><ToUserName><![CDATA[wx5823bf96d3bd56c7]]></ToUserName><Encrypt><![CDATA["+officialMessage+"]]></Encrypt><AgentID><![CDATA[218]]></AgentID></xml>")))
		if w.Code != 200 || w.Body.String() != "success" || b.count() != 1 {
			t.Fatalf("status %d, body %q, %d messages", w.Code, w.Body, b.count())
		}
		m, ok := b.got[0].(*Text)
		if !ok || m.Content != "hello" || m.FromUserName != "mycreate" || m.MsgID != 4561255354251345929 || m.AgentID != 218 || m.CreateTime != 1409659813 {
			t.Errorf("%T: %+v", b.got[0], b.got[0])
		}
	})
	t.Run("secure JSON push and its reply", func(t *testing.T) {
		b := inbox{reply: RawReply(`{"demo_resp":"good luck"}`)}
		h := newHandler(t, officialMP, b.receive)
		w := serve(h, httptest.NewRequest(http.MethodPost, "/?signature=6c5c811b55cc85e0e1b54100749188c20beb3f5d&timestamp=1714112445&nonce=415670741&openid=o9AgO5Kd5ggOC-bXrbNODIiE3bGY&encrypt_type=aes&msg_signature=046e02f8204d34f8ba5fa3b1db94908f3df2e9b3",
			strings.NewReader(`{"ToUserName":"gh_97417a04a28d","Encrypt":"`+push+`"}`)))
		if w.Code != 200 || b.count() != 1 {
			t.Fatalf("status %d, %d messages", w.Code, b.count())
		}
		demo(t, b.got[0])
		if got := unsealed(t, officialMP, w.Body.String()); got != `{"demo_resp":"good luck"}` {
			t.Errorf("reply %q", got)
		}
		if !strings.Contains(w.Body.String(), `"TimeStamp":`) || strings.Contains(w.Body.String(), `"TimeStamp":"`) {
			t.Errorf("TimeStamp is no number: %s", w.Body)
		}
	})
	t.Run("plain POST", func(t *testing.T) {
		var b inbox
		h := newHandler(t, plain, b.receive)
		w := serve(h, httptest.NewRequest(http.MethodPost, "/?signature=899cf89e464efb63f54ddac96b0a0a235f53aa78&timestamp=1714037059&nonce=486452656&openid=o9AgO5Kd5ggOC-bXrbNODIiE3bGY",
			strings.NewReader(`{"ToUserName":"gh_97417a04a28d","FromUserName":"o9AgO5Kd5ggOC-bXrbNODIiE3bGY","CreateTime":1714112445,"MsgType":"event","Event":"debug_demo","debug_str":"hello world"}`)))
		if w.Code != 200 || b.count() != 1 {
			t.Fatalf("status %d, %d messages", w.Code, b.count())
		}
		demo(t, b.got[0])
	})
}

// accountQuery goes before the msg_signature of P102, P103, P106 and P109, signed at 1700000000.
const accountQuery = "/callback?signature=34919e59ba55fa8c4a3b219863c3aa47b0d49c95&timestamp=1700000000&nonce=90001&openid=oFAKE_openid_0000000000000001&encrypt_type=aes&msg_signature="

func TestSignedPushes(t *testing.T) {
	const p102 = "Q3stYC6hdFzMh9T8HCvyDEduuXE2TjuLksZs2PP11/L0j9f5mp/gy4mI9tD2YTOg6EEIj85UEf8O/e+0FpboHAHE3QrMzzPA9XxyTLkwiha704xFD1czHzkURwtZrjfn"
	const p103 = "Q3stYC6hdFzMh9T8HCvyDEvUJYZtthhTxl+Y4LMR+082ov9lFtmxKBp2oW0ouGuRKWlbbSy22kUHii67D6LRabBn1FhGTx7d/Vxr/CtRmUD8xPeFvlGmoN7/9XEQmXrs"
	const p106 = "Q3stYC6hdFzMh9T8HCvyDEduuXE2TjuLksZs2PP11/L0j9f5mp/gy4mI9tD2YTOgWU4OeCfy+fwbEziUMmpxtqa4CkdzlEHEiW8OUZivpYikXsqMSUKBEtoq6O9cp3jY"
	inXML := func(text string) string {
		return "<xml><ToUserName><![CDATA[gh_fake000001]]></ToUserName><Encrypt><![CDATA[" + text + "]]></Encrypt></xml>"
	}
	c := forever(secure(OfficialAccount))
	lenient := c
	lenient.Accept = func(id string) bool { return id == "wx99999999999999ff" }
	for _, v := range []struct {
		name, signature, body string
		config                Config
		status                int
		want                  string // a part of the clear body
	}{
		{"P102", "71d0e207c2da065cffae1ca989ad66d5f3e1edf8", inXML(p102), c, 200, "<ToUserName>a</ToUserName>"},
		{"P102 signature over three values only", "34919e59ba55fa8c4a3b219863c3aa47b0d49c95", inXML(p102), c, 403, ""},
		{"P102 another cipher text", "71d0e207c2da065cffae1ca989ad66d5f3e1edf8", inXML(p103), c, 403, ""},
		{"P103 pad of 19", "49813484dd46af274e6df0b01bb057e2015511c0", inXML(p103), c, 200, "xxxxxxxxx"},
		{"P106 for another app", "6d536d343c56048d27df7e598b56a19c4c690513", inXML(p106), c, 403, ""},
		{"P106 for an id that is accepted", "6d536d343c56048d27df7e598b56a19c4c690513", inXML(p106), lenient, 200, "<xml>"},
		{"P109 JSON outside, XML inside", "71d0e207c2da065cffae1ca989ad66d5f3e1edf8", `{"ToUserName":"gh_fake000001","Encrypt":"` + p102 + `"}`, c, 200, "<ToUserName>a</ToUserName>"},
		{"P109 JSON, forged", "71d0e207c2da065cffae1ca989ad66d5f3e1edf8", `{"ToUserName":"gh_fake000001","Encrypt":"` + p103 + `"}`, c, 403, ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			var b inbox
			h := newHandler(t, v.config, b.receive)
			w := serve(h, httptest.NewRequest(http.MethodPost, accountQuery+v.signature, strings.NewReader(v.body)))
			if w.Code != v.status {
				t.Fatalf("status %d, want %d", w.Code, v.status)
			}
			if v.status != 200 {
				if b.count() != 0 {
					t.Error("the receiver was asked")
				}
				return
			}
			if got := string(b.got[0].Head().Raw()); !strings.Contains(got, v.want) {
				t.Errorf("clear body %q", got)
			}
		})
	}
}

// TestMode: the configuration decides about encryption, not the sender.
func TestMode(t *testing.T) {
	text := XML(&Text{Content: "hello"})
	c := secure(OfficialAccount)
	t.Run("clear push to an account with a Key", func(t *testing.T) {
		var b inbox
		h := newHandler(t, c, b.receive)
		if w := serve(h, clearly(c, string(text))); w.Code != 403 || b.count() != 0 {
			t.Errorf("status %d, %d messages", w.Code, b.count())
		}
	})
	t.Run("encrypt_type=raw does not help", func(t *testing.T) {
		var b inbox
		h := newHandler(t, c, b.receive)
		r := clearly(c, string(text))
		r.URL.RawQuery += "&encrypt_type=raw"
		if w := serve(h, r); w.Code != 403 || b.count() != 0 {
			t.Errorf("status %d, %d messages", w.Code, b.count())
		}
	})
	t.Run("compatible mode: the clear fields do not count", func(t *testing.T) {
		var b inbox
		h := newHandler(t, c, b.receive)
		cipher := encrypt(t, testKey, string(text), testID)
		forged := "<xml><MsgType>text</MsgType><Content>forged \x1d</Content><MsgId>7</MsgId><Encrypt>" + cipher + "</Encrypt></xml>"
		w := serve(h, httptest.NewRequest(http.MethodPost, "/?"+signed(testToken, time.Now(), "msg_signature", cipher).Encode(), strings.NewReader(forged)))
		if w.Code != 200 || b.count() != 1 || b.got[0].(*Text).Content != "hello" {
			t.Errorf("status %d, %+v", w.Code, b.got)
		}
	})
	t.Run("encrypted push to an account without a Key", func(t *testing.T) {
		var b inbox
		var said troubles
		plain := Config{Product: OfficialAccount, Token: testToken, Report: said.report}
		h := newHandler(t, plain, b.receive)
		w := serve(h, clearly(plain, "<xml><ToUserName>a</ToUserName><Encrypt>abcd</Encrypt></xml>"))
		if w.Code != 400 || b.count() != 0 || !strings.Contains(said.text(), "no Key") {
			t.Errorf("status %d, %d messages, %s", w.Code, b.count(), said.text())
		}
	})
	t.Run("compatible push to an account without a Key", func(t *testing.T) {
		var b inbox
		plain := Config{Product: OfficialAccount, Token: testToken}
		h := newHandler(t, plain, b.receive)
		w := serve(h, clearly(plain, "<xml><MsgType>text</MsgType><Content>hi</Content><MsgId>7</MsgId><Encrypt>abcd</Encrypt></xml>"))
		if w.Code != 200 || b.count() != 1 {
			t.Errorf("status %d, %d messages", w.Code, b.count())
		}
	})
}

func TestKeyRotation(t *testing.T) {
	old := secure(Work)
	now := old
	now.Token, now.OldToken, now.Key, now.OldKey = "NEW", old.Token, otherKey, old.Key
	b := inbox{reply: TextReply{"ok"}}
	h := newHandler(t, now, b.receive)
	for _, c := range []Config{old, now, {Product: Work, ID: testID, Token: old.Token, Key: otherKey}} {
		w := serve(h, sealed(t, c, string(XML(&Text{Content: "hello"}))))
		if w.Code != 200 {
			t.Fatalf("status %d", w.Code)
		}
		unsealed(t, c, w.Body.String()) // answered with what it came with
	}
	stranger := Config{Product: Work, ID: testID, Token: old.Token, Key: "ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ"}
	if w := serve(h, sealed(t, stranger, "<xml/>")); w.Code != 403 || b.count() != 3 {
		t.Errorf("status %d, %d messages", w.Code, b.count())
	}
}

func TestSuiteData(t *testing.T) {
	c := secure(SuiteData)
	if _, err := New(c, new(inbox).receive); err == nil {
		t.Fatal("a suite's data callback needs Accept")
	}
	c.Accept = func(id string) bool { return strings.HasPrefix(id, "ww") }
	c.ID = "ww1" // for sealed
	b := inbox{reply: TextReply{"ok"}}
	h := newHandler(t, c, b.receive)
	w := serve(h, sealed(t, c, string(XML(&Text{Content: "hello"}))))
	if w.Code != 200 {
		t.Fatalf("status %d", w.Code)
	}
	unsealed(t, c, w.Body.String())
	c.ID = "xx1"
	if w := serve(h, sealed(t, c, string(XML(&Text{Content: "hello"})))); w.Code != 403 {
		t.Errorf("status %d", w.Code)
	}
}

// TestWindow is P136: a push that was recorded is not handled hours later, nor within the window.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b inbox
		var said troubles
		c := secure(OfficialAccount)
		c.Report = said.report
		h := newHandler(t, c, b.receive)
		body := string(XML(&Text{Content: "hello"}))
		recorded := sealed(t, c, body)
		bytesOf, _ := io.ReadAll(recorded.Body)
		again := func() int {
			r := recorded.Clone(context.Background())
			r.Body = io.NopCloser(bytes.NewReader(bytesOf))
			return serve(h, r).Code
		}
		for _, wait := range []time.Duration{0, time.Minute, 4 * time.Minute} {
			time.Sleep(wait)
			if code := again(); code != 200 || b.count() != 1 {
				t.Fatalf("after %v: status %d, handled %d times", wait, code, b.count())
			}
		}
		time.Sleep(time.Second)
		if code := again(); code != 403 {
			t.Fatalf("after 5m1s: status %d", code)
		}
		time.Sleep(6 * time.Hour)
		if code := again(); code != 403 || b.count() != 1 {
			t.Fatalf("after 6h: status %d, handled %d times", code, b.count())
		}
		if !strings.Contains(said.text(), "clock") {
			t.Errorf("no word on the clock: %s", said.text())
		}

		// A push from the future, just within the window, ends with it too.
		text := encrypt(t, testKey, body, testID)
		q := signed(testToken, time.Now().Add(5*time.Minute), "msg_signature", text)
		future := func() int {
			return serve(h, httptest.NewRequest(http.MethodPost, "/?"+q.Encode(), strings.NewReader("<xml><Encrypt>"+text+"</Encrypt></xml>"))).Code
		}
		before := b.count()
		if code := future(); code != 200 || b.count() != before+1 {
			t.Fatalf("status %d", code)
		}
		time.Sleep(10 * time.Minute)
		if code := future(); code != 200 || b.count() != before+1 {
			t.Fatalf("at the end of the window: status %d, handled %d times", code, b.count()-before)
		}
		time.Sleep(time.Second)
		if code := future(); code != 403 {
			t.Fatalf("status %d", code)
		}
	})
}

// TestPlainReplay: a signature in plain mode does not cover the body, so it serves for one push only.
func TestPlainReplay(t *testing.T) {
	var b inbox
	c := Config{Product: OfficialAccount, Token: testToken}
	h := newHandler(t, c, b.receive)
	r := clearly(c, "<xml><MsgType>text</MsgType><Content>one</Content><MsgId>1</MsgId></xml>")
	query := r.URL.RawQuery
	if w := serve(h, r); w.Code != 200 {
		t.Fatalf("status %d", w.Code)
	}
	forged := httptest.NewRequest(http.MethodPost, "/?"+query, strings.NewReader("<xml><MsgType>text</MsgType><Content>two</Content><MsgId>2</MsgId></xml>"))
	if w := serve(h, forged); w.Code != 403 || b.count() != 1 {
		t.Errorf("status %d, %d messages", w.Code, b.count())
	}
	repeat := httptest.NewRequest(http.MethodPost, "/?"+query, strings.NewReader("<xml><MsgType>text</MsgType><Content>one</Content><MsgId>1</MsgId></xml>"))
	if w := serve(h, repeat); w.Code != 200 || b.count() != 1 {
		t.Errorf("status %d, %d messages", w.Code, b.count())
	}
}

func TestCloudHosting(t *testing.T) {
	var b inbox
	h := newHandler(t, Config{Product: MiniProgram, CloudHosting: true}, b.receive)
	post := func(source, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		if source != "" {
			r.Header.Set("X-Wx-Source", source)
		}
		return serve(h, r)
	}
	if w := post("other", `{"action":"CheckContainerPath"}`); w.Code != 200 || w.Body.String() != "success" || b.count() != 0 {
		t.Errorf("check: status %d, body %q", w.Code, w.Body)
	}
	push := string(JSON(&Text{Content: "hello"}))
	if w := post("other", push); w.Code != 200 || b.count() != 1 {
		t.Errorf("push: status %d", w.Code)
	}
	if w := post("", push); w.Code != 403 || b.count() != 1 {
		t.Errorf("push from elsewhere: status %d", w.Code)
	}
	if w := serve(h, httptest.NewRequest(http.MethodGet, "/?echostr=1", nil)); w.Code != 403 {
		t.Errorf("GET: status %d", w.Code)
	}
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]Config{
		"no product":            {Token: "t"},
		"unknown product":       {Product: 99, Token: "t"},
		"no token":              {Product: OfficialAccount},
		"no key on WeCom":       {Product: Work, ID: "ww", Token: "t"},
		"no id":                 {Product: OfficialAccount, Token: "t", Key: testKey},
		"id with space":         {Product: OfficialAccount, ID: " wx", Token: "t", Key: testKey},
		"P108 short key":        {Product: OfficialAccount, ID: "wx", Token: "t", Key: "short"},
		"short old key":         {Product: OfficialAccount, ID: "wx", Token: "t", Key: testKey, OldKey: "short"},
		"old key without a key": {Product: OfficialAccount, ID: "wx", Token: "t", OldKey: testKey},
		"cloud with token":      {Product: MiniProgram, CloudHosting: true, Token: "t"},
		"cloud on WeCom":        {Product: Work, CloudHosting: true},
	} {
		_, err := New(c, new(inbox).receive)
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "short") || strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: the key is in the error: %v", name, err)
		}
	}
	if _, err := New(secure(Work), nil); err == nil {
		t.Error("no receiver: no error")
	}
	if _, err := New(Config{Product: Bot, Token: "t", Key: testKey}, new(inbox).receive); err != nil {
		t.Errorf("a bot has no id: %v", err)
	}
}

// hostile are requests that are no pushes. Names begin with what they are about; the table in docs/callbacks.md is made of them.
var hostile = []struct {
	name   string
	make   func(t testing.TB, c Config) *http.Request
	status int
}{
	{"no parameters", raw(http.MethodPost, "/callback", ""), 400},
	{"nonce[]=x", raw(http.MethodPost, "/callback?nonce[]=x", ""), 400},
	{"empty body", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", ""), 400},
	{"PUT", raw(http.MethodPut, "/", ""), 405},
	{"HEAD", raw(http.MethodHead, "/", ""), 405},
	{"body of 256 KiB and one byte", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", strings.Repeat("<", 256<<10+1)), 413},
	{"60,000 elements outside", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", "<xml>"+strings.Repeat("<a/>", 60_000)+"</xml>"), 400},
	{"60,000 elements in one outside", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", "<xml><a>"+strings.Repeat("<a/>", 60_000)+"</a></xml>"), 400},
	{"60,000 members of JSON outside", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", `{"a":[`+strings.Repeat("1,", 60_000)+"1]}"), 400},
	{"HTML", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", "<!DOCTYPE html><html><body>"), 400},
	{"no XML, no JSON", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", "a=b"), 400},
	{"only Encrypt, no signature", raw(http.MethodPost, "/", "<xml><Encrypt>abcd</Encrypt></xml>"), 400},
	{"signature of 0 bytes", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=", "<xml><Encrypt>abcd</Encrypt></xml>"), 400},
	{"signature of 20 kB", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature="+strings.Repeat("a", 20_000), "<xml><Encrypt>abcd</Encrypt></xml>"), 403},
	{"external entity outside", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><xml><Encrypt>&x;</Encrypt></xml>`), 400},
	{"20,000 levels outside", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", strings.Repeat("<a>", 20_000)), 400},
	{"20,000 levels of JSON outside", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", strings.Repeat(`{"a":`, 20_000)), 400},
	{"80,000 levels outside", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", strings.Repeat("<a>", 80_000)), 400},
	{"20,000 levels of arrays outside", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", `{"a":`+strings.Repeat(`[`, 20_000)), 400},
	{"attribute of 200 kB outside", raw(http.MethodPost, "/?timestamp=1&nonce=1&msg_signature=1", `<xml a="`+strings.Repeat("a", 200_000)+`"><Encrypt>abcd</Encrypt></xml>`), 403},
	{"timestamp is no number", signedAs("x"), 400},
	{"timestamp of 30 digits", signedAs("111111111111111111111111111111"), 400},
	{"timestamp at the end of int64", signedAs("9223372036854775807"), 403},
	{"timestamp below zero", signedAs("-9223372036854775808"), 403},
	{"signed, Encrypt is no base64", signedText("****"), 403},
	{"signed, Encrypt is half a block", signedText("AAAA"), 403},
	{"signed, Encrypt is zeros", signedText(strings.Repeat("A", 128)), 403},
	{"signed, external entity inside", signedClear(`<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><xml><Content>&x;</Content></xml>`), 400},
	{"signed, entity bomb inside", signedClear(`<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><xml><Content>&b;</Content></xml>`), 400},
	{"signed, unknown entity inside", signedClear(`<xml><Content>&x;</Content></xml>`), 400},
	{"signed, 20,000 levels inside", signedClear("<xml>" + strings.Repeat("<a>", 20_000) + strings.Repeat("</a>", 20_000) + "</xml>"), 400},
	{"signed, 40,000 elements inside", signedClear("<xml>" + strings.Repeat("<a/>", 40_000) + "</xml>"), 400},
	{"signed, two roots inside", signedClear("<xml></xml><xml></xml>"), 400},
	{"signed, cut XML inside", signedClear("<xml><Content>a"), 400},
	{"signed, cut JSON inside", signedClear(`{"MsgType":"text"`), 400},
	{"signed, JSON and more inside", signedClear(`{"MsgType":"text"} {}`), 400},
	{"signed, another encoding inside", signedClear(`<?xml version="1.0" encoding="gbk"?><xml><MsgType>text</MsgType></xml>`), 400},
	{"signed, nothing inside", signedClear(""), 400},
	{"signed, binary inside", signedClear("\x00\x01\xff"), 400},
}

func raw(method, target, body string) func(testing.TB, Config) *http.Request {
	return func(testing.TB, Config) *http.Request {
		r := httptest.NewRequest(method, "/", strings.NewReader(body))
		r.URL, _ = url.Parse(target)
		return r
	}
}

func signedAs(timestamp string) func(testing.TB, Config) *http.Request {
	return func(_ testing.TB, c Config) *http.Request {
		q := url.Values{"timestamp": {timestamp}, "nonce": {"1"}, "msg_signature": {wxcrypt.Sign(c.Token.Reveal(), timestamp, "1", "abcd")}}
		return httptest.NewRequest(http.MethodPost, "/?"+q.Encode(), strings.NewReader("<xml><Encrypt>abcd</Encrypt></xml>"))
	}
}

func signedText(text string) func(testing.TB, Config) *http.Request {
	return func(_ testing.TB, c Config) *http.Request {
		q := signed(c.Token, time.Now(), "msg_signature", text)
		return httptest.NewRequest(http.MethodPost, "/?"+q.Encode(), strings.NewReader("<xml><Encrypt>"+text+"</Encrypt></xml>"))
	}
}

func signedClear(clear string) func(testing.TB, Config) *http.Request {
	return func(t testing.TB, c Config) *http.Request { return sealed(t, c, clear) }
}

func TestHostile(t *testing.T) {
	for _, v := range hostile {
		t.Run(v.name, func(t *testing.T) {
			var b inbox
			var said troubles
			c := secure(OfficialAccount)
			c.Report = said.report
			h := newHandler(t, c, b.receive)
			w := serve(h, v.make(t, c))
			if w.Code != v.status {
				t.Errorf("status %d, want %d: %s", w.Code, v.status, said.text())
			}
			if b.count() != 0 {
				t.Error("the receiver was asked")
			}
			if w.Body.Len() > 100 {
				t.Errorf("the answer says too much: %.200s", w.Body)
			}
			text := said.text()
			if text == "" {
				t.Error("nothing was reported")
			}
			for _, secret := range []string{testToken, testKey, "passwd"} {
				if strings.Contains(text, secret) || strings.Contains(w.Body.String(), secret) {
					t.Errorf("%q shows: %s", secret, text)
				}
			}
			var refusal *RefusedError
			if !errors.As(said.errs[0], &refusal) || refusal.Status != w.Code {
				t.Errorf("reported %v", said.errs[0])
			}
		})
	}
}

// TestHostileTable holds the table in the documentation against the tests.
func TestHostileTable(t *testing.T) {
	page, err := os.ReadFile("../docs/callbacks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range hostile {
		if row := fmt.Sprintf("| %s | %d |", v.name, v.status); !strings.Contains(string(page), row) {
			t.Errorf("docs/callbacks.md lacks %s", row)
		}
	}
}

// TestOddTexts: what people and the platform do send, and what must become of it.
func TestOddTexts(t *testing.T) {
	for _, v := range []struct{ name, body, want string }{
		{"P116 control character", "<xml><MsgType><![CDATA[text]]></MsgType><Content><![CDATA[ \x1dc]]></Content><MsgId>1</MsgId></xml>", " c"},
		{"not UTF-8", "<xml><MsgType>text</MsgType><Content><![CDATA[a\xffb]]></Content><MsgId>1</MsgId></xml>", "a\uFFFDb"},
		{"U+FFFE", "<xml><MsgType>text</MsgType><Content><![CDATA[a\uFFFEb]]></Content><MsgId>1</MsgId></xml>", "ab"},
		{"the five entities and a character", "<xml><MsgType>text</MsgType><Content>&lt;&gt;&amp;&quot;&apos;&#x4e2d;</Content><MsgId>1</MsgId></xml>", `<>&"'中`},
		{"two CDATA sections", "<xml><MsgType>text</MsgType><Content><![CDATA[a]]]]><![CDATA[>b]]></Content><MsgId>1</MsgId></xml>", "a]]>b"},
		{"a comment and a processing instruction", `<?xml version="1.0" encoding="UTF-8"?><xml><!-- x --><MsgType>text</MsgType><Content>a<!-- x -->b</Content><MsgId>1</MsgId></xml>`, "ab"},
		{"BOM", "\uFEFF<xml><MsgType>text</MsgType><Content>a</Content><MsgId>1</MsgId></xml>", "a"},
		{"space before", "\r\n <xml><MsgType>text</MsgType><Content>a</Content><MsgId>1</MsgId></xml>\n", "a"},
		{"another root", "<push><MsgType>text</MsgType><Content>a</Content><MsgId>1</MsgId></push>", "a"},
		{"JSON, numbers quoted", `{"MsgType":"text","Content":"a","MsgId":"1","CreateTime":"1700000000"}`, "a"},
		{"JSON, line end inside", "{\"MsgType\":\"text\",\"Content\":\"a\nb\\\\\tc\\\"d\",\"MsgId\":1}", "a\nb\\\tc\"d"},
		{"JSON, control character inside", "{\"MsgType\":\"text\",\"Content\":\"a\x01b\\u0002c\",\"MsgId\":1}", "abc"},
		{"JSON, null and an object", `{"MsgType":"text","Content":"a","MsgId":null,"CreateTime":{"a":1},"FromUserName":[]}`, "a"},
	} {
		t.Run(v.name, func(t *testing.T) {
			var b inbox
			c := secure(OfficialAccount)
			h := newHandler(t, c, b.receive)
			if w := serve(h, sealed(t, c, v.body)); w.Code != 200 || b.count() != 1 {
				t.Fatalf("status %d, %d messages", w.Code, b.count())
			}
			if m, ok := b.got[0].(*Text); !ok || m.Content != v.want {
				t.Errorf("%T %+v, want %q", b.got[0], b.got[0], v.want)
			}
		})
	}
}

package callback

import (
	"context"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seed175cf469/wechat/internal/wxcrypt"
)

func seeds(f *testing.F, add func(body string)) {
	for _, k := range kinds() {
		m := k.make()
		n := 0
		fill(reflect.ValueOf(m).Elem(), &n)
		addressed(m, k.keys[0])
		add(string(render(m, formatXML)))
		add(string(render(m, formatJSON)))
	}
	for _, v := range hostile {
		r := v.make(f, secure(OfficialAccount))
		if r.ContentLength < 1000 {
			body := make([]byte, r.ContentLength)
			_, _ = r.Body.Read(body)
			add(string(body))
		}
	}
	for _, s := range []string{pushXML, sysEvent, "<xml><a>&#x1D;</a></xml>", "<a/>", "<a:b xmlns:a='c'/>", `{"a":[[1],{"b":null}],"a":true}`, "{\"a\n\\\t\":\"\\\"\n\"}", "<xml>\xff</xml>", "\uFEFF{}"} {
		add(s)
	}
}

// FuzzParse: no body stops the parser, and what it makes of one has no more than it may have and can be written again.
func FuzzParse(f *testing.F) {
	seeds(f, func(body string) {
		f.Add([]byte(body), false)
		f.Add([]byte(body), true)
	})
	f.Fuzz(func(t *testing.T, body []byte, bot bool) {
		product := OfficialAccount
		if bot {
			product = Bot
		}
		if root, _, err := parse(body, "Encrypt"); err == nil {
			for _, kid := range root.kids {
				if !sameName(kid.name, "Encrypt") {
					t.Fatalf("kept %q, which is not signed yet", kid.name)
				}
			}
		}
		m, err := Parse(product, body)
		if err != nil {
			return
		}
		src := m.Head().src
		if d := depth(src.root); d > maxDepth+1 {
			t.Fatalf("nested %d levels deep", d)
		}
		walk(src.root, func(n *node) {
			if !utf8.ValidString(n.text) || strings.IndexFunc(n.text, forbidden) >= 0 {
				t.Fatalf("text %q", n.text)
			}
		})
		if m.Head().identity(product) == "" {
			t.Fatal("no identity")
		}
		again, err := Parse(product, render(m, formatJSON))
		if err != nil {
			t.Fatalf("%v: %s", err, render(m, formatJSON))
		}
		if _, raw := m.(*Raw); !raw && reflect.TypeOf(again) != reflect.TypeOf(m) {
			t.Fatalf("%T came back as %T: %s", m, again, render(m, formatJSON))
		}
	})
}

func depth(n *node) int {
	deepest := 0
	for i := range n.kids {
		deepest = max(deepest, depth(&n.kids[i]))
	}
	return deepest + 1
}

func walk(n *node, visit func(*node)) {
	visit(n)
	for i := range n.kids {
		walk(&n.kids[i], visit)
	}
}

// FuzzReply: whatever a text has, it comes out of the reply's XML as it went in, and nothing else does.
func FuzzReply(f *testing.F) {
	f.Add("o1", "a]]></Content><MsgType><![CDATA[news]]></MsgType>")
	f.Add("]]>", "]]]]>>\x00\xff&#x1D;")
	f.Fuzz(func(t *testing.T, from, text string) {
		body, err := TextReply{text}.body(&Header{FromUserName: from, ToUserName: "gh"}, formatXML)
		if err != nil || text == "" {
			return
		}
		var got struct {
			ToUserName, FromUserName, MsgType, Content []string
			Any                                        []struct{ XMLName xml.Name } `xml:",any"`
		}
		if err := xml.Unmarshal(body, &got); err != nil {
			t.Fatalf("%v: %q", err, body)
		}
		want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(printable(text)) // as every XML parser reads it
		if len(got.Content) != 1 || got.Content[0] != want || !reflect.DeepEqual(got.MsgType, []string{"text"}) || len(got.Any) != 1 {
			t.Fatalf("%q became %q", text, body)
		}
	})
}

// FuzzHandler: no request stops the handler, and none reaches the receiver unless it is signed. With sign, the clear body is
// encrypted and signed as the platform would.
func FuzzHandler(f *testing.F) {
	seeds(f, func(body string) {
		for product := OfficialAccount; product <= Bot; product++ {
			f.Add(byte(product), false, "timestamp=1&nonce=1&signature=1&msg_signature=1&echostr=1", []byte(body))
			f.Add(byte(product), true, "", []byte(body))
		}
	})
	f.Fuzz(func(t *testing.T, product byte, sign bool, query string, body []byte) {
		c := secure(Product(product%byte(Bot)) + 1)
		c.Accept = func(id string) bool { return id == testID }
		reached := false
		c.Report = func(_ context.Context, err error) {
			if strings.Contains(err.Error(), testToken) || strings.Contains(err.Error(), testKey) {
				t.Fatalf("a secret shows: %v", err)
			}
			if _, ok := err.(*PanicError); ok { //nolint:errorlint // reported as it is
				t.Fatal(err)
			}
		}
		h, err := New(c, func(_ context.Context, m Message) (Reply, error) {
			reached = true
			return TextReply{m.Head().FromUserName}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
		r.URL = &url.URL{Path: "/", RawQuery: query}
		if sign {
			k, _ := wxcrypt.ParseKey(testKey)
			text := k.Encrypt(body, testID)
			r = httptest.NewRequest(http.MethodPost, "/?"+signed(testToken, time.Now(), "msg_signature", text).Encode(), strings.NewReader(`{"Encrypt":"`+text+`"}`))
		}
		w := serve(h, r)
		if !sign && (reached || w.Code == 200) {
			t.Fatalf("status %d, reached %v", w.Code, reached)
		}
		if sign && w.Code != 200 && w.Code != 400 {
			t.Fatalf("status %d", w.Code)
		}
		if !sign {
			r.Method = http.MethodGet
			if w := serve(h, r); w.Code == 200 {
				t.Fatalf("the URL check passed: %s", w.Body)
			}
		}
	})
}

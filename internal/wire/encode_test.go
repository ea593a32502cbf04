package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

type menu struct {
	Button []button `json:"button"`
}

type button struct {
	Type string `json:"type"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

type templateMessage struct {
	ToUser     string            `json:"touser"`
	TemplateID string            `json:"template_id"`
	URL        string            `json:"url,omitempty"`
	Data       map[string]*datum `json:"data"`
}

type datum struct {
	Value string `json:"value"`
	Color string `json:"color,omitempty"`
}

func TestMarshal(t *testing.T) {
	const menuBody = `{"button":[{"type":"view","name":"今日","url":"https://example.invalid/a?x=1&y=2"}]}`
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"P077 struct", menu{[]button{{"view", "今日", "https://example.invalid/a?x=1&y=2"}}}, menuBody},
		{"P077 map", map[string]any{"url": "https://example.invalid/a?x=1&y=2<>"}, `{"url":"https://example.invalid/a?x=1&y=2<>"}`},
		{"P077 raw JSON", json.RawMessage(menuBody), menuBody},
		{"P077 raw JSON with escapes", json.RawMessage(`{"a":"x\u0026\u003c\u003e\u4eca\ud83d\ude00\u2028\u002f"}`), `{"a":"x&<>今😀` + "\u2028" + `/"}`},
		{"P077 raw JSON inside a struct", struct{ V json.RawMessage }{json.RawMessage(`"\u0026&"`)}, `{"V":"&&"}`},
		{"P077 own MarshalJSON", escaper{}, `"<&>"`},
		{"P079 text beyond ASCII", map[string]string{"content": "你好😀"}, `{"content":"你好😀"}`},
		{"P079 from U+0080 up", "\u0080é\u2028\u2029\ufeff\uffff\U0010ffff", "\"\u0080é\u2028\u2029\ufeff\uffff\U0010ffff\""},
		{"P080 link", `<a href="https://example.invalid/?a=1&b=2">open</a>`, `"<a href=\"https://example.invalid/?a=1&b=2\">open</a>"`},
		{"P081 line break", "line1\nline2", `"line1\nline2"`},
		{"literal escape typed by the caller", `\u0026 \\u0026 \u2028`, `"\\u0026 \\\\u0026 \\u2028"`},
		{"literal escape before a real one", `\` + "\u2028&", `"\\` + "\u2028&\""},
		{"control characters", "\x00\x14\x1f\x7f\t\r", `"\u0000\u0014\u001f` + "\x7f" + `\t\r"`},
		{"escaped quote and backslash in raw JSON", json.RawMessage(`"\u0022\u005c\u0075"`), `"\"\\u"`},
		{"key", map[string]int{"a&b": 1}, `{"a&b":1}`},
		{"a real U+FFFD", "a\ufffdb", "\"a\ufffdb\""},
		{"nil", nil, `null`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Marshal(tt.in)
			if err != nil || string(got) != tt.want {
				t.Errorf("Marshal = %s, %v\nwant      %s", got, err, tt.want)
			}
		})
	}
}

type escaper struct{}

func (escaper) MarshalJSON() ([]byte, error) { return []byte(`"\u003c&\u003e"`), nil }

func TestMarshalRefuses(t *testing.T) {
	tests := []struct {
		name, want string
		in         any
	}{
		{"P083 invalid UTF-8", "not valid UTF-8 at byte 11 ", map[string]string{"name": "ab\xb2\xe2cd secret"}},
		{"P083 invalid UTF-8 after an escape", "not valid UTF-8 at byte 3 ", "&<\xff"},
		{"P083 invalid UTF-8 in a key", "not valid UTF-8 at byte 2 ", map[string]int{"\xff": 1}},
		{"P083 invalid UTF-8 in raw JSON", "not valid UTF-8 at byte 3 ", json.RawMessage("\"ab\xff\"")},
		{"half a surrogate pair in raw JSON", "not valid UTF-8 at byte 3 ", json.RawMessage(`"ab\ud83d"`)},
		{"NaN", "unsupported value", math.NaN()},
		{"broken raw JSON", "invalid character", json.RawMessage(`{]`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Marshal(tt.in)
			if err == nil || got != nil {
				t.Fatalf("Marshal = %s, %v; want an error", got, err)
			}
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error is %q, want %q in it", err, tt.want)
			}
		})
	}
}

func FuzzMarshal(f *testing.F) {
	for _, s := range []string{"", `\u0026`, "a&b<c>\u2028", "\x00\x1f\x7f", "你好😀", `\\u2028\`, "\xff", `"\"`, "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in := map[string]any{"k" + s: s, "list": []any{s, json.Number("9007199254740993")}}
		got, err := Marshal(in)
		if !utf8.ValidString(s) {
			if err == nil {
				t.Fatalf("Marshal(%q) = %s, want an error", s, got)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		for rest := got; len(rest) > 0; rest = rest[1:] {
			if rest[0] != '\\' {
				continue
			}
			if rest[1] == 'u' && !bytes.HasPrefix(rest, []byte(`\u000`)) && !bytes.HasPrefix(rest, []byte(`\u001`)) {
				t.Errorf("%s has an escape of a character that is no control character", got)
			}
			rest = rest[1:]
		}
		d := json.NewDecoder(bytes.NewReader(got))
		d.UseNumber()
		var back map[string]any
		if err := d.Decode(&back); err != nil || !reflect.DeepEqual(back, in) {
			t.Errorf("%s reads back as %q, %v", got, back, err)
		}
		again, err := Marshal(json.RawMessage(got))
		if err != nil || !bytes.Equal(again, got) {
			t.Errorf("Marshal of its own output = %s, %v; want %s", again, err, got)
		}
	})
}

func BenchmarkMarshal(b *testing.B) {
	msg := &templateMessage{
		ToUser: "oFAKE_openid_0000000000000001", TemplateID: "FAKE_TEMPLATE_0000000000000000000000000001",
		URL: "https://example.invalid/order?id=1&from=template",
		Data: map[string]*datum{
			"first": {Value: "您的订单已发货"}, "keyword1": {Value: "1700000000"}, "keyword2": {Value: "顺丰 <SF0001>"}, "remark": {Value: "谢谢", Color: "#173177"},
		},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Marshal(msg); err != nil {
			b.Fatal(err)
		}
	}
}

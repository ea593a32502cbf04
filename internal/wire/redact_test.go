package wire

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

func TestRedact(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"P131 token call",
			`Get "https://api.weixin.qq.com/cgi-bin/token?appid=wxFAKE&grant_type=client_credential&secret=FAKE_SECRET": dial tcp 203.0.113.1:443: connect: connection refused`,
			`Get "https://api.weixin.qq.com/cgi-bin/token?appid=wxFAKE&grant_type=client_credential&secret=REDACTED": dial tcp 203.0.113.1:443: connect: connection refused`},
		{"P131 send",
			`Post "https://api.weixin.qq.com/cgi-bin/message/template/send?access_token=FAKE_TOKEN_1": context deadline exceeded`,
			`Post "https://api.weixin.qq.com/cgi-bin/message/template/send?access_token=REDACTED": context deadline exceeded`},
		{"P131 login", `/sns/jscode2session?js_code=0FAKE&secret=S&appid=wx`, `/sns/jscode2session?js_code=REDACTED&secret=REDACTED&appid=wx`},
		{"P131 robot", `/cgi-bin/webhook/send?key=00000000-FAKE`, `/cgi-bin/webhook/send?key=REDACTED`},
		{"several in a URL", `?component_access_token=a&authorizer_access_token=b&suite_access_token=c&provider_access_token=d&cloudbase_access_token=e&x=1`,
			`?component_access_token=REDACTED&authorizer_access_token=REDACTED&suite_access_token=REDACTED&provider_access_token=REDACTED&cloudbase_access_token=REDACTED&x=1`},
		{"encoded value", `?code=a%2Bb%26c%3D%3D&state=1`, `?code=REDACTED&state=1`},
		{"encoded name", `?%61ccess%5Ftoken=FAKE&b=1`, `?%61ccess%5Ftoken=REDACTED&b=1`},
		{"inside a parameter", `?redirect_uri=https%3A%2F%2Fx.invalid%2F%3Fcode%3DFAKE%26state%3D1&lang=zh`, `?redirect_uri=https%3A%2F%2Fx.invalid%2F%3Fcode%3DREDACTED%26state%3D1&lang=zh`},
		{"two parameters deep", `?a=%3Fb%3D%253Fcode%253DFAKE%2526c%253D1%26d%3D2`, `?a=%3Fb%3D%253Fcode%253DREDACTED%2526c%253D1%26d%3D2`},
		{"fragment", `?access_token=FAKE#top`, `?access_token=REDACTED#top`},
		{"form body", "appid=wx&corpsecret=FAKE", "appid=wx&corpsecret=REDACTED"},
		{"ticket with signs", `?ticket=ticket@@@a/b+c==&x=1`, `?ticket=REDACTED&x=1`},
		{"JSON", `{"access_token":"FAKE","expires_in":7200}`, `{"access_token":"REDACTED","expires_in":7200}`},
		{"JSON with spaces", "{ \"session_key\" :\n \"a\\\"b\\\\\" , \"openid\": \"o\" }", "{ \"session_key\" :\n \"REDACTED\" , \"openid\": \"o\" }"},
		{"JSON number", `{"code":123456,"a":1}`, `{"code":REDACTED,"a":1}`},
		{"JSON null and booleans", `{"ticket":null,"token":true,"key":"","secret":{"a":"b","key":"c"}}`, `{"ticket":null,"token":true,"key":"","secret":{"a":"b","key":"REDACTED"}}`},
		{"JSON list", `{"access_token":["a", null, "b"],"c":["d"]}`, `{"access_token":["REDACTED", null, "REDACTED"],"c":["d"]}`},
		{"JSON in a string", `{"body":"{\"access_token\":\"a\\\"b\",\"x\":\"y\"}"}`, `{"body":"{\"access_token\":\"REDACTED\",\"x\":\"y\"}"}`},
		{"JSON in a query", `?data=%7B%22session_key%22%3A%22FAKE%22%2C%22a%22%3A1%7D`, `?data=%7B%22session_key%22%3A%22REDACTED%22%2C%22a%22%3A1%7D`},
		{"single quotes", `{'secret': 'FAKE', 'a': 'b'}`, `{'secret': 'REDACTED', 'a': 'b'}`},
		{"JSON that was cut", `{"appid":"wx","access_token":"FAK`, `{"appid":"wx","access_token":"REDACTED`},
		{"XML", `<xml><ComponentVerifyTicket><![CDATA[ticket@@@<FAKE]]></ComponentVerifyTicket><SuiteTicket>FAKE</SuiteTicket><AuthCode>FAKE</AuthCode><A>b</A></xml>`,
			`<xml><ComponentVerifyTicket><![CDATA[REDACTED]]></ComponentVerifyTicket><SuiteTicket>REDACTED</SuiteTicket><AuthCode>REDACTED</AuthCode><A>b</A></xml>`},
		{"XML that was cut", `<Ticket><![CDATA[FAKE`, `<Ticket><![CDATA[REDACTED`},
		{"XML in JSON", `{"body":"\u003cSuiteTicket\u003e\u003c![CDATA[FAKE]]\u003e\u003c/SuiteTicket\u003e\u003cKey\u003eFAKE\u003c/Key\u003e"}`,
			`{"body":"\u003cSuiteTicket\u003e\u003c![CDATA[REDACTED]]\u003e\u003c/SuiteTicket\u003e\u003cKey\u003eREDACTED\u003c/Key\u003e"}`},
		{"URL in JSON", `{"url":"https://x.invalid/?a=1\u0026code=FAKE\u0026b=2"}`, `{"url":"https://x.invalid/?a=1\u0026code=REDACTED\u0026b=2"}`},
		{"URL in JSON, all escaped", `{"url":"https://x.invalid/?a\u003d1\u0026code\u003dFAKE"}`, `{"url":"https://x.invalid/?a\u003d1\u0026code\u003dREDACTED"}`},
		{"camel case", `{"accessToken":"FAKE","suiteSecret":"FAKE"}`, `{"accessToken":"REDACTED","suiteSecret":"REDACTED"}`},
		{"twice", `?access_token=REDACTED {"key":"REDACTED"}`, `?access_token=REDACTED {"key":"REDACTED"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Redact(tt.in); got != tt.want {
				t.Errorf("Redact(%s)\n= %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestRedactNames(t *testing.T) {
	for name := range strings.FieldsSeq(`access_token component_access_token authorizer_access_token suite_access_token provider_access_token
		cloudbase_access_token refresh_token authorizer_refresh_token secret appsecret corpsecret component_appsecret suite_secret
		provider_secret js_code code auth_code permanent_code pre_auth_code key session_key ticket suite_ticket component_verify_ticket
		jsapi_ticket encoding_aes_key token`) {
		if got := Redact("?" + name + "=FAKE&x=1"); strings.Contains(got, "FAKE") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestRedactEcho(t *testing.T) {
	const query = "key=FAKE%2FKEY1&type=file&code=ok"
	for in, want := range map[string]string{
		"robot FAKE/KEY1 is gone":   "robot REDACTED is gone",
		"robot FAKE%2FKEY1 is gone": "robot REDACTED is gone",
		"ok, the file is stored":    "ok, the file is stored",
	} {
		if got := RedactEcho(in, query); got != want {
			t.Errorf("RedactEcho(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestRedactLeaves(t *testing.T) {
	for _, text := range []string{
		"", "ok", `{"errcode":40001,"errmsg":"invalid credential, access_token is invalid or not latest rid: 65000000-0badcafe-00000001"}`,
		`{"openid":"oFAKE","resultcode":0,"next_key":"x","keyword":"y","qrcode":"z"}`, "/cgi-bin/token?appid=wx&grant_type=refresh_token&next_openid=o",
		"100% code", "%", "%2", "%25", "key", `"key"`, `"key" `, `"key":`, "key=", "<key>", `\`, `"key":[`, "<token/>",
	} {
		if got := Redact(text); got != text {
			t.Errorf("Redact(%q) = %q", text, got)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("", "x", "", uint8(0))
	f.Add("a=b&", `"\\"`, "&c=d", uint8(3))
	f.Add(`{"key":"`, "\n%26&=%", `","a":"b"}`, uint8(7))
	f.Add(`\`, `'<>]]>`, `\"`, uint8(11))
	names := []string{"access_token", "secret", "code", "session_key", "SuiteTicket", "key"}
	f.Fuzz(func(t *testing.T, before, inside, after string, pick uint8) {
		if strings.Contains(before+after, "PLANTED") {
			t.Skip()
		}
		name, secret := names[int(pick)%len(names)], "PLANTED"+inside+"PLANTED"
		query := "https://api.example.invalid/x?appid=wx&" + url.Values{name: {secret}}.Encode() + "&lang=zh"
		object := quoted(map[string]any{"a": 1, name: secret, "z": "y"})
		var element strings.Builder
		if err := xml.EscapeText(&element, []byte(secret)); err != nil {
			t.Fatal(err)
		}
		forms := []string{
			query,
			"?redirect_uri=" + url.QueryEscape(query) + "&a=b",
			"?a=" + url.QueryEscape("?b="+url.QueryEscape(query)),
			"?data=" + url.QueryEscape(object),
			object,
			quoted(object),
			quoted(map[string]any{"body": quoted(object), "url": query}),
			strconv.Quote(object),
			quoted(map[string]any{"values": url.Values{name: {secret, secret}}}),
			"<xml><" + name + ">" + element.String() + "</" + name + "></xml>",
			"<xml><" + name + "><![CDATA[" + strings.ReplaceAll(secret, ">", "") + "]]></" + name + "></xml>",
		}
		for _, form := range forms {
			got := Redact(before + " " + form + " " + after)
			if strings.Contains(got, "PLANTED") {
				t.Errorf("%q became %q", before+" "+form+" "+after, got)
			}
			if again := Redact(got); again != got {
				t.Errorf("%q became %q and then %q", form, got, again)
			}
			if utf8.ValidString(form) && !utf8.ValidString(Redact(form)) {
				t.Errorf("%q became %q", form, Redact(form))
			}
		}
		if got := Redact(object); got != quoted(map[string]any{"a": 1, name: masked, "z": "y"}) {
			t.Errorf("%q became %q", object, got)
		}
		if err := RedactError(&url.Error{Op: "Get", URL: query + "&" + url.QueryEscape(inside) + "=PLANTED", Err: io.EOF}); strings.Contains(err.Error(), "PLANTED") {
			t.Errorf("%q became %q", query, err)
		}
	})
}

func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// texts returns what an error prints at every level of unwrapping.
func texts(err error) (all []string) {
	all = append(all, fmt.Sprintf("%v %+v %#v", err, err, err))
	for _, cause := range causes(err) {
		all = append(all, texts(cause)...)
	}
	return all
}

type typedError struct{ err error }

func (e typedError) Error() string { return "typed: " + e.err.Error() }
func (e typedError) Unwrap() error { return e.err }

func TestRedactError(t *testing.T) {
	const address = "https://api.weixin.qq.com/cgi-bin/token?appid=wx1&secret=FAKE1&unknown=FAKE2&FAKE3&lang=zh#FAKE4"
	const want = "https://api.weixin.qq.com/cgi-bin/token?appid=wx1&secret=REDACTED&unknown=REDACTED&REDACTED&lang=zh#REDACTED"
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	sentinel := errors.New("sentinel")
	tests := []struct {
		name string
		err  error
		text string
		is   error
	}{
		{"P131 refused", &url.Error{Op: "Get", URL: address, Err: refused}, `Get "` + want + `": ` + refused.Error(), syscall.ECONNREFUSED},
		{"P131 time-out", &url.Error{Op: "Post", URL: address, Err: context.DeadlineExceeded}, `Post "` + want + `": context deadline exceeded`, context.DeadlineExceeded},
		{"wrapped", fmt.Errorf("call: %w", &url.Error{Op: "Get", URL: address, Err: io.EOF}), `call: Get "` + want + `": EOF`, io.EOF},
		{"wrapped twice", fmt.Errorf("a: %w", fmt.Errorf("b "+address+": %w", &url.Error{Op: "Get", URL: address, Err: io.EOF})), `a: b ` + want + `: Get "` + want + `": EOF`, io.EOF},
		{"inside another", &url.Error{Op: "Get", URL: "https://x.invalid/", Err: &url.Error{Op: "Post", URL: address, Err: io.EOF}}, `Get "https://x.invalid/": Post "` + want + `": EOF`, io.EOF},
		{"joined", errors.Join(sentinel, &url.Error{Op: "Get", URL: address, Err: io.EOF}), "sentinel\n" + `Get "` + want + `": EOF`, sentinel},
		{"typed", typedError{&url.Error{Op: "Get", URL: address, Err: sentinel}}, `typed: Get "` + want + `": sentinel`, sentinel},
		{"no URL error", errors.New("token: access_token=FAKE1"), "token: access_token=REDACTED", nil},
		{"two causes", fmt.Errorf("%w, %w", sentinel, errors.New(`{"secret":"FAKE1"}`)), `sentinel, {"secret":"REDACTED"}`, sentinel},
		{"no URL", &url.Error{Op: "parse", URL: "://x?secret=FAKE1&FAKE2", Err: sentinel}, `parse "://x?REDACTED": sentinel`, sentinel},
		{"quoted differently", fmt.Errorf("x %w", &url.Error{Op: "parse", URL: "http://x/\x7f\"?FAKE1", Err: io.EOF}), `x parse "http://x/\x7f\"?REDACTED": EOF`, io.EOF},
		{"password", &url.Error{Op: "Get", URL: "https://FAKE1:FAKE2@x.invalid/", Err: io.EOF}, `Get "https://REDACTED@x.invalid/": EOF`, io.EOF},
		{"no cause", &url.Error{Op: "Get", URL: address}, `Get "` + want + `": %!s(<nil>)`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := RedactError(tt.err)
			if got.Error() != tt.text {
				t.Errorf("error is %s\nwant     %s", got, tt.text)
			}
			for _, text := range texts(got) {
				if strings.Contains(text, "FAKE") {
					t.Errorf("a level shows %s", text)
				}
			}
			if tt.is != nil && !errors.Is(got, tt.is) {
				t.Errorf("%v is not %v any more", got, tt.is)
			}
			var before, after *url.Error
			if errors.As(tt.err, &before) != errors.As(got, &after) {
				t.Error("the *url.Error got lost")
			}
			if again := RedactError(got); again != got { //nolint:errorlint // the very same one
				t.Errorf("the second time it became %v", again)
			}
		})
	}
}

func TestRedactErrorKeeps(t *testing.T) {
	if RedactError(nil) != nil {
		t.Error("nil became an error")
	}
	harmless := fmt.Errorf("a: %w", &url.Error{Op: "Get", URL: "https://x.invalid/?openid=o&type=image&media_id=m", Err: io.EOF})
	if got := RedactError(harmless); got != harmless { //nolint:errorlint // the very same one
		t.Errorf("%v was replaced", got)
	}

	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	got := RedactError(&url.Error{Op: "Get", URL: "/?secret=FAKE", Err: fmt.Errorf("proxy: %w", refused)})
	var op *net.OpError
	if !errors.As(got, &op) || op != refused {
		t.Errorf("the cause of %v is %v", got, op)
	}

	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	timeout := &url.Error{Op: "Get", URL: "/?secret=FAKE", Err: &url.Error{Op: "Get", URL: "/?key=FAKE", Err: late.Err()}}
	var netError net.Error
	if got := RedactError(timeout); !errors.As(got, &netError) || !netError.Timeout() {
		t.Errorf("%v is no time-out any more", got)
	}
	hidden := &url.Error{Op: "Get", URL: "/?secret=FAKE", Err: slow{"key=FAKE"}}
	if got := RedactError(hidden); !errors.As(got, &netError) || !netError.Timeout() || strings.Contains(got.Error(), "FAKE") {
		t.Errorf("%v is no time-out any more", got)
	}
}

type slow struct{ text string }

func (s slow) Error() string { return s.text }
func (slow) Timeout() bool   { return true }

func BenchmarkRedact(b *testing.B) {
	const text = `Get "https://api.weixin.qq.com/cgi-bin/token?appid=wxFAKE&grant_type=client_credential&secret=FAKE_SECRET": context deadline exceeded`
	b.ReportAllocs()
	for b.Loop() {
		Redact(text)
	}
}

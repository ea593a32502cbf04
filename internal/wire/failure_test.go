package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"
)

func TestFailure(t *testing.T) {
	tests := []struct {
		name, body string
		code       int
		message    string
		found      bool
		err        error
	}{
		{"success", `{"errcode":0,"errmsg":"ok","msgid":200228332}`, 0, "ok", true, nil},
		{"no errcode", `{"url":"http://mmbiz.example.invalid/FAKE/0"}`, 0, "", false, nil},
		{"empty object", ` { } `, 0, "", false, nil},
		{"P060 quoted", `{"errcode":"40001","errmsg":"invalid credential"}`, 40001, "invalid credential", true, nil},
		{"P060 quoted zero", `{"errcode":"0","errmsg":"ok","media_id":"FAKE_MEDIA"}`, 0, "ok", true, nil},
		{"P060 float", `{"errcode":40001.0}`, 40001, "", true, nil},
		{"P060 exponent", `{"errcode":4.0001e4}`, 40001, "", true, nil},
		{"P060 quoted float with spaces", `{"errcode":" 40001.0 "}`, 40001, "", true, nil},
		{"negative", `{"errcode":-1,"errmsg":"system error"}`, -1, "system error", true, nil},
		{"P060 word", `{"errcode":"fail","errmsg":"x"}`, 0, "", true, ErrNoCode},
		{"P060 empty string", `{"errcode":""}`, 0, "", true, ErrNoCode},
		{"P060 null", `{"errcode":null}`, 0, "", true, ErrNoCode},
		{"P060 bool", `{"errcode":false}`, 0, "", true, ErrNoCode},
		{"P060 object", `{"errcode":{"code":0}}`, 0, "", true, ErrNoCode},
		{"P060 fraction", `{"errcode":0.5}`, 0, "", true, ErrNoCode},
		{"P060 too large", `{"errcode":99999999999999999999}`, 0, "", true, ErrNoCode},
		{"other spelling of the key", `{"errCode":87014}`, 87014, "", true, nil},
		{"escaped key", `{"err\u0063ode":87014}`, 87014, "", true, nil},
		{"twice, failure first", `{"errcode":40001,"errcode":0}`, 40001, "", true, nil},
		{"twice, failure last", `{"errcode":0,"errcode":"40001"}`, 40001, "", true, nil},
		{"twice, one unreadable", `{"errcode":"?","errcode":0}`, 0, "", true, ErrNoCode},
		{"nested ones do not count", `{"list":[{"errcode":1}],"o":{"errcode":2},"s":"\"errcode\":3"}`, 0, "", false, nil},
		{"P063 control characters", "{\"nickname\":\"\x14\n\",\"errcode\":0}", 0, "", true, nil},
		{"P065 bad bytes in the message", "{\"errcode\":1,\"errmsg\":\"\xb2\\ud83d\x01\"}", 1, "\ufffd\ufffd\x01", true, nil},
		{"P066 byte order mark and blank lines", "\xef\xbb\xbf\r\n{\"errcode\":0,\"errmsg\":\"ok\"}\r\n\r\n", 0, "ok", true, nil},
		{"P066 something after the end", `{"errcode":0}<html>`, 0, "", false, ErrNotJSON},
		{"P066 a second object", `{"errcode":0}{"errcode":0}`, 0, "", false, ErrNotJSON},
		{"P067 text/plain", `{"errcode":40001,"errmsg":"invalid credential, access_token is invalid or not latest rid: 65000000-0badcafe-00000001"}`,
			40001, "invalid credential, access_token is invalid or not latest rid: 65000000-0badcafe-00000001", true, nil},
		{"P068 page of a gateway", "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>\r\n", 0, "", false, ErrNotJSON},
		{"P070 empty", "", 0, "", false, ErrEmpty},
		{"P070 white space", "\xef\xbb\xbf \r\n", 0, "", false, ErrEmpty},
		{"P076 body of a 412", `{"errcode":40097,"errmsg":"invalid args rid: 65000000-0badcafe-00000001"}`, 40097, "invalid args rid: 65000000-0badcafe-00000001", true, nil},
		{"message that is no text", `{"errcode":1,"errmsg":["a"]}`, 1, "", true, nil},
		{"cut", `{"errcode":0,"errmsg":"ok","da`, 0, "", false, ErrNotJSON},
		{"cut before the last brace", `{"errcode":0,"errmsg":"ok"`, 0, "", false, ErrNotJSON},
		{"cut in a number", `{"errcode":0`, 0, "", false, ErrNotJSON},
		{"list", `[]`, 0, "", false, ErrNotJSON},
		{"null", `null`, 0, "", false, ErrNotJSON},
		{"string", `"errcode"`, 0, "", false, ErrNotJSON},
		{"not quite JSON", `{"errcode":0,}`, 0, "", false, ErrNotJSON},
		{"bad number", `{"errcode":00}`, 0, "", false, ErrNotJSON},
		{"too deep", `{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, 0, "", false, ErrNotJSON},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, message, found, err := Failure([]byte(tt.body))
			if code != tt.code || message != tt.message || found != tt.found || !errors.Is(err, tt.err) {
				t.Errorf("Failure = %d, %q, %t, %v; want %d, %q, %t, %v", code, message, found, err, tt.code, tt.message, tt.found, tt.err)
			}
		})
	}
}

func TestFailureDoesNotAllocate(t *testing.T) {
	body := []byte(`{"errcode":0,"errmsg":"ok","msgid":200228332}`)
	if n := testing.AllocsPerRun(100, func() { _, _, _, _ = Failure(body) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestLooksLikeJSON(t *testing.T) {
	tests := map[string]bool{
		`{"errcode":41030,"errmsg":"invalid page rid: 65000000-0badcafe-00000001"}`: true, // P093
		"\xef\xbb\xbf\r\n [1]":                  true,
		`{"video_url":"http://203.0.113.9/x"}`:  true,  // P097
		"\xff\xd8\xff\xe0\x00\x10JFIF":          false, // P096
		"<html>":                                false,
		"":                                      false,
		" \n":                                   false,
		"\x89PNG\r\n\x1a\n{":                    false,
		"\xef\xbb\xbf\xef\xbb\xbf{\"twice\":1}": false,
	}
	for body, want := range tests {
		if got := LooksLikeJSON([]byte(body)); got != want {
			t.Errorf("LooksLikeJSON(%q) = %t, want %t", body, got, want)
		}
	}
}

func FuzzFailure(f *testing.F) {
	for _, s := range []string{
		`{"errcode":0,"errmsg":"ok"}`, `{"errcode":"40001"}`, `{"errcode":null}`, `{"ERRCODE":1.0}`, `{"errcode":0,"errcode":1}`,
		`{"a":[{}],"errcode":-1}`, `<html>`, ``, `{"errcode":1e400}`, "\xef\xbb\xbf{}", `{"errmsg":"\ud83d","errcode":2}`, `{"a":"\u00"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		code, message, found, err := Failure(data)
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil || object == nil {
			return // no panic is all that is asked for
		}
		wantCode, wantFound, wantErr := expectedFailure(t, data)
		if code != wantCode || found != wantFound || !errors.Is(err, wantErr) {
			t.Errorf("Failure(%q) = %d, %t, %v; want %d, %t, %v", data, code, found, err, wantCode, wantFound, wantErr)
		}
		var reply struct {
			Text string `json:"errmsg"`
		}
		if err == nil && json.Unmarshal(data, &reply) == nil && reply.Text != message {
			t.Errorf("Failure(%q) has message %q, want %q", data, message, reply.Text)
		}
	})
}

// expectedFailure finds the errcode of a valid JSON object the slow way.
func expectedFailure(t *testing.T, data []byte) (code int, found bool, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err1 := d.Token()
		var value json.RawMessage
		if err2 := d.Decode(&value); err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if !strings.EqualFold(key.(string), "errcode") {
			continue
		}
		found = true
		text := string(value)
		if value[0] == '"' {
			if err := json.Unmarshal(value, &text); err != nil {
				t.Fatal(err)
			}
			text = strings.TrimSpace(text)
		}
		if len(text) > 40 {
			t.Skip() // keeps the oracle's numbers small
		}
		number, ok := new(big.Rat), decimal.MatchString(text)
		if ok {
			number, ok = number.SetString(text)
		}
		switch {
		case !ok || !number.IsInt() || !number.Num().IsInt64() || int64(int(number.Num().Int64())) != number.Num().Int64():
			err = ErrNoCode
		case number.Sign() != 0:
			code = int(number.Num().Int64())
		}
	}
	if code != 0 {
		err = nil
	}
	return code, found, err
}

var decimal = regexp.MustCompile(`^[-+]?\d+(\.\d*)?([eE][-+]?\d{1,3})?$`)

func BenchmarkFailure(b *testing.B) {
	body := []byte(`{"errcode":0,"errmsg":"ok","msgid":200228332}`)
	b.ReportAllocs()
	for b.Loop() {
		if code, _, found, err := Failure(body); code != 0 || !found || err != nil {
			b.Fatal(code, found, err)
		}
	}
}

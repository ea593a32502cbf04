package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// into returns a function that decodes into a fresh T, for tables of many types.
func into[T any](data string) (any, error) {
	var v T
	err := Unmarshal([]byte(data), &v)
	return v, err
}

type user struct {
	Subscribe     int    `json:"subscribe"`
	OpenID        string `json:"openid"`
	Nickname      string `json:"nickname"`
	Sex           int    `json:"sex"`
	City          string `json:"city"`
	SubscribeTime int64  `json:"subscribe_time"`
}

type contact struct {
	MatchRule struct {
		GroupID int    `json:"group_id"`
		Sex     string `json:"sex"`
	} `json:"matchrule"`
	FollowUser []struct {
		UserID         string      `json:"userid"`
		CreateTime     json.Number `json:"createtime"`
		WechatChannels struct {
			Source string `json:"source"`
		} `json:"wechat_channels"`
	} `json:"follow_user"`
}

type order struct {
	Order struct {
		ID      string         `json:"order_id"`
		PayTime int64          `json:"pay_time"`
		Extra   map[string]int `json:"extra"`
	} `json:"order"`
}

type profile struct {
	ExternalContact struct {
		ExternalUserID  string `json:"external_userid"`
		ExternalProfile struct {
			ExternalAttr []struct {
				Type int `json:"type"`
			} `json:"external_attr"`
		} `json:"external_profile"`
		Gender int `json:"gender"`
	} `json:"external_contact"`
}

type followers struct {
	Total int `json:"total"`
	Count int `json:"count"`
	Data  struct {
		OpenID []string `json:"openid"`
	} `json:"data"`
	NextOpenID string `json:"next_openid"`
}

type ids struct {
	MsgID     int64 `json:"msgid"`
	MassID    int64 `json:"msg_id"`
	MsgDataID int64 `json:"msg_data_id"`
}

type inner struct {
	A int `json:"a"`
}

// kinds has a field of each kind that is treated in its own way.
type kinds struct {
	Int       int               `json:"int"`
	Int8      int8              `json:"int8"`
	Uint      uint64            `json:"uint"`
	Float     float64           `json:"float"`
	Bool      bool              `json:"bool"`
	String    string            `json:"string"`
	Number    json.Number       `json:"number"`
	Any       any               `json:"any"`
	Struct    inner             `json:"struct"`
	Pointer   *inner            `json:"pointer"`
	IntPtr    *int              `json:"int_ptr"`
	StringPtr *string           `json:"string_ptr"`
	Map       map[string]inner  `json:"map"`
	Texts     map[string]string `json:"texts"`
	List      []inner           `json:"list"`
	Ints      []int             `json:"ints"`
	Strings   []string          `json:"strings"`
	Lists     [][]int           `json:"lists"`
	Bytes     []byte            `json:"bytes"`
	Array     [2]int            `json:"array"`
	Raw       json.RawMessage   `json:"raw"`
	Time      time.Time         `json:"time"`
	Addr      netip.Addr        `json:"addr"`
	Quoted    int               `json:"quoted,string"`
	QuotedStr string            `json:"quoted_str,string"`
	embedded
	*Embedded
	Untagged int
	Skipped  int `json:"-"`
}

type embedded struct {
	Low  int `json:"low"`
	Both int `json:"int"` // less deep wins
}

type Embedded struct {
	High int `json:"high"`
}

func TestUnmarshalPain(t *testing.T) {
	var p059 contact
	p059.MatchRule.GroupID, p059.MatchRule.Sex = 2, "1"
	p059.FollowUser = append(p059.FollowUser, struct {
		UserID         string      `json:"userid"`
		CreateTime     json.Number `json:"createtime"`
		WechatChannels struct {
			Source string `json:"source"`
		} `json:"wechat_channels"`
	}{UserID: "FAKEUSER1", CreateTime: "1698796800"})
	p059.FollowUser[0].WechatChannels.Source = "0"

	var p061 order
	p061.Order.ID, p061.Order.PayTime = "FAKE1", 1700000000

	var p062 profile
	p062.ExternalContact.ExternalUserID = "FAKEEXT1"
	p062Filled := p062
	p062Filled.ExternalContact.ExternalProfile.ExternalAttr = []struct {
		Type int `json:"type"`
	}{}

	type ok struct {
		Code int    `json:"errcode"`
		Text string `json:"errmsg"`
	}
	p074 := followers{Total: 0}
	p074.Data.OpenID = []string{}

	tests := []struct {
		name, body string
		decode     func(string) (any, error)
		want       any
	}{
		{"P059", `{"errcode":0,"errmsg":"ok","matchrule":{"group_id":"2","sex":1},"follow_user":[{"userid":"FAKEUSER1","createtime":1698796800,"wechat_channels":{"source":0}}]}`, into[contact], p059},
		{"P060", `{"errcode":"40001","errmsg":"invalid credential"}`, into[ok], ok{40001, "invalid credential"}},
		{"P062", `{"errcode":0,"errmsg":"ok","external_contact":{"external_userid":"FAKEEXT1","external_profile":{"external_attr":[]},"gender":""}}`, into[profile], p062Filled},
		{"P062 list for an object", `{"external_contact":{"external_userid":"FAKEEXT1","external_profile":[]}}`, into[profile], p062},
		{"P062 text for an object", `{"external_contact":{"external_userid":"FAKEEXT1","external_profile":""}}`, into[profile], p062},
		{"P062 null for an object", `{"external_contact":{"external_userid":"FAKEEXT1","external_profile":null,"gender":""}}`, into[profile], p062},
		{"P063", "{\"subscribe\":1,\"openid\":\"oFAKE_openid_0000000000000001\",\"nickname\":\"\x14测试😀\",\"sex\":2,\"subscribe_time\":1700000000}", into[user],
			user{Subscribe: 1, OpenID: "oFAKE_openid_0000000000000001", Nickname: "\x14测试😀", Sex: 2, SubscribeTime: 1700000000}},
		{"P065", "{\"openid\":\"oFAKE_openid_0000000000000001\",\"nickname\":\"\xb2\xe2\xca\xd4\",\"city\":\"\\ud83d\"}", into[user],
			user{OpenID: "oFAKE_openid_0000000000000001", Nickname: "\ufffd\ufffd\ufffd\ufffd", City: "\ufffd"}},
		{"P065 beside a quoted number", "{\"nickname\":\"\xb2\xe2\xca\xd4\",\"city\":\"\\ud83d\",\"sex\":\"1\"}", into[user],
			user{Nickname: "\ufffd\ufffd\ufffd\ufffd", City: "\ufffd", Sex: 1}},
		{"P066", "\xef\xbb\xbf\r\n{\"errcode\":0,\"errmsg\":\"ok\"}\r\n\r\n", into[ok], ok{0, "ok"}},
		{"P067", `{"url":"http://mmbiz.example.invalid/FAKE/0"}`, into[map[string]string], map[string]string{"url": "http://mmbiz.example.invalid/FAKE/0"}},
		{"P071", `{"errcode":0,"errmsg":"ok","msgid":9007199254740993}`, into[ids], ids{MsgID: 9007199254740993}},
		{"P071 quoted", `{"msgid":"9007199254740993"}`, into[ids], ids{MsgID: 9007199254740993}},
		{"P071 float", `{"msgid":9007199254740993.0}`, into[ids], ids{MsgID: 9007199254740993}},
		{"P071 generic map", `{"msgid":9007199254740993}`, into[map[string]any], map[string]any{"msgid": json.Number("9007199254740993")}},
		{"P071 generic map, leniently", "{\"msgid\":9007199254740993,\"a\":\"\x01\"}", into[map[string]any], map[string]any{"msgid": json.Number("9007199254740993"), "a": "\x01"}},
		{"P071 any", `[9007199254740993]`, into[any], []any{json.Number("9007199254740993")}},
		{"P072", `{"errcode":0,"errmsg":"ok","msg_id":3000000002,"msg_data_id":2247483648}`, into[ids], ids{MassID: 3000000002, MsgDataID: 2247483648}},
		{"P074 no data", `{"total":10001,"count":0,"next_openid":""}`, into[followers], followers{Total: 10001}},
		{"P074 empty data", `{"total":0,"count":0,"data":{"openid":[]},"next_openid":""}`, into[followers], p074},
		{"P074 text for data", `{"total":"0","data":"","next_openid":""}`, into[followers], followers{}},
		{"P076", `{"errcode":40097,"errmsg":"invalid args rid: 65000000-0badcafe-00000001"}`, into[ok], ok{40097, "invalid args rid: 65000000-0badcafe-00000001"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.decode(tt.body)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
	if got, _ := into[map[string]any](`{"msgid":9007199254740993}`); fmt.Sprint(got) != "map[msgid:9007199254740993]" {
		t.Errorf("P071: a generic map prints %v", got)
	}

	t.Run("P061", func(t *testing.T) {
		got, err := into[order](`{"errcode":0,"errmsg":"ok","order":{"order_id":"FAKE1","pay_time":"1700000000","extra":{"x":[]}}}`)
		var decode *DecodeError
		if !errors.As(err, &decode) || decode.Path != "order.extra.*" {
			t.Errorf("error is %v, want a DecodeError at order.extra.*", err)
		}
		p061.Order.Extra = map[string]int{"x": 0}
		if !reflect.DeepEqual(got, p061) {
			t.Errorf("got %+v, want %+v", got, p061)
		}
	})
}

func TestUnmarshalReconciles(t *testing.T) {
	one, empty := 1, ""
	tests := []struct {
		body string
		want kinds
	}{
		{`{"int":"12"}`, kinds{Int: 12}},
		{`{"int":" -12 "}`, kinds{Int: -12}},
		{`{"int":""}`, kinds{}},
		{`{"int":"1.0"}`, kinds{Int: 1}},
		{`{"int":4.0001e4}`, kinds{Int: 40001}},
		{`{"int":120E-1}`, kinds{Int: 12}},
		{`{"int":"007"}`, kinds{Int: 7}},
		{`{"INT":"12"}`, kinds{Int: 12}},
		{`{"uint":"18446744073709551615"}`, kinds{Uint: 18446744073709551615}},
		{`{"float":"1.5"}`, kinds{Float: 1.5}},
		{`{"float":""}`, kinds{}},
		{`{"bool":1}`, kinds{Bool: true}},
		{`{"bool":"0"}`, kinds{}},
		{`{"bool":"true"}`, kinds{Bool: true}},
		{`{"bool":""}`, kinds{}},
		{`{"string":12.50}`, kinds{String: "12.50"}},
		{`{"string":9007199254740993}`, kinds{String: "9007199254740993"}},
		{`{"string":true}`, kinds{String: "true"}},
		{`{"number":"12"}`, kinds{Number: "12"}},
		{`{"number":" 12"}`, kinds{Number: "12"}},
		{`{"number":""}`, kinds{Number: "0"}},
		{`{"int":"1","any":{"a":[1.0,"\ud83d"]}}`, kinds{Int: 1, Any: map[string]any{"a": []any{json.Number("1.0"), "\ufffd"}}}},
		{`{"struct":[]}`, kinds{}},
		{`{"struct":""}`, kinds{}},
		{`{"struct":{"a":"1","unknown":{"b":[]}}}`, kinds{Struct: inner{1}}},
		{`{"pointer":""}`, kinds{}},
		{`{"pointer":[ ]}`, kinds{}},
		{`{"pointer":{"a":"1"}}`, kinds{Pointer: &inner{1}}},
		{`{"int_ptr":"1"}`, kinds{IntPtr: &one}},
		{`{"int_ptr":""}`, kinds{}},
		{`{"string_ptr":"","int":"1"}`, kinds{Int: 1, StringPtr: &empty}},
		{`{"map":[]}`, kinds{}},
		{`{"map":""}`, kinds{}},
		{`{"map":{"k":{"a":"1"},"l":""}}`, kinds{Map: map[string]inner{"k": {1}, "l": {}}}},
		{`{"texts":{"k":1}}`, kinds{Texts: map[string]string{"k": "1"}}},
		{`{"list":""}`, kinds{}},
		{`{"list":{}}`, kinds{}},
		{`{"list":null,"int":"1"}`, kinds{Int: 1}},
		{`{"list":{"a":"1"}}`, kinds{List: []inner{{1}}}},
		{`{"list":[{"a":"1"},""]}`, kinds{List: []inner{{1}, {}}}},
		{`{"ints":5}`, kinds{Ints: []int{5}}},
		{`{"ints":["1",2.0]}`, kinds{Ints: []int{1, 2}}},
		{`{"strings":"a"}`, kinds{Strings: []string{"a"}}},
		{`{"strings":["",1]}`, kinds{Strings: []string{"", "1"}}},
		{`{"lists":[1,[2]]}`, kinds{Lists: [][]int{{1}, {2}}}},
		{`{"bytes":"QUI=","int":"1"}`, kinds{Int: 1, Bytes: []byte("AB")}},
		{`{"array":["1","2"]}`, kinds{Array: [2]int{1, 2}}},
		{"{\"raw\":{\"a\":\"\x01\xff\",\"b\":1},\"int\":\"1\"}", kinds{Int: 1, Raw: json.RawMessage("{\"a\":\"\\u0001\ufffd\",\"b\":1}")}},
		{`{"time":"2023-11-14T22:13:20Z","int":"1"}`, kinds{Int: 1, Time: time.Unix(1700000000, 0).UTC()}},
		{`{"addr": "203.0.113.7","int":"1"}`, kinds{Int: 1, Addr: netip.MustParseAddr("203.0.113.7")}},
		{`{"quoted":12}`, kinds{Quoted: 12}},
		{`{"quoted":"12","int":"1"}`, kinds{Quoted: 12, Int: 1}},
		{`{"quoted_str":"\"x\"","int":"1"}`, kinds{QuotedStr: "x", Int: 1}},
		{`{"low":"3"}`, kinds{embedded: embedded{Low: 3}}},
		{`{"high":"3"}`, kinds{Embedded: &Embedded{3}}},
		{`{"Untagged":"3","untagged":"4","Skipped":"5"}`, kinds{Untagged: 4}},
		{`{"\u0069nt":"6"}`, kinds{Int: 6}},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			got, err := into[kinds](tt.body)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
}

func TestUnmarshalMismatch(t *testing.T) {
	tests := []struct {
		body, path, text string
		want             kinds // what is filled in all the same
	}{
		{`{"int":"secret","string":"x"}`, "int", "string does not fit int", kinds{String: "x"}},
		{`{"int":1.5,"string":1}`, "int", "number does not fit int", kinds{String: "1"}},
		{`{"int":true,"string":1}`, "int", "bool does not fit int", kinds{String: "1"}},
		{`{"int":1e99,"string":1}`, "int", "number does not fit int", kinds{String: "1"}},
		{`{"int8":"300","string":1}`, "int8", "number does not fit int8", kinds{String: "1"}},
		{`{"uint":"-1","string":1}`, "uint", "number does not fit uint64", kinds{String: "1"}},
		{`{"float":"NaN","string":1}`, "float", "string does not fit float64", kinds{String: "1"}},
		{`{"bool":2,"string":1}`, "bool", "number does not fit bool", kinds{String: "1"}},
		{`{"string":{"a":1},"int":"1"}`, "string", "object does not fit string", kinds{Int: 1}},
		{`{"struct":"secret","int":"1"}`, "struct", "string does not fit wire.inner", kinds{Int: 1}},
		{`{"map":{"k":{"a":[]}},"int":"1"}`, "map.*.a", "array does not fit int", kinds{Int: 1, Map: map[string]inner{"k": {}}}},
		{`{"list":[{"a":1},{"a":"x"},5],"int":"1"}`, "list[1].a", "string does not fit int", kinds{Int: 1, List: []inner{{1}, {}, {}}}},
		{`{"list":5,"int":"1"}`, "list", "number does not fit wire.inner", kinds{Int: 1}},
		{`{"bytes":5,"int":"1"}`, "bytes", "number does not fit []uint8", kinds{Int: 1}},
		{`{"time":"secret","int":"1"}`, "time", "refused by its type: *time.ParseError", kinds{Int: 1}},
		{`{"addr":"secret","int":"1"}`, "addr", "refused by its type: netip.parseAddrError", kinds{Int: 1}},
		{`{"addr":{},"int":"1"}`, "addr", "object does not fit netip.Addr", kinds{Int: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			got, err := into[kinds](tt.body)
			var decode *DecodeError
			if !errors.As(err, &decode) {
				t.Fatalf("error is %v, want a DecodeError", err)
			}
			if want := "decode reply: " + tt.path + ": " + tt.text; err.Error() != want || decode.Path != tt.path {
				t.Errorf("error is %q at %q, want %q", err, decode.Path, want)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			if string(decode.Body()) != tt.body {
				t.Errorf("body is %q", decode.Body())
			}
			var mismatch *json.UnmarshalTypeError
			if errors.As(err, &mismatch) && (strings.ContainsAny(mismatch.Value, " 0123456789") || mismatch.Field != tt.path) {
				t.Errorf("cause is %+v, want the kind and the path only", mismatch)
			}
		})
	}
}

// Names of embedded fields are resolved as encoding/json does: the same name
// twice at one depth is no name, unless one of them is in a tag.
func TestUnmarshalEmbedded(t *testing.T) {
	type Left struct {
		Both   int
		Tagged int
		Low    int
	}
	type Right struct {
		Both  int
		Other int `json:"Tagged"`
	}
	type Node struct {
		*Left
		Right
		Next *struct{ *Left } `json:"next"`
		Own  int
		_    int
	}
	got, err := into[Node](`{"Both":"1","Tagged":"2","Low":"3","Own":"4","next":{"Low":"5"}}`)
	want := Node{Left: &Left{Low: 3}, Right: Right{Other: 2}, Own: 4, Next: &struct{ *Left }{&Left{Low: 5}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}

	type Loop struct {
		*Loop
		A int
	}
	if got, err := into[Loop](`{"A":"1"}`); err != nil || got != (Loop{A: 1}) {
		t.Errorf("a struct that embeds itself: %+v, %v", got, err)
	}
	if got, err := into[struct {
		E error
		A int
	}](`{"E":"x","A":"1"}`); err == nil || err.Error() != "decode reply: E: string does not fit error" {
		t.Errorf("an interface with methods: %+v, %v", got, err)
	}
}

func TestUnmarshalBroken(t *testing.T) {
	tests := []struct {
		name, body string
		want       error
		text       string
	}{
		{"P066 HTML after the end", `{"int":1}<html>`, ErrNotJSON, "decode reply: not JSON at byte 9"},
		{"P066 second value", `{"int":1} {"int":2}`, ErrNotJSON, "decode reply: not JSON at byte 10"},
		{"P068", "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>", ErrNotJSON, "decode reply: not JSON at byte 0"},
		{"P070", "", ErrEmpty, "decode reply: empty body"},
		{"P070 white space", "\xef\xbb\xbf\r\n ", ErrEmpty, "decode reply: empty body"},
		{"cut", `{"int":1,"string":"sec`, ErrNotJSON, "decode reply: not JSON at byte 19"},
		{"comma too many", "\xef\xbb\xbf{\"int\":1,}", ErrNotJSON, "decode reply: not JSON at byte 12"},
		{"two byte order marks", "\xef\xbb\xbf\xef\xbb\xbf{}", ErrNotJSON, "decode reply: not JSON at byte 3"},
		{"bad escape", `{"string":"\x"}`, ErrNotJSON, "decode reply: not JSON at byte 11"},
		{"bad number", `{"int":01}`, ErrNotJSON, "decode reply: not JSON at byte 7"},
		{"bad word", `{"unknown":nul}`, ErrNotJSON, "decode reply: not JSON at byte 11"},
		{"too deep", strings.Repeat(`[`, 20000) + strings.Repeat("]", 20000), ErrNotJSON, "decode reply: not JSON at byte 10000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := kinds{Int: 7}
			err := Unmarshal([]byte(tt.body), &got)
			var decode *DecodeError
			if !errors.As(err, &decode) || !errors.Is(err, tt.want) || err.Error() != tt.text {
				t.Errorf("error is %v, want %q", err, tt.text)
			}
			if !reflect.DeepEqual(got, kinds{}) {
				t.Errorf("got %+v, want nothing", got)
			}
		})
	}
}

func TestUnmarshalFillsFreshValue(t *testing.T) {
	got := map[string]int{"code": 40001}
	if err := Unmarshal([]byte(`{"ticket":1}`), &got); err != nil || !reflect.DeepEqual(got, map[string]int{"ticket": 1}) {
		t.Errorf("got %v, %v; want nothing of what was there before", got, err)
	}
	for _, v := range []any{nil, got, (*int)(nil)} {
		var invalid *json.InvalidUnmarshalError
		if err := Unmarshal([]byte(`{}`), v); !errors.As(err, &invalid) {
			t.Errorf("Unmarshal into %T: %v", v, err)
		}
	}
}

func TestDecodeErrorKeepsLittle(t *testing.T) {
	body := []byte(`{"int":"x","string":"` + strings.Repeat("s", 5000) + `"}`)
	err := Unmarshal(body, new(kinds))
	var decode *DecodeError
	if !errors.As(err, &decode) || !bytes.Equal(decode.Body(), body[:512]) {
		t.Errorf("%v keeps %d bytes", err, len(decode.Body()))
	}
}

func TestWholeNumber(t *testing.T) {
	tests := map[string]string{
		"0": "0", "-0": "0", "-0.000e5": "0", "12": "12", "+12": "12", "-12.0": "-12", "1.2e1": "12", "0.012e3": "12", "1200e-2": "12",
		"9223372036854775807.0": "9223372036854775807", "18446744073709551615": "18446744073709551615", "1e3": "1000", "00.50e1": "5",
		"": "", "-": "", ".": "", "1.5": "", "1.25e1": "", "12e-1": "", "1e999999999": "", "1e99999999999999999999": "", "1e-9223372036854775808": "",
		"1e9223372036854775807": "", "0x10": "", "1_0": "", "1 2": "", "--1": "", "+-1": "", "NaN": "", "1e": "", "123456789012345678901": "",
	}
	for in, want := range tests {
		if got, ok := wholeNumber(in); got != want || ok != (want != "") {
			t.Errorf("wholeNumber(%q) = %q, %t; want %q", in, got, ok, want)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, s := range []string{
		`{"int":"12","string":5,"list":{"a":"1"},"map":[],"bool":1,"any":[1.0,{"b":null}]}`, "\xef\xbb\xbf\r\n{\"string\":\"\x14\xb2\\ud83d\"}\r\n",
		`{"quoted":"5","low":1,"high":"2","INT":3,"raw":[ 1 , "a" ],"time":"2023-11-14T22:13:20Z","addr":"::1"}`, `{"int":1e400}`, `[[[`, ``,
		`{"bytes":"QUI=","array":[1,2,3],"lists":[[1],2],"texts":{"a":1},"int_ptr":"","pointer":{}}`, `{"quoted_str":"\"a\"","number":"1e5"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got kinds
		err := Unmarshal(data, &got)
		for _, s := range append(got.Strings, got.String, got.QuotedStr, fmt.Sprint(got.Texts), fmt.Sprint(got.Any)) {
			if !utf8.ValidString(s) {
				t.Errorf("%q: %q is not UTF-8", data, s)
			}
		}
		var want kinds
		if strict(data, &want) != nil {
			return
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %+v, %v; want %+v", data, got, err, want)
		}
		// The lenient way alone comes to the same.
		l := lenient{scanner: scanner{data: data}}
		if !l.value(reflect.TypeFor[kinds]()) || !l.atEnd() || l.mismatch != nil {
			t.Fatalf("%q: not read leniently: %v", data, l.mismatch)
		}
		got = kinds{}
		if err := strict(l.out, &got); err != nil {
			t.Fatalf("%q became %q: %v", data, l.out, err)
		}
		if !utf8.Valid(data) {
			got.Raw, want.Raw = nil, nil // raw JSON is cleaned
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q became %q: got %+v, want %+v", data, l.out, got, want)
		}
	})
}

type sendResult struct {
	Code  int    `json:"errcode"`
	Text  string `json:"errmsg"`
	MsgID int64  `json:"msgid"`
}

func BenchmarkUnmarshal(b *testing.B) {
	for name, body := range map[string]string{
		"strict":  `{"errcode":0,"errmsg":"ok","msgid":200228332}`,
		"lenient": `{"errcode":"0","errmsg":"ok","msgid":"200228332"}`,
	} {
		b.Run(name, func(b *testing.B) {
			data := []byte(body)
			b.ReportAllocs()
			for b.Loop() {
				var res sendResult
				if err := Unmarshal(data, &res); err != nil || res.MsgID != 200228332 {
					b.Fatal(res, err)
				}
			}
		})
	}
}

func BenchmarkEncodingJSON(b *testing.B) {
	data := []byte(`{"errcode":0,"errmsg":"ok","msgid":200228332}`)
	b.ReportAllocs()
	for b.Loop() {
		var res sendResult
		if err := json.Unmarshal(data, &res); err != nil {
			b.Fatal(err)
		}
	}
}

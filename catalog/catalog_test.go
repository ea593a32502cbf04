package catalog

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// block is a complete block; the tests change one line of it.
const block = `## template: template messages

SendTemplateMessage POST /cgi-bin/message/template/send
  does: sends one template message
  effect: send
  recipient: touser
  query: -
  req: touser! string; miniprogram {appid! string; pagepath string}; data! map[string]{value! string}
  res: msgid int64
  limits: 100000/day
  codes: -1 busy; 40003 bad openid; 42027-42051 card
  note: jump: see the page
  sdks: silenceper wxjava
  source: official [97061, 95604]
`

func TestParse(t *testing.T) {
	list, err := Parse("officialaccount", "oa.md", "prose: free\n  effect: none\n\n"+block+"\n## left out\n- /cgi-bin/shorturl: gone\n")
	if err != nil {
		t.Fatal(err)
	}
	text := func(required bool) *Type { return &Type{Kind: "string", Required: required} }
	want := []*Endpoint{{
		Product: "officialaccount", Domain: "template", Name: "SendTemplateMessage",
		Method: "POST", Path: "/cgi-bin/message/template/send",
		Does: "sends one template message", Effect: "send", Recipients: []string{"touser"},
		Request: map[string]*Type{
			"touser":      text(true),
			"miniprogram": {Kind: "object", Fields: map[string]*Type{"appid": text(true), "pagepath": text(false)}},
			"data":        {Kind: "map", Required: true, Elem: &Type{Kind: "object", Fields: map[string]*Type{"value": text(true)}}},
		},
		Reply:  map[string]*Type{"msgid": {Kind: "int", Wide: true}},
		Limits: "100000/day",
		Codes:  []Code{{-1, -1, "busy"}, {40003, 40003, "bad openid"}, {42027, 42051, "card"}},
		Note:   "jump: see the page",
		SDKs:   []string{"silenceper", "wxjava"},
		Source: "official [97061, 95604]", Pages: []int{97061, 95604},
		Where: "oa.md:6",
	}}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("got  %+v\nwant %+v", list[0], want[0])
	}
	if !list[0].Official() {
		t.Error("it should count as checked against the official page")
	}
}

func TestParseFields(t *testing.T) {
	tests := map[string]map[string]*Type{
		"-":                         nil,
		"any":                       {Whole: {Kind: "any"}},
		"bytes":                     {Whole: {Kind: "bytes"}},
		"bytes; video_url string":   {Whole: {Kind: "bytes"}, "video_url": {Kind: "string"}},
		"anything bool":             {"anything": {Kind: "bool"}},
		"media! file; type! string": {"media": {Kind: "file", Required: true}, "type": {Kind: "string", Required: true}},
		"a {}":                      {"a": {Kind: "object"}},
		"a [][]int; b map[string][]{@c any}": {
			"a": {Kind: "list", Elem: &Type{Kind: "list", Elem: &Type{Kind: "int"}}},
			"b": {Kind: "map", Elem: &Type{Kind: "list", Elem: &Type{Kind: "object", Fields: map[string]*Type{"@c": {Kind: "any"}}}}},
		},
	}
	for text, want := range tests {
		if got, err := parseFields(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("parseFields(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                        "a field name is missing",
		"a":                       "a has no type",
		"a ":                      `a: unknown type ""`,
		"a  string":               `a: unknown type ""`,
		"a strin":                 `a: unknown type "strin"`,
		"a string;b int":          `";b int" follows`,
		"a string; ":              "a field name is missing",
		"a string; a int":         "a stands twice",
		"a {b string":             "a: a brace stays open",
		"a { b int}":              "a: a field name is missing",
		"a {b string}}":           `"}" follows`,
		"a []":                    `a: unknown type ""`,
		"a map[string]":           `a: unknown type ""`,
		"a bytes":                 `a: unknown type "bytes"`,
		"! string":                "a field name is missing",
		"bytes; -":                "fields must follow",
		"bytes; any":              "fields must follow",
		"a " + deep(maxDepth):     "nested too deep",
		"a string (note)":         `" (note)" follows`,
		"a {b! {c int}; b float}": "a: b stands twice",
	} {
		if _, err := parseFields(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseFields(%.40q) = %v; want an error with %q", text, err, want)
		}
	}
}

func deep(n int) string { return strings.Repeat("[]", n) + "int" }

func TestParseFaults(t *testing.T) {
	if _, err := Parse("work", "f.md", "## a: b\n\n  does: c\n"); err == nil || err.Error() != "f.md:3: does stands outside a block" {
		t.Errorf("got %v", err)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"indent", "  does:", "   does:", "f.md:4: SendTemplateMessage:  does: unknown key"},
		{"section", "## template: template messages", "## template", "f.md:1: a section is written"},
		{"first line", "POST /cgi-bin", "POST  /cgi-bin", "f.md:3: a block begins with"},
		{"name", "SendTemplateMessage", "sendTemplateMessage", `f.md:3: "sendTemplateMessage" is no name`},
		{"method", "POST", "PUT", `f.md:3: SendTemplateMessage: method "PUT"`},
		{"path", "/cgi-bin", "cgi-bin", "f.md:3: SendTemplateMessage: path"},
		{"no value", "  note: jump: see the page", "  note:", "f.md:12: a line of a block"},
		{"twice", "  note:", "  does:", "f.md:12: does stands twice"},
		{"unknown key", "  note:", "  notes:", "f.md:12: SendTemplateMessage: notes: unknown key"},
		{"effect", "effect: send", "effect: sends", `f.md:5: SendTemplateMessage: effect: "sends" is no effect`},
		{"recipient", "recipient: touser", "recipient: touser,", ""},
		{"recipient of two words", "recipient: touser", "recipient: to user", `f.md:6: SendTemplateMessage: recipient: "to user" names no field`},
		{"code", "40003 bad openid", "4x03 bad openid", "f.md:11: SendTemplateMessage: codes: strconv"},
		{"code alone", "40003 bad openid", "40003", "f.md:11: SendTemplateMessage: codes: "},
		{"source", "source: official", "source: hearsay", `f.md:14: SendTemplateMessage: source: "hearsay" is no source`},
		{"page", "[97061", "[x", "f.md:14: SendTemplateMessage: source: strconv"},
		{"open bracket", "95604]", "95604", "f.md:14: SendTemplateMessage: source: the bracket"},
		{"missing key", "  res: msgid int64\n", "", "f.md:3: SendTemplateMessage: res is missing"},
		{"fields", "msgid int64", "msgid int128", `f.md:9: SendTemplateMessage: res: msgid: unknown type "int128"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(block, tt.old, tt.new, 1)
			if text == block {
				t.Fatalf("the block has no %q", tt.old)
			}
			_, err := Parse("officialaccount", "f.md", text)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("got %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestUnique(t *testing.T) {
	list := []*Endpoint{
		{Product: "work", Name: "GetUser", Where: "a.md:1"},
		{Product: "miniprogram", Name: "GetUser", Where: "b.md:1"},
		{Product: "work", Name: "GetUser", Where: "c.md:9"},
	}
	if err := unique(list); err == nil || err.Error() != "c.md:9: GetUser stands already at a.md:1" {
		t.Errorf("got %v", err)
	}
}

func TestLoad(t *testing.T) {
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, e := range list {
		count[e.Product]++
	}
	if want := map[string]int{"officialaccount": 283, "miniprogram": 509, "work": 699}; !reflect.DeepEqual(count, want) {
		t.Errorf("got %v endpoints, want %v", count, want)
	}
	work, err := Product("work")
	if err != nil || len(work) != 699 {
		t.Errorf("Product(work) has %d endpoints, %v", len(work), err)
	}
}

// TestRecipients holds the recipients against the request: each must be a field of it.
func TestRecipients(t *testing.T) {
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		for _, path := range e.Recipients {
			if !hasField(e.Request, path) && !hasField(e.Query, path) {
				t.Errorf("%s: %s: the recipient %s is no field of the request", e.Where, e.Name, path)
			}
		}
	}
}

// hasField follows a path such as schedule.attendees[].userid; the brackets of a list may be left out.
func hasField(fields map[string]*Type, path string) bool {
	name, rest, more := strings.Cut(path, ".")
	t := fields[strings.TrimSuffix(name, "[]")]
	for t != nil && t.Elem != nil {
		t = t.Elem
	}
	return t != nil && (!more || hasField(t.Fields, rest))
}

// TestNoRequiredReply: the mark of a required field has no meaning in a reply.
func TestNoRequiredReply(t *testing.T) {
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if name := required(e.Reply); name != "" {
			t.Errorf("%s: %s: %s is marked as required in the reply", e.Where, e.Name, name)
		}
	}
}

func required(fields map[string]*Type) string {
	for name, t := range fields {
		if t.Required {
			return name
		}
		for ; t != nil; t = t.Elem {
			if name := required(t.Fields); name != "" {
				return name
			}
		}
	}
	return ""
}

func FuzzParse(f *testing.F) {
	f.Add(block)
	f.Add("## a: b\nA GET /\n  req: a {b []map[string]{c! any}}\n")
	f.Add("  res: bytes; a string\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse("officialaccount", "f.md", text)
		if err != nil {
			return
		}
		for _, e := range list {
			if e.Name == "" || e.Effect == "" || e.Method == "" || e.Path == "" || e.Source == "" {
				t.Errorf("a block without a fault is incomplete: %+v", e)
			}
			if slices.Contains(e.Recipients, "") {
				t.Errorf("%s: an empty recipient", e.Name)
			}
		}
	})
}

// TestSharedCalls: a call that the official account and the mini program share has one effect.
func TestSharedCalls(t *testing.T) {
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]*Endpoint{}
	for _, e := range list {
		if e.Product == "work" {
			continue // another host
		}
		call := e.Name + " " + e.Method + " " + e.Path
		if f, ok := first[call]; !ok {
			first[call] = e
		} else if e.Effect != f.Effect {
			t.Errorf("%s: %s is %s, at %s it is %s", e.Where, e.Name, e.Effect, f.Where, f.Effect)
		}
	}
}

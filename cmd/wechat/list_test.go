package main

import (
	"fmt"
	"strings"
	"testing"
)

// readAll reads a list into a text: line and columns, or line and error, of each row.
func readAll(text, format string) string {
	var b strings.Builder
	for x, err := range readList(strings.NewReader(text), format) {
		if err != nil {
			fmt.Fprintf(&b, "%d! %v\n", x.line, err)
			continue
		}
		fmt.Fprintf(&b, "%d %v\n", x.line, x.columns)
	}
	return b.String()
}

func TestReadList(t *testing.T) {
	for _, tt := range []struct{ name, format, text, want string }{
		{"csv", "csv", "openid,name\na,Ann\nb,\"Bob, the\nsecond\"\n\nc,Cy", "2 map[name:Ann openid:a]\n3 map[name:Bob, the\nsecond openid:b]\n6 map[name:Cy openid:c]\n"},
		{"mark of a spreadsheet", "csv", "\ufeffopenid\r\na\r\n", "2 map[openid:a]\n"},
		{"white space in the header", "csv", " openid , name\na,b\n", "2 map[name:b openid:a]\n"},
		{"wrong number of values", "csv", "a,b\n1\n2,3\n", "2! it has 1 values for 2 columns\n3 map[a:2 b:3]\n"},
		{"a quote in the middle", "csv", "a,b\n1,x\"y\n2,3\n", "2! bare \" in non-quoted-field\n3 map[a:2 b:3]\n"},
		{"two columns of one name", "csv", "a,a\n", "0! two columns are named \"a\"\n"},
		{"empty", "csv", "", "0! the list is empty\n"},
		{"GBK", "csv", "name\n\xb2\xe8\n", "2! " + errNotUTF8.Error() + "\n"},
		{"GBK in the header", "csv", "\xb2\xe8\na\n", "0! " + errNotUTF8.Error() + "\n"},
		{"json lines", "jsonl", "{\"a\": \"x\", \"n\": 12345678901234567890}\n\n {\"a\": null, \"b\": true}", "1 map[a:x n:12345678901234567890]\n3 map[a: b:true]\n"},
		{"json that is none", "jsonl", "{\"a\": 1}\nx\n[1]\n{} {}\n", "1 map[a:1]\n2! it is no JSON object\n3! it is no JSON object\n4! it is no JSON object\n"},
		{"nested", "jsonl", "{\"a\": {}}", "1! column a is neither a text nor a number\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := readAll(tt.text, tt.format); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// FuzzReadList: whatever the bytes, a list ends, and no row has both columns and no line.
func FuzzReadList(f *testing.F) {
	f.Add("a,b\n1,2\n", true)
	f.Add("{\"a\": 1}\n", false)
	f.Add("\"", true)
	f.Fuzz(func(t *testing.T, text string, isCSV bool) {
		format := "jsonl"
		if isCSV {
			format = "csv"
		}
		for x, err := range readList(strings.NewReader(text), format) {
			if err == nil && (x.line < 1 || x.columns == nil) {
				t.Errorf("row %+v", x)
			}
		}
	})
}

func TestExpand(t *testing.T) {
	columns := map[string]string{"name": "Ann", "n": "{name}"}
	for text, want := range map[string]string{
		"":                 "",
		"Dear {name}!":     "Dear Ann!",
		"{name}{name}":     "AnnAnn",
		"{n}":              "{name}", // what a value says is not looked at
		"{{name}}":         "{name}",
		"a {{{name}}}":     "a {Ann}",
		"{nme}":            `there is no column "nme", but n, name`,
		"{name":            `"{name" has a single brace`,
		"name}":            `"name}" has a single brace`,
		"価格 {name}円 & <b>": "価格 Ann円 & <b>",
	} {
		got, err := expand(text, columns)
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != want || err != nil && !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

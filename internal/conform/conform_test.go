package conform

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/catalog"
)

const blocks = `## a: a

Send POST /send
  does: sends
  effect: send
  recipient: to
  query: debug int
  req: to! string; n int64; parts []{name! string; data map[string]float}; extra any; kind! string
  res: id int64; list []{name string; ok bool; rate float; free any}; tags map[string]string
  sdks: -
  source: official

Upload POST /upload
  does: uploads
  effect: upload
  recipient: -
  query: type! string
  req: media! file; title string
  res: -
  sdks: -
  source: official

Download GET https://files.example.com/get
  does: downloads
  effect: read
  recipient: -
  query: id! string; mode! string
  req: -
  res: bytes; url string
  sdks: -
  source: official

Missing GET /missing
  does: is not in Go
  effect: read
  recipient: -
  query: -
  req: -
  res: -
  sdks: -
  source: official
`

var product = wechat.Product{Name: "fake", BaseURL: "https://api.example.com"}

type (
	Part struct {
		Name string             `json:"name"`
		Data map[string]float64 `json:"data,omitempty"`
	}
	Message struct {
		Debug int    `query:"debug,omitempty"`
		To    string `json:"to"`
		N     int64  `json:"n,omitempty"`
		Parts []Part `json:"parts,omitempty"`
		Extra any    `json:"extra,omitempty"`
	}
	Receipt struct {
		ID   int64             `json:"id"`
		List []Item            `json:"list"`
		Tags map[string]string `json:"tags"`
	}
	Item struct {
		Name string          `json:"name"`
		OK   bool            `json:"ok"`
		Rate float64         `json:"rate"`
		Free json.RawMessage `json:"free"`
	}
	Upload struct {
		Type  string      `query:"type"`
		Media wechat.File `form:"media"`
		Title string      `form:"title,omitempty"`
	}
	Download struct {
		ID string `query:"id"`
	}
	Downloaded struct {
		File wechat.Blob `json:"-"`
		URL  string      `json:"url"`
	}
)

var (
	sendMessage = wechat.Endpoint[Message, Receipt]{
		Name: "Send", Pattern: "POST /send", Const: map[string]string{"kind": "text"},
		To: func(m *Message) []string { return []string{m.To} },
	}
	upload   = wechat.Endpoint[Upload, wechat.None]{Name: "Upload", Pattern: "POST /upload", Effect: wechat.EffectUpload}
	download = wechat.Endpoint[Download, Downloaded]{
		Name: "Download", Pattern: "GET files.example.com/get", Effect: wechat.EffectRead, Const: map[string]string{"mode": "raw"},
	}
)

type Client struct{ caller wechat.Caller }

func (c *Client) Send(ctx context.Context, m *Message) (*Receipt, error) {
	return sendMessage.Do(ctx, c.caller, m)
}
func (c *Client) Upload(ctx context.Context, u *Upload) error { return upload.Exec(ctx, c.caller, u) }
func (c *Client) Download(ctx context.Context, d *Download) (*Downloaded, error) {
	return download.Do(ctx, c.caller, d)
}
func (c *Client) Link(string) string { return "" } // no endpoint by its form

func newClient(c wechat.Caller) any { return &Client{wechat.Bind(c, &product, app)} }

func oracle(t *testing.T, text string) []*catalog.Endpoint {
	t.Helper()
	list, err := catalog.Parse("fake", "fake.md", text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func specs() []wechat.Spec {
	list := []wechat.Spec{sendMessage.Spec(), upload.Spec(), download.Spec()}
	for i := range list {
		list[i].Product = "fake"
	}
	return list
}

// all lists what every check finds.
func all(t *testing.T, text string) []string {
	t.Helper()
	want := oracle(t, text)
	lines, _ := compare("fake", want, specs())
	calls, found := callAll(newClient, specs(), nil)
	lines = append(lines, found...)
	for _, s := range specs() {
		i := slices.IndexFunc(want, func(e *catalog.Endpoint) bool { return e.Name == s.Name })
		if i >= 0 {
			lines = append(lines, emptyTravels(want[i], s, calls[s.Name])...)
			lines = append(lines, requestTravels(want[i], s, calls[s.Name])...)
			lines = append(lines, replyTravels(want[i], s, calls[s.Name])...)
		}
	}
	return lines
}

func TestNoDifference(t *testing.T) {
	if lines := all(t, blocks); len(lines) > 0 {
		t.Errorf("found:\n%s", strings.Join(lines, "\n"))
	}
	_, missing := compare("fake", oracle(t, blocks), specs())
	if len(missing) != 1 || missing[0].Name != "Missing" {
		t.Errorf("missing are %v", missing)
	}
}

// TestDifferences changes the catalogue in one place at a time, which must show.
func TestDifferences(t *testing.T) {
	for _, tt := range []struct {
		old, new string
		want     []string
	}{
		{"Send POST", "SendTo POST", []string{"fake.Send: not in the catalogue"}},
		{"POST /send", "GET /sent", []string{"fake.Send: is POST /send, the catalogue says GET /sent"}},
		{"effect: upload", "effect: set", []string{"fake.Upload: effect is upload, the catalogue says set"}},
		{"recipient: to", "recipient: kind", []string{`fake.Send: recipient "to" is not one of the catalogue's, "kind"`}},
		{"recipient: to", "recipient: -", []string{`fake.Send: recipient is "to", the catalogue says ""`}},
		{"recipient: to", "recipient: to | parts", nil},
		{"to! string; ", "to string; ", []string{"fake.Send request.to: required is true, the catalogue says false"}},
		{"n int64", "n string", []string{
			"fake.Send request.n: type is int, the catalogue says string",
			"fake.Send request.n: arrives as json.Number, the catalogue says string"}},
		{"debug int", "-", []string{
			"fake.Send query.debug: not in the catalogue",
			"fake.Send query.debug: arrives, the catalogue does not have it"}},
		{"query: debug int", "query: debug int; more! bool", []string{
			"fake.Send query.more: missing", "fake.Send query.more: does not arrive"}},
		{"{name! string; data map[string]float}", "{name! string; data map[string]string}", []string{
			"fake.Send request.parts[].data[]: type is float, the catalogue says string",
			"fake.Send request.parts[].data[]: arrives as json.Number, the catalogue says string"}},
		{"; title string", "; name string", []string{
			"fake.Upload request.name: missing", "fake.Upload request.title: not in the catalogue",
			"fake.Upload request.name: does not arrive", "fake.Upload request.title: arrives, the catalogue does not have it"}},
		{"media! file", "video! file", []string{
			"fake.Upload request.media: not in the catalogue", "fake.Upload request.video: missing",
			"fake.Upload request.video: the file does not arrive", "fake.Upload request.media: a file arrives that is not in the catalogue"}},
		{"bytes; url", "url", []string{"fake.Download reply.$: not in the catalogue"}},
		{"ok bool", "ok int", []string{"fake.Send reply.list[].ok: type is bool, the catalogue says int"}},
		{"tags map[string]string", "tag string", []string{
			"fake.Send reply.tag: missing", "fake.Send reply.tags: not in the catalogue"}},
	} {
		t.Run(tt.new, func(t *testing.T) {
			text := strings.Replace(blocks, tt.old, tt.new, 1)
			if text == blocks {
				t.Fatalf("no %q", tt.old)
			}
			if got := all(t, text); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("found:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// wrong has methods that break the rules.
type wrong struct{ Client }

func (w *wrong) Send(ctx context.Context, m *Part) (*Receipt, error) {
	return sendMessage.Do(ctx, w.caller, &Message{To: m.Name})
}

func (w *wrong) Upload(ctx context.Context, u *Upload) error {
	if err := upload.Exec(ctx, w.caller, u); err != nil {
		return errors.New("it failed")
	}
	return nil
}

func (w *wrong) Download(context.Context, *Download) (*Downloaded, error) { panic("no id") }

func (w *wrong) Extra(context.Context) error { return nil }

func (w *wrong) Helper(context.Context) error { return nil }

func TestMethods(t *testing.T) {
	list := append(specs(), wechat.Spec{Name: "Gone", Product: "fake"})
	_, got := callAll(func(c wechat.Caller) any { return &wrong{Client{wechat.Bind(c, &product, app)}} }, list, []string{"Helper"})
	want := []string{
		"Download: with an empty request: panic: no id",
		"Extra: the method is no endpoint of Endpoints()",
		"Send: takes a *conform.Part, the endpoint a *conform.Message",
		"Upload: hides the error of the call: it failed",
		"Gone: the endpoint has no method",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// lossy is a number that does not keep what it reads.
type lossy int64

func (l *lossy) UnmarshalJSON([]byte) error { *l = 7; return nil }

func TestLostReply(t *testing.T) {
	type Lossy struct {
		ID lossy `json:"id"`
	}
	e := wechat.Endpoint[Message, Lossy]{Name: "Send", Pattern: "POST /send"}
	got := replyTravels(oracle(t, blocks)[0], e.Spec(), &wechat.Call{Product: &product})
	line := "fake.Send reply.id: 9007199254741993 is decoded as 7"
	if want := []string{line, line, line}; !reflect.DeepEqual(got, want) {
		t.Errorf("found:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHiddenRecipient(t *testing.T) {
	want := oracle(t, blocks)[0]
	for _, tt := range []struct {
		name string
		to   func(*Message) []string
		line []string
	}{
		{"digest", func(m *Message) []string { return []string{strings.Map(func(r rune) rune { return r + 'a' }, m.To)} }, nil},
		{"constant", func(*Message) []string { return []string{"all"} }, []string{`fake.Send: recipient is "", the catalogue says "to"`}},
	} {
		e := wechat.Endpoint[Message, Receipt]{Name: "Send", Pattern: "POST /send", Const: sendMessage.Const, To: tt.to}
		s := e.Spec()
		s.Product = "fake"
		if got := differ(want, s); !reflect.DeepEqual(got, tt.line) {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.line)
		}
	}
}

func TestEmptyPanics(t *testing.T) {
	e := wechat.Endpoint[Message, wechat.None]{Name: "Send", Pattern: "POST /send", Check: func(m *Message) error {
		return errors.New(m.Parts[0].Name)
	}}
	caller := wechat.CallerFunc(func(_ context.Context, call *wechat.Call) error {
		call.Product, call.App = &product, app
		got := emptyTravels(oracle(t, blocks)[0], e.Spec(), call)
		if len(got) != 1 || !strings.HasPrefix(got[0], "fake.Send request: when empty: panic: runtime error: index out of range") {
			t.Errorf("got %q", got)
		}
		return nil
	})
	if err := e.Exec(t.Context(), caller, &Message{}); err != nil {
		t.Fatal(err)
	}
}

func TestFilled(t *testing.T) {
	type Tree struct {
		Name string `json:"name"`
		Sub  []Tree `json:"sub,omitempty"`
	}
	e := wechat.Endpoint[Tree, wechat.None]{Name: "Grow", Pattern: "POST /grow"}
	tree := filled(e.Spec()).(*Tree)
	if tree.Name == "" || len(tree.Sub) != 1 || tree.Sub[0].Name == "" || tree.Sub[0].Sub != nil {
		t.Errorf("a type inside itself is filled as %+v", tree)
	}
}

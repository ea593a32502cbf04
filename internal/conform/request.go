package conform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed175cf469/wechat"
	"github.com/seed175cf469/wechat/catalog"
)

// success is a reply that says no more.
const success = `{"errcode":0,"errmsg":"ok"}`

// emptyTravels sends the empty request that the method was called with, through the endpoint's own checks. It may
// be refused, but must not panic.
func emptyTravels(e *catalog.Endpoint, _ wechat.Spec, call *wechat.Call) (lines []string) {
	defer func() {
		if r := recover(); r != nil {
			lines = append(lines, fmt.Sprintf("%s.%s request: when empty: panic: %v", e.Product, e.Name, r))
		}
	}()
	_, _, _ = send(call, []byte(success))
	return nil
}

// requestTravels sends a request with every field filled and lists what does not arrive as the catalogue says: the
// place (query, form, JSON body), the type, and nothing beside.
func requestTravels(e *catalog.Endpoint, spec wechat.Spec, call *wechat.Call) []string {
	d := difference{at: e.Product + "." + e.Name}
	req := filled(spec)
	if spec.To != nil {
		if to := spec.To(req); len(to) == 0 || slices.Contains(to, "") {
			d.add("", "a request with every field reaches %q", to)
		}
	}
	d.roundTrip(req)
	if _, none := req.(*wechat.None); none {
		req = nil
	}
	arrived, content, err := send(bare(spec, call.Product, req, nil), []byte(success))
	if err != nil {
		d.add(" request", "%v", err)
		return d.lines
	}
	query := arrived.URL.Query()
	if !spec.NoToken && call.Product.Authorize == nil {
		if query.Get("access_token") != "TOKEN" {
			d.add(" query", "the access token is missing")
		}
		query.Del("access_token")
	}
	d.texts(" query", e.Query, query)
	d.body(e, arrived.Header, content)
	return d.lines
}

// roundTrip checks that a request can be kept and taken up again: in an outbox or a queue it is JSON.
func (d *difference) roundTrip(req any) {
	first, err := json.Marshal(req)
	if err != nil {
		return // it has a file
	}
	again := reflect.New(reflect.TypeOf(req).Elem()).Interface()
	if err := json.Unmarshal(first, again); err != nil {
		d.add(" request", "does not come back from JSON: %v", err)
		return
	}
	if second, err := json.Marshal(again); err != nil || !bytes.Equal(first, second) {
		d.add(" request", "comes back from JSON as another: %s, was %s, %v", second, first, err)
	}
}

// body compares the body that arrived with the catalogue's fields.
func (d *difference) body(e *catalog.Endpoint, h http.Header, content []byte) {
	if len(e.Request) == 0 {
		if s := string(content); s != "" && s != "{}" {
			d.add(" request", "a body arrives, the catalogue has none: %s", s)
		}
		return
	}
	media, params, _ := mime.ParseMediaType(h.Get("Content-Type"))
	switch media {
	case "multipart/form-data":
		d.form(e.Request, multipart.NewReader(bytes.NewReader(content), params["boundary"]))
	case "application/x-www-form-urlencoded":
		values, err := url.ParseQuery(string(content))
		if err != nil {
			d.add(" request", "%v", err)
		}
		d.texts(" request", e.Request, values)
	default:
		value, err := decode(content)
		if err != nil {
			d.add(" request", "the body is no JSON: %v", err)
			return
		}
		if e.Request[catalog.Whole] == nil {
			d.value(" request", &catalog.Type{Kind: "object", Fields: e.Request}, value)
		}
	}
}

// form compares the parts of a multipart form with the catalogue's fields.
func (d *difference) form(want map[string]*catalog.Type, parts *multipart.Reader) {
	texts := url.Values{}
	files := map[string]bool{}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			d.add(" request", "the form is broken: %v", err)
			return
		}
		content, err := io.ReadAll(part)
		if err != nil {
			d.add(" request", "the form is broken: %v", err)
			return
		}
		if part.FileName() == "" {
			texts.Add(part.FormName(), string(content))
			continue
		}
		files[part.FormName()] = true
		if string(content) != fileText {
			d.add(" request."+part.FormName(), "the file arrives as %q", content)
		}
	}
	rest := map[string]*catalog.Type{}
	for name, w := range want {
		if w.Kind != "file" {
			rest[name] = w
		} else if !files[name] {
			d.add(" request."+name, "the file does not arrive")
		}
		delete(files, name)
	}
	for _, name := range names(files, files) {
		d.add(" request."+name, "a file arrives that is not in the catalogue")
	}
	d.texts(" request", rest, texts)
}

// texts compares a query or a form with the catalogue's fields.
func (d *difference) texts(where string, want map[string]*catalog.Type, have url.Values) {
	for _, name := range names(want, have) {
		w, at := want[name], where+"."+name
		text := have.Get(name)
		switch {
		case len(have[name]) == 0:
			d.add(at, "does not arrive")
		case w == nil:
			d.add(at, "arrives, the catalogue does not have it")
		case len(have[name]) > 1:
			d.add(at, "arrives %d times", len(have[name]))
		case w.Kind == "string":
			if text == "" {
				d.add(at, "arrives empty")
			}
		default:
			value, err := decode([]byte(text))
			if err != nil {
				d.add(at, "arrives as %q, the catalogue says %s", text, w.Kind)
				continue
			}
			d.value(at, w, value)
		}
	}
}

// value compares one JSON value with the catalogue's type.
func (d *difference) value(at string, w *catalog.Type, have any) {
	fits := true
	switch have := have.(type) {
	case string:
		fits = w.Kind == "string"
	case bool:
		fits = w.Kind == "bool"
	case json.Number:
		_, err := strconv.ParseInt(have.String(), 10, 64)
		fits = w.Kind == "float" || w.Kind == "int" && err == nil
	case []any:
		if fits = w.Kind == "list"; fits {
			for _, elem := range have {
				d.value(at+"[]", w.Elem, elem)
			}
		}
	case map[string]any:
		switch w.Kind {
		case "object":
			d.object(at, w.Fields, have)
		case "map":
			for _, elem := range have {
				d.value(at+"[]", w.Elem, elem)
			}
		default:
			fits = false
		}
	default:
		fits = false
	}
	if w.Kind != "any" && !fits && fmt.Sprint(have) != "map[any:true]" {
		d.add(at, "arrives as %T, the catalogue says %s", have, w.Kind)
	}
}

func (d *difference) object(at string, want map[string]*catalog.Type, have map[string]any) {
	if len(have) == 1 && have["any"] == true {
		return
	}
	for _, name := range names(want, have) {
		w := want[name]
		value, arrives := have[name]
		switch {
		case !arrives:
			d.add(at+"."+name, "does not arrive")
		case w == nil:
			d.add(at+"."+name, "arrives, the catalogue does not have it")
		default:
			d.value(at+"."+name, w, value)
		}
	}
}

// decode reads one JSON value and keeps its numbers as they are written.
func decode(text []byte) (value any, err error) {
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	if err = dec.Decode(&value); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("more than one value")
	}
	return value, nil
}

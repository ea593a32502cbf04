package mock

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed175cf469/wechat"
)

// Reply is what the server answers. The zero Reply is the endpoint's success with values that fit its types.
type Reply struct {
	Status  int         // HTTP status; 0: 200
	Header  http.Header // set over what the server would send, for example a Content-Type
	Code    wechat.Code // errcode
	Message string      // errmsg; empty: the platform's text for Code
	JSON    any         // fields of the reply, as a map or the endpoint's own type; errcode and errmsg are added
	Body    []byte      // sent as it stands, in place of JSON
}

// Page is an HTML page, as gateways answer with, for example 502.
func Page(status int) Reply {
	text := fmt.Sprintf("%d %s", status, http.StatusText(status))
	return Reply{
		Status: status,
		Header: http.Header{"Content-Type": {"text/html"}},
		Body:   []byte("<html>\r\n<head><title>" + text + "</title></head>\r\n<body><center><h1>" + text + "</h1></center></body>\r\n</html>\r\n"),
	}
}

// TooManyRequests is HTTP 429 with a Retry-After in whole seconds, or without one where after is 0.
func TooManyRequests(after time.Duration) Reply {
	r := Page(http.StatusTooManyRequests)
	if after > 0 {
		r.Header.Set("Retry-After", strconv.FormatInt(seconds(after), 10))
	}
	return r
}

// TooManyRequestsUntil is HTTP 429 with a Retry-After that is an HTTP date.
func TooManyRequestsUntil(t time.Time) Reply {
	r := Page(http.StatusTooManyRequests)
	r.Header.Set("Retry-After", httpDate(t))
	return r
}

// seconds rounds up, so that nobody comes back too early.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

func httpDate(t time.Time) string {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		t = whole.Add(time.Second)
	}
	return t.UTC().Format(http.TimeFormat)
}

// standard reports whether r is the endpoint's own success.
func (r *Reply) standard() bool {
	return r.Code == 0 && r.JSON == nil && r.Body == nil && (r.Status == 0 || r.Status == http.StatusOK)
}

// succeeds reports whether r says that the call was carried out.
func (r *Reply) succeeds() bool {
	return r.Code == 0 && (r.Status == 0 || r.Status >= 200 && r.Status < 300)
}

// picture is a PNG of one pixel.
var picture, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")

// fill makes the endpoint's own success of a standard reply.
func (s *Server) fill(e *endpoint, r Reply) Reply {
	if !r.standard() {
		return r
	}
	whole := e.description.Reply["$"]
	switch {
	case whole == nil:
		g := generator{n: s.next()}
		r.JSON = g.object(e.description.Reply)
	case whole.Type == "bytes":
		r.Body = picture
		header := http.Header{"Content-Type": {"image/png"}, "Content-Disposition": {`attachment; filename="mock.png"`}}
		maps.Copy(header, r.Header)
		r.Header = header
	default:
		g := generator{n: s.next()}
		if value, ok := g.value("", whole); ok {
			r.JSON = value
		}
	}
	return r
}

// encode makes status, header and body of a reply, as the product sends them.
func (r *Reply) encode(product, path string, n int) (status int, header http.Header, body []byte, err error) {
	status, header, body = r.Status, http.Header{}, r.Body
	if status == 0 {
		status = http.StatusOK
	}
	message := r.Message
	if message == "" && r.Code == 0 {
		message = "ok"
	} else if message == "" {
		message = textOf(product, r.Code) + tail(product, r.Code, n)
	}
	if body == nil {
		if body, err = object(r.JSON, r.Code, message); err != nil {
			return 0, nil, nil, err
		}
	}
	switch {
	case product == work:
		header.Set("Content-Type", "application/json; charset=UTF-8")
		header.Set("Error-Code", strconv.Itoa(int(r.Code)))
		header.Set("Error-Msg", message)
	case strings.HasPrefix(path, "/sns/"):
		header.Set("Content-Type", "text/plain")
	default:
		header.Set("Content-Type", "application/json; encoding=utf-8")
	}
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	for name, values := range r.Header {
		header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	return status, header, body, nil
}

// object encodes fields with errcode and errmsg before them, unless they have an errcode of their own or are no
// object.
func object(fields any, code wechat.Code, message string) ([]byte, error) {
	var raw []byte
	if fields != nil {
		var buffer bytes.Buffer
		encoder := json.NewEncoder(&buffer)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(fields); err != nil {
			return nil, fmt.Errorf("mock: the JSON of a Reply: %w", err)
		}
		raw = bytes.TrimSpace(buffer.Bytes())
		var known struct {
			Code json.RawMessage `json:"errcode"`
		}
		if isObject := raw[0] == '{' && json.Unmarshal(raw, &known) == nil; !isObject || known.Code != nil {
			return raw, nil
		}
		raw = bytes.TrimSuffix(bytes.TrimPrefix(raw, []byte("{")), []byte("}"))
	}
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	head := fmt.Appendf(nil, `{"errcode":%d,"errmsg":%s`, int(code), text)
	if len(raw) > 0 {
		head = append(append(head, ','), raw...)
	}
	return append(head, '}'), nil
}

// generator makes values that fit shapes. n makes ids differ from call to call.
type generator struct{ n int }

func (g *generator) object(fields map[string]*wechat.Shape) map[string]any {
	object := map[string]any{}
	for name, shape := range fields {
		if value, ok := g.value(name, shape); ok {
			object[name] = value
		}
	}
	return object
}

// value is a value for a field; ok is false for one that is better left out.
func (g *generator) value(name string, shape *wechat.Shape) (value any, ok bool) {
	// A list has one page, and nothing went wrong.
	last := contains(name, "next", "cursor", "more", "continu")
	failed := contains(name, "invalid", "fail", "unlicensed", "illegal", "reject", "err")
	switch shape.Type {
	case "string":
		if last || failed {
			return "", true
		}
		return g.text(name), true
	case "int", "float":
		return g.number(name, last || failed), true
	case "bool":
		return !last && !failed, true
	case "object":
		return g.object(shape.Fields), true
	case "list":
		element, ok := g.value(name, shape.Elem)
		if !ok || last || failed {
			return []any{}, true
		}
		return []any{element}, true
	case "map":
		element, ok := g.value(name, shape.Elem)
		if !ok {
			return map[string]any{}, true
		}
		return map[string]any{"key": element}, true
	}
	return nil, false
}

func (g *generator) text(name string) string {
	switch {
	case contains(name, "openid"):
		return fmt.Sprintf("oMOCK%023d", g.n)
	case contains(name, "url"):
		return "https://mock.example.invalid/" + name
	case contains(name, "token", "ticket"):
		return fmt.Sprintf("mock-%s-%d", name, g.n)
	case contains(name, "id"):
		return fmt.Sprintf("mock_%s_%d", name, g.n)
	}
	return name
}

func (g *generator) number(name string, zero bool) int64 {
	switch {
	case zero, name == "ret", contains(name, "status", "state"):
		return 0
	case contains(name, "expires_in", "expire_seconds"):
		return 7200
	case contains(name, "time", "date"):
		return time.Now().Unix()
	case strings.HasSuffix(strings.ToLower(name), "id"):
		return int64(1_000_000_000 + g.n)
	}
	return 1
}

func contains(name string, parts ...string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
}

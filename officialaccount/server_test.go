package officialaccount

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed175cf469/wechat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var testApp = wechat.App{ID: "wx00112233445566ff", Secret: "FAKE_SECRET"}

// server is a transport that plays the platform: it issues tokens by itself and answers the rest by reply.
type server struct {
	reply func(request) response // nil: {"errcode":0,"errmsg":"ok"} to everything

	mu       sync.Mutex
	tokens   int
	requests []request
}

// request is what came over the wire.
type request struct {
	method, host, path string
	query              url.Values
	header             http.Header
	length             int64
	body               string
	n                  int // the first to its path is 0
}

// response is what goes back. The zero status is 200, a lost one is no reply at all.
type response struct {
	status                   int
	contentType, disposition string
	body                     string
	lost                     bool
}

func jsonBody(body string) response { return response{body: body} }

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	got := request{method: r.Method, host: r.URL.Host, path: r.URL.Path, query: r.URL.Query(), header: r.Header,
		length: r.ContentLength, body: string(body)}
	s.mu.Lock()
	for _, earlier := range s.requests {
		if earlier.path == got.path {
			got.n++
		}
	}
	s.requests = append(s.requests, got)
	answer := jsonBody(`{"errcode":0,"errmsg":"ok"}`)
	if got.path == "/cgi-bin/stable_token" || got.path == "/cgi-bin/token" {
		s.tokens++
		answer = jsonBody(fmt.Sprintf(`{"access_token":"FAKE_TOKEN_%d","expires_in":7200}`, s.tokens))
	}
	s.mu.Unlock()
	if s.reply != nil {
		if a := s.reply(got); a != (response{}) {
			answer = a
		}
	}
	if answer.lost {
		return nil, io.ErrUnexpectedEOF
	}
	h := http.Header{"Content-Type": {"application/json; encoding=utf-8"}}
	if answer.contentType != "" {
		h.Set("Content-Type", answer.contentType)
	}
	if answer.disposition != "" {
		h.Set("Content-Disposition", answer.disposition)
	}
	if answer.status == 0 {
		answer.status = http.StatusOK
	}
	return &http.Response{StatusCode: answer.status, Header: h, Request: r, ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(strings.NewReader(answer.body)), ContentLength: int64(len(answer.body))}, nil
}

// client is a client of the app whose calls end at s.
func (s *server) client(opts ...wechat.Option) *Client {
	return New(wechat.New(append(opts, wechat.WithHTTPClient(&http.Client{Transport: s}))...), testApp)
}

// to lists the requests to a path.
func (s *server) to(path string) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []request
	for _, r := range s.requests {
		if r.path == path {
			list = append(list, r)
		}
	}
	return list
}

// file is a file with a content.
func file(name, content string) wechat.File {
	return wechat.File{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

// Package stub answers the requests of a client in memory, for tests of the product packages that look at bytes.
package stub

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/seed175cf469/wechat"
)

// Server answers each request with what Answer returns, and keeps it. It is safe for concurrent use where Answer is.
type Server struct {
	Answer func(Request) Reply

	mu       sync.Mutex
	requests []Request
}

// Request is a request as it arrived.
type Request struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         string
}

// Reply is what the client gets: a status (0: 200) and a body, or an error in place of both.
type Reply struct {
	Status      int
	ContentType string
	Body        string
	Err         error
}

// JSON answers each request with the same JSON.
func JSON(body string) *Server {
	return &Server{Answer: func(Request) Reply { return Reply{ContentType: "application/json", Body: body} }}
}

// Client makes a client whose requests go to s.
func (s *Server) Client(opts ...wechat.Option) *wechat.Client {
	return wechat.New(append(opts, wechat.WithHTTPClient(&http.Client{Transport: s}))...)
}

// RoundTrip answers r.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	request := Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		request.Body = string(body)
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	reply := s.Answer(request)
	if reply.Err != nil {
		return nil, reply.Err
	}
	if reply.Status == 0 {
		reply.Status = http.StatusOK
	}
	return &http.Response{
		StatusCode: reply.Status, Header: http.Header{"Content-Type": {reply.ContentType}}, Request: r,
		Body: io.NopCloser(strings.NewReader(reply.Body)), ContentLength: int64(len(reply.Body)),
	}, nil
}

// Requests are those that have arrived so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[:len(s.requests):len(s.requests)]
}

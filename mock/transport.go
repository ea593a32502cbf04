package mock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Transport carries requests to s in memory, whatever their host. It tells an httptrace when it gets a
// connection, so that a client can see what was never sent.
func (s *Server) Transport() http.RoundTripper { return transport{s} }

type transport struct{ s *Server }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	trace := httptrace.ContextClientTrace(ctx)
	if trace == nil {
		trace = new(httptrace.ClientTrace)
	}
	if trace.GetConn != nil {
		trace.GetConn(r.URL.Host)
	}
	a := t.s.serve(r, body)
	defer a.release()
	if a.refused {
		if err := wait(ctx, a.delay); err != nil {
			return nil, err
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	if trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	if trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	if err := wait(ctx, a.delay); err != nil {
		return nil, err
	}
	if a.reset {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	if trace.GotFirstResponseByte != nil {
		trace.GotFirstResponseByte()
	}
	content := io.Reader(bytes.NewReader(a.body))
	if a.cut {
		content = io.MultiReader(bytes.NewReader(a.body[:len(a.body)/2]), failing{io.ErrUnexpectedEOF})
	}
	a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
	return &http.Response{
		Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(content), ContentLength: int64(len(a.body)), Request: r,
	}, nil
}

func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	return body, errors.Join(err, r.Body.Close())
}

// failing is a reader that gives nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listeners are the HTTP servers of a Server.
type listeners struct {
	mu      sync.Mutex
	servers []*http.Server
	running sync.WaitGroup
}

// Listen serves the same platform over HTTP on addr, as in "127.0.0.1:0", and returns its URL, for
// wechat.WithBaseURL. Close ends it.
func (s *Server) Listen(addr string) (url string, err error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", fmt.Errorf("mock: %w", err)
	}
	running := &s.listeners.running
	server := &http.Server{Handler: http.HandlerFunc(s.handle), ReadHeaderTimeout: time.Minute}
	server.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			running.Add(1)
		case http.StateClosed, http.StateHijacked:
			running.Done()
		case http.StateActive, http.StateIdle:
		}
	}
	s.listeners.mu.Lock()
	defer s.listeners.mu.Unlock()
	s.listeners.servers = append(s.listeners.servers, server)
	running.Go(func() { _ = server.Serve(listener) }) // always an error: that it was closed
	return "http://" + listener.Addr().String(), nil
}

// Close ends what Listen began and waits until the calls under way have noticed. In memory the server goes on.
func (s *Server) Close() {
	s.listeners.mu.Lock()
	for _, server := range s.listeners.servers {
		_ = server.Close()
	}
	s.listeners.servers = nil
	s.listeners.mu.Unlock()
	s.listeners.running.Wait()
}

// handle serves a request over HTTP.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		return // the client has gone
	}
	a := s.serve(r, body)
	defer a.release()
	if wait(r.Context(), a.delay) != nil {
		return
	}
	if a.refused || a.reset {
		hangUp(w, true)
		return
	}
	maps.Copy(w.Header(), a.header)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	if a.cut {
		_, _ = w.Write(a.body[:len(a.body)/2])
		hangUp(w, false)
		return
	}
	_, _ = w.Write(a.body) // a client that has gone needs no reply
}

// hangUp closes the connection of a request, or resets it.
func hangUp(w http.ResponseWriter, reset bool) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // it is closed already
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

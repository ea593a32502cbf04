// Package storm lets clients run into a quota that nobody told them, and counts what the server saw.
package storm

import (
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Second is what the server saw in a natural second.
type Second struct{ Accepted, Refused int }

// server takes quota calls in each natural second and answers 429 to the rest, with a Retry-After in whole seconds.
type server struct {
	quota int

	mu      sync.Mutex
	first   int64 // Unix second of seconds[0]
	seconds []Second
}

// ServeHTTP answers as the platform answers a template message.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // so that the connection can be used again
	now := time.Now()
	if !s.take(now) {
		opens := now.Truncate(time.Second).Add(time.Second)
		after := (opens.Sub(now) + time.Second - 1) / time.Second
		w.Header().Set("Retry-After", strconv.Itoa(int(after)))
		http.Error(w, "too many requests", http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", "application/json; encoding=utf-8")
	_, _ = io.WriteString(w, `{"errcode":0,"errmsg":"ok","msgid":200228332}`)
}

func (s *server) take(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seconds == nil {
		s.first = now.Unix()
	}
	i := int(now.Unix() - s.first)
	for len(s.seconds) <= i {
		s.seconds = append(s.seconds, Second{})
	}
	if s.seconds[i].Accepted == s.quota {
		s.seconds[i].Refused++
		return false
	}
	s.seconds[i].Accepted++
	return true
}

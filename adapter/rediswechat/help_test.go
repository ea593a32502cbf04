package rediswechat_test

import (
	"bytes"
	"sync"
)

// lockedText is a buffer for several writers.
type lockedText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *lockedText) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *lockedText) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

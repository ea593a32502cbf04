package wechat

import (
	"context"
	"sync"
)

// lines let one caller at a time through for each key, here each person to whom two sends collided.
type lines struct {
	mu   sync.Mutex
	keys map[string]*line
}

type line struct {
	turn    chan struct{} // holds the token of whoever is not in
	callers int
}

// enter waits for key's turn; leave gives it to the next.
func (l *lines) enter(ctx context.Context, key string) (leave func(), err error) {
	l.mu.Lock()
	if l.keys == nil {
		l.keys = map[string]*line{}
	}
	x := l.keys[key]
	if x == nil {
		x = &line{turn: make(chan struct{}, 1)}
		x.turn <- struct{}{}
		l.keys[key] = x
	}
	x.callers++
	l.mu.Unlock()

	gone := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if x.callers--; x.callers == 0 {
			delete(l.keys, key)
		}
	}
	select {
	case <-x.turn:
		return func() {
			x.turn <- struct{}{}
			gone()
		}, nil
	case <-ctx.Done():
		gone()
		return nil, ctx.Err()
	}
}

package callback

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Seen remembers which pushes have arrived and what they were answered, for all processes that receive the pushes of
// an account. It must be safe for concurrent use. Keys and values are short, but for values that are answers.
type Seen interface {
	// Add stores value under key for ttl if there is nothing, in one step, and returns true; else it returns what
	// is there.
	Add(ctx context.Context, key string, value []byte, ttl time.Duration) (found []byte, added bool, err error)
	// Set stores value under key for ttl, whatever is there.
	Set(ctx context.Context, key string, value []byte, ttl time.Duration) error
	// Remove takes away what is under key.
	Remove(ctx context.Context, key string) error
}

// Values under the key of a push are nothing while it is handled, then success or the clear answer.

// grace is how much longer than Timeout a receiver may take that heeds its context, and how long it may take to keep
// what it returned.
const grace = 200 * time.Millisecond

// fresh turns a push in the clear away whose signature has come with another push before: the signature does not
// cover the body.
func (h *Handler) fresh(ctx context.Context, signature, identity string) error {
	key := "signature/" + h.config.Product.String() + "/" + h.config.ID + "/" + signature
	found, added, err := h.config.Seen.Add(ctx, key, []byte(identity), h.config.SeenFor)
	switch {
	case err != nil:
		return h.unseen(ctx, err)
	case !added && string(found) != identity:
		return refused(http.StatusForbidden, "the signature came with another push before", nil)
	}
	return nil
}

// unseen decides what a failure of the store means.
func (h *Handler) unseen(ctx context.Context, err error) error {
	if h.config.RefuseUnseen {
		return refused(http.StatusServiceUnavailable, "nobody knows whether this is a repeat", err)
	}
	h.config.Report(ctx, err)
	return nil
}

// answer gives the clear answer to a push, or nil: that of the receiver, or for a repeat that of the first.
func (h *Handler) answer(parent context.Context, m Message) ([]byte, error) {
	if !h.work.begin(0) {
		return nil, refused(http.StatusServiceUnavailable, "the handler is being shut down", nil)
	}
	defer h.work.end()
	// A connection that breaks must not end the work halfway: the platform asks again, and gets the answer then.
	parent = context.WithoutCancel(parent)
	ctx, cancel := context.WithTimeout(parent, h.config.Timeout)
	defer cancel()
	key := "push/" + h.config.ID + "/" + m.Head().identity(h.config.Product)
	found, mine, err := h.claim(ctx, key)
	switch {
	case errors.Is(err, errInHand):
		if _, here := h.inHand.Load(key); here {
			return nil, nil // it is handled, only not in time
		}
		return nil, refused(http.StatusServiceUnavailable, "another process has the push in hand", nil)
	case err != nil:
		if err := h.unseen(parent, err); err != nil {
			return nil, err
		}
		return h.run(ctx, m)
	case !mine && string(found) == success:
		return nil, nil
	case !mine:
		return found, nil
	}
	h.inHand.Store(key, true)
	defer h.inHand.Delete(key)
	reply, err := h.run(ctx, m)
	keeping, cancel := context.WithTimeout(parent, grace)
	defer cancel()
	if err != nil {
		if err := h.config.Seen.Remove(keeping, key); err != nil {
			h.config.Report(parent, err)
		}
		return nil, err
	}
	kept := reply
	if kept == nil {
		kept = []byte(success)
	}
	if err := h.config.Seen.Set(keeping, key, kept, h.config.SeenFor); err != nil {
		h.config.Report(parent, err)
	}
	return reply, nil
}

// errInHand says that a push was claimed by another and has no answer yet.
var errInHand = errors.New("callback: the push is in hand")

// claim makes the push under key the caller's, or finds what it was answered. While another has it in hand it waits for
// that answer; a claim ends before the platform's next try, should the process that holds it end before.
func (h *Handler) claim(ctx context.Context, key string) (found []byte, mine bool, err error) {
	for {
		// A store that does not answer must leave the receiver its time.
		asking, cancel := context.WithTimeout(ctx, h.config.Timeout/5)
		found, mine, err = h.config.Seen.Add(asking, key, nil, h.config.Timeout+grace)
		cancel()
		if err != nil || mine || len(found) > 0 {
			return found, mine, err
		}
		timer := time.NewTimer(h.config.Timeout / 50)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, false, errInHand
		}
	}
}

// NewMemorySeen returns a Seen for one process, the default. It forgets by itself, without a goroutine.
func NewMemorySeen() Seen { return &memorySeen{shelf[string, []byte]{}} }

type memorySeen struct{ shelf[string, []byte] }

func (s *memorySeen) Add(_ context.Context, key string, value []byte, ttl time.Duration) ([]byte, bool, error) {
	found, ok := s.add(key, value, ttl)
	return found, !ok, nil
}

func (s *memorySeen) Set(_ context.Context, key string, value []byte, ttl time.Duration) error {
	s.set(key, value, ttl)
	return nil
}

func (s *memorySeen) Remove(_ context.Context, key string) error {
	s.remove(key)
	return nil
}

// shelf is a map whose entries end. Each change drops what has ended since, oldest first, so that nothing has to be
// swept. The zero shelf is empty.
type shelf[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]shelved[V]
	queue   []ending[K] // in the order of arrival; one that was set again stands there twice
}

type shelved[V any] struct {
	value V
	end   time.Time
}

type ending[K comparable] struct {
	key K
	end time.Time
}

// get finds what is under key.
func (s *shelf[K, V]) get(key K) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[key]
	if !ok || !time.Now().Before(e.end) {
		return value, false
	}
	return e.value, true
}

// add puts value under key, unless there is something, which it finds.
func (s *shelf[K, V]) add(key K, value V, ttl time.Duration) (found V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if e, ok := s.entries[key]; ok && now.Before(e.end) {
		return e.value, true
	}
	s.put(key, value, now, ttl)
	return found, false
}

func (s *shelf[K, V]) set(key K, value V, ttl time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(key, value, time.Now(), ttl)
}

func (s *shelf[K, V]) put(key K, value V, now time.Time, ttl time.Duration) {
	if s.entries == nil {
		s.entries = map[K]shelved[V]{}
	}
	for len(s.queue) > 0 && !now.Before(s.queue[0].end) {
		if first := s.queue[0].key; !now.Before(s.entries[first].end) {
			delete(s.entries, first)
		}
		s.queue = s.queue[1:]
	}
	end := now.Add(ttl)
	s.entries[key] = shelved[V]{value, end}
	s.queue = append(s.queue, ending[K]{key, end})
}

func (s *shelf[K, V]) remove(key K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.entries, key)
}

package wechat

import (
	"sync"
	"time"
)

// hostPause is how long a host that could not be reached is passed over while there is another.
const hostPause = 30 * time.Second

// hosts chooses a base URL for each product.
type hosts struct {
	mu   sync.Mutex
	down map[string]time.Time // by URL
}

// host is where an attempt goes.
type host struct {
	url      string
	override bool // set by WithBaseURL: all hosts of the product are there
}

// host is the first base URL of the product that is not known to be down.
func (s *state) host(p *Product) host {
	urls := s.config.baseURLs[p.Name]
	if len(urls) == 0 {
		return host{url: p.BaseURL}
	}
	chosen := urls[0]
	if len(urls) > 1 {
		s.hosts.mu.Lock()
		defer s.hosts.mu.Unlock()
		for _, u := range urls {
			if time.Now().After(s.hosts.down[u]) {
				chosen = u
				break
			}
		}
	}
	return host{url: chosen, override: true}
}

// failOver passes over a host that could not be reached; it reports whether another is left.
func (s *state) failOver(p *Product, h host) bool {
	urls := s.config.baseURLs[p.Name]
	if len(urls) < 2 {
		return false
	}
	s.hosts.mu.Lock()
	defer s.hosts.mu.Unlock()
	if s.hosts.down == nil {
		s.hosts.down = map[string]time.Time{}
	}
	now, left := time.Now(), false
	for _, u := range urls {
		if u == h.url {
			s.hosts.down[u] = now.Add(hostPause)
		}
		left = left || now.After(s.hosts.down[u])
	}
	return left
}

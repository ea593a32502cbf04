package mock

import (
	"slices"
	"time"
)

// Fault is what goes wrong with calls. Which ones is decided by counting, so that a test runs the same each
// time; without any of the first four fields all calls are struck.
type Fault struct {
	Skip  int             // lets the first calls pass
	Every int             // strikes each so many of the calls after those: 3 strikes the third, sixth ...; 0 and 1: all
	Times int             // strikes so many calls and no more; 0: no end
	When  func(Call) bool // strikes only these, and counts only these; calls may come at once

	Delay       time.Duration // the reply comes so much later; the work is done at once
	Refuse      bool          // the connection is refused: nothing reaches the server (over HTTP it is closed instead)
	Reset       bool          // the connection is reset before a reply
	Cut         bool          // the connection ends in the middle of the reply's body; the work is done
	Reply       *Reply        // answered in place of the endpoint: an HTML page, -1, 429 ...
	Done        bool          // Reset and Reply: the work is done all the same
	ContentType string        // of the reply, for example "text/plain"
}

type fault struct {
	Fault
	endpoint    string
	seen, hurts int
}

// Fault makes calls of an endpoint fail as f says, until remove is called; "" is every endpoint, those that
// issue tokens too. Where several faults strike a call, delays add up and of the rest the first counts.
func (s *Server) Fault(endpoint string, f Fault) (remove func()) {
	s.known(endpoint)
	added := &fault{Fault: f, endpoint: endpoint}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, added)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults = slices.DeleteFunc(s.faults, func(f *fault) bool { return f == added })
	}
}

// struck is what the faults together do to a call.
func (s *Server) struck(c Call) Fault {
	s.mu.Lock()
	faults := slices.Clone(s.faults)
	s.mu.Unlock()
	var all Fault
	for _, f := range faults {
		if f.endpoint != "" && f.endpoint != c.Endpoint || f.When != nil && !f.When(c) || !s.strikes(f) {
			continue
		}
		all.Delay += f.Delay
		if all.ContentType == "" {
			all.ContentType = f.ContentType
		}
		if !all.Refuse && !all.Reset && !all.Cut && all.Reply == nil {
			all.Refuse, all.Reset, all.Cut, all.Reply, all.Done = f.Refuse, f.Reset, f.Cut, f.Reply, f.Done
		}
	}
	return all
}

// strikes counts a call and tells whether f strikes it.
func (s *Server) strikes(f *fault) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.seen++
	n := f.seen - f.Skip
	if n <= 0 || n%max(f.Every, 1) != 0 || f.Times > 0 && f.hurts >= f.Times {
		return false
	}
	f.hurts++
	return true
}

package quotaserver

import "time"

// Scenario is a storm upon a server whose limits nobody knows.
type Scenario struct {
	Name       string
	Start      time.Duration // after a natural minute began
	Calls      int
	Goroutines int
	Server     *Server
	Change     time.Duration // when the quota changes
	Changed    int           // to this
	Requests   int           // at most
	Wall       time.Duration // at most
}

// Scenarios are those that a pacer of one process stands.
func Scenarios() []Scenario {
	const (
		early  = 50 * time.Millisecond // into a natural second and minute
		second = time.Second
		minute = time.Minute
	)
	return []Scenario{
		// The quota alone needs 9 s, 3 s, 9 s, 99 s.
		{"20 a second", early, 200, 200, &Server{Quota: 20, Period: second, Tell: true}, 0, 0, 215, 11250 * time.Millisecond},
		{"5 a second", early, 20, 20, &Server{Quota: 5, Period: second, Tell: true}, 0, 0, 25, 4500 * time.Millisecond},
		{"100 a second", early, 1000, 500, &Server{Quota: 100, Period: second, Tell: true}, 0, 0, 1050, 11250 * time.Millisecond},
		{"20 a second, for long", early, 2000, 200, &Server{Quota: 20, Period: second, Tell: true}, 0, 0, 2040, 120 * second},
		{"1 a second", early, 30, 30, &Server{Quota: 1, Period: second, Tell: true}, 0, 0, 40, 36 * second},

		{"20 a second, late in it", 950 * time.Millisecond, 200, 200, &Server{Quota: 20, Period: second, Tell: true}, 0, 0, 225, 11250 * time.Millisecond},
		{"20 a sliding second", early, 200, 200, &Server{Quota: 20, Period: second, Sliding: true, Tell: true}, 0, 0, 215, 11250 * time.Millisecond},
		{"20 a second, window named", early, 200, 200, &Server{Quota: 20, Period: second, Named: second}, 0, 0, 215, 11250 * time.Millisecond},
		{"20 a second, nothing told", early, 200, 200, &Server{Quota: 20, Period: second}, 0, 0, 215, 11250 * time.Millisecond},

		// The quota alone needs 180 s, or less where the first minute is a short one.
		{"300 a minute", early, 1000, 500, &Server{Quota: 300, Period: minute, Tell: true}, 0, 0, 1060, 225 * second},
		{"300 a minute, late in it", 50 * second, 1000, 500, &Server{Quota: 300, Period: minute, Tell: true}, 0, 0, 1060, 225 * second},
		{"300 a sliding minute", early, 1000, 500, &Server{Quota: 300, Period: minute, Sliding: true, Tell: true}, 0, 0, 1060, 225 * second},
		{"300 a minute, window named", early, 1000, 500, &Server{Quota: 300, Period: minute, Named: minute}, 0, 0, 1060, 225 * second},
		{"300 a minute, nothing told", early, 1000, 500, &Server{Quota: 300, Period: minute}, 0, 0, 1060, 270 * second},
		{"300 a sliding minute, nothing told", early, 1000, 500, &Server{Quota: 300, Period: minute, Sliding: true}, 0, 0, 1060, 270 * second},
		{"300 a minute, blocked for 60 s", early, 1000, 500, &Server{Quota: 300, Period: minute, Named: minute, Block: minute}, 0, 0, 1060, 225 * second},

		// Windows of other lengths; the quota alone needs 90 s and 38 s.
		{"100 in 10 s", early, 1000, 500, &Server{Quota: 100, Period: 10 * second, Tell: true}, 0, 0, 1050, 112500 * time.Millisecond},
		{"20 in 2 s", early, 400, 200, &Server{Quota: 20, Period: 2 * second, Tell: true}, 0, 0, 430, 47500 * time.Millisecond},

		// The quota alone needs 30 s and 54 s.
		{"20 a second, then 10", early, 400, 200, &Server{Quota: 20, Period: second, Tell: true}, 10 * second, 10, 440, 40 * second},
		{"20 a second, then 40", early, 2000, 200, &Server{Quota: 20, Period: second, Tell: true}, 10 * second, 40, 2060, 75 * second},

		{"5 in flight", early, 1000, 200, &Server{Flying: 5}, 0, 0, 1040, second},
		{"20 a second, 5 in flight", early, 200, 200, &Server{Quota: 20, Period: second, Tell: true, Flying: 5}, 0, 0, 225, 12 * second},

		{"20 a second, 50 ms away", early, 200, 200, &Server{Quota: 20, Period: second, Tell: true, Latency: 50 * time.Millisecond}, 0, 0, 240, 12500 * time.Millisecond},
		{"20 a second, 300 ms away", early, 200, 200, &Server{Quota: 20, Period: second, Tell: true, Latency: 300 * time.Millisecond}, 0, 0, 250, 16 * second},
	}
}

package apisign

import (
	"io"
	"time"
)

// Hooks replaces time and randomness: random gives 12 bytes of iv and then 22 bytes of _n for each request.
func Hooks(now func() time.Time, random io.Reader) Option {
	return func(t *transport) { t.now, t.random = now, random }
}

package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter reads a Retry-After header: whole seconds, or an HTTP date, which
// is no wait at all if it has passed. ok is false for anything else. A number of
// seconds that a Duration cannot hold becomes the longest one that it can.
func RetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	value = strings.Trim(value, " \t")
	if value == "" {
		return 0, false
	}
	if strings.Trim(value, "0123456789") == "" {
		const longest = math.MaxInt64 / uint64(time.Second)
		seconds, err := strconv.ParseUint(value, 10, 64)
		if err != nil || seconds > longest {
			seconds = longest
		}
		return time.Duration(seconds) * time.Second, true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(0, date.Sub(now)), true
}

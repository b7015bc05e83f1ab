package failure

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter returns how long a response asks to wait: retry-after-ms, or Retry-After in
// seconds or as a date (RFC 9110 section 10.2.3). It is 0 if the response does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms >= 0 {
		return seconds(ms / 1e3)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
		return seconds(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// seconds returns a wait of s seconds, at most a year and at least a millisecond. 0 would
// mean that the server has said nothing.
func seconds(s float64) time.Duration {
	return max(time.Duration(min(s, 365*86400)*float64(time.Second)), time.Millisecond)
}

package config

import (
	"fmt"
	"time"
)

// A Duration is a time above 0 in Go's form: "90s", "10m". A bare number is an error,
// since it would count nanoseconds.
type Duration time.Duration

// UnmarshalText reads a duration such as 90s.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v <= 0 {
		return fmt.Errorf("%q is not a duration such as 90s or 10m", text)
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the duration as UnmarshalText reads it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

package config

import (
	"fmt"
	"slices"
	"time"

	"ua/internal/common/prog"
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

// An Effort says how hard a model has to think: one of Efforts, or "" for the provider's
// own default.
type Effort string

// Efforts returns all words that providers have for an effort. Only the provider knows
// which of them a model takes.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// UnmarshalText reads an effort. Another word than those of Efforts is an error.
func (e *Effort) UnmarshalText(text []byte) error {
	if !slices.Contains(Efforts(), string(text)) {
		return fmt.Errorf("effort %q: want %s", text, prog.OneOf(Efforts()))
	}
	*e = Effort(text)
	return nil
}

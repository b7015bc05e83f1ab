package config

import (
	"fmt"
	"slices"

	"ua/internal/common/prog"
)

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

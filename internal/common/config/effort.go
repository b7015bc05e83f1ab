package config

import (
	"fmt"
	"slices"

	"ua/internal/common/prog"
)

// An Effort is how hard a model is to think: one of Efforts, or "" for what the
// provider does by itself.
type Effort string

// Efforts returns every word that a provider has for an effort. Which of them a model knows
// is for its provider to say.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// UnmarshalText reads one.
func (e *Effort) UnmarshalText(text []byte) error {
	if !slices.Contains(Efforts(), string(text)) {
		return fmt.Errorf("effort %q: want %s", text, prog.OneOf(Efforts()))
	}
	*e = Effort(text)
	return nil
}

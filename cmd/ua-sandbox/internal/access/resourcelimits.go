package access

import (
	"errors"
	"strconv"
	"time"
	"ua/internal/common/prog"
)

// Limits bounds what the command may use. 0 means no limit.
type Limits struct {
	Mem   prog.Bytes `json:"mem,omitempty" toml:"mem"`     // bytes of writable memory, each process
	CPU   Span       `json:"cpu,omitempty" toml:"cpu"`     // processor time, each process
	Pids  uint64     `json:"pids,omitempty" toml:"pids"`   // processes and threads
	Fsize prog.Bytes `json:"fsize,omitempty" toml:"fsize"` // bytes of a file that is written
}

// tighter returns the lower of each pair of limits.
func (l Limits) tighter(m Limits) Limits {
	return Limits{least(l.Mem, m.Mem), least(l.CPU, m.CPU), least(l.Pids, m.Pids),
		least(l.Fsize, m.Fsize)}
}

// least returns the lower of two limits, of which 0 is none.
func least[T prog.Bytes | Span | uint64](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// A Span is a time in whole seconds, written 90, 90s or 10m. Parts of a second are
// rounded up.
type Span uint64

// UnmarshalText parses a Span.
func (s *Span) UnmarshalText(text []byte) error {
	word := string(text)
	if _, err := strconv.ParseUint(word, 10, 32); err == nil {
		word += "s"
	}
	d, err := time.ParseDuration(word)
	if err != nil || d < time.Second {
		return errors.New("want a duration such as 90s or 10m")
	}
	*s = Span((d + time.Second - 1) / time.Second)
	return nil
}

// MarshalText writes a Span as a number of seconds.
func (s Span) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(s), 10), nil }

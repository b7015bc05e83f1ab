package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Limits bound what the command may use; 0 is no limit.
type Limits struct {
	Mem   Size   `json:"mem,omitempty" toml:"mem"`     // bytes of writable memory, each process
	CPU   Span   `json:"cpu,omitempty" toml:"cpu"`     // processor time, each process
	Pids  uint64 `json:"pids,omitempty" toml:"pids"`   // processes and threads
	Fsize Size   `json:"fsize,omitempty" toml:"fsize"` // bytes of a file that is written
}

// tighter is the narrower of two limits.
func (l Limits) tighter(m Limits) Limits {
	return Limits{least(l.Mem, m.Mem), least(l.CPU, m.CPU), least(l.Pids, m.Pids),
		least(l.Fsize, m.Fsize)}
}

func least[T Size | Span | uint64](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// A Size is a number of bytes, written 4096, 64K, 512M, 2G or 1T.
type Size uint64

// UnmarshalText reads a Size.
func (s *Size) UnmarshalText(text []byte) error {
	digits := strings.TrimRight(strings.ToUpper(string(text)), "BI")
	shift := 0
	if n := len(digits); n > 0 {
		if i := strings.IndexByte("KMGT", digits[n-1]); i >= 0 {
			digits, shift = digits[:n-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 || n > math.MaxInt64>>shift {
		return fmt.Errorf("want a number of bytes such as 512M")
	}
	*s = Size(n << shift)
	return nil
}

// MarshalText writes a Size in bytes.
func (s Size) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(s), 10), nil }

// A Span is a time in whole seconds, written 90, 90s or 10m.
type Span uint64

// UnmarshalText reads a Span.
func (s *Span) UnmarshalText(text []byte) error {
	word := string(text)
	if _, err := strconv.ParseUint(word, 10, 32); err == nil {
		word += "s"
	}
	d, err := time.ParseDuration(word)
	if err != nil || d < time.Second {
		return fmt.Errorf("want a time such as 90s")
	}
	*s = Span((d + time.Second - 1) / time.Second)
	return nil
}

// MarshalText writes a Span in seconds.
func (s Span) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(s), 10), nil }

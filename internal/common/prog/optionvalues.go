package prog

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Number adds an option that takes a whole number from least to most; with most 0, only
// the type limits it. Without the option, p points to value, which may be out of range.
func Number[T int | int64 | uint64](fs *flag.FlagSet, p *T, name string, value, least, most T) {
	*p = value
	fs.Func(name, "", func(s string) error {
		n, err := parseNumber[T](s)
		if err == nil && n >= least && (most == 0 || n <= most) {
			*p = n
			return nil
		}
		want := fmt.Sprintf("want a whole number from %d", least)
		switch {
		case most > 0:
			return fmt.Errorf("%s to %d", want, most)
		case errors.Is(err, strconv.ErrRange) && n > 0: // n is the largest of its type
			return fmt.Errorf("%s to %d", want, n)
		}
		return errors.New(want)
	})
}

// parseNumber reads decimal digits into a T. The error is that of package strconv.
func parseNumber[T int | int64 | uint64](s string) (T, error) {
	var n T
	switch p := any(&n).(type) {
	case *int:
		v, err := strconv.Atoi(s)
		*p = v
		return n, err
	case *int64:
		v, err := strconv.ParseInt(s, 10, 64)
		*p = v
		return n, err
	case *uint64:
		v, err := strconv.ParseUint(s, 10, 64)
		*p = v
		return n, err
	}
	return n, strconv.ErrSyntax
}

// MaxPids is the largest number of processes that Linux can have (PID_MAX_LIMIT,
// proc_sys(5)).
const MaxPids = 1 << 22

// maxDescriptor is the largest number of a descriptor that an option takes.
const maxDescriptor = 1<<16 - 1

// Descriptor adds an option that takes the number of an open file. Without the option, p
// points to -1.
func Descriptor(fs *flag.FlagSet, p *int, name string) {
	Number(fs, p, name, -1, 0, maxDescriptor)
}

// Amount adds an option that takes a sum of money above 0. value is as in Number.
func Amount(fs *flag.FlagSet, p *float64, name string, value float64) {
	*p = value
	fs.Func(name, "", func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x > 0) || math.IsInf(x, 0) {
			return errors.New("want an amount above 0, such as 0.5")
		}
		*p = x
		return nil
	})
}

// Duration adds an option that takes a time of at least least. With least 0 the time has
// to be above 0, and with a negative one 0 is allowed. value is as in Number.
func Duration(fs *flag.FlagSet, p *time.Duration, name string, value, least time.Duration) {
	*p = value
	fs.Func(name, "", func(s string) error {
		d, err := time.ParseDuration(s)
		if err == nil && d >= max(least, 0) && (d != 0 || least != 0) {
			*p = d
			return nil
		}
		switch want := "want a duration such as 90s or 10m"; {
		case least < 0:
			return errors.New("want 0 or a duration such as 90s or 10m")
		case least > 0:
			return fmt.Errorf("%s, from %v", want, least)
		default:
			return errors.New(want)
		}
	})
}

// OrZero is the least of Duration for an option that also takes 0.
const OrZero time.Duration = -1

// Choice adds an option that takes one of the words.
func Choice(fs *flag.FlagSet, p *string, name, value string, words ...string) {
	*p = value
	fs.Func(name, "", func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("want %s", OneOf(words))
		}
		*p = s
		return nil
	})
}

// OneOf returns the words as a choice: "a, b or c".
func OneOf(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// List adds an option that may be repeated and collects its values in p.
func List(fs *flag.FlagSet, p *[]string, name string) {
	fs.Func(name, "", func(s string) error {
		*p = append(*p, s)
		return nil
	})
}

// Short gives options a letter besides their name: "f", "follow", "m", "model".
func Short(fs *flag.FlagSet, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		fs.Var(fs.Lookup(pairs[i+1]).Value, pairs[i], "")
	}
}

// Repeat appends an option to the arguments of another program, once for each value.
func Repeat(args []string, option string, values []string) []string {
	for _, v := range values {
		args = append(args, option, v)
	}
	return args
}

// Bytes is a number of bytes above 0, written as 4096, 64K, 512MiB, 2G or 1T. 0 means
// that none is given.
type Bytes uint64

// UnmarshalText reads a size. Units are powers of 1024.
func (b *Bytes) UnmarshalText(text []byte) error {
	plain := strings.TrimSuffix(strings.ToUpper(string(text)), "B")
	digits, shift := plain, 0
	if unit := strings.TrimSuffix(plain, "I"); unit != "" { // the i stands behind a unit only
		if i := strings.IndexByte("KMGT", unit[len(unit)-1]); i >= 0 {
			digits, shift = unit[:len(unit)-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 || n > math.MaxInt64>>shift {
		return errors.New("want a size above 0, such as 512M or 2G")
	}
	*b = Bytes(n << shift)
	return nil
}

// MarshalText writes the size as a number of bytes.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Short returns the size in the largest unit of which it is a whole number: "2G".
func (b Bytes) Short() string {
	n, unit := uint64(b), ""
	for _, larger := range "KMGT" {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, string(larger)
	}
	return strconv.FormatUint(n, 10) + unit
}

// String returns the size as a number of bytes.
func (b Bytes) String() string { return strconv.FormatUint(uint64(b), 10) }

// Quoted returns text as one word of a POSIX shell.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

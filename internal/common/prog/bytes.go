package prog

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

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

// Package size reads the sizes of memory and files that options and settings name.
package size

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Bytes is a number of bytes above 0, written 4096, 64K, 512MiB, 2G or 1T; 0 where
// nothing is said.
type Bytes uint64

// UnmarshalText reads a size.
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

// MarshalText writes the size in bytes.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Short returns the size as people write it: "2G" where it is a whole number of them.
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

// String returns the size in bytes.
func (b Bytes) String() string { return strconv.FormatUint(uint64(b), 10) }

// Package ulimit lowers what a process and all that it starts may use (setrlimit(2)).
package ulimit

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// A Limit bounds one resource.
type Limit struct {
	Name     string
	Resource int // RLIMIT_…
	Most     uint64
}

// resources maps the names of prlimit(1) to resources.
var resources = map[string]int{"data": unix.RLIMIT_DATA, "fsize": unix.RLIMIT_FSIZE,
	"nproc": unix.RLIMIT_NPROC}

// Parse parses NAME=N, where N is a size.
func Parse(s string) (Limit, error) {
	name, value, _ := strings.Cut(s, "=")
	resource, known := resources[name]
	if !known {
		return Limit{}, errors.New("want data, fsize or nproc")
	}
	var n prog.Bytes
	err := n.UnmarshalText([]byte(value))
	return Limit{name, resource, uint64(n)}, err
}

package main

import (
	"errors"
	"strings"
	"ua/internal/common/prog"

	"golang.org/x/sys/unix"
)

// A ulimit is a limit of ua-sandbox itself, which the command and everything below it
// inherit.
type ulimit struct {
	resource int // RLIMIT_…
	most     uint64
}

// ulimits maps the names of prlimit(1) to resources.
var ulimits = map[string]int{"data": unix.RLIMIT_DATA, "fsize": unix.RLIMIT_FSIZE,
	"nproc": unix.RLIMIT_NPROC}

// parseUlimit parses NAME=N, where N is a size.
func parseUlimit(s string) (u ulimit, err error) {
	name, value, _ := strings.Cut(s, "=")
	resource, known := ulimits[name]
	if !known {
		return u, errors.New("want data, fsize or nproc")
	}
	var n prog.Bytes
	err = n.UnmarshalText([]byte(value))
	return ulimit{resource, uint64(n)}, err
}

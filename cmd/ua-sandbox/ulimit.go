package main

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/size"
)

// A ulimit is a limit of ua-sandbox itself, which the command and all below it take over.
type ulimit struct {
	resource int // RLIMIT_…
	most     uint64
}

// ulimits are the resources by the names that prlimit(1) has for them.
var ulimits = map[string]int{"data": unix.RLIMIT_DATA, "fsize": unix.RLIMIT_FSIZE,
	"nproc": unix.RLIMIT_NPROC}

// parseUlimit reads NAME=N, N as a size.
func parseUlimit(s string) (u ulimit, err error) {
	name, value, _ := strings.Cut(s, "=")
	resource, known := ulimits[name]
	if !known {
		return u, errors.New("want data, fsize or nproc")
	}
	var n size.Bytes
	err = n.UnmarshalText([]byte(value))
	return ulimit{resource, uint64(n)}, err
}

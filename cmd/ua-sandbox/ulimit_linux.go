package main

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// commandOnly reports whether the limit is for init and what is below it, and not for the
// program outside. The log of that program, and what it restores at the end, may have any
// size.
func (u ulimit) commandOnly(o *options) bool {
	return u.resource != unix.RLIMIT_NPROC && !o.Nested && confine.Inside() == ""
}

// lowerOf sets the limits of a process that has not started anything. A limit that is
// lower already stays.
func (u ulimit) lowerOf(pid int) error {
	var now unix.Rlimit
	err := unix.Prlimit(pid, u.resource, nil, &now)
	if err == nil && now.Max > u.most {
		err = unix.Prlimit(pid, u.resource, &unix.Rlimit{Cur: min(now.Cur, u.most), Max: u.most}, nil)
	}
	if err != nil {
		return fmt.Errorf("limit of %d: %w", u.most, err)
	}
	return nil
}

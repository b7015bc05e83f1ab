package main

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// commandOnly reports whether the limit is one of init and what is below it, and not of the
// program outside: its own log and what it puts back at the end may be as large as they are.
func (u ulimit) commandOnly(o *options) bool {
	return u.resource != unix.RLIMIT_NPROC && !o.Nested && confine.Inside() == ""
}

// lowerOf sets the limits of a process that has not begun anything. What is lower already
// stays.
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

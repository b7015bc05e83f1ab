//go:build linux || darwin

package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// lower sets the soft and the hard limit, before anything is started that would not
// inherit them. A limit that is lower already stays.
func (u ulimit) lower() error {
	var now unix.Rlimit
	err := unix.Getrlimit(u.resource, &now)
	if err == nil && now.Max > u.most {
		err = unix.Setrlimit(u.resource, &unix.Rlimit{Cur: min(now.Cur, u.most), Max: u.most})
	}
	if err != nil {
		return fmt.Errorf("limit of %d: %w", u.most, err)
	}
	return nil
}

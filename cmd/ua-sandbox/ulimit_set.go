//go:build linux || darwin

package main

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// lowerLimits sets the limits of --ulimit that are this program's own.
func lowerLimits(o *options) error {
	for _, u := range o.ulimits {
		if u.commandOnly(o) {
			continue
		}
		if err := u.lower(); err != nil {
			return prog.Errorf(prog.NotConfined, "--ulimit: %w", err)
		}
	}
	return nil
}

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

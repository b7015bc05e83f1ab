//go:build linux || darwin

package ulimit

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
)

// Of returns the limits of a policy.
func Of(l access.Limits) (list []Limit) {
	for _, limit := range []Limit{{"mem", unix.RLIMIT_DATA, uint64(l.Mem)},
		{"cpu", unix.RLIMIT_CPU, uint64(l.CPU)}, {"fsize", unix.RLIMIT_FSIZE, uint64(l.Fsize)},
		{"pids", unix.RLIMIT_NPROC, l.Pids}} {
		if limit.Most != 0 {
			list = append(list, limit)
		}
	}
	return list
}

// Lower sets the soft and the hard limits of this process. A limit that is lower already
// stays.
func Lower(list []Limit) error {
	for _, l := range list {
		var now unix.Rlimit
		err := unix.Getrlimit(l.Resource, &now)
		if err == nil && now.Max > l.Most {
			err = unix.Setrlimit(l.Resource, &unix.Rlimit{Cur: min(now.Cur, l.Most), Max: l.Most})
		}
		if err != nil {
			return fmt.Errorf("limit %s: %w", l.Name, err)
		}
	}
	return nil
}

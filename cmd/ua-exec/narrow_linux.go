package main

import (
	"fmt"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
	"ua/internal/common/confine/policy"
	"ua/internal/common/verdict"
)

// canNarrow says whether a sandbox of ours holds this process, so that a layer
// more on one thread is all that a command needs.
func canNarrow() bool { return confine.Inside() != "" }

// narrow is the lock of a profile: Landlock domains and seccomp filters belong to
// a thread (landlock_restrict_self(2), seccomp(2)), which spares each command the
// start of a ua-sandbox, and all but the first one of a profile their making. A
// Landlock rule holds for the folder that it was made for: where another one has
// taken its place, the lock has another name.
// What ua-sandbox lets ua-exec write by name its commands may write too, but for
// keep, where ua-exec alone keeps their outputs.
func narrow(p verdict.Profile, write []string, keep string) (lock, error) {
	dir, err := syscall.Getwd()
	if err != nil {
		return lock{}, err
	}
	if p != verdict.ProfileReadOnly {
		grants := slices.DeleteFunc(confine.Grants(), func(path string) bool { return keep != "" && path == policy.Absolute(keep) })
		write = append(slices.Clone(write), grants...)
	}
	pol, err := policy.Resolve(policy.Options{Profile: string(p), Write: write, Nested: true, Inside: true}, dir)
	if err != nil {
		return lock{}, err
	}
	tmp := confine.Tmp(pol, os.TempDir())
	name := "write" // the profiles that may write differ in their environment alone, and signal each other's commands
	if p == verdict.ProfileReadOnly {
		name = string(p)
	}
	for _, path := range append(slices.Clone(pol.Write), tmp) {
		var stat unix.Stat_t
		_ = unix.Stat(path, &stat) // one that is not there has no rule
		name += fmt.Sprintf("\x00%s %d %d", path, stat.Dev, stat.Ino)
	}
	return lock{name, func() error {
		c := confine.Narrower(pol, tmp)
		c.Filter.Spare = unix.Gettid() // this thread is a part of ua-exec
		return c.Apply()
	}}, nil
}

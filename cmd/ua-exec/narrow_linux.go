package main

import (
	"os"
	"syscall"

	"ua/internal/common/confine"
	"ua/internal/common/confine/policy"
	"ua/internal/common/verdict"
)

// canNarrow says whether a sandbox of ours holds this process, so that a layer
// more on one thread is all that a command needs.
func canNarrow() bool { return confine.Inside() != "" }

// narrowThread confines the calling thread, which is locked to its goroutine for
// good, and what it starts: Landlock domains and seccomp filters belong to a
// thread (landlock_restrict_self(2), seccomp(2)). It spares each command the
// start of a ua-sandbox.
func narrowThread(p verdict.Profile, write []string) error {
	dir, err := syscall.Getwd()
	if err != nil {
		return err
	}
	pol, err := policy.Resolve(policy.Options{Profile: string(p), Write: write, Nested: true, Inside: true}, dir)
	if err != nil {
		return err
	}
	return confine.Narrower(pol, confine.Tmp(pol, os.TempDir())).Apply()
}

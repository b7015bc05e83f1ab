package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// canNarrow reports whether a sandbox of ours holds this process, so that a layer
// more on one thread is all that a command needs.
func canNarrow() bool { return confine.Inside() != "" }

// narrow returns the lock of a profile: Landlock domains and seccomp filters belong to
// a thread (landlock_restrict_self(2), seccomp(2)), which spares each command the
// start of a ua-sandbox, and all but the first one of a profile their making. A
// Landlock rule holds for the folder that it was made for: where another one has
// taken its place, the lock has another name.
//
// What ua-sandbox lets ua-exec write by name its commands may write too, but for
// keep, where ua-exec alone keeps their outputs.
func narrow(p verdict.Profile, write []string, keep string) (process.Lock, error) {
	dir, err := unix.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return process.Lock{}, fmt.Errorf("working directory: %w", err)
	}
	g, err := grant(p, dir, write, keep)
	if err != nil {
		return process.Lock{}, err
	}
	// the profiles that may write differ in their environment alone, and signal each other's
	// commands
	name := "write"
	if g.ReadOnly {
		name = string(p)
	}
	for _, path := range append(slices.Clone(g.Write), g.Tmp) {
		var stat unix.Stat_t
		_ = unix.Stat(path, &stat) // one that is not there has no rule
		name += fmt.Sprintf("\x00%s %d %d", path, stat.Dev, stat.Ino)
	}
	// The thread is a part of ua-exec.
	return process.Lock{Name: name, Apply: func() error { return g.Apply(unix.Gettid()) }}, nil
}

// grant returns what a command in dir may write under the profile.
func grant(
	p verdict.Profile, dir string, write []string, keep string,
) (g confine.Grant, err error) {
	g.Tmp = os.TempDir()
	if p == verdict.ProfileReadOnly {
		if g.ReadOnly = true; confine.Under(dir, g.Tmp) {
			g.Tmp = "" // the workspace lies in it
		}
		return g, nil
	}
	g.Write = []string{dir}
	for _, path := range write {
		if path, err = filepath.Abs(path); err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			return g, fmt.Errorf("--write: %w", err)
		}
		g.Write = append(g.Write, path)
	}
	if keep != "" {
		if keep, err = filepath.Abs(keep); err != nil {
			return g, err
		}
	}
	g.Write = append(g.Write, slices.DeleteFunc(confine.Grants(),
		func(path string) bool { return path == keep })...)
	return g, nil
}

package shell

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

// canNarrow reports whether this process runs inside a sandbox of ua-sandbox. A command
// then needs only one more layer on one thread.
func canNarrow() bool { return confine.Inside() != "" }

// narrow returns the lock of a profile. Landlock domains and seccomp filters belong to a
// thread (landlock_restrict_self(2), seccomp(2)). A locked thread saves each command the
// start of a ua-sandbox, and all commands but the first of a profile the making of the
// layers. A Landlock rule is about the folder for which it was made, so a folder that was
// replaced gives the lock another name.
//
// Commands may write what ua-sandbox lets ua-exec write by name. The exception is keep,
// where only ua-exec writes their outputs.
func narrow(p verdict.Profile, write []string, keep string) (process.Lock, error) {
	dir, err := unix.Getwd() // as the kernel has it: a folder may have been moved
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
	// The profiles that may write differ only in their environment, and their commands
	// may signal each other.
	name := "write"
	if g.ReadOnly {
		name = string(p)
	}
	for _, path := range append(slices.Clone(g.Write), g.Tmp) {
		var stat unix.Stat_t
		_ = unix.Stat(path, &stat) // one that is not there has no rule
		name += fmt.Sprintf("\x00%s %d %d", path, stat.Dev, stat.Ino)
	}
	// Landlock is applied to the calling thread, which belongs to ua-exec.
	return process.Lock{Name: name, Apply: func() error { return g.Apply(unix.Gettid()) }}, nil
}

// grant returns what a command in dir may write in the profile.
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

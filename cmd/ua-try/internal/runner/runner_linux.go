// Package runner runs a command in a try.
package runner

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
)

// A runner is the stage outside. It makes the try's folder, starts init, which shows the
// command its view, and afterwards writes down what changed.
type runner struct {
	env     *prog.Env
	o       *Options
	command []string
	covers  []string
	asis    []string
	own     []string // what is excepted, wherever it lies
	try     *try.Try
	lock    *os.File
	ended   *try.End // what the commands of the try were before, nil in a new one

	unrecorded bool // how the command ended, or what it changed, could not be written down
}

// Options are the command line of a run.
type Options struct {
	Out      string
	Link     string
	Dirs     []string
	Except   []string
	Quiet    bool
	Continue string // the try that the command goes on in, "" for a new one
}

// plan works out which folders are covered, and which mounts in them are left as they
// are.
func (r *runner) plan() error {
	dir, err := syscall.Getwd() // the kernel's word: what PWD names may be another folder by now
	if err != nil {
		return Usage("working directory: %w", err)
	}
	dirs := []string{dir}
	for _, d := range r.o.Dirs {
		real, err := realFolder(d)
		if err != nil {
			return Usage("--dir %q: %w", d, try.Cause(err))
		}
		dirs = append(dirs, real)
	}
	if slices.Contains(dirs, "/") {
		return refuse("/: the whole machine can't be covered").
			Hintf("run it in a folder; --dir PATH adds others")
	}
	if r.covers, r.asis, err = overlay.Plan(dirs); errors.Is(err, fs.ErrNotExist) {
		return refuse("%w", err).
			Hintf("there is no /proc here, as in a bare chroot: mount -t proc proc /proc")
	} else if err != nil {
		return refuse("%w", err).Hintf("unmount it, or run the command in a folder without it")
	}
	for _, d := range r.o.Except {
		real, err := tree.Real(d)
		if err != nil {
			return Usage("--except %q: %w", d, try.Cause(err))
		}
		r.own = append(r.own, real)
		inside := func(c string) bool { return strings.HasPrefix(real, c+"/") }
		if slices.ContainsFunc(r.covers, inside) {
			r.asis = append(r.asis, real)
		}
	}
	slices.Sort(r.asis) // outer ones first
	return nil
}

// realFolder returns the absolute path, without links, of a folder.
func realFolder(path string) (string, error) {
	real, err := tree.Real(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err == nil && !info.IsDir() {
		err = unix.ENOTDIR
	}
	return real, err
}

// Usage returns an error of the command line, with the status of the chain loader.
func Usage(format string, a ...any) *prog.Error {
	return prog.Errorf(prog.LoaderUsage, format, a...)
}

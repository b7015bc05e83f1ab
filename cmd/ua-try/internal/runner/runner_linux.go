// Package runner runs a command in a try.
package runner

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/supervisor"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/confine"
	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
	"ua/internal/common/tree"
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
			return Usage("--dir %q: %w", d, tree.Cause(err))
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
			return Usage("--except %q: %w", d, tree.Cause(err))
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

// Run runs the command in a try.
func Run(env *prog.Env, o *Options, command []string) error {
	r := &runner{env: env, o: o, command: command}
	if confine.Inside() != "" {
		return refuse("inside ua-sandbox nothing can be mounted (landlock(7))").
			Hintf("put ua-try outside: ua-try -- ua-sandbox -- command; with ua, --try of the " +
				"outermost run, which its agents share")
	}
	if err := r.plan(); err != nil {
		return err
	}
	signals := execwrap.Catch()
	status, err := r.descend(signals)
	if err != nil {
		return err
	}
	if r.unrecorded && status == 0 {
		return prog.Exit(prog.Trouble)
	}
	return execwrap.Exit(status)
}

// descend runs the command with its changes in the first place that the kernel accepts.
func (r *runner) descend(signals <-chan os.Signal) (unix.WaitStatus, error) {
	list, skipped := places(r.covers, r.o.Out)
	if earlier, err := r.earlier(); err != nil {
		return 0, err
	} else if earlier != nil {
		list = []place{{earlier: earlier}}
	}
	var first error
	for _, place := range list {
		status, err := r.attempt(place, signals)
		var refused *overlay.Refusal
		if !errors.As(err, &refused) {
			return status, err
		}
		if first == nil {
			first = refused
		}
		if r.try != nil && !otherPlaceHelps(err) { // another place would not help
			break
		}
	}
	if first == nil {
		first = fmt.Errorf("no place for the changes: %s", skipped)
	}
	return 0, refuse("%w", first).Hintf("%s", remedy(first, r.asis, r.covers))
}

// attempt runs the command with its changes in one place. A *overlay.Refusal means that
// the place, or the system, does not allow it.
func (r *runner) attempt(place place, signals <-chan os.Signal) (status unix.WaitStatus,
	err error) {
	if err := r.prepare(place); err != nil {
		return 0, r.abandon(err)
	}
	runtime.LockOSThread() // init ends with the thread that starts it
	in, pid, err := r.start()
	if err == nil {
		go forward(pid, signals)
		status, err = r.follow(in, pid, place)
	}
	if err != nil {
		return 0, r.abandon(err)
	}
	return status, nil
}

// abandon removes the new try of a command that was not run.
func (r *runner) abandon(err error) error {
	if r.lock != nil {
		r.lock.Close()
	}
	if r.try == nil || r.ended != nil {
		return err
	}
	return errors.Join(err, r.try.Drop())
}

// forward passes signals on to init. A signal of the terminal has reached the command
// already.
func forward(pid int, signals <-chan os.Signal) {
	for sig := range signals {
		if !execwrap.FromTerminal(sig) {
			_ = unix.Kill(pid, sig.(syscall.Signal))
		}
	}
}

// follow reads init's report when the command has ended, and writes down what changed. It
// does not wait until the kernel has removed the view, since nobody is left in it.
func (r *runner) follow(in *os.File, pid int, place place) (unix.WaitStatus, error) {
	defer in.Close()
	var told supervisor.Report
	// of any length; a part of a line is one's that was killed
	if line, err := bufio.NewReader(in).ReadBytes('\n'); err == nil {
		if err := json.Unmarshal(line, &told); err != nil {
			return 0, err
		}
	}
	status := unix.WaitStatus(told.Status)
	if !told.Ended { // init was killed: that stands for its command; or it has failed
		for {
			if _, err := unix.Wait4(pid, &status, 0, nil); err != unix.EINTR {
				break
			}
		}
	}
	if told.Step != "" {
		return 0, told.Err()
	}
	if place.note != "" && !r.o.Quiet {
		r.env.Warnf("%s", place.note)
	}
	r.finish(told, status)
	return status, nil
}

// Package runfolder finds runs and says what has become of them. It reads only their folders,
// so that it works for a run that another process drives, inside a sandbox and outside.
package runfolder

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
)

// LockFile is the file in a run's folder on which the process that drives the run holds a
// record lock (fcntl(2), F_SETLK). The kernel releases the lock when the process ends in
// any way, and names its holder. A PID in a file could be stale or belong to another
// process by now. The file also holds the limits of the run's subagents, since every run
// needs both and one file costs less than two.
const LockFile = "lock"

// Hold marks r as driven by this process until the file is closed or the process ends. If
// another process drives r, the error has the status prog.TryLater. What is written to
// the file is appended. No one opens the file a second time in this process, because closing
// any descriptor of it releases a record lock (fcntl(2)): Driver knows which run is held.
func Hold(r run.Run) (*os.File, error) {
	f, err := safefile.Append(filepath.Join(r.Dir, LockFile))
	if err != nil {
		return nil, prog.Errorf(prog.Status(err), "the run's folder: %v", err)
	}
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &lock); err != nil {
		pid, _ := Driver(r)
		f.Close()
		return nil, prog.Errorf(prog.TryLater, "%s is already running, as process %d", r.ID, pid)
	}
	held.Store(r.Dir, f)
	return f, nil
}

// held holds the folders of the runs that this process drives, and their lock files.
var held sync.Map

// Apart refuses a run that this process holds while another process drives a run above or
// below it. Commands of the upper run can write to the folder of the lower one, which
// must then not be driven from outside of their sandbox. inside is the folder of the run
// that this process is a command of, or "": a command is inside that sandbox already. Of
// two processes that come at once at least one is refused, since each holds its own run
// before it looks.
func Apart(r run.Run, inside string) error {
	if inside != "" {
		return nil
	}
	// The upper side first: its commands are those that can write here.
	for above, ok := r.Above(); ok; above, ok = above.Above() {
		if driven(above) {
			return prog.Errorf(prog.TryLater, "%s: the run above it, %s, is still running", r.ID,
				above.ID).Hintf("ua wait %s; ua fork %s continues a copy", above.ID, r.ID)
		}
	}
	var below error
	err := Each(filepath.Join(r.Dir, run.SubFolder), func(s run.Run) {
		if below == nil && driven(s) {
			below = prog.Errorf(prog.TryLater, "%s: its subagent %s is still running", r.ID, s.ID).
				Hintf("ua wait %s, or ua stop %[1]s", s.ID)
		}
	})
	if below != nil {
		return below
	}
	return err
}

// driven reports whether a process drives the run.
func driven(r run.Run) bool {
	_, alive := Driver(r)
	return alive
}

// Driver returns the process that drives r, as numbered in this PID namespace, or 0 if it
// has no number here. alive reports whether there is one. It only asks for the lock
// (F_GETLK) and never takes it.
func Driver(r run.Run) (pid int, alive bool) {
	if f, ok := held.Load(r.Dir); ok && f.(*os.File).Fd() != ^uintptr(0) {
		return os.Getpid(), true
	}
	f, err := os.OpenFile(filepath.Join(r.Dir, LockFile),
		os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	return Holder(f)
}

// Holder returns the process that has locked f, 0 if it is of another pid namespace, and whether
// one has. A lock of this process does not count.
func Holder(f *os.File) (pid int, ok bool) {
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil ||
		lock.Type == unix.F_UNLCK {
		return 0, false
	}
	return max(int(lock.Pid), 0), true
}

// FolderError returns the error for a run's folder that cannot be created or used.
func FolderError(err error) error {
	return prog.Errorf(prog.Status(err), "the run's folder: %v", err).
		Hintf("runs live in XDG_STATE_HOME, or else under HOME")
}

// IsID reports whether a name has the form that run.NewID returns.
func IsID(name string) bool {
	day, rest, _ := strings.Cut(name, "-")
	clock, random, _ := strings.Cut(rest, "-")
	const digits = "0123456789"
	return len(day) == 8 && len(clock) == 6 && len(random) == 6 &&
		strings.Trim(day+clock, digits) == "" && strings.Trim(random, digits+"abcdef") == ""
}

// Package runs finds runs and says what has become of them: from their folders
// alone, so that it holds for a run on this machine that another process drives,
// inside a sandbox or out of it.
package runs

import (
	"os"
	"path/filepath"
	"regexp"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
)

// LockFile is the file in a run's folder that the process which drives the run
// holds a record lock on (fcntl(2), F_SETLK). The kernel drops the lock when the
// process ends, however it ends, and tells who holds it: no pid that is written
// down somewhere can be a stale one, or somebody else's by now. It holds the limits
// of the run's subagents: one file takes less than two to make, and each run makes it.
const LockFile = "lock"

// Hold marks r as driven by this process, until it closes the file or ends. It is
// an error of prog.TryLater when another process drives it. The file takes what is
// written at its end; to open it once more and close that would give the lock away.
func Hold(r run.Run) (*os.File, error) {
	f, err := regular.Append(filepath.Join(r.Dir, LockFile))
	if err != nil {
		return nil, prog.Errorf(prog.Status(err), "the run's folder: %v", err)
	}
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &lock); err != nil {
		pid, _ := Driver(r)
		f.Close()
		return nil, prog.Errorf(prog.TryLater, "%s: process %d drives it", r.ID, pid)
	}
	return f, nil
}

// Apart refuses a run, which this process holds, while another process drives one above or
// below it: commands of the upper one can write the folder of the lower one, which must not
// be driven from outside of their sandbox then. A command of the run in the folder inside is
// in it. Of two processes that come at once at least one is refused.
func Apart(r run.Run, inside string) error {
	if inside != "" {
		return nil
	}
	for above, ok := r.Above(); ok; above, ok = above.Above() {
		if driven(above) {
			return prog.Errorf(prog.TryLater, "%s: the run above it, %s, still runs", r.ID,
				above.ID).Hintf("ua wait %s; ua fork %s continues a copy", above.ID, r.ID)
		}
	}
	var below error
	err := Each(filepath.Join(r.Dir, run.SubFolder), func(s run.Run) {
		if below == nil && driven(s) {
			below = prog.Errorf(prog.TryLater, "%s: its subagent %s still runs", r.ID, s.ID).
				Hintf("ua wait %s, or ua stop %[1]s", s.ID)
		}
	})
	if below != nil {
		return below
	}
	return err
}

func driven(r run.Run) bool {
	_, alive := Driver(r)
	return alive
}

// Driver returns the process that drives r, as this process's namespace counts it: 0
// where it has no number here. alive says whether there is one.
func Driver(r run.Run) (pid int, alive bool) {
	f, err := os.OpenFile(filepath.Join(r.Dir, LockFile),
		os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil ||
		lock.Type == unix.F_UNLCK {
		return 0, false
	}
	return max(int(lock.Pid), 0), true
}

// FolderError returns the error of a run's folder that can't be made or used.
func FolderError(err error) error {
	return prog.Errorf(prog.Status(err), "the run's folder: %v", err).
		Hintf("runs live in XDG_STATE_HOME, or else under HOME")
}

// IsID reports whether a name is one that run.NewID makes.
func IsID(name string) bool {
	return regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{6}$`).MatchString(name)
}

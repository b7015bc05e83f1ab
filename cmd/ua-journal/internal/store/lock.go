package store

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/runfolder"
	"ua/internal/common/safefile"
)

// sameFile reports whether f is still the file at path. The process that had it locked
// may have replaced it.
func sameFile(f *os.File, path string) bool {
	mine, err := f.Stat()
	now, err2 := os.Lstat(path)
	return err == nil && err2 == nil && os.SameFile(mine, now)
}

// lock takes a POSIX record lock on the file. The kernel releases it when this process
// ends in any way, and tells other processes who holds it (fcntl(2)). Without wait a held
// lock is an error with the status TryLater.
func lock(f *os.File, wait bool) error {
	how := unix.F_SETLK
	if wait {
		how = unix.F_SETLKW
	}
	for {
		err := unix.FcntlFlock(f.Fd(), how, &unix.Flock_t{Type: unix.F_WRLCK})
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN || err == syscall.EACCES:
			pid, _ := runfolder.Holder(f)
			return prog.Errorf(prog.TryLater, "%s: process %d is writing it", f.Name(), pid).
				Hintf("--wait waits for it to end")
		}
		return err
	}
}

// Claim locks the journal at path, so that nobody can begin to write it until the file is
// closed. It returns nil if somebody is writing it already.
func Claim(path string) (*os.File, error) {
	f, err := safefile.Change(path)
	if err != nil {
		return nil, err
	}
	if err = lock(f, false); err == nil && sameFile(f, path) {
		return f, nil
	}
	f.Close()
	var p *prog.Error
	if err == nil || errors.As(err, &p) && p.Status == prog.TryLater {
		return nil, nil
	}
	return nil, err
}

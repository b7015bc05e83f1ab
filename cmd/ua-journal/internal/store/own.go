package store

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// sameFile reports whether f still is what stands at path: the one who had it
// locked may have put another file in its place.
func sameFile(f *os.File, path string) bool {
	mine, err := f.Stat()
	now, err2 := os.Lstat(path)
	return err == nil && err2 == nil && os.SameFile(mine, now)
}

// OwnFolder refuses a folder in which somebody else could swap the file.
func OwnFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return prog.Errorf(prog.Trouble, "%q: not a folder", dir)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; int(uid) != os.Geteuid() {
		return prog.Errorf(prog.Trouble, "%q: the folder belongs to user %d", dir, uid).
			Hintf("a journal must be in a folder of its writer's own: mkdir one")
	}
	return nil
}

// OpenOwn opens a regular file of the user's for appending, and never through
// a symbolic link.
func OpenOwn(path string, mode int) (*os.File, error) {
	f, err := os.OpenFile(path, mode|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, prog.Errorf(prog.Trouble, "%q: a symbolic link, not followed", path)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = prog.Errorf(prog.Trouble, "%q: not a regular file", path)
	case int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid():
		err = prog.Errorf(prog.Trouble, "%q: belongs to user %d", path,
			info.Sys().(*syscall.Stat_t).Uid)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// lock takes the file's POSIX record lock, which the kernel drops when this
// process ends, however it ends, and which tells others who holds it.
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
			return prog.Errorf(prog.TryLater, "%s: process %d is writing it", f.Name(), Holder(f)).
				Hintf("--wait waits for it to end")
		}
		return err
	}
}

// Holder returns the process that has f locked, 0 when there is none.
func Holder(f *os.File) int {
	l := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &l); err != nil || l.Type == unix.F_UNLCK {
		return 0
	}
	return int(l.Pid)
}

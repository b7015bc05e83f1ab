package store

import (
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Watcher waits for changes of a file (inotify(7)).
type Watcher struct{ fd int }

// NewWatcher watches the folder of the file, and so also notices a file that replaces it.
func NewWatcher(path string) (*Watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return nil, err
	}
	_, err = unix.InotifyAddWatch(fd, filepath.Dir(path),
		unix.IN_MODIFY|unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_DELETE_SELF)
	return &Watcher{fd}, err
}

// Wait returns when the file may have changed, with gone set when nobody reads out any
// more. It returns every second at the latest, because some file systems report nothing.
func (w *Watcher) Wait(out *os.File) (gone bool, err error) {
	fds := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}, {Fd: int32(out.Fd())}}
	if _, err := unix.Poll(fds, 1000); err != nil && err != syscall.EINTR {
		return false, err
	}
	if fds[0].Revents != 0 {
		unix.Read(w.fd, make([]byte, 4096))
	}
	return fds[1].Revents&(unix.POLLERR|unix.POLLNVAL) != 0, nil
}

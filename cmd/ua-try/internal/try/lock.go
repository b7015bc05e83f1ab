//go:build linux

package try

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/regular"
)

// ErrBusy is the error of Lock when another process has the lock.
var ErrBusy = errors.New("in use")

// Lock takes the try's lock. It is held while the command or what it left behind runs,
// and while the try is applied, taken back or dropped. Closing the file releases it.
func (t *Try) Lock() (*os.File, error) {
	f, err := os.OpenFile(t.Path(lockFile), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK,
		0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		// One who only looks (Busy) has a shared lock for a moment, which keeps none of these away.
		if err == unix.EWOULDBLOCK && unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil {
			time.Sleep(time.Millisecond / 4)
			continue
		}
		f.Close()
		if err == unix.EWOULDBLOCK {
			err = ErrBusy
		}
		return nil, err
	}
}

// Busy reports whether another process has the lock.
func (t *Try) Busy() bool {
	f, err := regular.Open(t.Path(lockFile))
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK
}

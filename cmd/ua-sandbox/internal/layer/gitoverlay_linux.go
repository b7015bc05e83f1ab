package layer

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// A mounter is a thread that keeps the machine's file tree as it was before the view was
// built. It makes overlays of git folders there: the view may hide them, and nothing in the
// view leads to where their changes are kept.
type mounter struct{ jobs chan func() }

// newMounter starts the thread, with a mount namespace of its own.
func newMounter() (*mounter, error) {
	m := &mounter{jobs: make(chan func())}
	stands := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := unix.Unshare(unix.CLONE_NEWNS)
		stands <- err
		for err == nil {
			(<-m.jobs)()
		}
	}()
	return m, <-stands
}

// overlay returns a new overlay of a folder. Its changes go to the folder upper, which is
// empty, in the folder that has it and the one that the kernel works in.
func (m *mounter) overlay(lower, upper string) (fd int, err error) {
	done := make(chan struct{})
	m.jobs <- func() {
		defer close(done)
		fd, err = overlay(lower, upper)
	}
	<-done
	return fd, err
}

// overlay makes an overlay of lower that is mounted nowhere yet (fsopen(2), overlayfs). Its
// options name descriptors, since they take no path with a comma or a colon.
func overlay(lower, upper string) (fd int, err error) {
	var at [3]int
	for i, path := range []string{lower, upper + "/upper", upper + "/work"} {
		if at[i], err = confine.OpenPath(path, unix.O_DIRECTORY); err != nil {
			return -1, err
		}
		defer unix.Close(at[i])
	}
	fs, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fs)
	for i, key := range []string{"lowerdir", "upperdir", "workdir"} {
		path := fmt.Sprintf("/proc/self/fd/%d", at[i])
		err = errors.Join(err, unix.FsconfigSetString(fs, key, path))
	}
	for _, flag := range []string{"userxattr", "volatile"} {
		err = errors.Join(err, unix.FsconfigSetFlag(fs, flag))
	}
	if err != nil {
		return -1, err
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, err
	}
	return unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

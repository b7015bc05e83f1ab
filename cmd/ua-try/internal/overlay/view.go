//go:build linux

package overlay

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// A Layer is a folder that is covered, and the place of its changes.
type Layer struct {
	Path  string `json:"path"`
	Upper string `json:"upper"`
	Work  string `json:"work"`
}

// A View describes what a command sees of its folders.
type View struct {
	Layers []Layer  `json:"layers"` // outer ones first
	AsIs   []string `json:"as_is"`  // mounts of the kernel below them
	Hidden string   `json:"hidden"` // the try's folder: the command must not reach it
	User   bool     `json:"user"`   // there is a user namespace: marks go to user.overlay.*
}

// A Refusal is the step of a view that the system refuses, with its error.
type Refusal struct {
	Step string
	Err  error
}

// Error returns the step and the error.
func (r *Refusal) Error() string { return r.Step + ": " + r.Err.Error() }

// Unwrap returns the error of the step.
func (r *Refusal) Unwrap() error { return r.Err }

// An Open layer is mounted, and its parts can be reached from inside the view.
type Open struct {
	Path string
	Dev  uint64 // of the overlay
	tree.Layers
}

// Build makes the view in this process's mount namespace. The error is a *Refusal.
func (v *View) Build() (layers []Open, err error) {
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return nil, &Refusal{"mount namespace", err}
	}
	// Opened before anything is mounted over them.
	lowers := make([]int, len(v.Layers))
	for i, l := range v.Layers {
		fd, err := unix.Open(l.Path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, &Refusal{l.Path, err}
		}
		lowers[i] = fd
	}
	kept := make([]int, len(v.AsIs))
	for i, path := range v.AsIs {
		fd, err := unix.OpenTree(unix.AT_FDCWD, path,
			unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return nil, &Refusal{path, err}
		}
		kept[i] = fd
		defer unix.Close(fd)
	}
	for i, l := range v.Layers {
		open, err := v.cover(l, lowers[i])
		if err != nil {
			return nil, &Refusal{l.Path, err}
		}
		layers = append(layers, open)
	}
	for i, path := range v.AsIs {
		if err := unix.MoveMount(kept[i], "", unix.AT_FDCWD, path,
			unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return nil, &Refusal{path, err}
		}
	}
	if v.Hidden == "" {
		return layers, nil
	}
	err = unix.Mount("tmpfs", v.Hidden, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY,
		"mode=0,size=4k,nr_inodes=2")
	if err != nil && err != unix.ENOENT { // a cover may have put it out of sight
		return nil, &Refusal{v.Hidden, err}
	}
	return layers, nil
}

// cover mounts the overlay over the folder. The three folders are named by descriptor,
// since their names may contain the commas and colons that separate options.
func (v *View) cover(l Layer, lower int) (Open, error) {
	fds := []int{lower}
	for _, path := range []string{l.Upper, l.Work} {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return Open{}, err
		}
		fds = append(fds, fd)
	}
	defer unix.Close(fds[2])
	const fd = "/proc/self/fd/%d,"
	options := fmt.Sprintf("lowerdir="+fd+"upperdir="+fd+"workdir="+fd, fds[0], fds[1], fds[2])
	err := v.mount(l.Path, options)
	// A command that ended a moment ago, and goes on in its try, has had the layer mounted.
	for end := time.Now().Add(time.Second); err == unix.EBUSY && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		err = v.mount(l.Path, options)
	}
	if err != nil {
		return Open{}, err
	}
	var st unix.Stat_t
	err = unix.Stat(l.Path, &st)
	xattrs := "trusted" // to which a user namespace has no right (xattr(7))
	if v.User {
		xattrs = "user"
	}
	return Open{l.Path, uint64(st.Dev), tree.Layers{Lower: tree.Opened(fds[0]),
		Upper: tree.Opened(fds[1]), Xattrs: xattrs}}, err
}

// mount mounts the overlay with the best options that the kernel and the file systems
// take. A volatile overlay (Linux 5.10) does not wait for the disk, neither at the
// command's fsync(2) nor at the end. An apply waits for it instead.
func (v *View) mount(path, options string) (err error) {
	best := []string{"volatile,userxattr", "userxattr"}
	if !v.User {
		const plain = "redirect_dir=nofollow,metacopy=off,index=off"
		best = []string{"volatile," + plain, plain}
	}
	for _, more := range best {
		err = unix.Mount("ua-try", path, "overlay", 0, options+more)
		if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EOPNOTSUPP) {
			return err
		}
	}
	return err
}

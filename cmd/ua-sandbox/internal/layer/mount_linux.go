package layer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Step is the error of one step in building a sandbox.
type Step struct {
	Name string // proc, lo, or another layer's
	Err  error
}

// Error returns the step and its error. Unwrap returns the error.
func (s *Step) Error() string { return s.Name + ": " + s.Err.Error() }

// Unwrap returns the error without the step.
func (s *Step) Unwrap() error { return s.Err }

// step returns err as the error of a step, or nil.
func step(name string, err error) error {
	if err == nil {
		return nil
	}
	return &Step{name, err}
}

// Kind says what a Mount puts at its path.
type Kind string

// The kinds of mounts.
const (
	PrivateTmp   Kind = "private-tmp"    // the private tmp
	Tmpfs        Kind = "tmpfs"          // a folder in memory for the mounts below it
	Masked       Kind = "masked"         // nothing: neither readable nor writable
	MaskedAround Kind = "masked-around"  // nothing but the mounts below it
	Bind         Kind = "bind"           // what is there, writable
	ReadOnlyBind Kind = "bind-read-only" // what is there, read-only
	GitOverlay   Kind = "git-overlay"    // a git folder, whose changes go to Upper
	FileOf       Kind = "file"           // a file that holds Text
)

// A Mount is one mount at a path.
type Mount struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	Dir  bool   `json:"dir,omitempty"`
	Text string `json:"text,omitempty"`
	From string `json:"from,omitempty"` // of a Bind: what is shown there, if not what is there
	// the folders for the changes of a GitOverlay, outside, without their numbers
	Upper string `json:"upper,omitempty"`
	// the path lies in a PrivateTmp or MaskedAround and is made first
	Made bool `json:"made,omitempty"`
}

// A View is the file tree that a sandbox sees: the machine's, read-only, under mounts.
// Each parent in Mounts comes before what is below it.
type View struct {
	Mounts []Mount `json:"mounts"`
	Open   bool    `json:"open,omitempty"`  // the machine's files stay writable, and its devices
	Whole  bool    `json:"whole,omitempty"` // the machine's files stay writable
	// there is a pid namespace, so /proc is mounted afresh
	OwnProc  bool   `json:"own_proc,omitempty"`
	Tmp      string `json:"tmp,omitempty"`      // what PrivateTmp shows; "" is memory
	Terminal string `json:"terminal,omitempty"` // the caller's, seen as /dev/console
	PidMax   uint64 `json:"pid_max,omitempty"`  // bound on process numbers

	// hidden in an open view, unless there is a Terminal
	Terminals []string `json:"terminals,omitempty"`

	last    *os.File        // of the numbers of processes; nil without PidMax
	base    int             // Tmp's folder on the outside, as a tree of its own
	Renews  bool            // whether overlays of git folders are renewed
	mounter *mounter        // if they are
	beneath map[string]bool // paths at which a newer GitOverlay lies below the one that is seen
}

// Build makes the view in this process's own mount namespace. Trees are copied first,
// then the rest becomes read-only, and the copies are attached last.
func (v *View) Build() error {
	// Private, so that no mount here appears outside (mount_namespaces(7)).
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return step("mounts", err)
	}
	trees, err := v.clone()
	var overlay *Step
	if errors.As(err, &overlay) {
		return err
	}
	if err != nil {
		return step("mounts", err)
	}
	// Kept open, because the mounts will hide the folder of the private tmp.
	if v.base = -1; v.Tmp != "" {
		v.base, _ = unix.OpenTree(unix.AT_FDCWD, filepath.Dir(v.Tmp),
			unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	}
	devices := map[string]int{}
	if !v.Open {
		devices = cloneDevices(v.Terminal)
		if err := v.lockRoot(); err != nil {
			return step("mounts", fmt.Errorf("read-only root: %w", err))
		}
	}
	if v.OwnProc {
		var err error
		if v.last, err = freshProc(v.PidMax); err != nil {
			return step("proc", err)
		}
	}
	if v.Open {
		return v.buildOpen(trees)
	}
	if err := freshDev(devices); err != nil {
		return step("dev", err)
	}
	if err := v.mount(trees); err != nil {
		return step("mounts", err)
	}
	return step("dev", unix.MountSetattr(unix.AT_FDCWD, "/dev", 0,
		&unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}))
}

// buildOpen puts mounts on the machine's own files. The tmpfs on /dev only holds the
// blanks for a moment.
func (v *View) buildOpen(trees []int) error {
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV,
		tmpfs); err != nil {
		return step("dev", err)
	}
	err := step("dev", makeBlanks())
	if err == nil {
		err = step("mounts", v.mount(trees))
	}
	var blanks []int
	for range v.Terminals {
		fd, err2 := blank(false)
		err = errors.Join(err, step("dev", err2))
		blanks = append(blanks, fd)
	}
	if err = errors.Join(err, step("dev", unix.Unmount("/dev", unix.MNT_DETACH))); err != nil ||
		v.Terminal != "" {
		return err
	}
	for i, path := range v.Terminals {
		if err := put(blanks[i], path); err != nil && err != unix.ENOENT {
			return step("dev", fmt.Errorf("%s: %w", path, err))
		}
	}
	// Pseudo terminals of its own hide the user's.
	err = unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, ptsOptions)
	if err == unix.ENOENT {
		return nil
	}
	return step("dev", err)
}

// lockRoot makes the machine's files read-only. Those of the kernel become read-only even
// if a policy allows writes to the whole tree.
func (v *View) lockRoot() error {
	const harmless = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	if !v.Whole {
		return lock(unix.AT_FDCWD, "/", unix.MOUNT_ATTR_RDONLY|harmless)
	}
	if err := lock(unix.AT_FDCWD, "/", harmless); err != nil {
		return err
	}
	for _, path := range []string{"/proc", "/sys"} {
		if err := lock(unix.AT_FDCWD, path, unix.MOUNT_ATTR_RDONLY|harmless); err != nil &&
			err != unix.ENOENT {
			return err
		}
	}
	return nil
}

// mount puts each mount at its path. A path that does not exist, or that this user cannot
// reach without a capability, needs none.
func (v *View) mount(trees []int) error {
	for i, c := range v.Mounts {
		if c.Made {
			if err := mountPoint(c.Path, c.Dir); err != nil {
				return fmt.Errorf("%s: %w", c.Path, err)
			}
		}
		var err error
		fd := trees[i]
		switch {
		case c.Kind == MaskedAround:
			err = unix.Mount("tmpfs", c.Path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV,
				"mode=0711,size=64k")
		case c.Kind == Masked:
			if fd, err = blank(c.Dir); err == nil {
				err = put(fd, c.Path)
			}
		case c.Kind == FileOf:
			err = replace(c.Path, c.Text)
		case fd < 0:
			err = unix.Mount("tmpfs", c.Path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777")
		case c.Kind == ReadOnlyBind:
			err = putOr(fd, c.Path, unix.O_NOFOLLOW)
		default:
			err = put(fd, c.Path)
		}
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) && c.Kind == Masked {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	// Read-only last, since the mounts inside needed places to be made.
	for _, c := range v.Mounts {
		if c.Kind == MaskedAround {
			if err := unix.MountSetattr(unix.AT_FDCWD, c.Path, 0,
				&unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil && err != unix.ENOENT {
				return err
			}
		}
	}
	return nil
}

// StartNumbers lets the next process have the first number that is used again once all are
// used up (RESERVED_PIDS in kernel/pid.c): those below would come on top of PidMax.
func (v *View) StartNumbers() {
	if v.last != nil {
		_, _ = v.last.WriteString("300")
		v.last.Close()
	}
}

// TmpOutside returns the path by which only this process reaches Tmp outside once the
// view is built, or "".
func (v *View) TmpOutside() string {
	if v.Tmp == "" || v.base < 0 {
		return ""
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", v.base, filepath.Base(v.Tmp))
}

// clone opens detached copies of the trees that mounts will show, as they are before the
// rest becomes read-only (open_tree(2)).
func (v *View) clone() ([]int, error) {
	trees := make([]int, len(v.Mounts))
	for i, c := range v.Mounts {
		trees[i] = -1
		if c.Kind == GitOverlay {
			var err error
			if trees[i], err = v.cover(c); err != nil {
				return nil, step("overlay", fmt.Errorf("%s: %w", c.Path, err))
			}
			continue
		}
		from, take, attr := c.Path, plainTree, uint64(unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
		switch c.Kind {
		case Bind:
			if c.From != "" {
				from = c.From
			}
		// A protected path may itself be a link, which is then what is protected.
		case ReadOnlyBind:
			take = linkTree
			attr |= unix.MOUNT_ATTR_RDONLY
		// Without a folder on disk the private tmp is made in memory, when mounting.
		case PrivateTmp:
			if from, take = v.Tmp, tree; from == "" {
				continue
			}
		default:
			continue
		}
		fd, err := take(from)
		if err == nil {
			err = lock(fd, "", attr)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		trees[i] = fd
	}
	return trees, nil
}

// cover returns the first overlay of a git folder.
func (v *View) cover(c Mount) (fd int, err error) {
	if !v.Renews {
		return overlay(c.Path, c.Upper+".0")
	}
	if v.mounter == nil {
		v.beneath = map[string]bool{}
		if v.mounter, err = newMounter(); err != nil {
			return -1, err
		}
	}
	return v.mounter.overlay(c.Path, c.Upper+".0")
}

// moveMountBeneath is MOVE_MOUNT_BENEATH (move_mount(2), Linux 6.5).
const moveMountBeneath = 0x200

// Renew puts a new overlay of the git folder of a mount in the place of the one that is
// there, unless that is in use. The new one comes beneath first, so that the folder is
// never seen without one. If the old one stays nevertheless, the next call goes on.
func (v *View) Renew(c Mount, upper string) (renewed bool, err error) {
	if v.beneath[c.Path] {
		return v.uncover(c.Path)
	}
	// With this flag the first call only asks whether the mount is in use (umount(2)).
	if err := unix.Unmount(c.Path, unix.MNT_EXPIRE|unix.UMOUNT_NOFOLLOW); err != unix.EAGAIN {
		return false, nil
	}
	fd, err := v.mounter.overlay(c.Path, upper)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	err = attach(fd, c.Path, 0, moveMountBeneath)
	if err == nil {
		v.beneath[c.Path] = true
		return v.uncover(c.Path)
	}
	if unix.Unmount(c.Path, unix.UMOUNT_NOFOLLOW) != nil {
		return false, nil
	}
	return true, attach(fd, c.Path, 0, 0)
}

// uncover removes the overlay that lies on a newer one.
func (v *View) uncover(path string) (bool, error) {
	if unix.Unmount(path, unix.UMOUNT_NOFOLLOW) != nil {
		return false, nil
	}
	delete(v.beneath, path)
	return true, nil
}

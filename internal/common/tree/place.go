//go:build linux

package tree

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ua/internal/common/remove"
	"ua/internal/common/safefile"
)

// A Place is where a file is, or could be, below a root. A place without a root has none.
type Place struct {
	Root *Root
	Path string // relative, clean; "." is the root itself
}

// At returns the place at a relative path.
func (r *Root) At(rel string) Place { return Place{r, rel} }

// ErrChanged is the error for a file that is another one than it was a moment before.
var ErrChanged = errors.New("somebody else has changed it meanwhile")

// Join returns the place of a name in the folder.
func (p Place) Join(name string) Place { return Place{p.Root, path.Join(p.Path, name)} }

// String returns the absolute path, for people.
func (p Place) String() string {
	if p.Root == nil {
		return p.Path
	}
	return filepath.Join(p.Root.dir, p.Path)
}

// failed returns an error with the place in it, nil for none.
func (p Place) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	return pathError(op, p.String(), err)
}

// at calls do with the folder of the place and its name there. Where a folder keeps its
// owner out, the root may unlock it for that.
func (p Place) at(op string, do func(folder int, name string) error) error {
	there := func(folder int) error { return do(folder, path.Base(p.Path)) }
	err := p.Root.in(path.Dir(p.Path), there)
	if errors.Is(err, unix.EACCES) && p.Root.Unlocks && p.Root.LetIn(path.Dir(p.Path)) {
		err = p.Root.in(path.Dir(p.Path), there)
	}
	return p.failed(op, err)
}

// pin opens the file itself, whatever it is, and describes it.
func (p Place) pin() (fd pinned, f *File, err error) {
	fd = -1
	err = p.at("open", func(folder int, name string) (err error) {
		var n int
		if p.Path == "." { // whose own mode may forbid to look into it
			n, err = unix.FcntlInt(uintptr(folder), unix.F_DUPFD_CLOEXEC, 3)
		} else {
			n, err = unix.Openat(folder, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		}
		fd = pinned(n)
		return err
	})
	if err != nil {
		return -1, nil, err
	}
	if f, err = fd.file(); err != nil {
		fd.close()
		return -1, nil, p.failed("stat", err)
	}
	return fd, f, nil
}

// Lstat describes the file. It is nil where there is none, or no folder on the way to it.
func (p Place) Lstat() (f *File, err error) {
	err = p.at("lstat", func(folder int, name string) error {
		var st unix.Stat_t
		if p.Path == "." {
			err = unix.Fstat(folder, &st)
		} else {
			err = unix.Fstatat(folder, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		}
		f = From(&st)
		return err
	})
	if err == nil && f.Type == Symlink {
		var fd pinned
		if fd, f, err = p.pin(); err == nil {
			fd.close()
		}
	}
	if Gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// The mode that counts is the one before the folder was unlocked.
	if was, ok := p.Root.opened[p.Path]; ok && f.Ino == was.Ino {
		f.Mode = Mode(was.Mode & 0o7777)
	}
	return f, nil
}

// Gone reports whether an error means that there is no file of that name. A link on the
// way means it too, since what is behind it belongs to another folder.
func Gone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// Names returns the sorted names in the folder.
func (p Place) Names() (names []string, err error) { return p.Some(-1) }

// Some returns up to most names in the folder, sorted; all if most is negative.
func (p Place) Some(most int) (names []string, err error) {
	fd, err := p.list()
	if errors.Is(err, unix.EACCES) && p.Root.Unlocks && p.Root.LetIn(p.Path) {
		fd, err = p.list()
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), p.String())
	defer f.Close()
	if names, err = f.Readdirnames(most); err == io.EOF {
		err = nil
	}
	slices.Sort(names)
	return names, err
}

// list opens the folder for reading its names.
func (p Place) list() (fd int, err error) {
	fd = -1
	err = p.at("open", func(folder int, name string) (err error) {
		fd, err = unix.Openat(folder, name,
			unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		return err
	})
	return fd, err
}

// ErrKind is the error for what is no regular file where one is to be read.
var ErrKind = errors.New("no regular file")

// Open opens the regular file for reading.
func (p Place) Open() (*os.File, error) {
	fd, f, err := p.pin()
	if err != nil {
		return nil, err
	}
	defer fd.close()
	if f.Type != Regular {
		return nil, p.failed("open", ErrKind)
	}
	n, err := unix.Open(fd.path(), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, p.failed("open", err)
	}
	return os.NewFile(uintptr(n), p.String()), nil
}

// Read returns the content of the regular file, with safefile.ErrTooLarge for one of more
// than limit bytes.
func (p Place) Read(limit int64) ([]byte, error) {
	in, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	var text []byte
	if err == nil && info.Size() <= limit {
		text, err = io.ReadAll(io.LimitReader(in, limit+1)) // it may grow
	}
	if err == nil && max(info.Size(), int64(len(text))) > limit {
		return nil, p.failed("read", safefile.ErrTooLarge)
	}
	return text, err
}

// Create makes the file, where none must be, and opens it.
func (p Place) Create(mode uint32) (f *os.File, err error) {
	err = p.at("create", func(folder int, name string) error {
		fd, err := unix.Openat(folder, name,
			unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		if err == nil {
			f = os.NewFile(uintptr(fd), name)
		}
		return err
	})
	return f, err
}

// Mkdir makes the folder, for its owner alone.
func (p Place) Mkdir() error { return p.Make(0o700) }

// Make makes the folder with a mode, which the umask narrows.
func (p Place) Make(mode uint32) error {
	return p.at("mkdir", func(folder int, name string) error {
		return unix.Mkdirat(folder, name, mode)
	})
}

// Rmdir removes the empty folder.
func (p Place) Rmdir() error {
	return p.at("rmdir", func(folder int, name string) error {
		return unix.Unlinkat(folder, name, unix.AT_REMOVEDIR)
	})
}

// Unlink removes the file, which is no folder.
func (p Place) Unlink() error {
	return p.at("unlink", func(folder int, name string) error {
		return unix.Unlinkat(folder, name, 0)
	})
}

// RemoveAll removes the file, or the folder with all in it. It is no error if there is
// none.
func (p Place) RemoveAll() error {
	err := p.at("remove", func(folder int, name string) error {
		fd, err := unix.FcntlInt(uintptr(folder), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return err
		}
		dir := os.NewFile(uintptr(fd), p.String())
		defer dir.Close()
		return remove.At(dir, name)
	})
	if Gone(err) {
		return nil
	}
	return err
}

// Link makes another name of the file at a place, which must be free.
func (p Place) Link(to Place) error {
	return p.at("link", func(from int, old string) error {
		return to.at("link", func(folder int, name string) error {
			return unix.Linkat(from, old, folder, name, 0)
		})
	})
}

// Rename gives the file another place, with the flags of renameat2(2).
func (p Place) Rename(to Place, flags uint) error {
	return p.at("rename", func(from int, old string) error {
		return to.at("rename", func(folder int, name string) error {
			return unix.Renameat2(from, old, folder, name, flags)
		})
	})
}

// Attributes reads the attributes of the file, except those of an overlay and those that
// this user may not read.
func (p Place) Attributes() (list Attributes, err error) {
	err = p.with("getxattr", nil, func(fd pinned, _ *File) (err error) {
		list, err = fd.attributes()
		return err
	})
	return list, err
}

// Attribute reads one attribute. It is nil where the file has none of that name.
func (p Place) Attribute(name string) (value []byte) {
	_ = p.with("getxattr", nil, func(fd pinned, _ *File) (err error) {
		value, err = fd.attribute(name)
		return err
	})
	return value
}

// Strip removes the overlay's attributes.
func (p Place) Strip() error {
	return p.with("removexattr", nil, func(fd pinned, _ *File) error { return fd.strip() })
}

// Apply gives the file f's owner, mode and modification time, and the attributes; nil
// leaves those alone. A file of another type, or another one than was, is left alone;
// nil is any.
func (p Place) Apply(was, f *File, attributes Attributes) error {
	return p.with("set the attributes of", was, func(fd pinned, now *File) error {
		if now.Type != f.Type {
			return ErrChanged
		}
		return fd.apply(f, attributes)
	})
}

// Chmod sets the mode of the file if it is still the one that it was.
func (p Place) Chmod(was *File, mode Mode) error {
	return p.with("chmod", was, func(fd pinned, now *File) error {
		if now.Type == Symlink {
			return ErrChanged
		}
		return fd.chmod(uint32(mode))
	})
}

// SetMtime sets the modification time of the file.
func (p Place) SetMtime(at Stamp) error {
	return p.with("utimensat", nil, func(fd pinned, _ *File) error { return fd.setMtime(at) })
}

// with does something with the file by its descriptor, if it is the one that it was; nil is
// any.
func (p Place) with(op string, was *File, do func(pinned, *File) error) error {
	fd, now, err := p.pin()
	if err != nil {
		return err
	}
	defer fd.close()
	if was != nil && (was.Ino != now.Ino || was.Type != now.Type) {
		return p.failed(op, ErrChanged)
	}
	return p.failed(op, do(fd, now))
}

// Close gives unlocked folders their modes back and closes the folder.
func (r *Root) Close() {
	if r != nil {
		r.Settle()
		unix.Close(r.fd)
	}
}

// Settle gives the folders that were unlocked their modes back, inner ones first, since
// an outer one may keep even its owner from those inside.
func (r *Root) Settle() {
	if r == nil {
		return
	}
	inner := slices.SortedFunc(maps.Keys(r.opened),
		func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, rel := range inner {
		was := From(new(r.opened[rel]))
		delete(r.opened, rel)
		_ = r.At(rel).Chmod(was, was.Mode)
	}
}

package gitrules

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Folder is an open folder. Paths in it never lead out of it, and no symbolic link is
// followed on the way, whoever writes in it meanwhile (openat2(2)).
type Folder struct{ fd int }

// Open opens the folder at path, on whose way may be links.
func Open(path string) (*Folder, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return &Folder{fd}, nil
}

// FolderOf takes over an open descriptor of a folder.
func FolderOf(fd int) *Folder { return &Folder{fd} }

// Close closes the folder.
func (d *Folder) Close() {
	if d != nil {
		unix.Close(d.fd)
	}
}

// at opens a path in the folder.
func (d *Folder) at(name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat2(d.fd, name, &unix.OpenHow{
			Flags:   uint64(flags) | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK,
			Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS})
		if err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

// Sub opens a folder in the folder.
func (d *Folder) Sub(name string) (*Folder, error) {
	fd, err := d.at(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return &Folder{fd}, nil
}

// Stat returns the state of what is at a path. A link is not followed.
func (d *Folder) Stat(name string) (stat unix.Stat_t, err error) {
	parent, base, err := d.parent(name)
	if err != nil {
		return stat, err
	}
	defer parent.Close()
	return stat, unix.Fstatat(parent.fd, base, &stat, unix.AT_SYMLINK_NOFOLLOW)
}

// parent opens the folder of a path, and returns the last part of it.
func (d *Folder) parent(name string) (*Folder, string, error) {
	parent, err := d.Sub(filepath.Dir(name))
	return parent, filepath.Base(name), err
}

// errKind is the error for what is no regular file, and errLarge for one beyond its bound.
var (
	errKind  = errors.New("no regular file")
	errLarge = errors.New("too large")
)

// Read returns the content of a regular file of at most most bytes.
func (d *Folder) Read(name string, most int64) ([]byte, error) {
	f, err := d.File(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > most {
		return nil, errLarge
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = errLarge
	}
	return text, err
}

// File opens a regular file for reading.
func (d *Folder) File(name string) (*os.File, error) {
	fd, err := d.at(name, unix.O_RDONLY)
	if err == unix.ELOOP || err == unix.ENXIO {
		return nil, errKind
	}
	if err != nil {
		return nil, err
	}
	var stat unix.Stat_t
	if err = unix.Fstat(fd, &stat); err == nil && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errKind
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// Names returns up to most names in a folder.
func (d *Folder) Names(name string, most int) ([]string, error) {
	fd, err := d.at(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	names, err := f.Readdirnames(most)
	if err == io.EOF {
		err = nil
	}
	return names, err
}

// entries returns what is in a folder.
func (d *Folder) entries(name string) ([]os.DirEntry, error) {
	fd, err := d.at(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return f.ReadDir(-1)
}

// has reports whether anything is at a path.
func (d *Folder) has(name string) bool {
	_, err := d.Stat(name)
	return err == nil
}

// IsRepository reports whether git would take the folder for a git folder: one with a HEAD,
// and with objects and refs or a pointer to where these are.
func (d *Folder) IsRepository() bool {
	return d.has("HEAD") && (d.has("commondir") || d.has("objects") && d.has("refs"))
}

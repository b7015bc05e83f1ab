//go:build linux

// Package tree describes and copies files as they are: names of any bytes, every type of
// file, owners, modes, times, extended attributes and holes.
package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// A Name is a path or a word of any bytes. In JSON it is a string, or an object
// {"base64": "…"} if it is not UTF-8.
type Name string

// Shown returns a path so that a line can hold it. One with bytes that are not plain text is
// quoted, as git does it.
func Shown(path string) string {
	if quoted := strconv.Quote(path); quoted != `"`+path+`"` {
		return quoted
	}
	return path
}

// encoded is a name in JSON that is not UTF-8.
type encoded struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON writes the name in either form.
func (n Name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal(encoded{[]byte(n)})
}

// UnmarshalJSON reads a name in either form.
func (n *Name) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err == nil {
		*n = Name(s)
		return nil
	}
	var e encoded
	err := json.Unmarshal(text, &e)
	*n = Name(e.Base64)
	return err
}

// A Stamp is a time in nanoseconds since 1970. In text it is seconds with nine
// decimals, as stat(1) prints with %.9Y.
type Stamp int64

// StampOf returns the stamp of a kernel's timespec.
func StampOf(t unix.Timespec) Stamp { return Stamp(t.Nano()) }

// MarshalText writes the stamp as seconds with nine decimals.
func (s Stamp) MarshalText() ([]byte, error) {
	sec, nsec := int64(s)/1e9, int64(s)%1e9
	// Decimals count forwards, also before 1970.
	if nsec < 0 {
		sec, nsec = sec-1, nsec+1e9
	}
	return fmt.Appendf(nil, "%d.%09d", sec, nsec), nil
}

// UnmarshalText reads a stamp as MarshalText writes it.
func (s *Stamp) UnmarshalText(text []byte) error {
	sec, frac, ok := strings.Cut(string(text), ".")
	if !ok || len(frac) != 9 || strings.HasPrefix(frac, "-") {
		return fmt.Errorf("time %q: want seconds with nine decimals", text)
	}
	whole, err1 := strconv.ParseInt(sec, 10, 34)
	nsec, err2 := strconv.ParseInt(frac, 10, 64)
	*s = Stamp(whole*1e9 + nsec)
	return errors.Join(err1, err2)
}

// Type is the kind of a file, in short words.
type Type string

// The types of files.
const (
	Regular Type = "file"
	Folder  Type = "folder"
	Symlink Type = "link"
	Fifo    Type = "fifo"
	Socket  Type = "socket"
	Char    Type = "char"
	Block   Type = "block"
)

// A File is what lstat(2) says of a file, and a link's target.
type File struct {
	Type   Type   `json:"type"`
	Mode   Mode   `json:"mode"`
	UID    uint32 `json:"uid"`
	GID    uint32 `json:"gid"`
	Size   int64  `json:"size"`
	Mtime  Stamp  `json:"mtime"`
	Ctime  Stamp  `json:"ctime"`
	Ino    uint64 `json:"ino"`
	Links  uint64 `json:"links"`
	Target Name   `json:"target,omitempty"` // of a link
	Device uint64 `json:"device,omitempty"` // of a device

	Dev uint64 `json:"-"` // of the file system; it may differ after a restart
}

// Mode is the permission bits with set-user-ID, set-group-ID and sticky. In JSON it is
// octal.
type Mode uint32

// MarshalText writes the mode as four octal digits.
func (m Mode) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%04o", uint32(m)), nil }

// UnmarshalText reads a mode in octal.
func (m *Mode) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 12)
	*m = Mode(n)
	return err
}

// Lstat describes the file at path itself. It returns nil if there is none. It is for
// telling a person of a file; whoever changes one holds it by a Root.
func Lstat(path string) (*File, error) {
	var st unix.Stat_t
	switch err := unix.Lstat(path, &st); {
	case err == unix.ENOENT || err == unix.ENOTDIR:
		return nil, nil
	case err != nil:
		return nil, &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	f := From(&st)
	if f.Type == Symlink {
		target, err := os.Readlink(path)
		if err != nil {
			return nil, err
		}
		f.Target = Name(target)
	}
	return f, nil
}

// Real returns the absolute path, without links, of a file that exists.
func Real(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// From returns the File for the result of stat(2), without a link's target.
func From(st *unix.Stat_t) *File {
	f := &File{
		Type: typeOf(st.Mode), Mode: Mode(st.Mode & 0o7777), UID: st.Uid, GID: st.Gid, Size: st.Size,
		Mtime: StampOf(st.Mtim), Ctime: StampOf(st.Ctim), Ino: st.Ino, Links: uint64(st.Nlink),
		Dev: uint64(st.Dev),
	}
	if f.Type == Char || f.Type == Block {
		f.Device = uint64(st.Rdev)
	}
	return f
}

// kinds are the types with their bits of a mode (inode(7)).
var kinds = [...]struct {
	name Type
	bits uint32
}{{Regular, unix.S_IFREG}, {Folder, unix.S_IFDIR}, {Symlink, unix.S_IFLNK}, {Fifo, unix.S_IFIFO},
	{Socket, unix.S_IFSOCK}, {Char, unix.S_IFCHR}, {Block, unix.S_IFBLK}}

// typeOf returns the type in a mode.
func typeOf(mode uint32) Type {
	for _, k := range kinds {
		if mode&unix.S_IFMT == k.bits {
			return k.name
		}
	}
	return Regular
}

// bits returns the bits of a mode that mean the type.
func (t Type) bits() uint32 {
	for _, k := range kinds {
		if k.name == t {
			return k.bits
		}
	}
	return 0
}

// IsFolder reports whether f is a folder; nil is not.
func (f *File) IsFolder() bool { return f != nil && f.Type == Folder }

// Whiteout reports whether f is the mark by which an overlay hides a deleted file of the
// lower layer: a character device 0, 0 (the kernel's overlayfs.rst).
func (f *File) Whiteout() bool { return f != nil && f.Type == Char && f.Device == 0 }

// Attributes are extended attributes by name (xattr(7)).
type Attributes map[string][]byte

// Equal reports whether two sets have the same names and values.
func (a Attributes) Equal(b Attributes) bool { return maps.EqualFunc(a, b, bytes.Equal) }

// Overlay reports whether an attribute is one that an overlay uses for itself:
// user.overlay.* or trusted.overlay.*.
func Overlay(name string) bool {
	return strings.HasPrefix(name, "user.overlay.") || strings.HasPrefix(name, "trusted.overlay.")
}

// SameMeta reports whether two files have the same type, mode and owner. Links have no
// mode of their own.
func (f *File) SameMeta(g *File) bool {
	return f.Type == g.Type && f.UID == g.UID && f.GID == g.GID &&
		(f.Mode == g.Mode || f.Type == Symlink)
}

// Untouched reports whether g is the same file as f and was not changed in between. Of a
// folder only mode and owner count, since its times and size change with its content.
func (f *File) Untouched(g *File) bool {
	return f.Still(g) && (f.Type == Folder || f.Ctime == g.Ctime)
}

// Still is Untouched without the ctime, which a rename changes.
func (f *File) Still(g *File) bool {
	if !f.SameMeta(g) || f.Ino != g.Ino {
		return false
	}
	return f.Type == Folder || f.Size == g.Size && f.Mtime == g.Mtime && f.Target == g.Target &&
		f.Device == g.Device
}

// Cause returns an error without the path that it names.
func Cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// pathError adds the operation and the path to an error that has none.
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var already *os.PathError
	if errors.As(err, &already) {
		return err
	}
	return &os.PathError{Op: op, Path: path, Err: err}
}

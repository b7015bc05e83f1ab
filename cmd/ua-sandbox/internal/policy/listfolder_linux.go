package policy

import (
	"bytes"
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A lister reads folders one after another into the same memory. Otherwise a search of a
// large tree would spend most of its time on a record for each file.
type lister struct {
	buf    []byte
	counts map[uint64]bool // devices whose file system counts the folders in a folder
	links  bool            // links to the trees of others are asked for in each folder
}

// childless reports whether the folder dir has no subfolder, without listing it. Some
// file systems count one link for each subfolder (inode(7), st_nlink). Most folders of a
// source tree have none, and listing one takes several times as long.
func (l *lister) childless(dir string) (s stamp, ok bool) {
	var stat unix.Stat_t
	if unix.Lstat(dir, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR || stat.Nlink != 2 {
		return s, false
	}
	device := uint64(stat.Dev)
	counts, known := l.counts[device]
	if !known {
		var fs unix.Statfs_t
		counts = unix.Statfs(dir, &fs) == nil && (fs.Type == unix.EXT4_SUPER_MAGIC ||
			fs.Type == unix.XFS_SUPER_MAGIC || fs.Type == unix.TMPFS_MAGIC)
		if l.counts == nil {
			l.counts = map[uint64]bool{}
		}
		l.counts[device] = counts
	}
	return stampOf(&stat), counts
}

// list calls do for each name in the folder dir, in no particular order, and says whether
// it is a folder. It returns the stamp that the folder had before. A folder that cannot
// be read has no names.
func (l *lister) list(dir string, do func(name []byte, folder bool)) (s stamp) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return s
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) == nil {
		s = stampOf(&stat)
	}
	if l.buf == nil {
		l.buf = make([]byte, 32<<10)
	}
	for {
		n, err := unix.Getdents(fd, l.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return s
		}
		dirents(l.buf[:n], func(name []byte, kind byte) {
			isFolder := kind == unix.DT_DIR
			if kind == unix.DT_UNKNOWN { // the file system does not say
				info, err := os.Lstat(dir + "/" + string(name))
				isFolder = err == nil && info.IsDir()
			}
			do(name, isFolder)
		})
	}
}

// A stamp tells a file or folder from any other, and from itself before a change. No
// program can set the time of a change back (inode(7), ctime).
type stamp struct {
	dev, ino  uint64
	sec, nsec int64
}

// stampOf returns the stamp in a result of stat(2).
func stampOf(stat *unix.Stat_t) stamp {
	return stamp{uint64(stat.Dev), stat.Ino, int64(stat.Ctim.Sec), int64(stat.Ctim.Nsec)}
}

// stampAt returns the stamp of what is at path, without following a link; none if nothing
// is.
func stampAt(path string) (s stamp) {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) == nil {
		s = stampOf(&stat)
	}
	return s
}

// stampOfFile returns the stamp of an open file.
func stampOfFile(f *os.File) (s stamp) {
	var stat unix.Stat_t
	if unix.Fstat(int(f.Fd()), &stat) == nil {
		s = stampOf(&stat)
	}
	return s
}

// same reports whether two stamps belong to the same file, changed or not.
func (s stamp) same(o stamp) bool { return s.dev == o.dev && s.ino == o.ino }

// before reports whether the last change came clearly before t. The clock of a file
// system advances in steps of a few milliseconds.
func (s stamp) before(t time.Time) bool {
	return time.Unix(s.sec, s.nsec).Before(t.Add(-20 * time.Millisecond))
}

// dirents calls do for each record of getdents64(2): inode and offset with 8 bytes each,
// the length of the record with 2, the type with 1, and the name up to a zero byte.
func dirents(buf []byte, do func(name []byte, kind byte)) {
	const head = 19
	for len(buf) > head {
		size := int(binary.NativeEndian.Uint16(buf[16:]))
		if size <= head || size > len(buf) {
			return
		}
		name, _, _ := bytes.Cut(buf[head:size], []byte{0})
		if s := string(name); s != "." && s != ".." {
			do(name, buf[18])
		}
		buf = buf[size:]
	}
}

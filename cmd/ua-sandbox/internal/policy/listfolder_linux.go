package policy

import (
	"bytes"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// A lister reads folders one after another into the same memory. Otherwise a search of a
// large tree would spend most of its time on a record for each file.
type lister struct {
	buf    []byte
	counts map[uint64]bool // devices whose file system counts the folders in a folder
}

// childless reports whether the folder dir has no subfolder, without listing it. Some
// file systems count one link for each subfolder (inode(7), st_nlink). Most folders of a
// source tree have none, and listing one takes several times as long.
func (l *lister) childless(dir string) bool {
	var stat unix.Stat_t
	if unix.Lstat(dir, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR || stat.Nlink != 2 {
		return false
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
	return counts
}

// list calls do for each name in the folder dir, in no particular order, and says whether
// it is a folder. A folder that cannot be read has no names.
func (l *lister) list(dir string, do func(name []byte, folder bool)) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if l.buf == nil {
		l.buf = make([]byte, 32<<10)
	}
	for {
		n, err := unix.Getdents(fd, l.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return
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

package policy

import (
	"bytes"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// A lister reads folders one after another into the same memory: a search of a
// large tree would spend most of its time on a record for each file.
type lister struct{ buf []byte }

// list calls do for each name in the folder dir, in no order, and says whether it
// is a folder itself. A folder that can't be read has no names.
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
		entries(l.buf[:n], func(name []byte, kind byte) {
			isFolder := kind == unix.DT_DIR
			if kind == unix.DT_UNKNOWN { // the file system does not say
				info, err := os.Lstat(dir + "/" + string(name))
				isFolder = err == nil && info.IsDir()
			}
			do(name, isFolder)
		})
	}
}

// entries calls do for each record of getdents64(2): inode and offset of 8 bytes
// each, the record's length in 2, the type in 1, the name up to a zero.
func entries(buf []byte, do func(name []byte, kind byte)) {
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

package gitrules

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// ErrIndex is the error for an index that git has not written.
var ErrIndex = errors.New("not an index that git wrote")

// sparseFolder is the mode of an entry that stands for all of a folder which is not checked
// out (gitformat-index(5), sparse directory entries). Its name ends in a slash.
const sparseFolder = 0o40000

// readIndex reads an index (gitformat-index(5)) whose object names have size bytes, 20 or 32.
// It calls each with every path and what is staged there, and returns the name of the shared
// index whose entries count too, "" for none. It is as strict as git's own writer: git reads
// entries in more than one way, and an index that those ways read differently could hide a path
// from this one. So could one whose paths lead out of the working tree, as to hooks.
func readIndex(data []byte, size int, each func(staged, name []byte)) (base string, err error) {
	// A header of 12 bytes, then entries and extensions, and a checksum at the end.
	if len(data) < 12+size || string(data[:4]) != "DIRC" {
		return "", ErrIndex
	}
	r := &entries{data: data[:len(data)-size], at: 12, size: size,
		version: binary.BigEndian.Uint32(data[4:])}
	if r.version < 2 || r.version > 4 {
		return "", ErrIndex
	}
	var starts []start
	for n := binary.BigEndian.Uint32(data[8:]); n > 0; n-- {
		begin := start{at: r.at}
		mode, ok := r.entry(&begin)
		name := r.name
		if mode == sparseFolder {
			name, ok = bytes.CutSuffix(name, []byte("/"))
		}
		if !ok || !inTree(name) || mode == sparseFolder && len(name) == 0 {
			return "", ErrIndex
		}
		starts = append(starts, begin)
		each(r.staged, r.name)
	}
	return r.extensions(starts)
}

// A start is where an entry begins, and whether its name is independent of the entry
// before.
type start struct {
	at    int
	whole bool
}

// entries reads the entries of an index one after another.
type entries struct {
	data    []byte // without the checksum
	at      int
	version uint32
	size    int // of an object name
	name    []byte
	staged  []byte // mode, object and flags of the last entry
}

// take returns the next n bytes, or nil.
func (r *entries) take(n int) []byte {
	if n < 0 || n > len(r.data)-r.at {
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

// entry reads one entry: ten numbers of 4 bytes, the seventh of which is the mode, the
// object's name, flags of 2 or 4 bytes, and the path, which it leaves in name.
func (r *entries) entry(begin *start) (mode uint32, ok bool) {
	const extended, long = 0x4000, 0xfff
	fixed := r.take(40 + r.size + 2)
	if fixed == nil {
		return 0, false
	}
	mode = binary.BigEndian.Uint32(fixed[24:])
	r.staged = append(append(r.staged[:0], fixed[24:28]...), fixed[40:]...)
	flags := binary.BigEndian.Uint16(fixed[len(fixed)-2:])
	if flags&extended != 0 && (r.version < 3 || r.take(2) == nil) {
		return 0, false
	}
	begin.whole = true
	if r.version == 4 {
		// Version 4 gives how many bytes of the last name to drop, and what follows.
		cut, ok := r.varint()
		if !ok || cut > len(r.name) {
			return 0, false
		}
		r.name = r.name[:len(r.name)-cut]
		begin.whole = len(r.name) == 0
	} else {
		r.name = r.name[:0]
	}
	end := bytes.IndexByte(r.data[r.at:], 0)
	if end < 0 {
		return 0, false
	}
	r.name = append(r.name, r.take(end)...)
	// Git uses this length in some places and the zero byte in others, so they must
	// agree.
	if n := int(flags & long); n != min(len(r.name), long) {
		return 0, false
	}
	pad := 1
	if r.version < 4 {
		pad = 8 - (r.at-begin.at)%8
	}
	return mode, r.take(pad) != nil
}

// inTree reports whether a path can lie in a working tree. Git refuses to add any other
// path, but it checks out what an index contains, even ".git/hooks/x" and "../x".
func inTree(path []byte) bool {
	if len(path) == 0 {
		return true // of a split index
	}
	for part := range bytes.SplitSeq(path, []byte("/")) {
		switch len(part) {
		case 0, 1, 2:
			if len(bytes.Trim(part, ".")) == 0 {
				return false
			}
		case 4:
			if bytes.EqualFold(part, []byte(".git")) {
				return false
			}
		}
	}
	return true
}

// varint reads a number as in the offsets of a pack (gitformat-pack(5)).
func (r *entries) varint() (n int, ok bool) {
	for i := 0; ; i++ {
		b := r.take(1)
		if b == nil || i > 3 {
			return 0, false
		}
		if n = n<<7 | int(b[0]&0x7f); b[0]&0x80 == 0 {
			return n, true
		}
		n++
	}
}

// extensions reads what follows the entries: each extension has a signature of 4 bytes
// and a length. It returns the shared index file that "link" names. It compares the
// tables with which git reads entries in parallel to where the entries begin.
func (r *entries) extensions(starts []start) (base string, err error) {
	end := r.at
	// Git looks for the table at this place, whatever else these bytes are part of.
	if tail := r.data[max(end, len(r.data)-32):]; len(tail) == 32 && bytes.HasPrefix(tail,
		[]byte("EOIE\x00\x00\x00\x18")) &&
		int(binary.BigEndian.Uint32(tail[8:])) != end {
		return "", ErrIndex
	}
	for r.at < len(r.data) {
		head := r.take(8)
		if head == nil {
			return "", ErrIndex
		}
		body := r.take(int(binary.BigEndian.Uint32(head[4:])))
		ok := body != nil
		switch string(head[:4]) {
		case "link":
			if ok = ok && len(body) >= r.size; ok {
				base = "sharedindex." + hex.EncodeToString(body[:r.size])
			}
		case "IEOT":
			ok = blocks(body, starts)
		}
		if !ok {
			return "", ErrIndex
		}
	}
	return base, nil
}

// blocks reports whether a table of offsets is correct: a version, then offset and number
// of entries of each block.
func blocks(table []byte, starts []start) bool {
	if len(table) < 4 || len(table)%8 != 4 {
		return false
	}
	for table = table[4:]; len(table) > 0; table = table[8:] {
		at, n := binary.BigEndian.Uint32(table), binary.BigEndian.Uint32(table[4:])
		first := int(n)
		if first > len(starts) || n > 0 && (starts[0].at != int(at) || !starts[0].whole) {
			return false
		}
		starts = starts[first:]
	}
	return len(starts) == 0
}

// stagedIn returns what tells apart what is staged in an index with object names of either
// size, whatever it says of files in the working tree; nil if it counts on a shared index.
func stagedIn(data []byte) []byte {
	for _, size := range []int{sha1.Size, sha256.Size} {
		sum := sha256.New()
		base, err := readIndex(data, size, func(staged, name []byte) {
			sum.Write(staged)
			sum.Write(append(name, 0))
		})
		if err == nil && base == "" {
			return sum.Sum(nil)
		}
	}
	return nil
}

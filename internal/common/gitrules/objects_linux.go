package gitrules

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"sort"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// landObject gives a git folder a loose object, at the path under objects, or a large file, once
// it is verified. What is checked is the copy, which nobody else can write.
func landObject(from, to *tree.Root, name string, kind Kind) error {
	hash := strings.ReplaceAll(name[strings.LastIndex(name, "objects/")+len("objects/"):], "/", "")
	return put(from.At(name), to, func(_ *tree.Root, copy *os.File) error {
		if kind != Large {
			return Verify(copy, hash)
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, copy); err != nil {
			return err
		}
		if hex.EncodeToString(sum.Sum(nil)) != path.Base(name) {
			return errObject
		}
		return nil
	})
}

// put copies a regular file to the same path in another folder, if check accepts the copy in the
// folder where it comes to lie. A file that is there already stays.
func put(from tree.Place, to *tree.Root, check func(dir *tree.Root, copy *os.File) error) error {
	f, err := from.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	dir, base, err := makeParent(to, from.Path)
	if err != nil {
		return err
	}
	defer dir.Close()
	temp, err := tempIn(dir)
	if err != nil {
		return err
	}
	defer temp.Close()
	_, err = io.Copy(temp, f)
	if err == nil {
		_, err = temp.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = check(dir, temp)
	}
	at := dir.At(temp.Name())
	if err == nil {
		err = at.Rename(dir.At(base), unix.RENAME_NOREPLACE)
	}
	if err != nil {
		_ = at.Unlink()
	}
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return err
}

// tempIn makes a new file in a folder with a name that git takes for one of its own temporary
// files, and removes in time.
func tempIn(dir *tree.Root) (f *os.File, err error) {
	for n := range 1000 {
		at := dir.At(fmt.Sprintf("tmp_obj_ua%d_%d", os.Getpid(), n))
		if f, err = at.Create(0o444); err == nil {
			own(at)
		}
		if !errors.Is(err, unix.EEXIST) {
			break
		}
	}
	return f, err
}

// landPack gives a git folder a pack, with an index that git makes of it here: so every
// object in it is verified, and what came with it is not believed. The index is there first,
// and git takes none without a pack.
func landPack(git string, from, to *tree.Root, name string, promisor bool) error {
	stem := strings.TrimSuffix(path.Base(name), ".pack")
	return put(from.At(name), to, func(dir *tree.Root, copy *os.File) error {
		index := dir.At(copy.Name() + ".idx")
		defer index.Unlink()
		err := copy.Sync() // as git does with packs
		if err == nil {
			var hash string
			if hash, err = indexPack(git, dir, stem, copy.Name(), index.Path); err == nil &&
				!strings.HasSuffix(stem, "-"+hash) { // by which the user's git may want to make one
				err = errors.New("its name is not the hash of what it holds")
			}
		}
		if err != nil {
			return err
		}
		own(index) // git has made it
		if mark := dir.At(stem + ".promisor"); promisor {
			if f, err := mark.Create(0o444); err == nil {
				f.Close()
				own(mark)
			}
		}
		if has(dir, stem+".pack") {
			return unix.EEXIST
		}
		return index.Rename(dir.At(stem+".idx"), unix.RENAME_NOREPLACE)
	})
}

// A packIndex is the table of a pack (gitformat-pack(5), version 2).
type packIndex struct {
	file    *os.File
	size, n int64 // of a name, and how many there are
}

// indexHead is what stands before the names: a signature, a version, and for each first byte
// how many names are not above it.
const indexHead = 8 + 256*4

// openPackIndex opens the table of a pack whose objects have names of size bytes.
func openPackIndex(d *tree.Root, name string, size int) (x packIndex, err error) {
	x.size = int64(size)
	if x.file, err = d.At(name).Open(); err != nil {
		return x, err
	}
	head := make([]byte, indexHead)
	if _, err = x.file.ReadAt(head, 0); err == nil &&
		!bytes.HasPrefix(head, []byte("\xfftOc\x00\x00\x00\x02")) {
		err = errObject
	}
	if err != nil {
		x.file.Close()
		return x, err
	}
	x.n = int64(binary.BigEndian.Uint32(head[indexHead-4:]))
	return x, nil
}

// name returns the name at a place of the table.
func (x packIndex) name(at int64) []byte {
	name := make([]byte, x.size)
	if _, err := x.file.ReadAt(name, indexHead+at*x.size); err != nil {
		return nil
	}
	return name
}

// has reports whether an object is in the pack.
func (x packIndex) has(name []byte) bool {
	at := sort.Search(int(x.n), func(i int) bool {
		return bytes.Compare(x.name(int64(i)), name) >= 0
	})
	return int64(at) < x.n && bytes.Equal(x.name(int64(at)), name)
}

// A store are the objects of a git folder, as they are on disk.
type store struct {
	folder *tree.Root // of the objects
	packs  map[string]packIndex
	deep   int // how many others lead to it
}

// has reports whether the object of that name is there. Folders that git takes objects from
// beside its own count.
func (s *store) has(name string) bool {
	if s == nil {
		return false
	}
	if has(s.folder, name[:2]+"/"+name[2:]) {
		return true
	}
	raw, err := hex.DecodeString(name)
	if err != nil {
		return false
	}
	if s.packed(raw, "") {
		return true
	}
	if s.deep == maxNested {
		return false
	}
	for line := range strings.Lines(string(read(s.folder, "info/alternates", maxText))) {
		folder, err := Open(s.path(strings.TrimSpace(line)))
		if err != nil {
			continue
		}
		other := &store{folder: folder, packs: map[string]packIndex{}, deep: s.deep + 1}
		found := other.has(name)
		other.close()
		if found {
			return true
		}
	}
	return false
}

// packed reports whether a pack has the object, another one than that whose table is but.
func (s *store) packed(name []byte, but string) bool {
	s.read(len(name))
	for table, x := range s.packs {
		if table != but && x.has(name) {
			return true
		}
	}
	return false
}

// close closes the folder and the tables.
func (s *store) close() {
	for _, x := range s.packs {
		x.file.Close()
	}
	s.folder.Close()
}

// path returns a path of the alternates, which may be relative to the folder of objects.
func (s *store) path(name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", s.folder.FD(), name)
}

// read reads the tables of packs that have come since.
func (s *store) read(size int) {
	names, _ := s.folder.At("pack").Some(maxNames)
	for _, name := range names {
		if _, known := s.packs[name]; !known && strings.HasSuffix(name, ".idx") {
			if x, err := openPackIndex(s.folder, "pack/"+name, size); err == nil {
				s.packs[name] = x
			}
		}
	}
}

package main

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// A folder is where files of output go. It is made when the first is needed.
// Commands may be able to write it, those that can't write the workspace too:
// what is made in it is made there, whatever links they put in its place.
type folder struct {
	mu   sync.Mutex
	path string   // as --dir says, "" for a private folder; absolute once it is made
	dir  *os.Root // nil until it is made
	max  int64    // bytes that all files may hold; 0: no bound
	used int64    // bytes that they hold
}

// errFull is why there is no file of a whole output.
var errFull = errors.New("the files of outputs hold all that --dir-max lets them")

// room returns how large a further file may be, at most.
func (f *folder) room(most int64) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.max == 0 {
		return most
	}
	return min(most, max(1, f.max-f.used))
}

// count takes up that the file is whole.
func (f *folder) count(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if path == "" || f.dir == nil {
		return
	}
	if info, err := f.dir.Lstat(filepath.Base(path)); err == nil {
		f.used += info.Size()
	}
}

// create makes a file for the output of a call, which only the user can read.
func (f *folder) create(c *call, suffix string) (*os.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.max > 0 && f.used >= f.max {
		return nil, errFull
	}
	return f.open(c, suffix)
}

// open makes a file whatever the folder holds. The caller has the lock.
func (f *folder) open(c *call, suffix string) (*os.File, error) {
	if err := f.make(); err != nil {
		return nil, err
	}
	for {
		name := safeName(c.id) + "-" + random() + suffix
		file, err := f.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// random returns the part of a name that makes it new.
func random() string { return strconv.FormatUint(uint64(rand.Uint32()), 10) }

func (f *folder) make() (err error) {
	switch {
	case f.dir != nil:
		return nil
	case f.path == "":
		return f.makePrivate()
	}
	if f.path, err = filepath.Abs(f.path); err == nil {
		err = os.MkdirAll(f.path, 0o700)
	}
	if err == nil {
		f.dir, err = os.OpenRoot(f.path)
	}
	return err
}

// makePrivate makes a folder in TMPDIR.
func (f *folder) makePrivate() error {
	path, err := filepath.Abs(os.TempDir())
	if err != nil {
		return err
	}
	tmp, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer tmp.Close()
	name := "ua-exec-" + random()
	if err := tmp.Mkdir(name, 0o700); err != nil {
		return err
	}
	if f.dir, err = tmp.OpenRoot(name); err == nil {
		f.path = filepath.Join(path, name)
	}
	return err
}

// made returns the folder's path, or "" while there is none.
func (f *folder) made() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == nil {
		return ""
	}
	return f.path
}

// safeName returns a call's id as a part of a file's name.
func safeName(id string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
	return name[:min(len(name), 40)]
}

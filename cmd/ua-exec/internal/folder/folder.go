// Package folder keeps the files of commands' whole outputs and of jobs.
package folder

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

// A Folder is where files of output go. It is made when the first is needed.
// Commands may be able to write it, those that can't write the workspace too:
// what is made in it is made there, whatever links they put in its place.
type Folder struct {
	mu   sync.Mutex
	Path string   // as --dir says, "" for a private folder; absolute once it is made
	dir  *os.Root // nil until it is made
	Max  int64    // bytes that all files may hold; 0: no bound
	used int64    // bytes that they hold
}

// errFull is why there is no file of a whole output.
var errFull = errors.New("the files of outputs hold all that --dir-max lets them")

// Root returns the folder, nil while it is not made.
func (f *Folder) Root() *os.Root {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dir
}

// Make makes the folder, unless it is there.
func (f *Folder) Make() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.make()
}

// Count takes up that the file is whole.
func (f *Folder) Count(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if path == "" || f.dir == nil {
		return
	}
	if info, err := f.dir.Lstat(filepath.Base(path)); err == nil {
		f.used += info.Size()
	}
}

// Create makes a file for the output of the call with that ID, which only the user can read.
func (f *Folder) Create(id, suffix string) (*os.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Max > 0 && f.used >= f.Max {
		return nil, errFull
	}
	return f.open(id, suffix)
}

// Mark makes an empty file of that name.
func (f *Folder) Mark(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.make(); err != nil {
		return err
	}
	file, err := f.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// open makes a file whatever the folder holds. The caller has the lock.
func (f *Folder) open(id, suffix string) (*os.File, error) {
	if err := f.make(); err != nil {
		return nil, err
	}
	for {
		name := safeName(id) + "-" + Random() + suffix
		file, err := f.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// Random returns the part of a name that makes it new.
func Random() string { return strconv.FormatUint(uint64(rand.Uint32()), 10) }

func (f *Folder) make() (err error) {
	switch {
	case f.dir != nil:
		return nil
	case f.Path == "":
		return f.makePrivate()
	}
	if f.Path, err = filepath.Abs(f.Path); err == nil {
		err = os.MkdirAll(f.Path, 0o700)
	}
	if err == nil {
		f.dir, err = os.OpenRoot(f.Path)
	}
	return err
}

// makePrivate makes a folder in TMPDIR.
func (f *Folder) makePrivate() error {
	path, err := filepath.Abs(os.TempDir())
	if err != nil {
		return err
	}
	tmp, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer tmp.Close()
	name := "ua-exec-" + Random()
	if err := tmp.Mkdir(name, 0o700); err != nil {
		return err
	}
	if f.dir, err = tmp.OpenRoot(name); err == nil {
		f.Path = filepath.Join(path, name)
	}
	return err
}

// Made returns the folder's path, or "" while there is none.
func (f *Folder) Made() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == nil {
		return ""
	}
	return f.Path
}

// safeName returns a call's id as a part of a file's name.
func safeName(id string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' ||
			r == '-' {
			return r
		}
		return '_'
	}, id)
	return name[:min(len(name), 40)]
}

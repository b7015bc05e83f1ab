// Package outputdir keeps the files with commands' complete outputs, and the records of
// jobs.
package outputdir

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"ua/internal/common/jobs"
)

// A Folder is the folder for files of output. It is created when the first file is
// needed. Commands may be able to write to it, even those that cannot write to the
// workspace. Everything in it is therefore opened with os.Root, which follows no link out
// of it.
type Folder struct {
	mu   sync.Mutex
	Path string   // as --dir says, "" for a private folder; absolute once it is made
	dir  *os.Root // nil until it is made
	Max  int64    // bytes that all files may hold; 0: no bound
	used int64    // bytes that they hold
}

// errFull is the error when there is no space for another complete output.
var errFull = errors.New("the output files have reached --dir-max")

// Root returns the folder, or nil before it is created.
func (f *Folder) Root() *os.Root {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dir
}

// Make creates the folder if it does not exist yet.
func (f *Folder) Make() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.make()
}

// Count adds the size of a complete file to what all files hold.
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

// Create creates a file for the output of the call with that ID. Only the user can read
// it. The error is errFull when the limit is reached.
func (f *Folder) Create(id, suffix string) (*os.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Max > 0 && f.used >= f.Max {
		return nil, errFull
	}
	return f.open(id, suffix)
}

// Mark creates an empty file of that name, and fails if there is one.
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

// open creates a new file regardless of the limit. The caller holds the lock.
func (f *Folder) open(id, suffix string) (*os.File, error) {
	if err := f.make(); err != nil {
		return nil, err
	}
	for {
		name := safeName(id) + "-" + random() + suffix
		file, err := f.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// random returns a number to make a name unique.
func random() string { return strconv.FormatUint(uint64(rand.Uint32()), 10) }

// make is Make for a caller that holds the lock.
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

// makePrivate creates a folder with a random name in TMPDIR.
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
	name := "ua-exec-" + random()
	if err := tmp.Mkdir(name, 0o700); err != nil {
		return err
	}
	if f.dir, err = tmp.OpenRoot(name); err == nil {
		f.Path = filepath.Join(path, name)
	}
	return err
}

// Made returns the path of the folder, or "" before it is created.
func (f *Folder) Made() string {
	if root := f.Root(); root != nil {
		return root.Name()
	}
	return ""
}

// safeName returns the ID of a call as part of a file name: up to 40 letters, digits, _
// and -.
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

// BytesLeft returns how many bytes another file may hold: at most most, and no more than
// three quarters of the free space on the disk. The journal may be on the same disk, and a
// run ends without it.
func (f *Folder) BytesLeft(most int64) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Max > 0 {
		most = min(most, max(1, f.Max-f.used))
	}
	var disk syscall.Statfs_t
	if syscall.Statfs(cmp.Or(f.Path, os.TempDir()), &disk) == nil {
		free := int64(disk.Bavail) * int64(disk.Bsize)
		most = min(most, max(1, free-free/4))
	}
	return most
}

// Record writes the record to the file at path, or to a new file if path is "". It
// replaces the file as a whole, so that a reader never sees part of it. It returns the
// path, or "" if there is no file.
func (f *Folder) Record(id, path string, r *jobs.Record) string {
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := f.open(id, jobs.Suffix)
	if err != nil {
		return ""
	}
	_, err = file.Write(append(text, '\n'))
	if closed := file.Close(); err != nil || closed != nil {
		_ = f.dir.Remove(filepath.Base(file.Name()))
		return path
	}
	if path == "" {
		return file.Name()
	}
	if f.dir.Rename(filepath.Base(file.Name()), filepath.Base(path)) != nil {
		_ = f.dir.Remove(filepath.Base(file.Name()))
	}
	return path
}

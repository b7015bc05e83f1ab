//go:build linux

// Package try keeps the folders of tries (ua-try(1), FILES). A try's folder has what a
// command changed, and all that is needed to show it, to apply it and to take it back.
package try

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/remove"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/tree"
	"ua/internal/common/xdg"
)

// Version is the version of the layout of a try's folder.
const Version = 1

// The names of files and folders in a try's folder.
const (
	metaFile     = "try.json"
	endFile      = "end.json"
	lockFile     = "lock"
	ManifestFile = "manifest.jsonl"
	LandingDir   = "landing"
)

// A Meta is the content of try.json: what was tried, where and when.
type Meta struct {
	Version int         `json:"version"`
	ID      string      `json:"id"`
	Command []tree.Name `json:"command"`
	Title   tree.Name   `json:"title,omitempty"` // what a person is shown in place of the command
	Cwd     tree.Name   `json:"cwd"`
	Covers  []Cover     `json:"covers"`
	// by the clock of file systems: what was changed in the folder since has a later ctime
	Began  tree.Stamp `json:"began"`
	Xattrs string     `json:"xattrs"` // where the overlay keeps its marks: "user" or "trusted"
}

// A Cover is a folder that the command saw copy-on-write.
type Cover struct {
	Path tree.Name `json:"path"` // absolute
	// below the try's folder: its upper folder and, while it runs, its work folder
	Layer  string `json:"layer"`
	Coarse bool   `json:"coarse"` // its file system keeps times in seconds
}

// An End is the content of end.json: how the command ended. Without it the command still
// runs, or ua-try was killed.
type End struct {
	Ended   time.Time `json:"ended"`
	Status  int       `json:"status"`            // as a shell tells it: 128+n for signal n
	Running bool      `json:"running,omitempty"` // processes that the command left behind still ran
	// the first addresses that it spoke to over the network, which no try holds
	Network []string `json:"network,omitempty"`
	// what it wrote outside of the covered folders, or folders that hold that
	Outside []string `json:"outside,omitempty"`
	// the files that it changed and somebody else deleted before it ended
	Deleted []Place `json:"deleted,omitempty"`
}

// A Place is the place of a file in a cover.
type Place struct {
	Cover int       `json:"cover"` // index in try.json's covers
	Path  tree.Name `json:"path"`  // relative to the cover
}

// A Try is a try and its folder.
type Try struct {
	Meta
	Dir  string // of the try, absolute and without links
	Name string // by which the state folder knows it
}

// Root returns the folder in which tries are found. Each has a folder there, or a
// symbolic link to one that lies elsewhere.
func Root() string { return filepath.Join(xdg.State(), "tries") }

// New makes the folder of a new try in the root, or in the folder place with a link to it
// in the root. With out it uses that folder itself, which must be empty or not exist.
func New(place, out string) (*Try, error) {
	var r run.Run
	err := notOthers(Root())
	if err == nil {
		r, err = run.New(Root())
	}
	if err != nil && place != "" { // known by its path alone
		if r, err = run.New(place); err == nil {
			return &Try{Dir: r.Dir, Name: r.ID, Meta: Meta{Version: Version, ID: r.ID}}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	t := &Try{Dir: r.Dir, Name: r.ID, Meta: Meta{Version: Version, ID: r.ID}}
	if place == "" && out == "" {
		return t, nil
	}
	t.Dir = out
	if out == "" {
		t.Dir = filepath.Join(place, r.ID)
	}
	if err = os.MkdirAll(t.Dir, 0o700); err == nil {
		err = empty(t.Dir)
	}
	if err == nil {
		err = errors.Join(os.Remove(r.Dir), os.Symlink(t.Dir, r.Dir))
	}
	if err != nil {
		_ = os.Remove(r.Dir)
		return nil, err
	}
	return t, nil
}

// empty returns an error for a folder that is not empty.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%q: %w", dir, unix.ENOTEMPTY)
	}
	return err
}

// Layer returns the folder of the layer of cover i.
func (t *Try) Layer(i int) string { return filepath.Join(t.Dir, "layers", strconv.Itoa(i)) }

// Upper returns the folder that holds what was changed in cover i.
func (t *Try) Upper(i int) string { return filepath.Join(t.Layer(i), "upper") }

// Work returns the folder in which the kernel prepares what goes to Upper.
func (t *Try) Work(i int) string { return filepath.Join(t.Layer(i), "work") }

// Path returns the path of a file in the try's folder.
func (t *Try) Path(name string) string { return filepath.Join(t.Dir, name) }

// Save writes try.json.
func (t *Try) Save() error { return t.write(metaFile, t.Meta) }

// Finish writes end.json.
func (t *Try) Finish(e End) error { return t.write(endFile, e) }

// write writes v as JSON to a file in the try's folder.
func (t *Try) write(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return Replace(t.Path(name), append(text, '\n'))
}

// Replace writes a file anew. Readers see either the old text or the new one.
func Replace(path string, text []byte) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		os.Remove(path + ".new")
	}
	return err
}

// End returns how the command ended, nil if that is not known.
func (t *Try) End() *End {
	text, err := safefile.Read(t.Path(endFile), largest)
	if err != nil {
		return nil
	}
	e := &End{}
	if json.Unmarshal(text, e) != nil {
		return nil
	}
	return e
}

// Open opens the try in the folder dir. One of another user is refused, since a try
// itself says where its changes land.
func Open(dir string) (*Try, error) {
	real, err := tree.Real(dir)
	if err != nil {
		return nil, err
	}
	if err := Owned(real); err != nil {
		return nil, err
	}
	text, err := safefile.Read(filepath.Join(real, metaFile), largest)
	if err != nil {
		return nil, err
	}
	t := &Try{Dir: real, Name: filepath.Base(dir)}
	if err := t.decode(text); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(real, metaFile), err)
	}
	return t, nil
}

// decode reads try.json. A broken disk must not lead us to other folders.
func (t *Try) decode(text []byte) error {
	if err := json.Unmarshal(text, &t.Meta); err != nil {
		return err
	}
	if t.Version != Version {
		return fmt.Errorf("version %d: this program knows version %d", t.Version, Version)
	}
	if t.ID == "" || t.ID == "." || t.ID == ".." || strings.ContainsAny(t.ID, "/\x00") {
		return fmt.Errorf("%q: no ID", t.ID)
	}
	if len(t.Covers) == 0 || t.Xattrs != "user" && t.Xattrs != "trusted" {
		return errors.New("incomplete")
	}
	for _, c := range t.Covers {
		if p := string(c.Path); !filepath.IsAbs(p) || filepath.Clean(p) != p ||
			strings.ContainsRune(p, 0) {
			return fmt.Errorf("%q: not an absolute path", p)
		}
	}
	return nil
}

// Drop removes the try's folder and its entry in the root.
func (t *Try) Drop() error {
	if err := remove.All(t.Dir); err != nil {
		return err
	}
	err := os.Remove(filepath.Join(Root(), t.ID)) // a link, if there is anything
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Owned returns an error for a folder that another user could have put there or can
// change.
func Owned(dir string) error {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if int(st.Uid) != os.Geteuid() || st.Mode&0o022 != 0 {
		return fmt.Errorf("%s belongs to another user or can be written by others", dir)
	}
	return nil
}

// notOthers returns what Owned does, and nil for a folder that does not exist.
func notOthers(dir string) error {
	err := Owned(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ErrBusy is the error of Lock when another process has the lock.
var ErrBusy = errors.New("in use")

// Lock takes the try's lock. It is held while the command or what it left behind runs,
// and while the try is applied, taken back or dropped. Closing the file releases it.
func (t *Try) Lock() (*os.File, error) {
	f, err := os.OpenFile(t.Path(lockFile), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK,
		0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		// One who only looks (Busy) has a shared lock for a moment, which keeps none of these away.
		if err == unix.EWOULDBLOCK && unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil {
			time.Sleep(time.Millisecond / 4)
			continue
		}
		f.Close()
		if err == unix.EWOULDBLOCK {
			err = ErrBusy
		}
		return nil, err
	}
}

// lockWait is how long Claim waits for a try that is in use.
const lockWait = time.Second

// Claim takes the lock as Lock does, and waits for it a moment. Processes that the command has
// ended, but that the kernel has not taken down yet, hold it that much longer.
func (t *Try) Claim() (*os.File, error) {
	lock, err := t.Lock()
	for end := time.Now().Add(lockWait); errors.Is(err, ErrBusy) && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
		lock, err = t.Lock()
	}
	if errors.Is(err, ErrBusy) {
		return nil, prog.Errorf(prog.TryLater,
			"%s: in use: its command, what that left behind, or another ua-try still runs", t.ID)
	}
	return lock, err
}

// Busy reports whether another process has the lock.
func (t *Try) Busy() bool {
	f, err := safefile.Open(t.Path(lockFile))
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK
}

// largest is the largest file of a try's folder that is read, in bytes. That is far more
// than a file of a million changes has.
const largest = 1 << 30

// Package run names the folders in which runs live: DIR/journal.jsonl, DIR/media
// and DIR/sub, which holds the runs of its subagents. The tree of folders is the
// tree of agents.
package run

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/xdg"
)

// A Run is one run's folder.
type Run struct {
	// 20261121-191144-3f9a2c: UTC, then milliseconds and chance in three hex digits each; so names
	// sort by time
	ID  string
	Dir string
}

// Journal returns the path of the run's journal.
func (r Run) Journal() string { return filepath.Join(r.Dir, JournalFile) }

// Root returns the folder of the user's top-level runs, without symbolic links: commands
// can't follow one that lies in a folder hidden from them.
func Root() string { return regular.Follow(filepath.Join(xdg.State(), "runs")) }

// Parent returns the folder in which a new run belongs: UA_RUN_DIR/sub for a
// subagent, Root otherwise.
func Parent() string {
	if dir := os.Getenv(EnvDir); filepath.IsAbs(dir) {
		return filepath.Join(dir, SubFolder)
	}
	return Root()
}

// NewID returns an ID that no run has, but by a chance of one in 4,000 in its millisecond.
func NewID() string {
	var b [2]byte
	rand.Read(b[:])
	now := time.Now().UTC()
	return fmt.Sprintf("%s%03x%03x", now.Format("20060102-150405-"), now.UnixMilli()%1000,
		binary.LittleEndian.Uint16(b[:])&0xfff)
}

// New makes a folder, mode 0700, for a new run in parent.
func New(parent string) (Run, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return Run{}, err
	}
	for {
		id := NewID()
		r := Run{id, filepath.Join(parent, id)}
		if err := os.Mkdir(r.Dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return r, err
		}
	}
}

// Find returns the run that name means: a path (with a slash) of a run's folder or
// journal, an ID, the start of just one ID, or "last". Runs of subagents are
// found by whole ID or path.
func Find(name string) (Run, error) {
	if strings.ContainsRune(name, '/') {
		return fromPath(name)
	}
	runs, err := List(Root())
	if err != nil {
		return Run{}, err
	}
	if name == "last" && len(runs) > 0 {
		return runs[0], nil
	}
	found := Named(runs, name)
	if len(found) == 0 {
		if r, ok := findSub(name); ok {
			return r, nil
		}
	}
	return Only(found, name, "ua-journal ls lists the runs")
}

// Named returns the runs that name means: the first one with that ID, or all whose
// ID begins with it or has it as its last part.
func Named(runs []Run, name string) (found []Run) {
	for _, r := range runs {
		if r.ID == name {
			return []Run{r}
		}
		if name != "" && (strings.HasPrefix(r.ID, name) || strings.HasSuffix(r.ID, "-"+name)) {
			found = append(found, r)
		}
	}
	return found
}

// Only returns the one run that Named found for a name, or an error that says why
// there is none. The hint tells where the runs are listed.
func Only(found []Run, name, hint string) (Run, error) {
	switch len(found) {
	case 0:
		return Run{}, prog.Errorf(prog.Trouble, "%q: no such run", name).Hintf("%s", hint)
	case 1:
		return found[0], nil
	}
	return Run{}, prog.Errorf(prog.Trouble, "%q: matches %d runs", name, len(found)).
		Hintf("%s and %s are two of them", found[0].ID, found[1].ID)
}

func fromPath(path string) (Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Run{}, prog.Errorf(prog.Trouble, "%q: %v", path, errors.Unwrap(err))
	}
	dir := path
	if !info.IsDir() {
		dir = filepath.Dir(path)
	}
	dir, err = filepath.Abs(dir)
	return Run{filepath.Base(dir), dir}, err
}

// findSub looks for a subagent's run by its whole ID.
func findSub(id string) (r Run, ok bool) {
	filepath.WalkDir(Root(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || ok {
			return nil
		}
		if d.Name() == id && filepath.Base(filepath.Dir(path)) == "sub" {
			r, ok = Run{id, path}, true
		}
		return nil
	})
	return r, ok
}

// List returns the runs in a folder, newest first; none when there is no folder. A
// subagent can make folders there: one whose name could drive a terminal is no run.
func List(parent string) ([]Run, error) {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var runs []Run
	for _, e := range entries {
		if e.IsDir() && printable(e.Name()) {
			runs = append(runs, Run{e.Name(), filepath.Join(parent, e.Name())})
		}
	}
	slices.SortFunc(runs, func(a, b Run) int { return strings.Compare(b.ID, a.ID) })
	return runs, err
}

// printable reports whether nothing in a name could drive a terminal.
func printable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r == utf8.RuneError || !unicode.IsPrint(r)
	})
}

// Above returns the run whose subagent's r is, by where its folder lies.
func (r Run) Above() (above Run, ok bool) {
	sub := filepath.Dir(r.Dir)
	dir := filepath.Dir(sub)
	return Run{filepath.Base(dir), dir}, filepath.Base(sub) == SubFolder
}

// Top returns the run at the top of r's tree: r itself when none is above.
func (r Run) Top() Run {
	for above, ok := r.Above(); ok; above, ok = r.Above() {
		r = above
	}
	return r
}

// Children returns the runs of r's subagents, newest first. A subagent can write
// there: a link in the folder's place is not followed, so that a walk down the
// tree ends.
func (r Run) Children() ([]Run, error) {
	sub := filepath.Join(r.Dir, SubFolder)
	if info, err := os.Lstat(sub); err != nil || !info.IsDir() {
		return nil, nil
	}
	return List(sub)
}

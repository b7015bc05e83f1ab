//go:build linux

package landing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/regular"
)

// Renames work within one mount only. Where the try's folder is on that of the
// cover, it is the area itself: files go from the upper layer to their places
// and back, and nothing is copied. Where it is not, the area is a folder in the
// cover for as long as a landing takes. It is filled with copies first, and
// what was replaced is copied from it to the try afterwards.

// areaFor is the area of a cover.
func areaFor(t *try.Try, cover int) tree.Name {
	dir := string(t.Covers[cover].Path)
	if sameMount(t.Dir, dir) {
		return tree.Name(t.Dir)
	}
	return areaIn(t, cover)
}

func sameMount(a, b string) bool {
	var x, y unix.Statx_t
	const mask = unix.STATX_BASIC_STATS | unix.STATX_MNT_ID
	if unix.Statx(unix.AT_FDCWD, a, 0, mask, &x) != nil ||
		unix.Statx(unix.AT_FDCWD, b, 0, mask, &y) != nil {
		return false
	}
	known := x.Mask&y.Mask&unix.STATX_MNT_ID != 0 // Linux 5.8
	return x.Dev_major == y.Dev_major && x.Dev_minor == y.Dev_minor && known && x.Mnt_id == y.Mnt_id
}

// An announced area is one that may be there though no plan speaks of it yet.
type announced struct {
	Area  tree.Name  `json:"area"`
	Cover int        `json:"cover"`
	Mtime tree.Stamp `json:"mtime"` // of the cover before
}

const announcedFile = "areas.json"

// announce notes which areas a plan will have, before they are made.
func (l *lander) announce(p *Plan) error {
	var list []announced
	for i := range p.Areas {
		f, err := l.covers[i].lstat(".")
		if err != nil || f == nil {
			return errors.Join(err, unix.ENOENT)
		}
		if l.staged(p, i) {
			list = append(list, announced{p.Areas[i], i, f.Mtime})
		}
	}
	if len(list) == 0 {
		return nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return try.Replace(filepath.Join(l.t.Path(try.LandingDir), announcedFile), text)
}

// Sweep removes the areas of a landing that was killed before it had a plan.
func Sweep(t *try.Try) error {
	path := filepath.Join(t.Path(try.LandingDir), announcedFile)
	text, err := regular.Read(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	plans, err := Plans(t)
	if err != nil {
		return err
	}
	for _, p := range plans {
		if p.State == Applying || p.State == Undoing {
			return nil // the areas are in use
		}
	}
	var list []announced
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, a := range list {
		if a.Cover < 0 || a.Cover >= len(t.Covers) || a.Area != areaIn(t, a.Cover) {
			return fmt.Errorf("%s: %q is no area", path, string(a.Area))
		}
		if f, err := tree.Lstat(string(a.Area)); err != nil || f == nil {
			continue
		}
		err := tree.Remove(string(a.Area))
		if err == nil {
			err = tree.SetMtime(string(t.Covers[a.Cover].Path), a.Mtime)
		}
		if err != nil {
			return err
		}
	}
	return os.Remove(path)
}

// areaIn is the area of a cover that lies in it.
func areaIn(t *try.Try, cover int) tree.Name {
	return tree.Name(filepath.Join(string(t.Covers[cover].Path), ".ua-try-"+t.ID))
}

// staged says whether a cover's area is a folder of its own.
func (l *lander) staged(p *Plan, cover int) bool { return string(p.Areas[cover]) != l.t.Dir }

// enter opens the covers and areas of a plan and makes areas that are missing.
func (l *lander) enter(p *Plan) error {
	l.leave()
	for i, c := range l.t.Covers {
		r, err := newRoot(string(c.Path))
		if err != nil {
			return err
		}
		l.covers = append(l.covers, r)
		area := string(p.Areas[i])
		if l.staged(p, i) {
			if filepath.Dir(area) != string(c.Path) {
				return &os.PathError{Op: "open", Path: area, Err: errors.New("no area of this try")}
			}
			err := os.Mkdir(area, 0o700)
			if errors.Is(err, fs.ErrPermission) && r.letIn(".") {
				err = os.Mkdir(area, 0o700)
			}
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if r, err = newRoot(area); err != nil {
			return err
		}
		l.areas = append(l.areas, r)
		old, err := r.lstat(swapName)
		if err != nil {
			return err
		}
		l.swaps = append(l.swaps, old)
	}
	return os.MkdirAll(l.kept(p), 0o700)
}

func (l *lander) leave() {
	for _, r := range l.covers {
		r.close()
	}
	for _, r := range l.areas {
		r.close()
	}
	l.covers, l.areas, l.swaps = nil, nil, nil
}

// kept is the folder in which what a plan replaces is kept.
func (l *lander) kept(p *Plan) string {
	return filepath.Join(l.t.Path(try.LandingDir), strconv.Itoa(p.Number)+".kept")
}

// slots says where each step's slot is: in an area of its own they are numbers.
func (l *lander) slots(p *Plan) {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Slot != "" && l.staged(p, s.Cover) {
			s.Slot = tree.Name(strconv.Itoa(i))
		}
	}
}

// fill copies the new files to areas of their own. The plan then tells of the
// copies, which are what will be landed.
func (l *lander) fill(p *Plan) error {
	links := map[uint64]string{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Slot == "" || s.Kind == Remove || s.Link != "" {
			continue
		}
		home := filepath.Join(l.t.Upper(s.Cover), string(s.Path))
		if !l.staged(p, s.Cover) {
			if err := tree.Strip(home); err != nil {
				return err
			}
			continue
		}
		to := filepath.Join(string(p.Areas[s.Cover]), string(s.Slot))
		if err := copyTree(home, to, links); err != nil {
			return err
		}
		after, err := tree.Lstat(to)
		if err != nil || after == nil {
			return errors.Join(err, unix.ENOENT)
		}
		s.After = after
	}
	return nil
}

// drain copies what was replaced from areas of their own to the try.
func (l *lander) drain(p *Plan) error {
	links := map[uint64]string{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kind != Replace && s.Kind != Remove || !l.staged(p, s.Cover) {
			continue
		}
		from := filepath.Join(string(p.Areas[s.Cover]), string(s.Slot))
		if err := copyOnce(from, filepath.Join(l.kept(p), strconv.Itoa(i)), links); err != nil {
			return err
		}
	}
	return nil
}

// refill copies what was replaced back to areas of their own, before it is put
// back.
func (l *lander) refill(p *Plan) error {
	links := map[uint64]string{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kind != Replace && s.Kind != Remove || !l.staged(p, s.Cover) {
			continue
		}
		from, to := filepath.Join(l.kept(p), strconv.Itoa(i)),
			filepath.Join(string(p.Areas[s.Cover]), string(s.Slot))
		if err := copyOnce(from, to, links); err != nil {
			return err
		}
		if f, err := tree.Lstat(to); err != nil {
			return err
		} else if f != nil {
			s.Before.Ino = f.Ino
		}
	}
	return nil
}

// clear removes areas of their own. The folder that held one gets its time back.
func (l *lander) clear(p *Plan) error {
	for i := range l.t.Covers {
		if !l.staged(p, i) {
			continue
		}
		before, err := tree.Lstat(string(l.t.Covers[i].Path))
		if err == nil {
			err = tree.Remove(string(p.Areas[i]))
		}
		if errors.Is(err, fs.ErrPermission) && i < len(l.covers) && l.covers[i].letIn(".") {
			err = tree.Remove(string(p.Areas[i])) // the folder's mode comes back when it is left
		}
		if err == nil && before != nil {
			err = tree.SetMtime(string(l.t.Covers[i].Path), before.Mtime)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyOnce copies a tree so that it is there whole or not at all.
func copyOnce(from, to string, links map[uint64]string) error {
	f, err := tree.Lstat(from)
	if err != nil || f == nil {
		return err
	}
	if err := errors.Join(tree.Remove(to), tree.Remove(to+".new")); err != nil {
		return err
	}
	if err := copyTree(from, to+".new", links); err != nil {
		return errors.Join(err, tree.Remove(to+".new"))
	}
	for ino, path := range links {
		if rest, ok := cutPrefixPath(path, to+".new"); ok {
			links[ino] = to + rest
		}
	}
	return os.Rename(to+".new", to)
}

func cutPrefixPath(p, prefix string) (rest string, ok bool) {
	if p == prefix {
		return "", true
	}
	if len(p) > len(prefix) && p[:len(prefix)] == prefix && p[len(prefix)] == '/' {
		return p[len(prefix):], true
	}
	return "", false
}

// copyTree copies a file or a folder with all that lies in it; names of one file
// stay so among all that is copied with the same links.
func copyTree(from, to string, links map[uint64]string) error {
	f, err := tree.Lstat(from)
	if err != nil || f == nil {
		return errors.Join(err, unix.ENOENT)
	}
	if !f.IsFolder() {
		if first, ok := links[f.Ino]; ok && f.Links > 1 {
			return os.Link(first, to)
		}
		if f.Links > 1 {
			links[f.Ino] = to
		}
		return tree.Copy(from, to, f)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	names, err := namesIn(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyTree(path.Join(from, name), path.Join(to, name), links); err != nil {
			return err
		}
	}
	attributes, err := tree.AttributesOf(from)
	if err != nil {
		return err
	}
	return f.Apply(to, attributes)
}

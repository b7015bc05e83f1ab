//go:build linux

package landing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/regular"
)

// Renames work within one mount only. Where the try's folder is on that of the
// cover, it is the area itself: files go from the upper layer to their places
// and back, and nothing is copied. Where it is not, the area is a folder in the
// cover for as long as a landing takes. It is filled with copies first, and
// what was replaced is copied from it to the try afterwards. It is removed only
// when the plan's state says that nothing in it is needed any more.

// areaFor returns the area of a cover.
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

// An announced area is one that may be there though no plan needs it: it is noted
// before it is made, and again when all that it holds is safe elsewhere.
type announced struct {
	Area  tree.Name  `json:"area"`
	Cover int        `json:"cover"`
	Mtime tree.Stamp `json:"mtime"` // what the cover gets when the area is gone
}

const announcedFile = "areas.json"

// announce notes which areas a plan has, with the times of the covers as they are.
func (l *lander) announce(p *Plan) (list []announced, err error) {
	for i := range p.Areas {
		f, err := l.covers[i].lstat(".")
		if err != nil || f == nil {
			return nil, errors.Join(err, unix.ENOENT)
		}
		if l.staged(p, i) {
			list = append(list, announced{p.Areas[i], i, f.Mtime})
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return list, try.Replace(announcedPath(l.t), text)
}

func announcedPath(t *try.Try) string {
	return filepath.Join(t.Path(try.LandingDir), announcedFile)
}

// end gives a plan that is landed or taken back its last state and removes its
// areas. A kill leaves the rest to Sweep.
func (l *lander) end(p *Plan, state State) error {
	list, err := l.announce(p)
	if err != nil && !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EDQUOT) {
		return err
	}
	if err := p.to(l.t, state); err != nil {
		return err
	}
	return removeAreas(l.t, list)
}

// Sweep removes the areas that a landing has left which was killed before it had
// a plan, or after its plan was done.
func Sweep(t *try.Try) error {
	text, err := regular.Read(announcedPath(t), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	plans, err := Plans(t)
	if err != nil || Underway(plans) { // the areas are in use
		return err
	}
	var list []announced
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", announcedPath(t), err)
	}
	for _, a := range list {
		if a.Cover < 0 || a.Cover >= len(t.Covers) || a.Area != areaIn(t, a.Cover) {
			return fmt.Errorf("%s: %q is no area", announcedPath(t), string(a.Area))
		}
	}
	return removeAreas(t, list)
}

// removeAreas removes areas, gives the folders that held them their times, and
// then forgets the announcement.
func removeAreas(t *try.Try, list []announced) error {
	for _, a := range list {
		cover, err := newRoot(string(t.Covers[a.Cover].Path))
		if err != nil {
			return err
		}
		err = tree.Remove(string(a.Area))
		if errors.Is(err, fs.ErrPermission) && cover.letIn(".") {
			err = tree.Remove(string(a.Area))
		}
		cover.close() // which gives the folder's mode back
		if err == nil {
			err = setTime(string(t.Covers[a.Cover].Path), a.Mtime)
		}
		if err != nil {
			return err
		}
	}
	if err := os.Remove(announcedPath(t)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// areaIn returns the area of a cover that lies in it.
func areaIn(t *try.Try, cover int) tree.Name {
	return tree.Name(filepath.Join(string(t.Covers[cover].Path), ".ua-try-"+t.ID))
}

// staged reports whether a cover's area is a folder of its own.
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

// enterDirect opens the covers for a plan, with the try's folder as the area of each.
func (l *lander) enterDirect(number int) error {
	areas := slices.Repeat([]tree.Name{tree.Name(l.t.Dir)}, len(l.t.Covers))
	return l.enter(&Plan{Head: Head{Number: number, Areas: areas}})
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

// setTime gives a folder a time, unless it is another user's.
func setTime(dir string, at tree.Stamp) error {
	f, err := tree.Lstat(dir)
	if err != nil {
		return err
	}
	if err = tree.SetMtime(dir, at); anothers(f, err) {
		return nil
	}
	return err
}

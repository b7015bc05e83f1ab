//go:build linux

package landing

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

// Renames work within one mount only. Where the try's folder is on that of the
// cover, it is the area itself: files go from the upper layer to their places
// and back, and nothing is copied. Where it is not, the area is a folder in the
// cover for as long as a landing takes. It is filled with copies first, and
// what was replaced is copied from it to the try afterwards. It is removed only
// when the plan's state says that nothing in it is needed any more.

// areaFor returns the folder in which the slots of a cover's steps lie.
func areaFor(t *try.Try, cover int) tree.Name {
	dir := string(t.Covers[cover].Path)
	if sameMount(t.Dir, dir) {
		return tree.Name(t.Dir)
	}
	return areaIn(t, cover)
}

// sameMount reports whether both paths are on one mount, between whose parts rename(2)
// works. Kernels that do not tell count as no.
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

// areaIn returns the area that lies in the cover itself.
func areaIn(t *try.Try, cover int) tree.Name {
	return tree.Name(filepath.Join(string(t.Covers[cover].Path), ".ua-try-"+t.ID))
}

// staged reports whether a cover's area is a folder in the cover.
func (l *lander) staged(p *Plan, cover int) bool { return string(p.Areas[cover]) != l.t.Dir }

// enter opens the covers and the areas of a plan, and makes areas that are missing.
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
			// A plan's file may be broken, and files are moved to and from the area.
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
		// What lies here was left by an exchange that was cut.
		old, err := r.lstat(swapName)
		if err != nil {
			return err
		}
		l.swaps = append(l.swaps, old)
	}
	return os.MkdirAll(l.kept(p), 0o700)
}

// enterDirect opens the covers for a plan, with the try's folder as area of each.
func (l *lander) enterDirect(number int) error {
	areas := slices.Repeat([]tree.Name{tree.Name(l.t.Dir)}, len(l.t.Covers))
	return l.enter(&Plan{Head: Head{Number: number, Areas: areas}})
}

// leave closes the covers and the areas.
func (l *lander) leave() {
	for _, r := range l.covers {
		r.close()
	}
	for _, r := range l.areas {
		r.close()
	}
	l.covers, l.areas, l.swaps = nil, nil, nil
}

// setTime sets a folder's modification time, unless the folder is another user's.
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

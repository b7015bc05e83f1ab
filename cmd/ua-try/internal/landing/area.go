//go:build linux

package landing

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

// Renames work within one mount only. Where the try's folder is on that of the cover, it
// is the area itself: files go from the upper layer to their places and back, and nothing
// is copied. Where it is not, the area is a folder beside the cover, which commands that
// may write the cover cannot write, for as long as a landing takes. It is filled with
// copies first, and what was replaced is copied from it to the try afterwards. It is
// removed only when the plan's state says that nothing in it is needed any more. Where
// nothing can be made beside the cover, or that is another mount, the area lies in it.

// areaFor returns the folder in which the slots of a cover's steps lie.
func (l *lander) areaFor(cover int) tree.Name {
	if tree.SameMount(l.home, l.covers[cover]) {
		return tree.Name(l.t.Dir)
	}
	beside := areaBeside(l.t, cover)
	r, err := tree.Open(filepath.Dir(string(beside)))
	if err == nil {
		defer r.Close()
		if tree.SameMount(r, l.covers[cover]) && try.Owned(filepath.Dir(string(beside))) == nil {
			return beside
		}
	}
	return areaIn(l.t, cover)
}

// areaBeside returns the area that lies beside the cover.
func areaBeside(t *try.Try, cover int) tree.Name {
	return tree.Name(filepath.Join(filepath.Dir(string(t.Covers[cover].Path)),
		".ua-try-"+t.ID+"-"+strconv.Itoa(cover)))
}

// areaIn returns the area that lies in the cover itself.
func areaIn(t *try.Try, cover int) tree.Name {
	return tree.Name(filepath.Join(string(t.Covers[cover].Path), ".ua-try-"+t.ID))
}

// staged reports whether a cover's area is a folder that a landing makes.
func (l *lander) staged(p *Plan, cover int) bool { return string(p.Areas[cover]) != l.t.Dir }

// holder opens the folder that holds a staged area. A plan's file may be broken, and
// files are moved to and from the area.
func holder(t *try.Try, cover int, area tree.Name) (*tree.Root, error) {
	if area != areaIn(t, cover) && area != areaBeside(t, cover) {
		return nil, &os.PathError{Op: "open", Path: string(area),
			Err: errors.New("no area of this try")}
	}
	r, err := tree.Open(filepath.Dir(string(area)))
	if err == nil {
		r.Unlocks = true
	}
	return r, err
}

// enter opens the areas of a plan, and makes those that are missing.
func (l *lander) enter(p *Plan) error {
	l.leave()
	for i := range l.t.Covers {
		r, err := l.openArea(p, i)
		if err != nil {
			return err
		}
		r.Unlocks = true
		l.areas = append(l.areas, r)
		// What lies here was left by an exchange that was cut.
		old, err := r.At(swapName).Lstat()
		if err != nil {
			return err
		}
		l.swaps = append(l.swaps, old)
	}
	err := l.home.At(try.LandingDir).Mkdir()
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = l.kept(p).Mkdir()
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// openArea opens the area of a cover.
func (l *lander) openArea(p *Plan, cover int) (*tree.Root, error) {
	if !l.staged(p, cover) {
		return tree.Open(l.t.Dir)
	}
	r, err := holder(l.t, cover, p.Areas[cover])
	if err != nil {
		return nil, err
	}
	defer r.Close()
	at := r.At(filepath.Base(string(p.Areas[cover])))
	if err := at.Mkdir(); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return r.Sub(at.Path)
}

// enterDirect opens the areas for a plan, with the try's folder as the one of each cover.
func (l *lander) enterDirect(number int) error {
	p := &Plan{Head: Head{Number: number}}
	for range l.t.Covers {
		p.Areas = append(p.Areas, tree.Name(l.t.Dir))
	}
	return l.enter(p)
}

// leave closes the areas, and gives unlocked folders their modes back.
func (l *lander) leave() {
	for _, r := range l.covers {
		r.Settle()
	}
	for _, r := range l.areas {
		r.Close()
	}
	l.areas, l.swaps = nil, nil
}

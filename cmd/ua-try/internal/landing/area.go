//go:build linux

package landing

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
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
	if r, err := holder(l.t, cover, beside); err == nil {
		defer r.Close()
		if tree.SameMount(r, l.covers[cover]) {
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

// errOthers is the error for a folder beside a cover in which others can put something.
var errOthers = errors.New("no place for an area")

// holder opens the folder that holds a staged area. A plan's file may be broken, and
// files are moved to and from the area.
func holder(t *try.Try, cover int, area tree.Name) (*tree.Root, error) {
	dir := filepath.Dir(string(area))
	switch beside := area == areaBeside(t, cover); {
	case area != areaIn(t, cover) && !beside:
		return nil, &os.PathError{Op: "open", Path: string(area),
			Err: errors.New("no area of this try")}
	case beside && try.Owned(dir) != nil:
		return nil, errOthers
	}
	r, err := tree.Open(dir)
	if err == nil {
		r.Unlocks = true
	}
	return r, err
}

// swapName is the name, in an area, of the old file during an exchange by renames.
const swapName = "swap"

// enter opens the areas of a plan, and makes those that are missing.
func (l *lander) enter(p *Plan) error {
	l.leave()
	for i := range l.t.Covers {
		r := l.home
		if l.staged(p, i) {
			var err error
			if r, err = l.openArea(p, i); err != nil {
				return err
			}
			r.Unlocks = true
		}
		l.areas = append(l.areas, r)
		// What lies here was left by an exchange that was cut.
		old, err := r.At(swapName).Lstat()
		if err != nil {
			return err
		}
		l.swaps = append(l.swaps, old)
	}
	if err := l.kept(p).Mkdir(); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// openArea opens a staged area.
func (l *lander) openArea(p *Plan, cover int) (*tree.Root, error) {
	r, err := holder(l.t, cover, p.Areas[cover])
	if err != nil {
		return nil, err
	}
	defer r.Close()
	at := r.At(filepath.Base(string(p.Areas[cover])))
	if err := quietly(r, at.Mkdir); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return r.Sub(at.Path)
}

// quietly does something in a folder, which keeps its time.
func quietly(r *tree.Root, something func() error) error {
	dir, err := r.At(".").Lstat()
	if err != nil {
		return err
	}
	err = something()
	r.Settle()
	if e := r.At(".").SetMtime(dir.Mtime); e != nil && !ofAnotherUser(dir, e) {
		err = errors.Join(err, e)
	}
	return err
}

// ofAnotherUser reports whether an error means that a folder is another user's, into which
// this user may put files. Its mode and times cannot be set then, and the try has changed
// no more of it than its time.
func ofAnotherUser(f *tree.File, err error) bool {
	return errors.Is(err, unix.EPERM) && f != nil && int(f.UID) != os.Geteuid()
}

// leave closes the areas, and gives unlocked folders their modes back.
func (l *lander) leave() {
	for _, r := range l.covers {
		r.Settle()
	}
	for _, r := range l.areas {
		if r != l.home {
			r.Close()
		}
	}
	l.areas, l.swaps = nil, nil
}

// kept returns the folder in which what a plan has replaced is kept.
func (l *lander) kept(p *Plan) tree.Place {
	return l.home.At(filepath.Join(try.LandingDir, strconv.Itoa(p.Number)+".kept"))
}

// slots sets the slots of the steps whose area lies in a cover: there they are numbers.
func (l *lander) slots(p *Plan) {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Slot != "" && l.staged(p, s.Cover) {
			s.Slot = tree.Name(strconv.Itoa(i))
		}
	}
}

// fill copies the new files into areas in covers, and has the plan describe the copies,
// since those are what is landed.
func (l *lander) fill(p *Plan) error {
	links := map[uint64]tree.Place{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Slot == "" || s.Kind == Remove || s.Link != "" {
			continue
		}
		home := l.upper(s.Cover, s.Path)
		if !l.staged(p, s.Cover) {
			// The file itself goes to the folder, where the overlay's marks mean nothing.
			if err := home.Strip(); err != nil {
				return err
			}
			continue
		}
		to := l.slot(s)
		if err := copyTree(home, to, links); err != nil {
			return err
		}
		after, err := to.Lstat()
		if err != nil || after == nil {
			return errors.Join(err, unix.ENOENT)
		}
		s.After = after
	}
	return nil
}

// A replacement is a step that takes a file away, with its place in an area in a cover
// and the place of the copy in the try.
type replacement struct {
	step       *Step
	slot, kept tree.Place
}

// replaced yields the replacements of a plan.
func (l *lander) replaced(p *Plan) iter.Seq[replacement] {
	return func(yield func(replacement) bool) {
		for i := range p.Steps {
			s := &p.Steps[i]
			if s.Kind != Replace && s.Kind != Remove || !l.staged(p, s.Cover) {
				continue
			}
			if !yield(replacement{s, l.slot(s), l.kept(p).Join(strconv.Itoa(i))}) {
				return
			}
		}
	}
}

// drain copies what was replaced from areas in covers to the try.
func (l *lander) drain(p *Plan) error {
	links, copied := map[uint64]tree.Place{}, false
	for r := range l.replaced(p) {
		if err := copyOnce(r.slot, r.kept, links); err != nil {
			return err
		}
		copied = true
	}
	if !copied {
		return nil
	}
	return l.home.Sync() // what was copied from is removed next
}

// forget removes the copies of what a plan had replaced, since the plan is taken back.
// What a forced undo took away stays.
func (l *lander) forget(p *Plan) error {
	for r := range l.replaced(p) {
		if err := r.kept.RemoveAll(); err != nil {
			return err
		}
	}
	return nil
}

// refill copies what was replaced back into areas in covers, before it is put back.
func (l *lander) refill(p *Plan) error {
	links := map[uint64]tree.Place{}
	for r := range l.replaced(p) {
		if err := copyOnce(r.kept, r.slot, links); err != nil {
			return err
		}
		if f, err := r.slot.Lstat(); err != nil {
			return err
		} else if f != nil {
			r.step.Before.Ino = f.Ino
		}
	}
	return nil
}

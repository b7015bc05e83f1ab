//go:build linux

package landing

import (
	"errors"
	"iter"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

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

//go:build linux

package landing

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// ErrNothing is the error of an apply or undo that finds nothing to do.
var ErrNothing = errors.New("nothing to do")

// A Result counts what an apply or undo has done.
type Result struct {
	Files, Folders int
	Finished       bool // an earlier one that was cut was finished first
}

// A lander applies one try and takes it back.
type lander struct {
	t      *try.Try
	list   []manifest.Entry
	home   *tree.Root // the try's folder
	covers []*tree.Root
	areas  []*tree.Root               // where slots lie, for each cover
	swaps  []*tree.File               // what a cut exchange has left in each area
	cut    map[string]map[uint64]bool // of a plan, the inodes of what was at each path before it
	say    func(format string, a ...any)
}

// newLander opens the try's folder and the folders that it covers, once for all that a
// landing does. The caller closes them.
func newLander(t *try.Try, say func(string, ...any)) (l *lander, err error) {
	l = &lander{t: t, say: say}
	if l.home, err = tree.Open(t.Dir); err != nil {
		return l, err
	}
	l.home.Unlocks = true
	for _, c := range t.Covers {
		r, err := tree.Open(string(c.Path))
		if err != nil {
			return l, err
		}
		r.Unlocks = true
		l.covers = append(l.covers, r)
	}
	return l, nil
}

// close closes all folders. Those that were unlocked get their modes back.
func (l *lander) close() {
	l.leave()
	for _, r := range append(l.covers, l.home) {
		r.Close()
	}
}

// real returns the place of a step in the folder, and slot the one of its other file.
func (l *lander) real(s *Step) tree.Place { return l.covers[s.Cover].At(string(s.Path)) }
func (l *lander) slot(s *Step) tree.Place { return l.areas[s.Cover].At(string(s.Slot)) }

// upper returns the place of a path in a layer of the try.
func (l *lander) upper(cover int, path tree.Name) tree.Place {
	return l.home.At(filepath.Join("layers", strconv.Itoa(cover), "upper", string(path)))
}

// start opens what an apply or undo needs.
func start(t *try.Try, say func(string, ...any)) (l *lander, plans []*Plan, err error) {
	if l, err = newLander(t, say); err == nil {
		l.list, err = manifest.Load(t)
	}
	if err == nil {
		err = Sweep(t)
	}
	if err == nil {
		plans, err = Plans(t)
	}
	return l, plans, err
}

// next returns the number of the next plan.
func next(plans []*Plan) int {
	n := 1
	for _, p := range plans {
		n = max(n, p.Number+1)
	}
	return n
}

// count adds the files and folders of a landing to the result.
func (l *lander) count(number int, r Result) Result {
	var mine []manifest.Entry
	for _, e := range l.list {
		if e.Applied == number {
			mine = append(mine, e)
		}
	}
	files, folders := manifest.Files(mine)
	r.Files, r.Folders = r.Files+files, r.Folders+folders
	return r
}

// end gives a plan its last state and removes its areas. After a kill, Sweep does the
// rest.
func (l *lander) end(p *Plan, state State) error {
	if err := p.to(l.t, state); err != nil {
		return err
	}
	return Sweep(l.t)
}

// Sweep removes the areas of a try that no plan needs any more: those of one that is done, or
// was killed before it had a plan. A plan that can't be read may need them.
func Sweep(t *try.Try) error {
	if plans, err := Plans(t); err != nil || Underway(plans) {
		return nil
	}
	for i := range t.Covers {
		for _, area := range []tree.Name{areaIn(t, i), areaBeside(t, i)} {
			r, err := holder(t, i, area)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errOthers) {
				continue
			}
			if err == nil {
				at := r.At(filepath.Base(string(area)))
				if f, e := at.Lstat(); e == nil && f != nil {
					err = quietly(r, at.RemoveAll)
				}
				r.Close()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Drop removes a try, and what a killed landing has left in the covered folders.
func Drop(t *try.Try) error {
	if err := Sweep(t); err != nil {
		return err
	}
	return t.Drop()
}

// Progress returns how far a try has come, in one word (ua-try(1)).
func Progress(t *try.Try, entries []manifest.Entry) string {
	plans, err := Plans(t)
	if err != nil {
		return "broken"
	}
	switch {
	case t.Busy(): // with its command, an apply or an undo
		return "running"
	case Underway(plans):
		return "cut"
	}
	applied, open := 0, 0
	for i := range entries {
		if entries[i].Applied != 0 {
			applied++
		} else {
			open++
		}
	}
	switch {
	case len(entries) == 0:
		return "empty"
	case applied == 0:
		return "kept"
	case open == 0:
		return "applied"
	}
	return "partly"
}

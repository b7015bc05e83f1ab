//go:build linux

package landing

import (
	"errors"
	"io/fs"
	"path/filepath"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

// ErrNothing is the error of an apply or undo that finds nothing to do.
var ErrNothing = errors.New("nothing to do")

// A Result counts what an apply or undo has done.
type Result struct {
	Files, Folders int
	Finished       bool // an earlier one that was cut was finished first
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

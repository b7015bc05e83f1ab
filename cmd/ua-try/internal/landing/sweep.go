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

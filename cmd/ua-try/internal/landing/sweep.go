//go:build linux

package landing

import (
	"errors"
	"io/fs"
	"path/filepath"

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

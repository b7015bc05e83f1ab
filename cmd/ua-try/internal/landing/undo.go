//go:build linux

package landing

import (
	"errors"
	"fmt"
	"slices"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// takenBack marks entries in memory that were just taken back.
const takenBack = -1

// giveUp takes back what was done of a plan that could not be finished, so that an apply
// does all or nothing.
func (l *lander) giveUp(p *Plan, cause error) error {
	if err := l.takeBack(p, false); err != nil {
		return fmt.Errorf("%w; and what was applied could not be taken back (%v): apply again "+
			"finishes it, undo takes it back", cause, err)
	}
	return cause
}

// Undo takes back all landings of a try, the newest first. Without force, what others
// have changed since is a Conflicts error, and nothing is done. The caller holds the
// try's lock.
func Undo(t *try.Try, force bool, say func(string, ...any)) (r Result, err error) {
	l, plans, err := start(t, say)
	defer l.close()
	if err != nil {
		return r, err
	}
	plans = slices.DeleteFunc(plans, func(p *Plan) bool { return p.State == Undone })
	slices.Reverse(plans)
	if len(plans) == 0 {
		return r, ErrNothing
	}
	// All conflicts are found before anything is taken back.
	if !force {
		var all Conflicts
		for i, p := range plans {
			list, err := l.changesSince(p, plans[:i])
			if err != nil {
				return r, err
			}
			all = append(all, list...)
		}
		if len(all) > 0 {
			return r, all
		}
	}
	for _, p := range plans {
		r = l.count(p.Number, r)
		if err := l.takeBack(p, force); err != nil {
			return r, err
		}
	}
	return r, nil
}

// takeBack undoes all steps of a plan, the last one first.
func (l *lander) takeBack(p *Plan, force bool) error {
	if err := l.ready(p); err != nil {
		return err
	}
	if p.State != Undoing {
		if err := p.to(l.t, Undoing); err != nil {
			return err
		}
	}
	l.cut = l.inodesBefore(p)
	err := l.undoSteps(p, force)
	l.cut = nil
	if err != nil {
		return err
	}
	if err := l.keepLater(p); err != nil {
		return err
	}
	if err := l.forget(p); err != nil { // on a full disk, what follows needs the space
		return err
	}
	entries, _ := l.choose(p) // an apply that was cut has not marked them yet
	for _, e := range entries {
		e.Applied = takenBack
	}
	l.refresh(func(e *manifest.Entry) bool {
		return e.Applied == takenBack || e.Applied == 0 && e.Before.Links > 1
	})
	for i := range l.list {
		l.list[i].Applied = max(l.list[i].Applied, 0)
	}
	if err := manifest.Save(l.t, l.list); err != nil {
		return err
	}
	return l.end(p, Undone)
}

// ready opens what taking a plan back needs. Areas in covers, which an applied plan no
// longer has, are made and filled again.
func (l *lander) ready(p *Plan) error {
	own := slices.ContainsFunc(p.Areas, func(a tree.Name) bool { return string(a) != l.t.Dir })
	if p.State != Applied || !own {
		return l.enter(p)
	}
	err := l.enter(p)
	if err == nil {
		err = l.refill(p)
	}
	if err == nil {
		err = l.sync(p)
	}
	if err == nil {
		err = p.save(l.t)
	}
	if err != nil {
		return errors.Join(err, Sweep(l.t))
	}
	return nil
}

// undoSteps undoes the steps. The attributes of folders come last here, too.
func (l *lander) undoSteps(p *Plan, force bool) error {
	for _, attrs := range []bool{false, true} {
		for i := len(p.Steps) - 1; i >= 0; i-- {
			if s := &p.Steps[i]; (s.Kind == Attrs) == attrs {
				if err := l.undo(s, force); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

//go:build linux

package landing

import (
	"errors"
	"io/fs"
	"slices"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// An Order says what is applied.
type Order struct {
	Paths []tree.Name // absolute: what is at or below them; all without any
	Force bool        // also replaces what others have changed since
	// What the rules of git folders refuse is left out, or lands all the same. With
	// neither, nothing lands.
	SkipRefused, AllowRefused bool
}

// Apply applies changes of a try. If it may not, a Conflicts or Refusals error says why,
// and nothing is done. The caller holds the try's lock. say tells a person what they
// should know.
func Apply(t *try.Try, o Order, say func(string, ...any)) (r Result, err error) {
	l, plans, err := start(t, say)
	defer l.close()
	if err == nil {
		err = manifest.Tidy(t)
	}
	if err != nil {
		return r, err
	}
	for _, p := range plans {
		switch p.State {
		// Landings that a kill has cut are finished first, in order.
		case Applying:
			err = l.land(p)
			r = l.count(p.Number, r)
		case Undoing:
			err = l.takeBack(p, o.Force)
		default:
			continue
		}
		if err != nil {
			return r, err
		}
		r.Finished = true
	}
	p := &Plan{Head: Head{Number: next(plans), Paths: o.Paths, Force: o.Force}, State: Applying}
	for i := range t.Covers {
		p.Areas = append(p.Areas, l.areaFor(i))
	}
	if err := l.begin(p, o); err != nil {
		if errors.Is(err, ErrNothing) && r.Finished {
			return r, nil
		}
		return r, err
	}
	if err := l.land(p); err != nil {
		return r, l.giveUp(p, err)
	}
	return l.count(p.Number, r), nil
}

// begin makes a plan and writes it down. Before that nothing in the folders is changed,
// apart from making the areas in them.
func (l *lander) begin(p *Plan, o Order) (err error) {
	if err := l.home.At(try.LandingDir).Mkdir(); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	entries, err := l.allowed(p, o)
	if err != nil {
		return err
	}
	if entries == nil {
		return ErrNothing
	}
	if err := l.build(p, entries); err != nil {
		return err
	}
	if err = l.enter(p); err == nil {
		l.slots(p)
		err = l.fill(p)
	}
	if err == nil {
		err = p.save(l.t)
	}
	if err != nil {
		return errors.Join(err, Sweep(l.t))
	}
	return nil
}

// allowed returns the entries that a plan is for and that may land, nil if it is for none.
func (l *lander) allowed(p *Plan, o Order) ([]*manifest.Entry, error) {
	entries, err := l.choose(p)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	refused, leave, err := l.inspect(p, entries)
	switch {
	case err != nil:
		return nil, err
	case len(refused) > 0 && !o.AllowRefused && !o.SkipRefused:
		return nil, refused
	case len(refused) > 0 && o.SkipRefused:
		for _, r := range refused {
			l.say("%s: stays in the try: %s", r.Path, r.Why)
			p.Skipped = append(p.Skipped, tree.Name(r.Path))
		}
		if entries, err = l.choose(p); err != nil || len(entries) == 0 {
			return nil, err
		}
	}
	entries = slices.DeleteFunc(entries, func(e *manifest.Entry) bool { return leave[e] })
	return entries, nil
}

// land does all steps of a plan that are not done yet.
func (l *lander) land(p *Plan) error {
	if err := l.enter(p); err != nil {
		return err
	}
	if err := l.sync(p); err != nil {
		return err
	}
	for i := range p.Steps {
		if err := l.do(&p.Steps[i], p.Force); err != nil {
			return err
		}
	}
	if err := l.drain(p); err != nil {
		return err
	}
	if err := l.note(p); err != nil {
		return err
	}
	return l.end(p, Applied)
}

// sync writes the new files to the disk before they are landed. Otherwise a loss of power
// could leave a file at its place without its content.
func (l *lander) sync(p *Plan) error {
	for i, area := range p.Areas {
		if i > 0 && area == p.Areas[i-1] {
			continue
		}
		if err := l.areas[i].Sync(); err != nil {
			return err
		}
	}
	return nil
}

// note marks the entries of a landed plan and saves the manifest.
func (l *lander) note(p *Plan) error {
	entries, err := l.choose(p)
	if err != nil && len(p.Paths) == 0 {
		return err
	}
	for _, e := range entries {
		e.Applied = p.Number
	}
	l.refresh(func(e *manifest.Entry) bool { return e.Applied == 0 && e.Before.Links > 1 })
	return manifest.Save(l.t, l.list)
}

// refresh reads again the ctimes that a landing itself has changed: those of other names
// of moved files, and of files that were put back. Otherwise they would look like changes
// of others.
func (l *lander) refresh(which func(*manifest.Entry) bool) {
	for i := range l.list {
		e := &l.list[i]
		if e.Before == nil || !which(e) || e.Before.IsFolder() && e.Applied != takenBack {
			continue
		}
		if now, err := l.covers[e.Cover].At(string(e.Path)).Lstat(); err == nil && now != nil &&
			(e.Before.Still(now) || e.Applied == takenBack) {
			e.Before = now
		}
	}
}

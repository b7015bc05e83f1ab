//go:build linux

package landing

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

// ErrNothing is the error of an apply or undo that has nothing to do.
var ErrNothing = errors.New("nothing to do")

// A Result is what an apply or undo has done.
type Result struct {
	Files, Folders int
	Finished       bool // an earlier one that was cut was finished first
}

// Apply applies what the paths, absolute ones, name or hold of a try, or all of
// it. The caller has the try's lock. say tells a person what they should know.
func Apply(t *try.Try, paths []tree.Name, force bool,
	say func(string, ...any)) (r Result, err error) {
	l := &lander{t: t, say: say}
	defer l.leave()
	if l.list, err = manifest.Load(t); err != nil {
		return r, err
	}
	if err := manifest.Tidy(t); err != nil {
		return r, err
	}
	plans, err := Plans(t)
	if err == nil {
		err = Sweep(t)
	}
	if err != nil {
		return r, err
	}
	for _, p := range plans {
		switch p.State {
		case Applying:
			err = l.land(p)
			r = l.count(p.Number, r)
		case Undoing:
			err = l.takeBack(p, force)
		default:
			continue
		}
		if err != nil {
			return r, err
		}
		r.Finished = true
	}
	p := &Plan{Head: Head{Number: next(plans), Paths: paths, Force: force}, State: Applying}
	for i := range t.Covers {
		p.Areas = append(p.Areas, areaFor(t, i))
	}
	if err := l.begin(p); err != nil {
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

func next(plans []*Plan) int {
	n := 1
	for _, p := range plans {
		n = max(n, p.Number+1)
	}
	return n
}

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

// begin makes a plan and writes it down. Nothing of the folders is changed
// before that, but for areas of their own.
func (l *lander) begin(p *Plan) (err error) {
	if err := os.MkdirAll(l.t.Path(try.LandingDir), 0o700); err != nil {
		return err
	}
	if err := l.enterDirect(p.Number); err != nil { // other areas come when they are needed
		return err
	}
	entries, err := l.choose(p)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return ErrNothing
	}
	for i := range l.t.Covers {
		tree.Unlock(l.t.Upper(i)) // the manifest knows the modes of folders
	}
	if err := l.build(p, entries); err != nil {
		os.Remove(l.kept(p))
		return err
	}
	if _, err := l.announce(p); err != nil {
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

// land does all steps of a plan that are not done.
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

// sync writes what is to be landed to the disk, so that not even a loss of power
// leaves a file at its place without its contents.
func (l *lander) sync(p *Plan) error {
	for i, area := range p.Areas {
		if i > 0 && area == p.Areas[i-1] {
			continue
		}
		if err := syncAt(string(area)); err != nil {
			return err
		}
	}
	return nil
}

// syncAt writes to the disk what the file system of a folder has yet to write.
func syncAt(dir string) error {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}

// note marks the entries of a landed plan, and when it was landed.
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

// refresh takes the ctimes of files anew that a landing itself has changed: of
// further names of files that were moved, and of what was put back.
func (l *lander) refresh(which func(*manifest.Entry) bool) {
	for i := range l.list {
		e := &l.list[i]
		if e.Before == nil || !which(e) || e.Before.IsFolder() && e.Applied != back {
			continue
		}
		if now, err := l.covers[e.Cover].lstat(string(e.Path)); err == nil && now != nil &&
			(e.Before.Still(now) || e.Applied == back) {
			e.Before = now
		}
	}
}

// back marks entries, in memory, that were just taken back.
const back = -1

// giveUp takes back what was done of a plan that could not be finished, so that
// it is all or nothing.
func (l *lander) giveUp(p *Plan, cause error) error {
	if err := l.takeBack(p, false); err != nil {
		return fmt.Errorf("%w; and what was applied could not be taken back (%v): apply again "+
			"finishes it, undo takes it back", cause, err)
	}
	return cause
}

// Undo takes all landings of a try back, the newest first. The caller has the
// try's lock.
func Undo(t *try.Try, force bool, say func(string, ...any)) (r Result, err error) {
	l := &lander{t: t, say: say}
	defer l.leave()
	if l.list, err = manifest.Load(t); err != nil {
		return r, err
	}
	plans, err := Plans(t)
	if err == nil {
		err = Sweep(t)
	}
	if err != nil {
		return r, err
	}
	plans = slices.DeleteFunc(plans, func(p *Plan) bool { return p.State == Undone })
	slices.Reverse(plans)
	if len(plans) == 0 {
		return r, ErrNothing
	}
	if !force {
		var all Conflicts
		for i, p := range plans {
			list, err := l.since(p, plans[:i])
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
	l.cut = l.olds(p)
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
		e.Applied = back
	}
	l.refresh(func(e *manifest.Entry) bool {
		return e.Applied == back || e.Applied == 0 && e.Before.Links > 1
	})
	for i := range l.list {
		l.list[i].Applied = max(l.list[i].Applied, 0)
	}
	if err := manifest.Save(l.t, l.list); err != nil {
		return err
	}
	return l.end(p, Undone)
}

// ready opens what taking a plan back needs. Areas of their own, which an applied
// plan has no more, are made and filled anew.
func (l *lander) ready(p *Plan) error {
	own := slices.ContainsFunc(p.Areas, func(a tree.Name) bool { return string(a) != l.t.Dir })
	if p.State != Applied || !own {
		return l.enter(p)
	}
	err := l.enterDirect(p.Number)
	if err == nil {
		_, err = l.announce(p)
	}
	if err != nil {
		return err
	}
	if err = l.enter(p); err == nil {
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

// undoSteps undoes the steps: the attributes of folders come last again.
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

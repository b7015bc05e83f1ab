//go:build linux

package landing

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/confine"
	"ua/internal/common/tree"
)

// choose marks the entries that a plan is for: those at or below the plan's paths that no
// other plan has applied, and the folders that they need. A path without such an entry is
// an error.
func (l *lander) choose(p *Plan) ([]*manifest.Entry, error) {
	chosen := map[int]bool{}
	used := make([]bool, len(p.Paths))
	at := map[string]int{}
	for i := range l.list {
		e := &l.list[i]
		// The plan's own entries count again when a landing that was cut is finished.
		if e.Applied != 0 && e.Applied != p.Number {
			continue
		}
		full := l.absolute(e.Cover, string(e.Path))
		if p.skips(full) || e.Link != "" && p.skips(l.absolute(e.Cover, string(e.Link))) {
			continue
		}
		at[full] = i
		for j, want := range p.Paths {
			if confine.Under(full, string(want)) {
				chosen[i], used[j] = true, true
			}
		}
		if len(p.Paths) == 0 {
			chosen[i] = true
		}
	}
	for j, ok := range used {
		if !ok {
			return nil, fmt.Errorf("%q: the try has no change there that is not applied",
				p.Paths[j])
		}
	}
	for _, i := range sorted(chosen) {
		l.ancestors(i, at, chosen)
	}
	var list []*manifest.Entry
	for _, i := range sorted(chosen) {
		list = append(list, &l.list[i])
	}
	return list, nil
}

// sorted returns the members of a set in order.
func sorted(set map[int]bool) (list []int) {
	for i := range set {
		list = append(list, i)
	}
	slices.Sort(list)
	return list
}

// ancestors chooses the folders above an entry that come or change with it, and the file
// to which it is another link.
func (l *lander) ancestors(i int, at map[string]int, chosen map[int]bool) {
	e := &l.list[i]
	if j, ok := at[l.absolute(e.Cover, string(e.Link))]; ok && e.Link != "" && !chosen[j] {
		chosen[j] = true
		l.ancestors(j, at, chosen)
	}
	for dir := string(e.Path); dir != "."; {
		dir = path.Dir(dir)
		j, ok := at[l.absolute(e.Cover, dir)]
		if !ok {
			continue
		}
		switch up := &l.list[j]; up.Status {
		case manifest.Added, manifest.Retyped, manifest.Timed:
			if up.After.IsFolder() {
				chosen[j] = true
			}
		}
	}
}

// build works out the steps for the entries. What others have changed since is a
// conflict, unless the plan is forced.
func (l *lander) build(p *Plan, entries []*manifest.Entry) error {
	b := &builder{lander: l, plan: p, folders: map[string]bool{}, there: map[string]bool{},
		known: map[string]bool{}}
	for i := range l.list {
		if e := &l.list[i]; e.Status == manifest.Deleted || e.Before.IsFolder() ||
			e.Status == manifest.Retyped {
			b.known[l.absolute(e.Cover, string(e.Path))] = true
		}
	}
	for _, e := range entries {
		if err := b.entry(e); err != nil {
			return err
		}
	}
	if len(b.conflicts) > 0 {
		return b.conflicts
	}
	// Links need their file at its place, and folders get their times when nothing in
	// them changes any more.
	p.Steps = slices.Concat(b.first, b.links, b.last)
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kind == Remove || s.Link != "" {
			s.Slot = tree.Name(path.Join(try.LandingDir, strconv.Itoa(p.Number)+".kept",
				strconv.Itoa(i)))
		}
	}
	return nil
}

// A builder builds a plan.
type builder struct {
	*lander
	plan               *Plan
	first, links, last []Step
	folders            map[string]bool // that get their attributes at the end
	there              map[string]bool // folders that are there, or that steps make
	known              map[string]bool // paths in removed folders
	removed            string          // the absolute path of the last tree that is removed
	conflicts          Conflicts
}

// entry adds the steps for an entry, or a conflict.
func (b *builder) entry(e *manifest.Entry) error {
	full := b.absolute(e.Cover, string(e.Path))
	now, err := b.covers[e.Cover].At(string(e.Path)).Lstat()
	if err != nil {
		return err
	}
	if b.removed != "" && strings.HasPrefix(full, b.removed+"/") && e.After == nil {
		return b.inRemoved(e, now)
	}
	conflict, done, err := b.judge(e, now)
	if err != nil {
		return err
	}
	if conflict && !b.plan.Force {
		b.conflicts = append(b.conflicts,
			Conflict{Path: full, Was: e.Before, Now: now, Try: e.After})
		return nil
	}
	switch {
	// Nothing is left to do, or the folder whose time it is has gone.
	case done, e.Status == manifest.Timed && e.After.IsFolder() && !now.IsFolder():
	case e.After.IsFolder():
		return b.folder(e, now)
	case e.After == nil:
		b.remove(e, now)
		return b.check(e, now)
	// No rename replaces a folder by a file, so the folder goes first.
	case now.IsFolder():
		b.remove(e, now)
		if err := b.check(e, now); err != nil {
			return err
		}
		return b.file(e, nil)
	default:
		return b.file(e, now)
	}
	return nil
}

// inRemoved checks an entry in a tree that is removed as a whole. It needs no step.
func (b *builder) inRemoved(e *manifest.Entry, now *tree.File) error {
	if conflict, _, err := b.judge(e, now); err != nil {
		return err
	} else if conflict && !b.plan.Force {
		b.conflicts = append(b.conflicts, Conflict{Path: b.absolute(e.Cover, string(e.Path)),
			Was: e.Before, Now: now})
	}
	return b.check(e, now)
}

// check adds a conflict for each file that somebody has put into a folder that is
// removed.
func (b *builder) check(e *manifest.Entry, now *tree.File) error {
	if !now.IsFolder() || b.plan.Force {
		return nil
	}
	names, err := b.covers[e.Cover].At(string(e.Path)).Names()
	switch {
	case errors.Is(err, unix.EACCES):
		return nil
	case err != nil:
		return err
	}
	list, err := b.strangers(e.Cover, string(e.Path), names, b.known)
	b.conflicts = append(b.conflicts, list...)
	return err
}

// remove adds the step that takes a file or a tree away.
func (b *builder) remove(e *manifest.Entry, now *tree.File) {
	b.parent(e)
	b.removed = b.absolute(e.Cover, string(e.Path))
	b.first = append(b.first, Step{Kind: Remove, Cover: e.Cover, Path: e.Path, Before: now})
}

// file adds the step that brings a file. now is what is at its path, nil for nothing.
func (b *builder) file(e *manifest.Entry, now *tree.File) error {
	if now == nil {
		if err := b.way(e); err != nil {
			return err
		}
	}
	b.parent(e)
	s := Step{Kind: Make, Cover: e.Cover, Path: e.Path, Link: e.Link, Before: now, After: e.After}
	if now != nil {
		s.Kind = Replace
	}
	if s.Link != "" {
		b.links = append(b.links, s)
		return nil
	}
	s.Slot = tree.Name(path.Join("layers", strconv.Itoa(e.Cover), "upper", string(e.Path)))
	b.first = append(b.first, s)
	return nil
}

// folder adds the steps that make a folder or change one.
func (b *builder) folder(e *manifest.Entry, now *tree.File) error {
	s := Step{Kind: Attrs, Cover: e.Cover, Path: e.Path, Before: now, After: e.After}
	var err error
	if s.AttrsAfter, err = b.upper(e.Cover, e.Path).Attributes(); err != nil {
		return err
	}
	if !now.IsFolder() {
		if err := b.way(e); err != nil {
			return err
		}
		b.there[b.absolute(e.Cover, string(e.Path))] = true
		if now != nil {
			b.remove(e, now)
			if err := b.check(e, now); err != nil {
				return err
			}
		}
		b.parent(e)
		b.first = append(b.first, Step{Kind: Folder, Cover: e.Cover, Path: e.Path, After: e.After})
		s.Before, s.AttrsBefore = e.After, s.AttrsAfter
	} else {
		s.AttrsBefore, err = b.covers[e.Cover].At(string(e.Path)).Attributes()
		if err != nil {
			return err
		}
		// mode and owner are the folder's own, whatever they are by now
		if e.Status == manifest.Timed || e.Before == nil {
			after := *now
			after.Mtime, s.AttrsAfter = e.After.Mtime, s.AttrsBefore
			s.After = &after
		}
		// A time that somebody else has set is not turned back.
		s.Natural = e.Raced || e.Before != nil && e.Before.Mtime != now.Mtime &&
			now.Mtime != e.After.Mtime
	}
	b.folders[b.absolute(e.Cover, string(e.Path))] = true
	b.last = append(b.last, s)
	return nil
}

// parent adds a step for the folder of an entry, to which the other steps give a new
// time. The step gives it its own time back, unless the folder has an entry of its own.
func (b *builder) parent(e *manifest.Entry) {
	if e.Path == "." {
		return
	}
	dir := path.Dir(string(e.Path))
	full := b.absolute(e.Cover, dir)
	if b.folders[full] {
		return
	}
	b.folders[full] = true
	real := b.covers[e.Cover].At(dir)
	now, err := real.Lstat()
	if err != nil || !now.IsFolder() {
		return // it is made by a step before, with an entry of its own
	}
	if attributes, err := real.Attributes(); err == nil {
		s := Step{Kind: Attrs, Cover: e.Cover, Path: tree.Name(dir), Before: now, After: now,
			AttrsBefore: attributes, AttrsAfter: attributes}
		s.Natural = len(b.plan.Paths) > 0 && (e.Before == nil) != (e.After == nil)
		b.last = append(b.last, s)
	}
}

// way adds steps that make the folders above an entry which somebody has removed since,
// with the look that they have in the try.
func (b *builder) way(e *manifest.Entry) error {
	for _, dir := range above(string(e.Path)) {
		full := b.absolute(e.Cover, dir)
		if b.there[full] {
			continue
		}
		now, err := b.covers[e.Cover].At(dir).Lstat()
		if err != nil {
			return err
		}
		if b.there[full] = true; now.IsFolder() {
			continue
		}
		after, err := b.upper(e.Cover, tree.Name(dir)).Lstat()
		if err != nil || after == nil {
			return errors.Join(err, &os.PathError{Op: "open", Path: full, Err: unix.ENOENT})
		}
		up := &manifest.Entry{Cover: e.Cover, Path: tree.Name(dir), After: after}
		if err := b.folder(up, now); err != nil {
			return err
		}
	}
	return nil
}

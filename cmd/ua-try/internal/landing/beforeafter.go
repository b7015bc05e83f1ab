//go:build linux

package landing

import (
	"strconv"
	"strings"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// A Finder knows where both sides of a try's changes are. Before an apply they are in the
// folder and in the upper layer. After it, what was replaced is in the try, and the new
// side in the folder.
type Finder struct {
	*lander
	old   map[string]tree.Place // where what was at a path is kept
	trees []string              // those of them that are removed trees
}

// Find returns the Finder of a try, by what its plans have applied. The caller closes it.
// A folder that is gone by now has no files.
func Find(t *try.Try) (*Finder, error) {
	plans, err := Plans(t)
	if err != nil {
		return nil, err
	}
	f := &Finder{lander: &lander{t: t}, old: map[string]tree.Place{}}
	if f.home, err = tree.Open(t.Dir); err != nil {
		return nil, err
	}
	for _, c := range t.Covers {
		r, _ := tree.Open(string(c.Path))
		f.covers = append(f.covers, r)
	}
	for _, p := range plans {
		if p.State != Applied {
			continue
		}
		for i := range p.Steps {
			f.note(p, i)
		}
	}
	return f, nil
}

// Close closes the folders.
func (f *Finder) Close() { f.close() }

// note notes where a step has put the old file.
func (f *Finder) note(p *Plan, i int) {
	s := &p.Steps[i]
	if s.Kind != Replace && s.Kind != Remove {
		return
	}
	full := f.absolute(s.Cover, string(s.Path))
	if f.staged(p, s.Cover) {
		f.old[full] = f.kept(p).Join(strconv.Itoa(i))
	} else {
		f.old[full] = f.home.At(string(s.Slot))
	}
	if s.Before.IsFolder() {
		f.trees = append(f.trees, full)
	}
}

// Sides returns the places of an entry's file before and after. Where there is none, the
// place has no root.
func (f *Finder) Sides(e *manifest.Entry) (before, after tree.Place) {
	real := f.covers[e.Cover].At(string(e.Path))
	if e.Applied != 0 {
		if e.After != nil {
			after = real
		}
		return f.replaced(e, real), after
	}
	if e.Before != nil {
		before = real
	}
	if e.After == nil {
		return before, tree.Place{}
	}
	return before, f.source(e)
}

// source returns the place of the file that an entry brings. A link whose own name was
// not made is found under its other name.
func (l *lander) source(e *manifest.Entry) tree.Place {
	for _, path := range []tree.Name{e.Path, e.Link} {
		at := l.upper(e.Cover, path)
		if now, err := at.Lstat(); path != "" && err == nil && now != nil {
			return at
		}
	}
	return l.covers[e.Cover].At(string(e.Link))
}

// replaced returns the place of what an applied entry has replaced.
func (f *Finder) replaced(e *manifest.Entry, real tree.Place) tree.Place {
	if e.Before == nil {
		return tree.Place{}
	}
	full := f.absolute(e.Cover, string(e.Path))
	if kept, ok := f.old[full]; ok {
		return kept
	}
	for _, top := range f.trees {
		if rest, ok := strings.CutPrefix(full, top+"/"); ok {
			return f.old[top].Join(rest)
		}
	}
	if e.Before.IsFolder() {
		return real
	}
	return tree.Place{}
}

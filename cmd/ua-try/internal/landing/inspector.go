//go:build linux

package landing

import (
	"path/filepath"

	"ua/cmd/ua-try/internal/manifest"
	"ua/internal/common/confine"
	"ua/internal/common/tree"
)

// A Refusal is a change that lands only if the user allows it, and why: it would have the
// user's next git command run a program or obey other files.
type Refusal struct{ Path, Why string }

// Refusals is the error of an apply that would land such changes. Nothing was done.
type Refusals []Refusal

// Error returns a word; the caller shows the refusals themselves.
func (r Refusals) Error() string { return "refused" }

// An inspector looks at the git folders that an apply would change, as they would be. It
// looks at copies, which land in place of what it has copied: a process that still has a
// file open can change that one, and nothing of what lands.
type inspector struct {
	*lander
	entries map[string]*manifest.Entry // that would land, by absolute path
	names   map[string][]string        // of theirs, by folder
	scratch tree.Place
	folders int // looked at
	copies  map[*manifest.Entry]tree.Place
	outside []*tree.Root             // above covers
	leave   map[*manifest.Entry]bool // that do not land
	list    Refusals
}

// refuse notes that a change may not land.
func (in *inspector) refuse(path, why string) { in.list = append(in.list, Refusal{path, why}) }

// cover returns the innermost cover of a path, or -1.
func (in *inspector) cover(full string) (cover int) {
	cover = -1
	for i, c := range in.t.Covers {
		if confine.Under(full, string(c.Path)) &&
			(cover < 0 || len(c.Path) > len(in.t.Covers[cover].Path)) {
			cover = i
		}
	}
	return cover
}

// lower returns the place of a path in the folder itself.
func (in *inspector) lower(full string) tree.Place {
	if cover := in.cover(full); cover >= 0 {
		rel, _ := filepath.Rel(string(in.t.Covers[cover].Path), full)
		return in.covers[cover].At(rel)
	}
	r, err := tree.Open(filepath.Dir(full)) // the try's folder is a part of a git folder
	if err != nil {
		return tree.Place{}
	}
	in.outside = append(in.outside, r)
	return r.At(filepath.Base(full))
}

// merged returns where the file is that would be at a path, and what it is. It is nil for
// none.
func (in *inspector) merged(full string) (tree.Place, *tree.File) {
	e := in.entries[full]
	if e == nil {
		at := in.lower(full)
		f, err := at.Lstat()
		if err != nil {
			f = nil
		}
		return at, f
	}
	if e.After == nil {
		return tree.Place{}, nil
	}
	return in.source(e), e.After
}

// lands reports whether something would land at a path or below it.
func (in *inspector) lands(full string) bool {
	for path := range in.entries {
		if confine.Under(path, full) {
			return true
		}
	}
	return false
}

// copy copies a file to the scratch folder.
func (in *inspector) copy(full string, from, to tree.Place, f *tree.File) error {
	if err := tree.Copy(from, to, f); err != nil {
		return err
	}
	if e := in.entries[full]; e != nil && f.Type == tree.Regular && f.Links == 1 {
		in.copies[e] = to
	}
	return nil
}

// folderAt opens a folder for the rules, nil where there is none.
func folderAt(p tree.Place) (*tree.Root, error) {
	if f, err := p.Lstat(); err != nil || !f.IsFolder() {
		return nil, err
	}
	return p.Root.Sub(p.Path)
}

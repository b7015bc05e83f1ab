//go:build linux

package landing

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/confine"
	"ua/internal/common/regular"
	"ua/internal/common/repository"
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

// repositoryParts are the folders of a git folder in which files count, and how many of
// them are looked at.
var repositoryParts = []string{".", "hooks", "info", "objects", "objects/info", "refs",
	"refs/replace", "rebase-merge", "sequencer"}

const maxRepositoryFiles = 10_000

// inspect returns which of the entries may not land, and which need not, since git makes
// them again. Of what git obeys it has copies land.
func (l *lander) inspect(p *Plan, entries []*manifest.Entry) (refused Refusals,
	leave map[*manifest.Entry]bool, err error) {
	in := &inspector{lander: l, entries: map[string]*manifest.Entry{}, names: map[string][]string{},
		copies: map[*manifest.Entry]tree.Place{}, leave: map[*manifest.Entry]bool{}}
	in.scratch = l.home.At(filepath.Join(try.LandingDir, strconv.Itoa(p.Number)+".git"))
	folders := map[string]bool{}
	for _, e := range entries {
		full := l.absolute(e.Cover, string(e.Path))
		in.entries[full] = e
		if e.After == nil {
			continue
		}
		in.names[filepath.Dir(full)] = append(in.names[filepath.Dir(full)], filepath.Base(full))
		for dir := full; !folders[dir]; dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	defer func() {
		_ = in.scratch.RemoveAll()
		for _, r := range in.outside {
			r.Close()
		}
	}()
	if err := errors.Join(in.scratch.RemoveAll(), in.scratch.Mkdir()); err != nil {
		return nil, nil, err
	}
	for dir := range folders {
		if err := in.folder(dir); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	slices.SortFunc(in.list, func(a, b Refusal) int { return strings.Compare(a.Path, b.Path) })
	in.list = slices.CompactFunc(in.list, func(a, b Refusal) bool { return a.Path == b.Path })
	return in.list, in.leave, in.land()
}

// refuse notes that a change may not land.
func (in *inspector) refuse(path, why string) { in.list = append(in.list, Refusal{path, why}) }

// folder looks at a path at or below which something would land.
func (in *inspector) folder(dir string) error {
	e := in.entries[dir]
	switch {
	case e != nil && !e.After.IsFolder() && filepath.Base(dir) == ".git":
		return in.pointer(dir, e)
	case e != nil && !e.After.IsFolder() || !in.isRepository(dir):
		return nil
	}
	cause := dir
	for _, name := range []string{"refs", "objects", "commondir", "HEAD"} {
		if full := filepath.Join(dir, name); in.lands(full) {
			cause = full
		}
	}
	return in.repository(dir, in.lower(dir), cause)
}

// isRepository reports whether git would take a folder for a git folder.
func (in *inspector) isRepository(dir string) bool {
	has := func(name string) bool {
		_, f := in.merged(filepath.Join(dir, name))
		return f != nil
	}
	return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

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

// repository looks at a git folder. before is what the folder itself has there, and cause
// the path by which git comes to obey it.
func (in *inspector) repository(dir string, before tree.Place, cause string) error {
	was, err := folderAt(before)
	if err != nil {
		return err
	}
	defer was.Close()
	if was != nil && !was.IsRepository() {
		was = nil
	}
	in.folders++
	fresh := in.scratch.Join(strconv.Itoa(in.folders))
	for _, part := range repositoryParts {
		if err := in.shadow(dir, part, fresh, was == nil); err != nil {
			return err
		}
	}
	now, err := folderAt(fresh)
	if err != nil {
		return err
	}
	defer now.Close()
	look := repository.Look{Module: strings.Contains(dir, "/modules/")}
	list, err := look.Whole(was, now, func(work string) bool {
		if !filepath.IsAbs(work) {
			work = filepath.Join(dir, work)
		}
		return in.cover(filepath.Clean(work)) >= 0
	})
	for _, r := range list {
		full := filepath.Join(dir, r.Path)
		if in.lands(full) {
			in.refuse(full, r.Why)
		} else { // it is there, and comes to be obeyed
			in.refuse(cause, fmt.Sprintf("by it git obeys %q: %s", full, r.Why))
		}
	}
	return errors.Join(err, in.objects(dir, fresh.Join("verified")))
}

// folderAt opens a folder for the rules, nil where there is none.
func folderAt(p tree.Place) (*repository.Folder, error) {
	if f, err := p.Lstat(); err != nil || !f.IsFolder() {
		return nil, err
	}
	fd, err := p.OpenFolder()
	if err != nil {
		return nil, err
	}
	return repository.FolderOf(fd), nil
}

// shadow copies the files of a part of a git folder as they would be. Of one that was a
// git folder before, those are enough that would land.
func (in *inspector) shadow(dir, part string, fresh tree.Place, whole bool) error {
	full := filepath.Join(dir, part)
	at, f := in.merged(full)
	switch {
	case f == nil:
		return nil
	case !f.IsFolder():
		return in.copy(full, at, fresh.Join(part), f)
	}
	if err := fresh.Join(part).Mkdir(); err != nil {
		return err
	}
	names := slices.Clone(in.names[full])
	if lower, err := in.lower(full).Names(); err == nil && whole {
		names = append(names, lower...)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > maxRepositoryFiles {
		return errors.New("too many files to look at")
	}
	for _, name := range names {
		at, f := in.merged(filepath.Join(full, name))
		if f == nil || f.IsFolder() || slices.Contains(repositoryParts, filepath.Join(part, name)) {
			continue
		}
		if err := in.copy(filepath.Join(full, name), at, fresh.Join(part).Join(name), f); err != nil {
			return err
		}
	}
	return nil
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

// land puts the copies in the place of what they are copies of.
func (in *inspector) land() error {
	for e, at := range in.copies {
		upper := in.upper(e.Cover, e.Path)
		if err := at.Rename(upper, 0); err != nil {
			return err
		}
		f, err := upper.Lstat()
		if err != nil {
			return err
		}
		e.After = f
	}
	return nil
}

// pointer looks at a .git that is no folder, but leads to one.
func (in *inspector) pointer(full string, e *manifest.Entry) error {
	at := in.source(e)
	target := string(e.After.Target)
	if e.After.Type == tree.Regular {
		text, err := at.Read(1 << 20)
		if errors.Is(err, regular.ErrTooLarge) {
			return nil // for git, too (read_gitfile_gently)
		}
		if err != nil {
			return err
		}
		if e.Before != nil && e.Before.Type == tree.Regular {
			if same, err := tree.SameData(at, in.lower(full)); err == nil && same {
				return nil
			}
		}
		line, ok := strings.CutPrefix(string(text), "gitdir:")
		if target = strings.TrimSpace(line); !ok {
			return nil // git refuses it
		}
	}
	if target == "" || e.Before != nil && e.Before.Target == e.After.Target && e.After.Target != "" {
		return nil
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(full), target)
	}
	cover := in.cover(filepath.Clean(target))
	for dir := filepath.Clean(target); cover >= 0; dir = filepath.Dir(dir) {
		if dir == string(in.t.Covers[cover].Path) {
			// What the user's git does not obey yet is looked at as a new one.
			before := tree.Place{}
			if strings.Contains(target+"/", "/.git/") {
				before = in.lower(target)
			}
			return in.repository(target, before, full)
		}
		if _, f := in.merged(dir); !f.IsFolder() {
			break
		}
	}
	in.refuse(full, fmt.Sprintf("it leads git to %q", target))
	return nil
}

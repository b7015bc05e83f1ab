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
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/gitrules"
	"ua/internal/common/safefile"
	"ua/internal/common/tree"
)

// repositoryParts are the folders of a git folder in which files count, each before those in it.
var repositoryParts = slices.Insert(slices.Clone(gitrules.Parts), 1, "objects", "refs")

// maxRepositoryFiles is how many files of each are looked at.
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

// repository looks at a git folder. before is what the folder itself has there, and cause
// the path by which git comes to obey it.
func (in *inspector) repository(dir string, before tree.Place, cause string) error {
	was, err := folderAt(before)
	if err != nil {
		return err
	}
	defer was.Close()
	if was != nil && !gitrules.IsRepository(was) {
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
	look := gitrules.Look{Module: strings.Contains(dir, "/modules/")}
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
		if errors.Is(err, safefile.ErrTooLarge) {
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

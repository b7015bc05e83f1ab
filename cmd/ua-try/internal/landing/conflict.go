//go:build linux

package landing

import (
	"errors"
	"math"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// A Conflict is a path that somebody else has changed since the try or a landing.
type Conflict struct {
	Path string     // absolute
	Was  *tree.File // what was there, nil for nothing
	Now  *tree.File // what is there
	Try  *tree.File // what the try has
}

// Conflicts is the error of an apply or undo that would overwrite changes of others.
// Nothing was done.
type Conflicts []Conflict

// Error returns a word; the caller shows the conflicts themselves.
func (c Conflicts) Error() string { return "conflicts" }

// Authors returns, by absolute path, the ID of the other try whose change there is
// applied or being applied.
func Authors(t *try.Try) map[string]string {
	authors := map[string]string{}
	tries, _ := try.List()
	for _, other := range tries {
		if other.Dir == t.Dir {
			continue
		}
		plans, err := Plans(other)
		for range 2 { // a plan's name changes with its state
			if err != nil {
				plans, err = Plans(other)
			}
		}
		for _, p := range plans {
			if p.State != Applied && p.State != Applying {
				continue
			}
			for _, s := range p.Steps {
				full := filepath.Join(string(other.Covers[s.Cover].Path), string(s.Path))
				if s.Kind != Attrs && authors[full] == "" {
					authors[full] = other.ID
				}
			}
		}
	}
	return authors
}

// judge reports whether the file in the folder keeps an entry from being applied, and
// whether the entry is done already because both sides made the same change.
func (l *lander) judge(e *manifest.Entry, now *tree.File) (conflict, done bool, err error) {
	switch {
	case e.After == nil && now == nil:
		return false, true, nil
	// A folder stays, and only its mode and owner can conflict.
	case e.Folder() && e.Before.IsFolder() && now.IsFolder() && e.After.IsFolder():
		return e.Status != manifest.Timed && (e.Raced || !e.Before.Untouched(now)) &&
			!e.After.SameMeta(now), false, nil
	case e.Before == nil && now.IsFolder() && e.After.IsFolder():
		return false, e.After.SameMeta(now), nil
	case !e.Raced && e.Before == nil && now == nil, !e.Raced && e.Before != nil && now != nil &&
		e.Before.Untouched(now):
		return false, false, nil
	case e.After != nil && now != nil && !e.After.IsFolder() && e.After.SameMeta(now):
		if e.Link != "" && e.After.Type == tree.Regular {
			return true, false, nil
		}
		same, err := tree.SameContent(l.upper(e.Cover, e.Path),
			l.covers[e.Cover].At(string(e.Path)), e.After, now)
		return !same, same, err
	}
	return true, false, nil
}

// strangers returns those names in a folder whose absolute paths are not known. Others
// have put them there.
func (l *lander) strangers(cover int, rel string, names []string,
	known map[string]bool) (list Conflicts, err error) {
	for _, name := range names {
		full := l.absolute(cover, path.Join(rel, name))
		if known[full] {
			continue
		}
		now, err := l.covers[cover].At(path.Join(rel, name)).Lstat()
		if err != nil {
			return nil, err
		}
		if now != nil {
			list = append(list, Conflict{Path: full, Now: now})
		}
	}
	return list, nil
}

// absolute returns the absolute path of one in a cover.
func (l *lander) absolute(cover int, rel string) string {
	return filepath.Join(string(l.t.Covers[cover].Path), rel)
}

// changesSince returns what others have changed, after a plan was landed, of all that an undo
// would change. Later plans are undone before this one.
func (l *lander) changesSince(p *Plan, later []*Plan) (list Conflicts, err error) {
	landed, err := tree.Lstat(planPath(l.t, p.Number, p.State))
	if err != nil || landed == nil {
		return nil, errors.Join(err, unix.ENOENT)
	}
	for _, q := range later { // what they did to further names of a file changed its ctime
		if f, err := tree.Lstat(planPath(l.t, q.Number, q.State)); err == nil && f != nil {
			landed.Ctime = max(landed.Ctime, f.Ctime)
		}
	}
	if p.State != Applied { // cut: times do not tell
		landed.Ctime = math.MaxInt64
	}
	ours := map[string]bool{}
	for _, q := range append(later, p) {
		for i := range q.Steps {
			ours[l.absolute(q.Steps[i].Cover, string(q.Steps[i].Path))] = true
		}
	}
	if p.State != Applied {
		l.cut = l.inodesBefore(p)
		defer func() { l.cut = nil }()
	}
	redone, moved := map[string]bool{}, map[string]bool{}
	for _, q := range later {
		for i := range q.Steps {
			full := l.absolute(q.Steps[i].Cover, string(q.Steps[i].Path))
			redone[full] = true
			moved[full] = moved[full] || q.Steps[i].Kind != Attrs
		}
	}
	made := map[string]*tree.File{} // by the plan, in the place of what it removed
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Kind == Make || s.Kind == Folder {
			made[l.absolute(s.Cover, string(s.Path))] = s.After
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		full := l.absolute(s.Cover, string(s.Path))
		if redone[full] {
			continue
		}
		found, err := l.changed(s, landed.Ctime, ours, made[full])
		if err == nil && len(found) == 0 && s.Kind == Remove {
			found, err = l.noWay(s, moved)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// inodesBefore returns the inodes of what was at the paths of a plan.
func (l *lander) inodesBefore(p *Plan) map[string]map[uint64]bool {
	olds := map[string]map[uint64]bool{}
	for i := range p.Steps {
		s := &p.Steps[i]
		full := l.absolute(s.Cover, string(s.Path))
		if olds[full] == nil {
			olds[full] = map[uint64]bool{}
		}
		if s.Before != nil {
			olds[full][s.Before.Ino] = true
		}
	}
	return olds
}

// changed returns what others have changed at a step's path after it was landed.
func (l *lander) changed(s *Step, landed tree.Stamp, ours map[string]bool,
	made *tree.File) (Conflicts, error) {
	full := l.absolute(s.Cover, string(s.Path))
	now, err := l.real(s).Lstat()
	if err != nil {
		return nil, err
	}
	if now != nil && l.cut[full] != nil && (l.cut[full][now.Ino] &&
		(s.Kind != Attrs || !now.IsFolder()) || s.Kind == Attrs && (unlocked(now, s.Before) ||
		unlocked(now, s.After))) {
		return nil, nil // never done, or taken back
	}
	c := Conflicts{{Path: full, Was: s.After, Now: now, Try: s.Before}}
	switch s.Kind {
	case Remove:
		if now == nil || made != nil && made.Type == now.Type {
			return nil, nil
		}
		return c, nil
	case Attrs:
		if now == nil || now.IsFolder() && (s.After.SameMeta(now) || s.After.SameMeta(s.Before)) {
			return nil, nil
		}
		return c, nil
	// A folder is removed by the undo, so files of others in it are in the way.
	case Folder:
		if !now.IsFolder() {
			return nil, nil // its files tell
		}
		names, err := l.real(s).Names()
		if err != nil {
			return nil, err
		}
		return l.strangers(s.Cover, string(s.Path), names, ours)
	case Make:
		if now == nil {
			return nil, nil
		}
	}
	same := now != nil && now.Ctime <= landed
	if same && s.Link == "" {
		same = s.After.Still(now)
	}
	if same {
		return nil, nil
	}
	return c, nil
}

// above returns the folders on the way to a relative path, outermost first.
func above(rel string) (dirs []string) {
	for i := range rel {
		if rel[i] == '/' {
			dirs = append(dirs, rel[:i])
		}
	}
	return dirs
}

// noFolder returns the first folder on the way to a relative path that is no folder any
// more, and what stands in its place. It returns "" when all are there.
func noFolder(p tree.Place) (dir string, now *tree.File, err error) {
	for _, dir := range above(p.Path) {
		if now, err := p.Root.At(dir).Lstat(); err != nil || !now.IsFolder() {
			return dir, now, err
		}
	}
	return "", nil, nil
}

// noWay returns as a conflict the folder to which a removed file cannot go back because
// somebody has removed it. A folder that a later plan has moved does not count.
func (l *lander) noWay(s *Step, moved map[string]bool) (Conflicts, error) {
	dir, now, err := noFolder(l.real(s))
	full := l.absolute(s.Cover, dir)
	if err != nil || dir == "" || moved[full] {
		return nil, err
	}
	return Conflicts{{Path: full, Now: now, Try: &tree.File{Type: tree.Folder}}}, nil
}

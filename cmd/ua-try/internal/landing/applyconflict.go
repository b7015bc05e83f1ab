//go:build linux

package landing

import (
	"path"
	"path/filepath"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
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
		same, err := l.sameContent(e, now)
		return !same, same, err
	}
	return true, false, nil
}

// sameContent reports whether the file in the folder has the same content as the try's.
func (l *lander) sameContent(e *manifest.Entry, now *tree.File) (bool, error) {
	if e.After.Size != now.Size || e.After.Target != now.Target || e.After.Device != now.Device {
		return false, nil
	}
	if e.After.Type != tree.Regular {
		return true, nil
	}
	if e.Link != "" {
		return false, nil
	}
	return tree.SameData(l.upper(e.Cover, e.Path), l.covers[e.Cover].At(string(e.Path)))
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

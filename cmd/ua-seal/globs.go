package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// matches reports whether a path is sealed by its name, and whether one below it may be.
func (s *seal) matches(p string) (is, below bool) {
	for _, g := range s.Globs {
		i, b := match(strings.Split(g, "/"), strings.Split(p, "/"))
		is, below = is || i, below || b
	}
	return is, below
}

// plain reports whether a glob is a name.
func plain(glob string) bool { return !strings.ContainsAny(glob, `*?[\`) }

// match reports whether the words of a glob match those of a path, or of a folder that it is
// in, and whether they may match a path below.
func match(glob, name []string) (is, below bool) {
	switch {
	case len(name) == 0:
		return !slices.ContainsFunc(glob, func(w string) bool { return w != "**" }), true
	case len(glob) == 0:
		return true, true
	case glob[0] == "**":
		rest, _ := match(glob[1:], name)
		deeper, _ := match(glob, name[1:])
		return rest || deeper, true
	}
	if ok, _ := filepath.Match(glob[0], name[0]); !ok {
		return false, false
	}
	return match(glob[1:], name[1:])
}

// behind returns the glob and, if the folder that it begins with is reached by links, these
// and the glob of what is behind them.
func (s *seal) behind(glob string) []string {
	for i, c := range glob + "/" {
		if c != '/' || !plain(glob[:i]) {
			continue
		}
		named := filepath.Join(s.Dir, glob[:i])
		real, err := filepath.EvalSymlinks(named)
		if err != nil || real == named {
			continue
		}
		list := []string{glob[:i], glob}
		if rest, in := strings.CutPrefix(real, s.Dir+"/"); in {
			list = append(s.behind(rest+glob[i:]), list...)
		}
		return list
	}
	return []string{glob}
}

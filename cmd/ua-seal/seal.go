package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ua/internal/common/confine"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A seal is a folder that keeps what paths of another folder, the working one, were.
type seal struct {
	Dir     string            `json:"dir"`     // absolute, without links
	Globs   []string          `json:"globs"`   // relative to it
	Paths   map[string]string `json:"paths"`   // what look found
	Protect []string          `json:"protect"` // those in no folder that is sealed as a whole
	Path    string            `json:"path"`    // PATH without new programs of Dir

	at string
}

// take makes a seal of what matches the globs in the working folder, and tells what it holds.
func take(env *prog.Env, at string, globs []string) (err error) {
	s := &seal{}
	if s.at, err = filepath.Abs(at); err == nil {
		s.Dir, err = filepath.EvalSymlinks(".")
	}
	if err == nil {
		s.Dir, err = filepath.Abs(s.Dir)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.at), 0o700)
	}
	if err == nil {
		err = os.Mkdir(s.at, 0o700)
	}
	if err != nil {
		return usage("%w", err)
	}
	for _, g := range globs {
		if _, err := filepath.Match(g, ""); err != nil || !filepath.IsLocal(g) {
			return usage("%q: want a pattern of paths below the working folder", g)
		}
		s.Globs = append(s.Globs, s.behind(filepath.Clean(g))...)
	}
	s.Paths = s.look(false)
	for _, p := range slices.Backward(sorted(s.Paths)) { // a folder gets its mode last
		if err := duplicate(p, filepath.Join(s.at, "files", p)); err != nil {
			return prog.Errorf(prog.Trouble, "%q: %v", p, err)
		}
		if !s.whole(filepath.Dir(p)) {
			s.Protect = append(s.Protect, p)
		}
	}
	for _, g := range s.Globs {
		found := false
		for p := range s.Paths {
			is, _ := match(g, p)
			found = found || is
		}
		if found {
			continue
		}
		if plain(g) {
			env.Warnf("%q is absent, and stays so", g)
		} else {
			env.Warnf("%q matches nothing", g)
		}
	}
	if err := s.farm(os.Getenv("PATH")); err != nil {
		return err
	}
	env.Printf("%s\n", event.New("seal").Raw("globs", text(s.Globs)).
		Raw("paths", text(s.Paths)).Line())
	return os.WriteFile(filepath.Join(s.at, "seal.json"), text(s), 0o600)
}

// open opens a seal and enters the folder of which it was taken.
func open(at string) (*seal, error) {
	s := &seal{}
	data, err := os.ReadFile(filepath.Join(at, "seal.json"))
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err == nil {
		s.at, err = filepath.Abs(at)
	}
	if err == nil {
		err = os.Chdir(s.Dir)
	}
	if err != nil {
		return nil, usage("%q: no seal: %w", at, err)
	}
	return s, nil
}

// behind returns the glob and, if the folder that it begins with is reached by links, these
// and the glob of what is behind them.
func (s *seal) behind(glob string) []string {
	words := strings.Split(glob, "/")
	for i := range words {
		p := strings.Join(words[:i+1], "/")
		if !plain(p) {
			break
		}
		real, err := filepath.EvalSymlinks(filepath.Join(s.Dir, p))
		if err != nil || real == filepath.Join(s.Dir, p) {
			continue
		}
		if rest, in := strings.CutPrefix(real, s.Dir+"/"); in {
			return append(s.behind(strings.Join(append([]string{rest}, words[i+1:]...), "/")), p, glob)
		}
		return []string{p, glob}
	}
	return []string{glob}
}

// farm takes the folders of PATH that lie in the working folder out of it. In the place of
// each stands one of the seal, with a script for each program that was there: a link would
// tell a program another name for itself.
func (s *seal) farm(list string) error {
	var path []string
	for i, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.Dir, dir)
		}
		real, err := filepath.EvalSymlinks(dir)
		if !confine.Under(dir, s.Dir) && (err != nil || !confine.Under(real, s.Dir)) {
			path = append(path, dir)
			continue
		}
		own := filepath.Join(s.at, "path", strconv.Itoa(i))
		if err := os.MkdirAll(own, 0o700); err != nil {
			return err
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			program := filepath.Join(dir, e.Name())
			if !prog.Runnable(program) {
				continue
			}
			script := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n",
				strings.ReplaceAll(program, "'", `'\''`))
			if err := os.WriteFile(filepath.Join(own, e.Name()), []byte(script), 0o700); err != nil {
				return err
			}
		}
		path = append(path, own)
	}
	s.Path = strings.Join(path, string(os.PathListSeparator))
	return nil
}

// whole reports whether all that is in a folder is sealed, at any depth.
func (s *seal) whole(dir string) bool {
	return slices.ContainsFunc(s.Globs, func(g string) bool {
		near, _ := match(g, filepath.Join(dir, "\x01"))
		far, _ := match(g, filepath.Join(dir, "\x01/\x01"))
		return near && far
	})
}

// matches reports whether a path is sealed by its name, and whether one below it may be.
func (s *seal) matches(p string) (is, below bool) {
	for _, g := range s.Globs {
		i, b := match(g, p)
		is, below = is || i, below || b
	}
	return is, below
}

// plain reports whether a glob is a name.
func plain(glob string) bool { return !strings.ContainsAny(glob, `*?[\`) }

// match reports whether a glob matches a path, and whether it may match one below. A plain
// name stands for all that is in it, too.
func match(glob, p string) (is, below bool) {
	if p == glob || plain(glob) && strings.HasPrefix(p, glob+"/") {
		return true, true
	}
	return matchWords(strings.Split(glob, "/"), strings.Split(p, "/"))
}

// matchWords is match for the words of the glob and of the path.
func matchWords(glob, name []string) (is, below bool) {
	switch {
	case len(name) == 0:
		return !slices.ContainsFunc(glob, func(w string) bool { return w != "**" }), len(glob) > 0
	case len(glob) == 0:
		return false, false
	case glob[0] == "**":
		rest, _ := matchWords(glob[1:], name)
		deeper, _ := matchWords(glob, name[1:])
		return rest || deeper, true
	}
	if ok, _ := filepath.Match(glob[0], name[0]); !ok {
		return false, false
	}
	return matchWords(glob[1:], name[1:])
}

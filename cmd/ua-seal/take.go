package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ua/internal/common/confine"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// take makes a seal of what matches the globs in the working folder, and tells what it holds. One
// that is there is kept, and what a hold that was killed has set aside is put back.
func take(env *prog.Env, at string, globs []string) (err error) {
	if s, err := open(at); err == nil {
		return s.back()
	}
	s := &seal{}
	s.at, err = filepath.Abs(at)
	if here, failed := os.Getwd(); err == nil && failed == nil {
		s.Dir, err = filepath.EvalSymlinks(here)
	}
	err = errors.Join(err, os.MkdirAll(filepath.Dir(s.at), 0o700), os.Mkdir(s.at, 0o700))
	if err != nil {
		return prog.Errorf(prog.LoaderUsage, "%w", err)
	}
	for _, g := range globs {
		if _, err := filepath.Match(g, ""); err != nil || !filepath.IsLocal(g) {
			return prog.Errorf(prog.LoaderUsage, "%q: want a pattern of paths below the working folder", g)
		}
		s.Globs = append(s.Globs, s.behind(filepath.Clean(g))...)
	}
	paths := s.look(false, ignore)
	matching := differ(paths, nil)
	for _, p := range matching {
		dir := filepath.Dir(p)
		if above, _ := s.matches(dir); !above || dir == "." {
			s.Protect = append(s.Protect, p)
		}
		for ; dir != "." && paths[dir] == ""; dir = filepath.Dir(dir) {
			paths[dir] = folder
		}
	}
	for _, g := range s.Globs {
		switch words := strings.Split(g, "/"); {
		case slices.ContainsFunc(matching, func(p string) bool {
			is, _ := match(words, strings.Split(p, "/"))
			return is
		}):
		case plain(g):
			env.Warnf("%q is absent, and stays so", g)
		default:
			env.Warnf("%q matches nothing", g)
		}
	}
	s.Paths = paths
	err = errors.Join(s.tar("-cf", differ(paths, nil)), s.farm(os.Getenv("PATH")))
	if err != nil {
		return prog.Errorf(prog.Trouble, "%w", err)
	}
	env.Printf("%s\n", event.New("seal").Raw("globs", text(s.Globs)).
		Raw("paths", text(s.Paths)).Line())
	return os.WriteFile(filepath.Join(s.at, "seal.json"), text(s), 0o600)
}

// farm takes the folders of PATH that lie in the working folder out of it. In the place of
// each stands one of the seal, with a script for each program that was there: a link would
// tell a program another name for itself.
func (s *seal) farm(list string) (err error) {
	path := filepath.SplitList(list)
	for i, dir := range path {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.Dir, dir)
		}
		real, _ := filepath.EvalSymlinks(dir)
		if path[i] = dir; !confine.Under(dir, s.Dir) && !confine.Under(real, s.Dir) {
			continue
		}
		path[i] = filepath.Join(s.at, "path", strconv.Itoa(i))
		err = errors.Join(err, os.MkdirAll(path[i], 0o700))
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if program := filepath.Join(dir, e.Name()); prog.Runnable(program) {
				script := "#!/bin/sh\nexec " + prog.Quoted(program) + " \"$@\"\n"
				err = errors.Join(err, os.WriteFile(filepath.Join(path[i], e.Name()), []byte(script), 0o700))
			}
		}
	}
	s.Path = strings.Join(path, string(os.PathListSeparator))
	return err
}

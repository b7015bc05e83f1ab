package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"ua/internal/common/config"
	"ua/internal/common/verdict"
)

// in returns the policy together with those of the projects around dirs, which can only
// tighten it. warn is called with what a project's policy may not say.
func (p *policy) in(dirs []string, warn func(string, ...any)) (*policy, error) {
	here := *p
	here.rules, here.projects = slices.Clip(p.rules), slices.Clip(p.projects)
	for _, path := range projectFiles(dirs) {
		if err := here.tighten(path, warn); err != nil {
			return nil, config.OfProject(err)
		}
	}
	return &here, nil
}

// projectFiles returns the policies of the projects around dirs, each once. All of them
// count, so that no folder can free itself from one above it.
func projectFiles(dirs []string) (paths []string) {
	for _, dir := range dirs {
		for ; dir != ""; dir = filepath.Dir(dir) {
			path := filepath.Join(dir, ".ua", "policy.toml")
			if _, err := os.Lstat(path); !missing(err) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return paths
}

// tighten adds what a project's policy may say, and warns of the rest. It starts no
// program for it: a model may have written what a project's files name.
func (p *policy) tighten(path string, warn func(string, ...any)) error {
	var own policy
	if err := own.addText(path, led); err != nil {
		return err
	}
	refuse := func(there bool, what string) {
		if there {
			warn("%s: a project's policy can't %s; ignored", path, what)
		}
	}
	for m := range p.levels {
		for l, d := range own.levels[m] {
			refuse(d != "" && strictness(d) < strictness(p.levels[m][l]),
				"free the level "+verdict.Level(l).String())
			if d != "" {
				p.levels[m][l] = stricter(d, p.levels[m][l])
			}
		}
	}
	for l, by := range own.closed {
		p.closed[l] = cmp.Or(p.closed[l], by)
	}
	for l, d := range own.try {
		refuse(d == verdict.Allow && p.try[l] != verdict.Allow,
			"free the level "+verdict.Level(l).String()+" in a try")
		if d != "" && d != verdict.Allow {
			p.tryAtMost[l] = stricter(d, p.tryAtMost[l])
		}
	}
	for _, r := range own.rules {
		refuse(r.decision == verdict.Allow, "allow")
		if r.decision != verdict.Allow {
			p.rules = append(p.rules, r)
		}
	}
	refuse(len(own.hooks) > 0, "name hooks")
	refuse(own.judge != nil, "name a judge")
	refuse(len(own.workspace) > 0, "widen the workspace")
	p.projects = append(p.projects, own.rows...)
	return nil
}

package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/regular"
	"ua/internal/common/xdg"
)

// A Catalog holds the definitions that exist, by name.
type Catalog map[string]Definition

// Load returns the built-in definitions, in whose place the user's may stand, and those of the
// project in the folder dir that have another name: a command could have written their files.
// warn is called for each file that is skipped and each field that has no meaning.
func Load(dir string, warn func(string)) Catalog {
	c := builtins()
	c.folder(filepath.Join(xdg.Config(), "agents"), "user", warn)
	c.folder(filepath.Join(dir, ".claude/agents"), "project", warn)
	c.folder(filepath.Join(dir, ".ua/agents"), "project", warn)
	c.equip(dir)
	return c
}

// folder adds the definitions in one folder. A missing or unreadable folder holds none.
// Links are followed in the user's own folder only: in a project's a command could have
// made them.
func (c Catalog) folder(dir, source string, warn func(string)) {
	for i, e := range entries(dir, warn) {
		if i >= filesMax {
			warn(fmt.Sprintf("%s: only the first %d files are read", dir, filesMax))
			return
		}
		if file := filepath.Join(dir, e.Name()); strings.HasSuffix(file, ".md") {
			path := file
			if source == "user" {
				path = regular.Follow(file)
			}
			text, err := regular.Read(path, fileMax)
			c.add(text, err, source, file, warn)
		}
	}
}

// entries returns what is in a folder. A missing or unreadable folder holds nothing.
func entries(dir string, warn func(string)) []fs.DirEntry {
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		warn(fmt.Sprintf("%s: %v", dir, errors.Unwrap(err)))
	}
	return list
}

// located returns an error of a file with its path and, where it names one, its line.
func located(file string, err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if rest, ok := strings.CutPrefix(err.Error(), "line "); ok {
		line, rest, _ := strings.Cut(rest, ": ")
		return file + ":" + line + ": " + rest
	}
	return file + ": " + err.Error()
}

// add parses one definition and adds it, or warns with the file and line. err is what
// reading the file has returned.
func (c Catalog) add(text []byte, err error, source, file string, warn func(string)) {
	var d Definition
	if err == nil {
		d, err = Parse(text, func(line int, what string) {
			warn(fmt.Sprintf("%s:%d: %s", file,
				line, what))
		})
	}
	if err != nil {
		warn(located(file, err))
		return
	}
	d.Source, d.Path = source, file
	if source == "project" {
		if old, ok := c[d.Name]; ok && old.Source != source {
			warn(fmt.Sprintf("%s: left out: the name %s is taken (%s)", file, d.Name, old.Source))
			return
		}
		d.Model, d.Provider = "", "" // a model can be a program, and costs money
		if d.Permissions == "bypass_permissions" {
			d.Permissions = "trusted"
		}
	}
	c[d.Name] = d
}

// Names returns the names of the definitions, sorted.
func (c Catalog) Names() (names []string) {
	for n := range c {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

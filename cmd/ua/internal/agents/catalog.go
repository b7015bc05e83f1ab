package agents

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/safefile"
	"ua/internal/common/verdict"
	"ua/internal/common/xdg"
)

// Load returns the built-in definitions, overlaid by those of the user and then by those
// of the project in the folder dir. A later definition replaces an earlier one of the
// same name, but a project's may only narrow it: a command could have written that file.
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
				path = safefile.Follow(file)
			}
			text, err := safefile.Read(path, fileMax)
			c.add(text, err, source, file, warn)
		}
	}
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
		d = d.narrowed(c[d.Name])
	}
	c[d.Name] = d
}

// narrowed returns a project's definition without anything that would grant more than the
// definition it replaces.
func (d Definition) narrowed(old Definition) Definition {
	// A new name may have what an agent without a word of permissions has.
	if old.Name == "" {
		old = Definition{Permissions: "trusted"}
	}
	if d.Permissions == "" || rank(d.Permissions) > rank(old.Permissions) {
		d.Permissions = old.Permissions
	}
	// Plans counts too: it lets files below .ua/plans be written.
	if d.Ceiling() > old.Ceiling() || d.Plans() && !old.Plans() && old.Ceiling() < verdict.Write {
		d.Tools, d.NotTools = old.Tools, old.NotTools
	}
	if old.Delegate != nil && !*old.Delegate {
		d.Delegate = old.Delegate
	}
	// What narrows the old one goes on to.
	for _, name := range old.Skills {
		if !slices.Contains(d.Skills, name) {
			d.Skills = append(d.Skills, name)
		}
	}
	if old.Isolation != "" {
		d.Isolation = old.Isolation
	}
	// The list runs from the strictest judge, so a later level is a weaker one.
	if i := slices.Index(judged(), d.Judge); old.Judge != "" &&
		(i < 0 || i > slices.Index(judged(), old.Judge)) {
		d.Judge = old.Judge
	}
	d.MaxIterations, d.BudgetTokens = lower(d.MaxIterations, old.MaxIterations),
		lower(d.BudgetTokens, old.BudgetTokens)
	d.Timeout = lower(d.Timeout, old.Timeout)
	d.Model, d.Provider = old.Model, old.Provider // a model can be a program, and costs money
	return d
}

// rank returns how much a word of permissions allows, as its index. No word means
// trusted.
func rank(word string) int { return slices.Index(permissions, cmp.Or(word, "trusted")) }

// lower returns the smaller of two limits. The limit 0 means no limit.
func lower[T ~int | ~int64](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// Names returns the names of the definitions, sorted.
func (c Catalog) Names() (names []string) {
	for n := range c {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

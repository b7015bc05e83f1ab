package prog

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A kind says how a variable's value names code.
type kind int

const (
	harmless kind = iota
	paths         // one path, or a list with colons; relative ones are in the working directory
	modules       // such a list, in which a name without a slash is looked for elsewhere
	options       // text of any form that may name files: options, patterns, code
)

//go:embed variables.txt
var variables string

// codeVariables returns the rows of variables.txt by name.
var codeVariables = sync.OnceValue(func() map[string]kind {
	kinds := map[string]kind{"paths": paths, "modules": modules, "options": options}
	all := map[string]kind{}
	for line := range strings.Lines(variables) {
		if words := strings.Fields(line); words[0] != "#" {
			for _, name := range words[1:] {
				all[name] = kinds[words[0]]
			}
		}
	}
	return all
})

// kindOf returns what is known of a variable. A number at the name's end (LUA_INIT_5_4) is not
// part of it.
func kindOf(name string) kind {
	return codeVariables()[strings.TrimRight(name, "_0123456789")]
}

// variable returns a variable, as NAME=VALUE, without what commands can change of a list,
// and false if nothing is left. Options are left out: how they name a file, each interpreter
// has rules of its own for.
func (c change) variable(v string) (string, bool) {
	name, value, _ := strings.Cut(v, "=")
	k := kindOf(name)
	if k == harmless || k == options {
		return v, k == harmless || value == ""
	}
	if strings.HasPrefix(name, "LD_") && k == modules { // with spaces between them as well
		value = strings.ReplaceAll(value, " ", ":")
	}
	kept := slices.DeleteFunc(strings.Split(value, ":"), func(path string) bool {
		if k == modules && !strings.Contains(path, "/") {
			return path == ""
		}
		return c.chosen(path)
	})
	return name + "=" + strings.Join(kept, ":"), len(kept) > 0
}

// chosen reports whether commands can decide what lies at a path.
func (c change) chosen(path string) bool {
	return !filepath.IsAbs(path) || c.ways.lead(path, c.open) || c.ways.lead(path, c.home)
}

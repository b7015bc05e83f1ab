package classify

import (
	"slices"
	"strings"
)

// A variable is what setting an environment variable for a program means.
type variable struct {
	name string // a * at the end stands for any further bytes
	kind varKind
}

// A varKind is what setting a variable of the environment may bring about in the programs that
// get it.
type varKind uint8

const (
	varHarmless varKind = iota // no program runs or loads anything by it
	varDanger                  // it names code that runs
	varPager                   // a pager: harmless if it is a known one
	varEditor                  // an editor: the same
	varTool                    // a compiler or another tool of a build: the same
	varFlags                   // flags of a program: harmless without those that load code
	varPath                    // folders of libraries: harmless below the working directory
	varSearch                  // PATH
)

// varKinds are the words of the kinds in a table's [env] list, by kind.
var varKinds = []string{"harmless", "danger", "pager", "editor", "tool", "flags", "path", "search"}

// variables are the rules for environment variables: by whole names, and by
// patterns of which the longest that matches wins.
type variables struct {
	named map[string]varKind
	wild  []variable
}

func (p *tableParser) env(lists map[string]string) error {
	p.t.vars.named = make(map[string]varKind, 1024)
	for _, kind := range sortedKeys(lists) {
		k := slices.Index(varKinds, kind)
		if k < 0 {
			return p.errorf(kind, "env: unknown kind %q", kind)
		}
		for name := range strings.FieldsSeq(lists[kind]) {
			if strings.Contains(name, "*") {
				p.t.vars.wild = append(p.t.vars.wild, variable{name, varKind(k)})
			} else {
				p.t.vars.named[name] = max(p.t.vars.named[name], varKind(k))
			}
		}
	}
	slices.SortStableFunc(p.t.vars.wild, func(a,
		b variable) int {
		return len(b.name) - len(a.name)
	})
	return nil
}

// kind returns what setting the variable means.
func (v *variables) kind(name string) (varKind, bool) {
	if k, ok := v.named[name]; ok {
		return k, true
	}
	for _, pattern := range v.wild {
		if glob(pattern.name, name) {
			return pattern.kind, true
		}
	}
	return 0, false
}

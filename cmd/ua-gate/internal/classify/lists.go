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

var varKinds = []string{"harmless", "danger", "pager", "editor", "tool", "flags", "path", "search"}

// A pathRule says what the files of a pattern are. The pattern is a list of
// names parted by slashes, with * for any bytes in a name. One that begins with
// a slash is anchored; another may begin at any name of a path. One that ends
// in a slash is the folder and all in it, and else the file alone.
type pathRule struct {
	first    string // the pattern's first name
	rest     string // and its others
	anchored bool
	tree     bool
	kind     pathKind
	next     int // the number plus 1 of the next rule with that first name
}

type pathKind uint16

const (
	pathSecret  pathKind = 1 << iota // neither read nor written
	pathPrivate                      // not read
	pathGuarded                      // not written: it runs by itself, or says what may run
	pathSystem                       // not written: it is the machine's
	pathDisk                         // never written
	pathPublic                       // not secret or private after all
	pathOpen                         // not guarded or system after all
	pathScratch                      // the same, but where the user works it stays guarded
	pathNever                        // never written: who may log in
)

var pathKinds = []string{"secret", "private", "guarded", "system", "disk", "public", "open",
	"scratch", "never"}

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
	slices.SortStableFunc(p.t.vars.wild, func(a, b variable) int { return len(b.name) - len(a.name) })
	return nil
}

// kind is what setting the variable means.
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

// pathRules are the rules for paths: those whose first name is known by that
// name, in chains, and those whose first name has a *.
type pathRules struct {
	chains map[string]int // to the first rule's number plus 1
	named  []pathRule
	wild   []pathRule
}

func (p *tableParser) path(lists map[string]string) error {
	rules := &p.t.paths
	rules.chains = make(map[string]int, 512)
	rules.named = make([]pathRule, 0, 512)
	for _, kind := range sortedKeys(lists) {
		k := slices.Index(pathKinds, kind)
		if k < 0 {
			return p.errorf(kind, "path: unknown kind %q", kind)
		}
		for text := range strings.FieldsSeq(lists[kind]) {
			rules.add(text, 1<<k)
		}
	}
	return nil
}

// add takes in one rule as it is written.
func (l *pathRules) add(text string, kind pathKind) {
	r := pathRule{kind: kind}
	text, r.anchored = strings.CutPrefix(text, "/")
	text, r.tree = strings.CutSuffix(text, "/")
	r.first, r.rest, _ = strings.Cut(text, "/")
	if strings.Contains(r.first, "*") {
		l.wild = append(l.wild, r)
		return
	}
	if l.chains == nil {
		l.chains = map[string]int{}
	}
	r.next = l.chains[r.first]
	l.named = append(l.named, r)
	l.chains[r.first] = len(l.named)
}

// kinds is what the place is, by all rules of the table.
func (t *Table) kinds(p place) (k pathKind) {
	if t == nil {
		return 0
	}
	for i, name := range p.names {
		plain := !strings.ContainsAny(name, "*?["+hole)
		for j := range t.paths.wild {
			k |= t.paths.wild[j].match(p, i, plain)
		}
		if !plain {
			for j := range t.paths.named {
				k |= t.paths.named[j].match(p, i, plain)
			}
			continue
		}
		for j := t.paths.chains[name]; j > 0; j = t.paths.named[j-1].next {
			k |= t.paths.named[j-1].match(p, i, plain)
		}
	}
	return k
}

// match is what the rule says of a place if it matches at name i, which is plain
// if it has no unknown bytes.
func (r *pathRule) match(p place, i int, plain bool) pathKind {
	switch {
	case r.anchored && (i > p.up || !p.rooted), r.rest == "" && !r.tree && i < len(p.names)-1:
		return 0
	case plain && !glob(r.first, p.names[i]), !plain && !meet(p.names[i], r.first):
		return 0
	case !plain && r.kind == pathPublic && !glob(r.first, p.names[i]): // of some files only
		return 0
	case r.rest == "" || begins(p.names[i+1:], r.rest, r.tree):
		return r.kind
	}
	return 0
}

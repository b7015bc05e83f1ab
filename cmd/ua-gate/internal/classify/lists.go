package classify

import (
	"cmp"
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
}

type pathKind uint8

const (
	pathSecret  pathKind = 1 << iota // neither read nor written
	pathPrivate                      // not read
	pathGuarded                      // not written: it runs by itself, or says what may run
	pathSystem                       // not written: it is the machine's
	pathDisk                         // never written
	pathPublic                       // not secret or private after all
	pathOpen                         // not guarded or system after all
	pathScratch                      // the same, but where the user works it stays guarded
)

var pathKinds = []string{"secret", "private", "guarded", "system", "disk", "public", "open", "scratch"}

func (p *tableParser) env(lists map[string]string) error {
	for _, kind := range sortedKeys(lists) {
		k := slices.Index(varKinds, kind)
		if k < 0 {
			return p.errorf(kind, "env: unknown kind %q", kind)
		}
		for _, name := range strings.Fields(lists[kind]) {
			p.t.vars = append(p.t.vars, variable{name, varKind(k)})
		}
	}
	slices.SortFunc(p.t.vars, func(a, b variable) int { return cmp.Compare(a.name, b.name) })
	return nil
}

func (p *tableParser) path(lists map[string]string) error {
	for _, kind := range sortedKeys(lists) {
		k := slices.Index(pathKinds, kind)
		if k < 0 {
			return p.errorf(kind, "path: unknown kind %q", kind)
		}
		for _, text := range strings.Fields(lists[kind]) {
			r := pathRule{kind: 1 << k}
			text, r.anchored = strings.CutPrefix(text, "/")
			text, r.tree = strings.CutSuffix(text, "/")
			r.first, r.rest, _ = strings.Cut(text, "/")
			if strings.Contains(r.first, "*") {
				p.t.wild = append(p.t.wild, r)
			} else {
				p.t.paths = append(p.t.paths, r)
			}
		}
	}
	slices.SortStableFunc(p.t.paths, func(a, b pathRule) int { return cmp.Compare(a.first, b.first) })
	return nil
}

// kinds is what the place is, by all rules of the table.
func (t *Table) kinds(p place) (k pathKind) {
	if t == nil {
		return 0
	}
	for i, name := range p.names {
		plain, rules := !strings.ContainsAny(name, "*?["+hole), t.paths
		if plain {
			from, ok := slices.BinarySearchFunc(t.paths, name, func(r pathRule, name string) int { return strings.Compare(r.first, name) })
			to := from
			for ok && to < len(t.paths) && t.paths[to].first == name {
				to++
			}
			rules = t.paths[from:to]
		}
		k |= matching(t.wild, p, i, plain) | matching(rules, p, i, plain)
	}
	return k
}

// matching is what the rules say that match at name i, which is plain if it has no
// unknown bytes.
func matching(rules []pathRule, p place, i int, plain bool) (k pathKind) {
	for j := range rules {
		r := &rules[j]
		if r.anchored && (i > p.up || !p.rooted) || r.rest == "" && !r.tree && i < len(p.names)-1 {
			continue
		}
		if plain && !glob(r.first, p.names[i]) || !plain && !meet(p.names[i], r.first) {
			continue
		}
		if r.rest == "" || begins(p.names[i+1:], r.rest, r.tree) {
			k |= r.kind
		}
	}
	return k
}

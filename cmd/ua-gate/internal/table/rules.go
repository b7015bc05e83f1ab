package table

import (
	"strings"

	"ua/cmd/ua-gate/internal/match"
)

// A pathRule says what the files of a pattern are. The pattern is a list of
// names parted by slashes, with * for any bytes in a name. One that begins with
// a slash is anchored; another may begin at any name of a path. One that ends
// in a slash is the folder and all in it, and else the file alone.
type pathRule struct {
	first    string // the pattern's first name
	rest     string // and its others
	anchored bool
	tree     bool
	kind     PathKind
	next     int // the number plus 1 of the next rule with that first name

	begin, end byte // of first; 0 for unknown bytes
}

// pathRules are the rules for paths. Those without a * in their first name are found
// by it, or by their first two names if neither has one, in chains.
type pathRules struct {
	chains map[string]int // to the first rule's number plus 1
	named  []pathRule
	wild   []pathRule
	told   []pathRule // what names of files say: it counts among the settings of a home
}

// add takes in one rule as it is written.
func (l *pathRules) add(text string, kind PathKind) {
	r := pathRule{kind: kind}
	text, r.anchored = strings.CutPrefix(text, "/")
	text, r.tree = strings.CutSuffix(text, "/")
	r.first, r.rest, _ = strings.Cut(text, "/")
	r.begin, r.end = edges(r.first)
	if kind&(PathTold|PathSource) != 0 && strings.HasPrefix(r.first, "*") {
		l.told = append(l.told, r)
		return
	}
	if strings.Contains(r.first, "*") {
		l.wild = append(l.wild, r)
		return
	}
	if l.chains == nil {
		l.chains = map[string]int{}
	}
	key := r.first
	if second, _, _ := strings.Cut(r.rest, "/"); second != "" && !strings.Contains(second, "*") {
		key = text[:len(r.first)+1+len(second)]
	}
	r.next = l.chains[key]
	l.named = append(l.named, r)
	l.chains[key] = len(l.named)
}

// chain returns what the rules that are found by the key say of a place, if they match at
// name i, which has no unknown bytes.
func (l *pathRules) chain(key string, p *Place, i int) (k PathKind) {
	for j := l.chains[key]; j > 0; j = l.named[j-1].next {
		k |= l.named[j-1].match(p, i, true)
	}
	return k
}

// matchAll returns what the rules say of a place if they match at name i, which is plain if
// it has no unknown bytes. Two bytes tell of most rules that they don't.
func matchAll(rules []pathRule, p *Place, i int, plain bool) (k PathKind) {
	begin, end := edges(p.Names[i])
	for j := range rules {
		r := &rules[j]
		if (begin == 0 || r.begin == 0 || r.begin == begin) && (end == 0 || r.end == 0 || r.end == end) {
			k |= r.match(p, i, plain)
		}
	}
	return k
}

// match returns what the rule says of a place if it matches at name i, which is plain
// if it has no unknown bytes.
func (r *pathRule) match(p *Place, i int, plain bool) PathKind {
	switch {
	case r.anchored && (i > p.up || !p.rooted), r.rest == "" && !r.tree && i < len(p.Names)-1:
		return 0
	case r.kind == PathWhole && r.anchored && match.Patterned(p.Names[i]) &&
		cross(p.Names[i], r.first, 0):
	case plain && !match.Glob(r.first, p.Names[i]), !plain && !meet(p.Names[i], r.first):
		return 0
	case !plain && r.kind&pathFreeing != 0 && !match.Glob(r.first, p.Names[i]):
		return 0
	}
	if r.rest == "" || begins(p.Names[i+1:], r.rest, r.tree) {
		return r.kind
	}
	return 0
}

// begins matches names with a pattern's names: all of them, or with tree the
// first ones.
func begins(names []string, pattern string, tree bool) bool {
	for {
		head, tail, more := strings.Cut(pattern, "/")
		if len(names) == 0 || !meet(names[0], head) {
			return false
		}
		names = names[1:]
		if !more {
			return tree || len(names) == 0
		}
		pattern = tail
	}
}

// meet reports whether a name of a word, in which patterns and holes stand for
// unknown bytes, and a name of a rule can be the same.
func meet(name, rule string) bool {
	if !uncertain(name) {
		return match.Glob(rule, name)
	}
	if rule == "" {
		return false
	}
	if first := name[0]; rule != "*" && first != rule[0] && !uncertain(name[:1]) && rule[0] != '*' {
		return false // the rest can't matter
	}
	if name == rule || rule == "*" || rule == ".*" && name[0] == '.' {
		return true
	}
	if strings.HasPrefix(rule, ".") && !strings.HasPrefix(name, ".") && name[0] != 0 {
		return false
	}
	stem, other := name, rule
	if dot := strings.LastIndexByte(rule, '.'); dot > 0 && strings.HasSuffix(name, rule[dot:]) {
		stem, other = name[:len(name)-len(rule)+dot], rule[:dot] // an ending alone says nothing
	}
	known := 0
	for i := 0; i < len(stem); i++ {
		if strings.IndexByte("*?[]"+match.Hole, stem[i]) < 0 {
			known++
		}
	}
	return known >= 2 && !strings.HasPrefix(other, "*") && cross(stem, other, 0) &&
		(strings.Contains(stem, match.Hole) || shares(stem, other))
}

// shares reports whether a pattern of a word has two bytes of a rule's name in a row, or one at an
// end of it: where all of the name stands for the pattern's *, and all of the pattern for the
// rule's, only an ending is the same. *.template.json is no service-account*.json.
func shares(stem, rule string) bool {
	for i := 0; i+1 < len(stem); i++ {
		if strings.IndexByte("*?[", stem[i]) < 0 && strings.IndexByte("*?[", stem[i+1]) < 0 &&
			strings.Contains(rule, stem[i:i+2]) {
			return true
		}
	}
	end := rule[len(rule)-1]
	return strings.ContainsAny(stem, "?[") || stem[0] == rule[0] ||
		end != '*' && stem[len(stem)-1] == end
}

// cross reports whether two patterns have a text in common. Brackets count as one
// unknown byte.
func cross(a, b string, depth int) bool {
	// So long a pattern is taken to match, which is the strict answer.
	if depth > 64 {
		return true
	}
	switch {
	case a == "" && b == "":
		return true
	case a != "" && (a[0] == '*' || a[0] == 0):
		return cross(a[1:], b, depth+1) || b != "" && cross(a, b[1:], depth+1)
	case b != "" && b[0] == '*':
		return cross(a, b[1:], depth+1) || a != "" && cross(a[1:], b, depth+1)
	case a == "" || b == "":
		return false
	case a[0] == '[':
		if i := strings.IndexByte(a, ']'); i > 0 {
			return cross(a[i+1:], b[1:], depth+1)
		}
	}
	return (a[0] == '?' || a[0] == b[0]) && cross(a[1:], b[1:], depth+1)
}

// uncertain reports whether the text has patterns or holes, which stand for unknown
// bytes.
func uncertain(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case '*', '?', '[', match.Hole[0]:
			return true
		}
	}
	return false
}

// edges returns the first and the last byte of a name, 0 for those that are not known.
func edges(name string) (begin, end byte) {
	known := func(c byte) byte {
		if strings.IndexByte("*?[]"+match.Hole, c) >= 0 {
			return 0
		}
		return c
	}
	if name == "" {
		return 0, 0
	}
	return known(name[0]), known(name[len(name)-1])
}

// A variable is what setting an environment variable for a program means.
type variable struct {
	name string // a * at the end stands for any further bytes
	kind VarKind
}

// A VarKind is what setting a variable of the environment may bring about in the programs that
// get it.
type VarKind uint8

const (
	VarHarmless VarKind = iota // no program runs or loads anything by it
	varDanger                  // it names code that runs
	VarPager                   // a pager: harmless if it is a known one
	VarEditor                  // an editor: the same
	VarTool                    // a compiler or another tool of a build: the same
	VarFlags                   // flags of a program: harmless without those that load code
	VarPath                    // folders of libraries: harmless below the working directory
	VarSearch                  // PATH
)

// varKinds are the words of the kinds in a table's [env] list, by kind.
var varKinds = []string{"harmless", "danger", "pager", "editor", "tool", "flags", "path", "search"}

// variables are the rules for environment variables: by whole names, and by
// patterns of which the longest that matches wins.
type variables struct {
	named map[string]VarKind
	wild  []variable
}

// kind returns what setting the variable means.
func (v *variables) kind(name string) (VarKind, bool) {
	if k, ok := v.named[name]; ok {
		return k, true
	}
	for _, pattern := range v.wild {
		if match.Glob(pattern.name, name) {
			return pattern.kind, true
		}
	}
	return 0, false
}

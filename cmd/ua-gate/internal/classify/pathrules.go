package classify

import (
	"slices"
	"strings"
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
	kind     pathKind
	next     int // the number plus 1 of the next rule with that first name

	begin, end byte // of first; 0 for unknown bytes
}

// A pathKind is what a place is, as a set of bits.
type pathKind uint32

// Those of the table come first, in the order of their names.
const (
	pathSecret     pathKind = 1 << iota // neither read nor written
	pathPrivate                         // not read
	pathGuarded                         // not written: it runs by itself, or says what may run
	pathSystem                          // not written: it is the machine's
	pathDisk                            // never written
	pathPublic                          // not secret or private after all
	pathOpen                            // not guarded or system after all
	pathScratch                         // the same, but where the user works it stays guarded
	pathNever                           // never written: who may log in
	pathRecord                          // not lost: what was typed, is scheduled, or is a history
	pathSettings                        // those of a home
	pathWhole                           // all of a system or a home
	pathMixed                           // secrets are among what is below it
	pathStream                          // what is written there changes no file
	pathPassing                         // what is put there goes with the run
	pathInstalled                       // where the programs of the machine are
	pathTold                            // its name says that it holds a secret
	pathSource                          // no secret, whatever its name says
	pathPrograms                        // a folder of the system's programs
	pathTools                           // a folder that a project's package manager fills
	pathSocket                          // a connection of the shell's own
	pathDescriptor                      // a device, or what the program that opens it has open
	pathInput                           // the standard input of the program that opens it

	pathHere   // in the workspace
	pathAway   // known, and neither in the workspace nor where everybody puts what may be lost
	pathAll    // all of the workspace
	pathHidden // nobody is to see what is in it
)

var pathKinds = strings.Fields("secret private guarded system disk public open scratch never " +
	"record settings whole mixed stream passing installed told source programs tools socket " +
	"descriptor input")

// What frees a place frees it only where it is known to be the one.
const pathFreeing = pathPublic | pathOpen | pathScratch | pathStream | pathSource |
	pathPrograms | pathTools

// pathRules are the rules for paths. Those without a * in their first name are found
// by it, or by their first two names if neither has one, in chains.
type pathRules struct {
	chains map[string]int // to the first rule's number plus 1
	named  []pathRule
	wild   []pathRule
	told   []pathRule // what names of files say: it counts among the settings of a home
}

func (p *tableParser) path(lists map[string]string) error {
	rules := &p.t.paths
	rules.chains = make(map[string]int, 640)
	rules.named = make([]pathRule, 0, 768)
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
	r.begin, r.end = edges(r.first)
	if kind&(pathTold|pathSource) != 0 && strings.HasPrefix(r.first, "*") {
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

// kinds returns what the place is, by all rules of the table.
func (t *Table) kinds(p *place) (k pathKind) {
	if t == nil {
		return 0
	}
	rules, begin := &t.paths, 0
	if strings.HasPrefix(p.abs, "/") {
		begin = 1
	}
	for i, name := range p.names {
		end, plain := begin+len(name), !uncertain(name)
		if plain && (i+1 == len(p.names) || !uncertain(p.names[i+1])) {
			k |= rules.chain(name, p, i)
			if i+1 < len(p.names) {
				k |= rules.chain(p.abs[begin:end+1+len(p.names[i+1])], p, i)
			}
		} else {
			k |= matchAll(rules.named, p, i, plain)
		}
		k |= matchAll(rules.wild, p, i, plain)
		begin = end + 1
	}
	if last := len(p.names) - 1; k&pathSettings != 0 {
		k |= matchAll(rules.told, p, last, !uncertain(p.names[last]))
	}
	return k
}

// uncertain reports whether the text has patterns or holes, which stand for unknown
// bytes.
func uncertain(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case '*', '?', '[', hole[0]:
			return true
		}
	}
	return false
}

// edges returns the first and the last byte of a name, 0 for those that are not known.
func edges(name string) (begin, end byte) {
	known := func(c byte) byte {
		if strings.IndexByte("*?[]"+hole, c) >= 0 {
			return 0
		}
		return c
	}
	if name == "" {
		return 0, 0
	}
	return known(name[0]), known(name[len(name)-1])
}

// chain returns what the rules that are found by the key say of a place, if they match at
// name i, which has no unknown bytes.
func (l *pathRules) chain(key string, p *place, i int) (k pathKind) {
	for j := l.chains[key]; j > 0; j = l.named[j-1].next {
		k |= l.named[j-1].match(p, i, true)
	}
	return k
}

// matchAll returns what the rules say of a place if they match at name i, which is plain if
// it has no unknown bytes. Two bytes tell of most rules that they don't.
func matchAll(rules []pathRule, p *place, i int, plain bool) (k pathKind) {
	begin, end := edges(p.names[i])
	for j := range rules {
		r := &rules[j]
		if (begin == 0 || r.begin == 0 || r.begin == begin) &&
			(end == 0 || r.end == 0 || r.end == end) {
			k |= r.match(p, i, plain)
		}
	}
	return k
}

// match returns what the rule says of a place if it matches at name i, which is plain
// if it has no unknown bytes.
func (r *pathRule) match(p *place, i int, plain bool) pathKind {
	switch {
	case r.anchored && (i > p.up || !p.rooted), r.rest == "" && !r.tree && i < len(p.names)-1:
		return 0
	case r.kind == pathWhole && r.anchored && patterned(p.names[i]) && cross(p.names[i], r.first, 0):
	case plain && !glob(r.first, p.names[i]), !plain && !meet(p.names[i], r.first):
		return 0
	case !plain && r.kind&pathFreeing != 0 && !glob(r.first, p.names[i]):
		return 0
	}
	if r.rest == "" || begins(p.names[i+1:], r.rest, r.tree) {
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
		return glob(rule, name)
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
		if strings.IndexByte("*?[]"+hole, stem[i]) < 0 {
			known++
		}
	}
	return known >= 2 && !strings.HasPrefix(other, "*") && cross(stem, other, 0) &&
		(strings.Contains(stem, hole) || shares(stem, other))
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

package classify

import (
	"path"
	"slices"
	"strings"
)

// setting is the rule for a variable that is set, for the words if they are there, or for all that
// comes later: to a value, or to what read(1) and its like take. By what it names programs may run
// or load code, which nobody has read.
func (w *session) setting(p *Part, s setting, words []word) {
	text := s.val.text
	if unknownName(s.name) {
		p.add(runsHidden, "env:", "sets a variable whose name is not known")
		return
	}
	if strings.HasPrefix(text, "() {") {
		p.add(runsHidden, "env:"+s.name, s.name+" is a function that shells run")
		p.Unread = true
		return
	}
	evaluates(p, "the value of "+s.name, text)
	w.prompts(p, s, words)
	input := text == hole && s.val.from&fromPipe != 0
	act := runsUnread
	mild := false
	switch kind, known := w.variable(s.name); {
	case !known:
		mild = s.val.from == fromTemp || len(words) == 0 || !strings.ContainsAny(text, "/ ")
	case kind == varHarmless:
		mild = !strings.HasPrefix(s.name, "PS") || !substitutes(text) && !octalLetter.match(text)
	case input:
		act = runsHidden
	case kind == varSearch:
		mild = w.searchPath(text)
		if mild && (strings.Contains(text, "./") || strings.HasPrefix(text, hole+"/")) {
			p.add(runsOwn, "env:"+s.name, s.name+" finds programs of the project first")
		}
	case kind == varPath:
		mild = below(text)
	case kind == varPager || kind == varEditor || kind == varTool:
		mild = w.toolValue(text)
	case kind == varFlags:
		mild = mildFlags(text)
	default:
		mild = text == "" && len(words) > 0 && !strings.HasPrefix(s.name, "HIST")
	}
	if !mild {
		p.add(act, "env:"+s.name, s.name+" may make a program run other code")
	}
}

// variable returns what setting the variable means, by the user's rows or the
// embedded ones.
func (w *machine) variable(name string) (varKind, bool) {
	if w.o.Overlay != nil {
		if k, ok := w.o.Overlay.vars.kind(name); ok {
			return k, true
		}
	}
	return w.o.embedded().variables().kind(name)
}

// mildFlags reports whether flags load no code, as far as they say so.
func mildFlags(text string) bool { return !loadingFlags.match(text) }

// loadingFlags finds flags by which compilers and interpreters load or run code.
var loadingFlags = regex{text: "exec|require|import|load|agent|plugin|wrapper|specs|linker|" +
	"vettool|" +
	"overlay|modfile|inspect|eval|command|-[re] |-B|OnError|OnOutOf|bootclass|-fuse-ld=[/.]|" +
	"file=|[@`]|\\$[^ '\"|)]"}

// searchPath reports whether all folders of a PATH are the system's, the user's
// own or a project's tools.
func (w *machine) searchPath(text string) bool {
	for dir := range strings.SplitSeq(text, ":") {
		tools := strings.HasPrefix(dir, hole+"/") && !strings.Contains(dir, "tmp") || dir == "./bin"
		if dir != "" && dir != hole && !tools && !w.systemDir(dir) && !w.projectDir(dir) &&
			!slices.ContainsFunc([]string{"~/", "/opt/", "/usr/", "./node_modules/.bin"},
				func(root string) bool { return strings.HasPrefix(dir, root) }) {
			return false
		}
	}
	return true
}

// below reports whether all folders of a list are below the working directory.
func below(text string) bool {
	for _, dir := range strings.Split(text, ":") {
		if strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") || strings.Contains(dir, "..") ||
			strings.Contains(dir, hole) && dir != hole {
			return false
		}
	}
	return true
}

// pair is NAME=VALUE among the words of a program that starts another one with the variable.
func (a *argv) pair(val word) {
	name, text, set := strings.Cut(val.text, "=")
	if !set {
		return
	}
	v := val.cut(len(name) + 1)
	a.w.setting(a.p, setting{name, v}, a.rest)
	if !strings.Contains(name, hole) && len(a.rest) > 0 &&
		inList(shellNames, path.Base(a.rest[0].text)) {
		a.sc = a.sc.sub()
		a.sc.put(name, value{text: text, from: val.from, maybe: true})
	}
}

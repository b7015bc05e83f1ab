package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// supplies are the files that never end.
const supplies = " /dev/zero /dev/urandom /dev/random "

// endless is the rule for a program that writes without end, or passes on what does.
func (a *argv) endless() {
	switch a.name {
	case "yes":
		a.out |= fromEndless
	case "cat", "tee", "tr", "base64", "base32", "rev", "gzip", "bzip2", "xz", "zstd", "pv", "cp":
		a.out |= a.in.bits & fromEndless
		for _, o := range a.operands {
			if inList(supplies, o.text) {
				a.out |= fromEndless
			}
		}
		if a.out&fromEndless != 0 && (a.name == "tee" || a.name == "cp") && a.p.Level == write {
			a.p.raise(destructive, "limit:disk", a.name+" fills the disk without end")
		}
	// head -c ends what has no end, unless it is let through as much as a disk holds.
	case "head":
		for i, wd := range a.words {
			size, glued := strings.CutPrefix(wd.text, "-c")
			if glued && size == "" && i+1 < len(a.words) {
				size = a.words[i+1].text
			}
			endless := a.in.bits&fromEndless != 0 || len(a.operands) > 0 && inList(supplies,
				a.operands[len(a.operands)-1].text)
			if glued && endless && huge(size) {
				a.out |= fromEndless
			}
		}
	// Ten digits and more are too many lines for a disk.
	case "seq":
		if n := len(a.operands); n > 0 && (len(a.operands[n-1].text) > 9 ||
			strings.HasPrefix(a.operands[n-1].text, "inf") ||
			strings.Contains(a.operands[n-1].text, "e")) {
			a.out |= fromEndless
		}
	case "fallocate":
		if size, _ := a.value("-l", "--length"); huge(size.text) {
			a.p.raise(destructive, "limit:disk", "fallocate takes "+size.text+" of the disk")
		}
	}
}

// huge reports whether a size is that of a disk: ten gigabytes and more.
func huge(size string) bool {
	digits := strings.TrimRight(size, "iBKMGTPE")
	unit := strings.TrimRight(size[len(digits):], "iB")
	return unit == "G" && len(digits) > 1 || len(unit) == 1 && strings.Contains("TPE", unit) ||
		unit == "" && len(digits) > 10
}

// forever is the rule for a loop that writes and whose body has nothing that ends it
// or makes it wait.
func (w *walker) forever(loop syntax.Node, body []*syntax.Stmt, sc *scope, parts *[]Part,
	from int) {
	if startsMore(body) {
		w.fact(parts, loop, destructive, "limit:processes",
			"a loop without end starts processes").Held = true
	}
	ends := false
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				name := call.Args[0].Lit()
				ends = ends || sc.funcs[name] != nil ||
					inList(" break exit return sleep usleep read wait inotifywait exec kill ", name)
			}
			return !ends
		})
	}
	r := Report{Parts: (*parts)[min(from, len(*parts)):]}
	for part := range r.All() {
		if !ends && part.Level == write {
			w.fact(parts, loop, destructive, "limit:disk", "a loop without end writes files")
			return
		}
	}
}

// startsMore reports whether the body of a loop leaves a process behind each time, and nothing
// in it waits or may end the loop.
func startsMore(body []*syntax.Stmt) (starts bool) {
	for _, s := range body {
		if sub, ok := s.Cmd.(*syntax.Subshell); s.Background || ok && startsMore(sub.Stmts) {
			starts = true
			continue
		}
		call, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) > 0 && !inList(" : true echo printf disown ", call.Args[0].Lit()) {
			return false
		}
	}
	return starts
}

// always reports whether the condition of a loop never ends it.
func always(c *syntax.WhileClause) bool {
	if len(c.Cond) != 1 {
		return false
	}
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	name := call.Args[0].Lit()
	if inList(" [ test ", name) && !c.Until { // a text that is not empty
		return len(call.Args) == map[string]int{"[": 3, "test": 2}[name] && call.Args[1].Lit() != ""
	}
	if name == "sleep" && len(call.Args) == 2 && !c.Until {
		zero := call.Args[1].Lit()
		return zero != "" && strings.Trim(zero, "0.smhd") == ""
	}
	return c.Until && name == "false" || !c.Until && (name == ":" || name == "true")
}

// startsItself reports whether the command is the script in which it stands, without words that
// tell its second start from the first.
func startsItself(words []word) bool {
	if len(words) == 2 && inList(" bash sh dash zsh ksh exec nohup setsid . source ", words[0].text) {
		words = words[1:]
	}
	if len(words) != 1 || words[0].src == nil {
		return false
	}
	own := false
	syntax.Walk(words[0].src, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
			own = own || inList(" 0 BASH_SOURCE ", p.Param.Value)
		}
		return !own
	})
	return own
}

package plain

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// describers are programs that tell of a file no more than its name, kind, size and sum, so that
// it may be any.
const describers = " b2sum basename cksum df dirname du exa eza fd fdfind file find findmnt " +
	"getcap getfacl ls lsattr lsblk md5sum namei readlink realpath sha1sum sha224sum sha256sum " +
	"sha384sum sha512sum shasum stat sum test tree wc "

// mayRead reports whether a file that a word names may be an operand of the command.
func (u *usage) mayRead(w word) bool {
	return strings.Contains(describers, " "+u.name+" ") || !w.hides()
}

// hides reports whether the word does not show which files it names: it may be any path, or a
// glob that finds hidden files, or files in a hidden folder of the home.
func (w *word) hides() bool {
	if w.any || !w.glob {
		return w.any
	}
	home := strings.HasPrefix(w.text, "~") || strings.HasPrefix(w.text, "/"+hole)
	for i, name := range strings.Split(w.text, "/") {
		if isHidden(name) || home && i > 0 && len(name) > 1 && name[0] == '.' {
			return true
		}
	}
	return false
}

// isHidden reports whether a name is a glob for hidden files.
func isHidden(name string) bool {
	return strings.HasPrefix(name, ".") && strings.ContainsAny(name, "*?[")
}

// inside reports whether the word is a path below the folder in which the command runs.
func (w *word) inside() bool {
	return !w.hides() && !strings.ContainsAny(w.text[:min(1, len(w.text))], "/~"+hole) &&
		!strings.Contains("/"+w.text+"/", "/../")
}

// hidden are options with which hidden and ignored files are named.
var hidden = []string{"--all", "--others", "--ignored"}

// namers are commands that print names of files below the folder in which they run, or of
// commits, and filters are those that pass on only some lines.
const (
	namers = " find fd fdfind ls grep rg git ls-files merge-base rev-parse rev-list describe " +
		"branch tag "
	lines = " head tail sort uniq "
)

// The forms of the options with which these print nothing but names, not hidden ones, and of
// words that xargs takes for one.
var (
	namerForm = form(`^(?:ls -[1rtSdpR]+|fd(?:find)? -(?:[eEtd]|t[fd])|git (?:-[cmdz]+|--[a-z-]+)|` +
		`grep -[rRilEFwIs]+|grep --include=.*|rg -[gtil]|rg --(?:files|files-with-matches|glob|type))$`)
	listsForm  = form(`^(?:grep -[rRiEFwIs]*l[rRilEFwIs]*|rg (?:-l|--files|--files-with-matches))$`)
	filterForm = form(`^-(?:[viEFwx]+|[0-9]+|n[0-9]+)$`)
	oneForm    = form(`^[A-Za-z0-9_.*?/:=@{}^~+!()\[\]-]+$`)
)

// names reports whether all that a plain command prints is such names.
func names(s *syntax.Stmt) bool {
	if takesInput(s) {
		return false
	}
	var first *syntax.CallExpr
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		call, is := c.Y.Cmd.(*syntax.CallExpr)
		return is && c.Op == syntax.Pipe && names(c.X) && !takesInput(c.Y) && filters(call)
	case *syntax.CallExpr:
		first = c
	}
	if first == nil || len(first.Args) == 0 || len(first.Assigns) > 0 {
		return false
	}
	r, name := reading{}, first.Args[0].Lit()
	searches := name == "grep" || name == "rg"
	lists := !searches
	for i, arg := range first.Args[1:] {
		w, ok := r.word(arg)
		option := strings.HasPrefix(w.text, "-")
		switch {
		case !ok || !w.inside() || !searches && !oneForm().MatchString(w.text):
			return false
		case name == "find":
			if strings.HasPrefix(w.text, "-exec") || strings.HasPrefix(w.text, "-printf") ||
				w.text == "-ls" || isHidden(w.text) {
				return false
			}
		case option && (!namerForm().MatchString(name+" "+w.text) ||
			slices.Contains(hidden, w.text)):
			return false
		case i == 0 && name == "git" && !strings.Contains(namers, " "+w.text+" "):
			return false
		}
		lists = lists || listsForm().MatchString(name+" "+w.text)
	}
	return lists && strings.Contains(namers, " "+name+" ")
}

// filters reports whether a command passes on only some of the lines that it reads.
func filters(call *syntax.CallExpr) bool {
	if len(call.Args) == 0 || len(call.Assigns) > 0 {
		return false
	}
	patterns, name := 0, call.Args[0].Lit()
	for _, arg := range call.Args[1:] {
		if !filterForm().MatchString(arg.Lit()) {
			patterns++
		}
	}
	return name == "grep" && patterns == 1 || strings.Contains(lines, " "+name+" ") && patterns == 0
}

// takesInput reports whether a statement reads from elsewhere than the pipe before it.
func takesInput(s *syntax.Stmt) bool {
	return slices.ContainsFunc(s.Redirs, func(d *syntax.Redirect) bool {
		return d.Op != syntax.RdrOut && d.Op != syntax.RdrAll && d.Op != syntax.DplOut
	})
}

// isText reports whether nothing in the word is expanded.
func isText(w *syntax.Word) bool {
	if w == nil {
		return false
	}
	text := true
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			text = text && !n.Dollar
		case nil, *syntax.Word, *syntax.Lit, *syntax.DblQuoted:
		default:
			text = false
		}
		return text
	})
	return text
}

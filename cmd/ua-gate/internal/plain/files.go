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

// namers are commands that print names of files below the folder in which they run, or of
// commits, and filters are those that pass on only some lines.
const (
	namers = " find fd fdfind ls git-ls-files git-merge-base git-rev-parse git-rev-list " +
		"git-describe git-branch git-tag "
	searchers = " grep rg "
	filters   = " grep head tail sort uniq "
)

// hidden are options with which hidden and ignored files are named.
var hidden = []string{"--hidden", "--no-ignore", "--all", "--almost-all", "--others", "--ignored"}

// names reports whether all that a plain command prints is such names.
func names(s *syntax.Stmt) bool {
	if pipe, is := s.Cmd.(*syntax.BinaryCmd); is && pipe.Op == syntax.Pipe {
		call, is := pipe.Y.Cmd.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 || !names(pipe.X) {
			return false
		}
		files := 0
		for _, arg := range call.Args[1:] {
			if !strings.HasPrefix(arg.Lit(), "-") {
				files++
			}
		}
		name := call.Args[0].Lit()
		return strings.Contains(filters, " "+name+" ") && (files == 0 || name == "grep" && files == 1)
	}
	call, is := s.Cmd.(*syntax.CallExpr)
	if !is || len(call.Args) == 0 || len(call.Assigns) > 0 || len(s.Redirs) > 0 {
		return false
	}
	r, name, lists := reading{}, call.Args[0].Lit(), false
	for i, arg := range call.Args[1:] {
		w, ok := r.word(arg)
		short := strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--")
		switch {
		case !ok || !w.inside():
			return false
		case name == "find":
			if strings.HasPrefix(w.text, "-exec") || strings.HasPrefix(w.text, "-printf") ||
				isHidden(w.text) {
				return false
			}
		case short && strings.ContainsAny(w.text, "AaHuo."),
			slices.Contains(hidden, w.text):
			return false
		case i == 0 && name == "git":
			name += "-" + w.text
		}
		lists = lists || short && strings.Contains(w.text, "l") ||
			w.text == "--files" || w.text == "--files-with-matches"
	}
	name = " " + name + " "
	return strings.Contains(namers, name) || lists && strings.Contains(searchers, name)
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

package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// text reads a script that the program runs, in the language of the shell that it is.
func (a *argv) text(text string, in stream, stdin bool) (out stream) {
	w := a.w
	defer func(shell string, stdin bool) { w.shell, w.stdin = shell, stdin }(w.shell, w.stdin)
	if inList(" shell fish ", a.row.reader) {
		w.shell, w.stdin = "bash", stdin
		if inList(" zsh fish ", a.name) {
			w.shell = a.name
		}
	}
	n := nested{text: text, in: in, sc: a.sc.sub(), parts: &a.p.Parts}
	if a.row.reader == "fish" {
		n.kind = fishScript
	}
	return w.walk(n)
}

// fish classifies a command for fish. What fish and bash read alike, simple commands with plain
// words, is judged as bash's. Nobody has read the rest: blocks, settings, substitutions of fish.
func (w *walker) fish(command string, sc *scope, parts *[]Part) {
	s, why := w.o.parser.parse(command, w.shell)
	if why != nil || s.text != command || !asInFish(s.File) {
		w.unread(parts, nil, "dialect:fish", "a script of fish, which is not read")
		return
	}
	w.text(command, stream{}, sc, parts)
}

// fishOwn are the words of fish at the beginning of a command that mean something else in
// bash, or are followed by a command or a text that fish runs.
const fishOwn = " set eval source . alias function and or not begin end switch case if for " +
	"while else return builtin command time exec read trap argparse history bind complete in "

// asInFish reports whether fish reads the script as bash does.
func asInFish(f *syntax.File) bool {
	same := true
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.File, *syntax.Comment, *syntax.Word:
		case *syntax.Stmt:
			same = same && n.Cmd != nil
		case *syntax.CallExpr:
			same = same && len(n.Assigns) == 0 && !inList(fishOwn, n.Args[0].Lit())
		case *syntax.BinaryCmd:
			same = same && n.Op != syntax.PipeAll
		case *syntax.CmdSubst:
			same = same && !n.Backquotes && !n.TempFile && !n.ReplyVar
		case *syntax.Redirect:
			same = same && n.Hdoc == nil && n.Op != syntax.WordHdoc && n.Op != syntax.RdrInOut &&
				n.Op != syntax.RdrClob && !strings.HasPrefix(n.Word.Lit(), "?")
		case *syntax.ParamExp:
			same = same && n.Short && syntax.ValidName(n.Param.Value)
		case *syntax.SglQuoted:
			same = same && !n.Dollar && !strings.Contains(n.Value, `\\`) &&
				!strings.HasSuffix(n.Value, `\`)
		case *syntax.DblQuoted:
			same = same && !n.Dollar
		case *syntax.Lit:
			same = same && plainInFish(n.Value)
		default:
			same = false
		}
		return same
	})
	return same
}

// plainInFish reports whether a text outside of single quotes is the same in fish and bash. In
// fish a backslash before a letter or a digit makes a character, brackets are an index, and
// braces and ? have rules of their own.
func plainInFish(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || strings.IndexByte(` "$();&|<>*?#~'`, text[i]) < 0 {
				return false
			}
		case c == '{' && strings.HasPrefix(text[i:], "{}"):
			i++
		case strings.IndexByte("[]{}?%^`", c) >= 0:
			return false
		}
	}
	return true
}

package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/match"
)

// What is read of a script at most. What is longer is Unread.
const (
	MaxBytes = 256_000 // with its data and comments

	// maxOpened bounds the brackets of a script: the parser goes down one level
	// for each, and beyond some hundred thousand its stack would end the program.
	maxOpened = 16_000
)

// A Script is shell text as it was parsed.
type Script struct {
	*syntax.File
	Text string // lines as in the source, what stands in comments perhaps not
}

// An unread is why a script is not read: the row and the reason of its part.
type unread struct{ Row, Why string }

// A Parser reads scripts: of zsh, and of the other shells as bash does.
type Parser struct{ bash, zsh *syntax.Parser }

// Parse reads a script of a shell.
func (p *Parser) Parse(text, shell string) (Script, *unread) {
	if why := tooLong(text); why != nil {
		return Script{}, why
	}
	kept, lang := &p.bash, syntax.LangBash
	if shell == "zsh" {
		kept, lang = &p.zsh, syntax.LangZsh
	}
	if *kept == nil {
		*kept = syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true))
	}
	return parseAll(*kept, text, shell == "zsh")
}

// tooLong returns why a text is not given to the parser as it is, or nil.
func tooLong(text string) *unread {
	if len(text) > MaxBytes {
		return &unread{"limit:bytes", fmt.Sprintf("longer than %d bytes", MaxBytes)}
	}
	if opened := strings.Count(text, "(") + strings.Count(text, "{") + strings.Count(text,
		"`"); opened > maxOpened {
		return &unread{"limit:depth", fmt.Sprintf("more than %d brackets", maxOpened)}
	}
	return nil
}

// parseAll reads a script whole. The shell ends a comment at the line's end; the parser joins the
// next line to one that ends in a backslash, which is left out of lines that are nothing else.
func parseAll(p *syntax.Parser, text string, zsh bool) (Script, *unread) {
	if strings.Contains(text, "#") && !strings.Contains(text, "<<") {
		text = commentLine.Replace(text, "$1 ")
	}
	f, err := p.Parse(strings.NewReader(text), "")
	switch {
	case err != nil:
		return Script{}, &unread{"parse", "not understood as shell: " + err.Error()}
	case misread(f, text, zsh):
		return Script{}, &unread{"parse", "shells do not agree on how to read it"}
	}
	return Script{f, text}, nil
}

// commentLine finds a line of a comment that ends in a backslash.
var commentLine = match.Regex{Text: `(?m)(^[ \t]*#.*[^$\n])\\$`}

// wordsOf returns the assignments and words of a command, if they are asked for.
func wordsOf(c *syntax.CallExpr, asked bool) (all []syntax.Node) {
	if !asked {
		return nil
	}
	for _, a := range c.Assigns {
		all = append(all, a)
	}
	for _, word := range c.Args {
		all = append(all, word)
	}
	return all
}

// misread reports whether the parser reads some place otherwise than the shell. The second lexer
// that FuzzAgainstBash holds the parser to, bash itself, has found these.
func misread(f *syntax.File, text string, zsh bool) (found bool) {
	here := strings.Contains(text, "<<")
	doubts := here || doubtful(text)
	if strings.ContainsAny(text, `'\`) && strings.ContainsAny(text, "[{(<") && misquotes(f) {
		return true
	}
	if !doubts {
		return false
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			line, _, more := strings.Cut(text[n.Hash.Offset():], "\n")
			found = found || more && strings.HasSuffix(line, `\`)
		case *syntax.CmdSubst:
			// Before bash 5.3 the text in ${ …; } is no commands: what quotes and here-documents in
			// it end differs.
			if n.TempFile || n.ReplyVar || here && hangsOut(n, n.Stmts) {
				found = true
			}
		case *syntax.ExtGlob: // which may run commands, or end elsewhere
			found = found || !plainPattern(n.Pattern.Value)
		case *syntax.ProcSubst:
			if here && hangsOut(n, n.Stmts) {
				found = true
			}
		case *syntax.Lit:
			// The shell joins "$" and "(" of two lines, too, and in double quotes the parser does not.
			at := int(n.Pos().Offset())
			if strings.Contains(text[at:n.End().Offset()], "$\\\n") || zsh && strings.Contains(
				text[at:min(len(text), int(n.End().Offset())+1)], "$[") { // arithmetic of zsh
				found = true
			}
		case *syntax.Stmt:
			// The shell joins "&" and ">" of two lines to one operator.
			if at := int(n.Semicolon.Offset()) + 1; n.Background &&
				strings.HasPrefix(text[at:], "\\\n") {
				found = true
			}
		case *syntax.CallExpr:
			// A substitution in backquotes of another one ends the parser's word, not the shell's.
			end := 0
			for _, word := range wordsOf(n, strings.Contains(text, "\\`")) {
				if at := int(word.Pos().Offset()); end > 0 && strings.Trim(text[end:at], `\`) == "" {
					found = true
				}
				end = int(word.End().Offset())
			}
		case *syntax.Redirect:
			// ">&-x" closes a descriptor, and x is a word of its own.
			if (n.Op == syntax.DplOut || n.Op == syntax.DplIn) && n.Word != nil {
				at := int(n.Word.Pos().Offset())
				if at+1 < int(n.Word.End().Offset()) && text[at] == '-' {
					found = true
				}
			}
			if here && n.Hdoc != nil && endsEarlier(n, text) {
				found = true
			}
		}
		return !found
	})
	return found
}

// doubtful reports whether the text has what a misread needs, but for quotes and here-documents.
func doubtful(text string) bool {
	const pairs = "\\\n \\$ \\` <& >& ?( *( +( @( !( $[ ${"
	for i := 1; i < len(text); i++ {
		if strings.IndexByte("\n$`&([{", text[i]) >= 0 && strings.Contains(pairs, text[i-1:i+1]) {
			return true
		}
	}
	return false
}

// AsInFish reports whether fish reads the script as bash does.
func AsInFish(f *syntax.File) bool {
	same := true
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.File, *syntax.Comment, *syntax.Word:
		case *syntax.Stmt:
			same = same && n.Cmd != nil
		case *syntax.CallExpr:
			same = same && len(n.Assigns) == 0 && !match.InList(fishOwn, n.Args[0].Lit())
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

// fishOwn are the words of fish at the beginning of a command that mean something else in
// bash, or are followed by a command or a text that fish runs.
const fishOwn = " set eval source . alias function and or not begin end switch case if for " +
	"while else return builtin command time exec read trap argparse history bind complete in "

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

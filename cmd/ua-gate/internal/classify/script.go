package classify

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A script is shell text as it was parsed.
type script struct {
	*syntax.File
	text string // lines as in the source, what stands in comments perhaps not
}

// An unread is why a script is not read: the row and the reason of its part.
type unread struct{ row, why string }

// parse reads a script.
func (o *Options) parse(text string) (script, *unread) {
	if o.parser == nil {
		lang := syntax.LangBash
		if o.Shell == "zsh" {
			lang = syntax.LangZsh
		}
		o.parser = syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true))
	}
	if why := tooLong(text); why != nil {
		return script{}, why
	}
	return o.parseAll(text)
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

// parseAll reads a script whole. Where the parser takes the line behind a comment for a part of
// it, the comment is written another way and all is parsed again.
func (o *Options) parseAll(text string) (script, *unread) {
	for range maxMisread {
		f, err := o.parser.Parse(strings.NewReader(text), "")
		if err != nil {
			return script{}, &unread{"parse", "not understood as shell: " + err.Error()}
		}
		m := misreadIn(f, text, o.Shell == "zsh")
		if m == nil {
			return script{f, text}, nil
		}
		if m.with == "" {
			return script{}, disagree
		}
		text = text[:m.at] + m.with + text[m.at+len(m.with):]
	}
	return script{}, &unread{"limit:comments", "too many places that shells and parsers read " +
		"otherwise"}
}

// A misread is a place that the parser reads otherwise than the shell, and what says there to
// the parser, in as many bytes, what the shell reads; mostly nothing does.
type misread struct {
	at   int
	with string
}

// disagree is why a script is not read that means one thing to one shell.
var disagree = &unread{"parse", "shells do not agree on how to read it"}

// commentLines returns how long the lines are, from a newline on, that are nothing but
// comments which end in a backslash.
func commentLines(text string) (n int) {
	for {
		line, _, more := strings.Cut(text[min(n+1, len(text)):], "\n")
		if !more || !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") ||
			!strings.HasSuffix(line, "\\") {
			return n
		}
		n += 1 + len(line)
	}
}

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

// misreadIn returns the first misread in the text, or nil. The second lexer that
// FuzzAgainstBash holds the parser to, bash itself, has found these.
func misreadIn(f *syntax.File, text string, zsh bool) (first *misread) {
	here := strings.Contains(text, "<<")
	if !here && !(strings.ContainsAny(text, `'\&$`) && doubtful.match(text)) {
		return nil
	}
	add := func(at int, with string) {
		if first == nil || at < first.at {
			first = &misread{at, with}
		}
	}
	if strings.ContainsAny(text, `'\`) && strings.ContainsAny(text, "[{(<") {
		misquotes(f, add)
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			// The shell ends a comment at the line's end; the parser joins the
			// next line to one that ends in a backslash.
			at := int(n.Hash.Offset())
			if end := at + strings.IndexByte(text[at:]+"\n", '\n'); end < len(text) &&
				text[end-1] == '\\' {
				with := " "
				if !here { // lines behind it that are comments of the kind are mended with it
					more := text[end : end+commentLines(text[end:])]
					with += strings.ReplaceAll(more, "\\\n", " \n")
				}
				add(end-1, with)
			}
		case *syntax.CmdSubst:
			// Before bash 5.3 the text in ${ …; } is no commands: what quotes and here-documents in
			// it end differs.
			if n.TempFile || n.ReplyVar || here && hangsOut(n, n.Stmts) {
				add(int(n.Pos().Offset()), "")
			}
		case *syntax.ProcSubst:
			if here && hangsOut(n, n.Stmts) {
				add(int(n.Pos().Offset()), "")
			}
		case *syntax.Lit:
			// The shell joins "$" and "(" of two lines, too, and in double quotes the parser does not.
			at := int(n.Pos().Offset())
			if strings.Contains(text[at:n.End().Offset()], "$\\\n") || zsh && strings.Contains(
				text[at:min(len(text), int(n.End().Offset())+1)], "$[") { // arithmetic of zsh
				add(at, "")
			}
		case *syntax.Stmt:
			// The shell joins "&" and ">" of two lines to one operator.
			if at := int(n.Semicolon.Offset()) + 1; n.Background &&
				strings.HasPrefix(text[at:], "\\\n") {
				add(at, "")
			}
		case *syntax.CallExpr:
			// A substitution in backquotes of another one ends the parser's word, not the shell's.
			end := 0
			for _, word := range wordsOf(n, strings.Contains(text, "\\`")) {
				if at := int(word.Pos().Offset()); end > 0 && strings.Trim(text[end:at], `\`) == "" {
					add(end, "")
				}
				end = int(word.End().Offset())
			}
		case *syntax.Redirect:
			// ">&-x" closes a descriptor, and x is a word of its own.
			if (n.Op == syntax.DplOut || n.Op == syntax.DplIn) && n.Word != nil {
				at := int(n.Word.Pos().Offset())
				if at+1 < int(n.Word.End().Offset()) && text[at] == '-' {
					add(at, "")
				}
			}
			if here && n.Hdoc != nil && endsEarlier(n, text) {
				add(int(n.Pos().Offset()), "")
			}
		}
		return true
	})
	return first
}

// doubtful finds what a misread needs.
var doubtful = regex{text: `'|\\[\n$]|[<>]&|\$\[|\$\{[ |\t\n]|\\` + "`"}

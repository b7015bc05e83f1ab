package classify

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A script is shell text as it was parsed.
type script struct {
	*syntax.File
	text string // lines as in the source, what stands in them perhaps not
	two  bool   // another shell reads it otherwise
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
	if tooLong(text) == nil {
		return o.parseAll(text)
	}
	if len(text) > MaxData {
		return script{}, &unread{"limit:bytes", fmt.Sprintf("longer than %d bytes", MaxData)}
	}
	return o.parseLong(text)
}

// tooLong returns why a text is not given to the parser as it is, or nil.
func tooLong(text string) *unread {
	if len(text) > MaxBytes {
		return &unread{"limit:bytes", fmt.Sprintf("more than %d bytes of commands", MaxBytes)}
	}
	if opened := strings.Count(text, "(") + strings.Count(text, "{") + strings.Count(text,
		"`"); opened > maxOpened {
		return &unread{"limit:depth", fmt.Sprintf("more than %d brackets", maxOpened)}
	}
	return nil
}

// parseAll reads a script whole. Where the parser reads a place otherwise than
// the shell does, that place is written another way and all is parsed again.
func (o *Options) parseAll(text string) (script, *unread) {
	two := false
	for range maxMisread {
		f, err := o.parser.Parse(strings.NewReader(text), "")
		if err != nil && two {
			return script{}, disagree
		}
		if err != nil {
			if s, ok := o.parseUncommented(text); ok {
				return s, nil
			}
			return script{}, &unread{"parse", "not understood as shell: " + err.Error()}
		}
		m := misreadIn(f, text, o.Shell == "zsh")
		if m == nil {
			return script{f, text, two}, nil
		}
		if m.lost {
			return script{}, disagree
		}
		two = two || m.two
		text = text[:m.at] + m.with + text[m.at+m.old:]
	}
	return script{}, &unread{"limit:comments", "too many places that shells and parsers read " +
		"otherwise"}
}

// parseUncommented reads a script that the parser gives up on because of a
// comment that ends in a backslash: its guess at the comments must be right in
// all places.
func (o *Options) parseUncommented(text string) (script, bool) {
	if !strings.Contains(text, "\\\n") || !strings.Contains(text, "#") {
		return script{}, false
	}
	var b strings.Builder
	var left []leftOut
	for i, line := range strings.SplitAfter(text, "\n") {
		if m := hash.get().FindStringSubmatchIndex(line); m != nil && strings.HasSuffix(line, "\\\n") {
			left = append(left, leftOut{line: i + 1, col: m[2] + 1})
			line = line[:m[3]] + "\n"
		}
		b.WriteString(line)
	}
	f, err := o.parser.Parse(strings.NewReader(b.String()), "")
	ok := err == nil && len(unconfirmed(f, left)) == 0 &&
		misreadIn(f, b.String(), o.Shell == "zsh") == nil
	return script{f, b.String(), false}, ok
}

// A misread is a place that the parser reads otherwise than the shell, and what
// says there to the parser what the shell reads.
type misread struct {
	at, old int // where it begins, and how many bytes it has
	with    string
	lost    bool // nothing says it
	two     bool // and only to some shells
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
func misreadIn(f *syntax.File, text string, zsh bool) *misread {
	comments := strings.Contains(text, "\\\n") && strings.Contains(text, "#")
	closes := strings.Contains(text, ">&") || strings.Contains(text, "<&")
	joined := strings.Contains(text, "&\\\n")
	dollars := strings.Contains(text, "$\\\n")
	funsubs := strings.Contains(text, "${ ") || strings.Contains(text, "${|") ||
		strings.Contains(text, "${\t") || strings.Contains(text, "${\n")
	quoted := strings.Contains(text, "'") && strings.ContainsAny(text, "[{(")
	here := strings.Contains(text, "<<")
	ticks := strings.Contains(text, "\\`")
	if !comments && !closes && !joined && !quoted && !here && !ticks && !dollars && !funsubs {
		return nil
	}
	var first *misread
	add := func(m misread) {
		if first == nil || m.at < first.at {
			first = &m
		}
	}
	if quoted {
		misquotes(f, text, zsh, add)
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			// The shell ends a comment at the line's end; the parser joins the
			// next line to one that ends in a backslash.
			at := int(n.Hash.Offset())
			if end := at + strings.IndexByte(text[at:]+"\n", '\n'); comments && end < len(text) &&
				text[end-1] == '\\' {
				m := misread{at: end - 1, old: 1, with: " "}
				if !here { // lines behind it that are comments of the kind are mended with it
					m.old = 1 + commentLines(text[end:])
					m.with = " " + strings.ReplaceAll(text[end:end-1+m.old], "\\\n", " \n")
				}
				add(m)
			}
		case *syntax.CmdSubst:
			// Before bash 5.3 the text in ${ …; } is no commands: what quotes and here-documents in
			// it end differs.
			if n.TempFile || n.ReplyVar || here && hangsOut(n, n.Stmts) {
				add(misread{at: int(n.Pos().Offset()), lost: true})
			}
		case *syntax.ProcSubst:
			if here && hangsOut(n, n.Stmts) {
				add(misread{at: int(n.Pos().Offset()), lost: true})
			}
		case *syntax.Lit:
			// The shell joins "$" and "(" of two lines, too, and in double quotes the parser does not.
			at := int(n.Pos().Offset())
			if i := strings.Index(text[at:n.End().Offset()], "$\\\n"); dollars && i >= 0 {
				add(misread{at: at + i + 1, old: 2})
			}
		case *syntax.Stmt:
			// The shell joins "&" and ">" of two lines to one operator.
			if at := int(n.Semicolon.Offset()) + 1; joined && n.Background {
				rest := text[at:]
				for strings.HasPrefix(rest, "\\\n") {
					rest = rest[2:]
				}
				if cut := len(text) - at - len(rest); cut > 0 && strings.HasPrefix(rest, ">") {
					add(misread{at: at, old: cut})
				}
			}
		case *syntax.CallExpr:
			// A substitution in backquotes of another one ends the parser's word, not the shell's.
			end := 0
			for _, word := range wordsOf(n, ticks) {
				if at := int(word.Pos().Offset()); end > 0 && strings.Trim(text[end:at], `\`) == "" {
					add(misread{at: end, lost: true})
				}
				end = int(word.End().Offset())
			}
		case *syntax.Redirect:
			// ">&-x" closes a descriptor, and x is a word of its own.
			if closes && (n.Op == syntax.DplOut || n.Op == syntax.DplIn) && n.Word != nil {
				at := int(n.Word.Pos().Offset())
				if at+1 < int(n.Word.End().Offset()) && text[at] == '-' {
					add(misread{at: at + 1, with: " "})
				}
			}
			if here && n.Hdoc != nil && endsEarlier(n, text) {
				add(misread{at: int(n.Pos().Offset()), lost: true})
			}
		}
		return true
	})
	return first
}

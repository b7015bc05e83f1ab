package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/internal/common/verdict"
)

// Classify is the report on one command.
func Classify(command string, o *Options) Report {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	var r Report
	if err != nil {
		r.Parts = append(r.Parts, Part{Text: command, Line: 1, Col: 1, Level: verdict.Destructive, Row: "parse", Reason: err.Error()})
	} else {
		syntax.Walk(f, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				r.Parts = append(r.Parts, simple(c))
			}
			return true
		})
	}
	for part := range r.All() {
		if part.Level > r.Level || r.Row == "" {
			r.Level, r.Row, r.Reason = part.Level, part.Row, part.Reason
		}
	}
	return r
}

func simple(c *syntax.CallExpr) Part {
	p := Part{Line: int(c.Pos().Line()), Col: int(c.Pos().Col()), Level: verdict.Destructive, Reason: "not known"}
	for _, w := range c.Args {
		p.Words = append(p.Words, Word{Text: w.Lit(), Known: w.Lit() != ""})
	}
	p.Name = p.Words[0].Text
	p.Row = p.Name
	for i, w := range p.Words {
		if i > 0 {
			p.Text += " "
		}
		p.Text += w.Text
	}
	switch p.Name {
	case "cat", "ls", "echo", "grep", "pwd", "wc", "true", "false", "head", "tail":
		p.Level, p.Reason = verdict.ReadOnly, "reads"
	case "touch", "mkdir", "cp", "mv":
		p.Level, p.Reason = verdict.Write, "writes files"
	case "curl", "wget", "ssh":
		p.Level, p.Reason = verdict.Network, "talks to other machines"
	case "sudo", "su", "doas":
		p.Level, p.Reason = verdict.Privileged, "runs with other rights"
	}
	return p
}

package classify

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/expansion"
	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
)

// A walker goes through one command and all that it holds.
type walker struct {
	expansion.Expander
	connected bool // some descriptor is a connection to another machine
	unrolled  int  // rounds of loops
}

// invisible is the rule for characters that a terminal does not show: outside
// comments they are part of what runs. The parser takes a carriage return for a
// blank and the shell does not, so what follows one is not read.
func (w *walker) invisible(s *shell.Script, parts *[]finding.Part) {
	if strings.IndexFunc(s.Text, unprintable) < 0 {
		return
	}
	text := []byte(s.Text)
	syntax.Walk(s.File, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			at := int(c.Hash.Offset())
			for at < len(text) && text[at] != '\n' {
				text[at] = ' '
				at++
			}
		}
		return true
	})
	if bytes.IndexFunc(text, unprintable) < 0 {
		return
	}
	p := w.Fact(parts, nil, judgement.RunsHidden, "limit:control",
		"a control or invisible character in the command")
	p.Unread = bytes.IndexByte(text, '\r') >= 0
}

// unprintable are the characters that a terminal does not show as what they
// are: controls but for tab and newline, and the marks that hide or reorder text.
func unprintable(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r == 0x200b || r == 0x2060 ||
		r == 0xfeff ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// errexit finds what makes a script end at the first command that fails.
var errexit = match.Regex{Text: `\bset -\w*e|\berrexit\b|\bsh -\w*e`}

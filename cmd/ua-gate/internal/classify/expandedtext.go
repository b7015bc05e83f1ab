package classify

import "strings"

// The shell expands some values once more, with the commands in them: prompts, ${x@P}, subscripts
// where a number is expected. Such a text is unread.

// expands is the rule for a text that the shell expands as if it stood in double quotes.
func expands(p *Part, text string) {
	if substitutes(text) || octalLetter.match(text) || strings.Contains(text, "@P") {
		p.add(runsHidden, "word:prompt", "the shell runs the commands in a variable's value")
		p.Unread = true
	}
}

// octalLetter finds a $ or a ` by its number in a prompt.
var octalLetter = regex{text: `\\(?:0?44|140)`}

// evaluates is the rule for a text that the shell may take for a number: it evaluates a subscript
// in it, with the commands there.
func evaluates(p *Part, what, text string) {
	if subscripted(text) {
		p.add(runsHidden, "word:subscript", what+" has a subscript that runs a command")
		p.Unread = true
	}
}

// subscripted reports whether the text, as the value of a variable, would run a command where the
// shell takes the variable for a number.
func subscripted(text string) bool {
	return strings.Contains(text, "[") && namedSubscript.match(text)
}

// namedSubscript finds a subscript with commands in it behind the name of an array.
var namedSubscript = regex{text: "[\\w\x00]\\[[^\\]]*(?:\\$[({]|`)"}

// prompts is the rule for variables that the shell runs or expands by itself. It knows nothing
// of a hole but that it is text which nobody has read.
func (w *session) prompts(p *Part, s setting, words []word) {
	text, unknown := s.val.text, strings.Contains(s.val.text, hole)
	if inList(ranByShells, s.name) && text == hole && s.val.from&fromPipe != 0 {
		p.add(runsHidden, "env:"+s.name, "the shell runs the commands in what comes into "+s.name)
		p.Unread = true
		return
	}
	switch s.name {
	case "PROMPT_COMMAND":
		p.Unread = p.Unread || unknown
		if text != "" && !unknown {
			w.runScript(text, stream{}, &scope{cwd: w.o.Cwd}, &p.Parts)
		}
	case "PS0", "PS1", "PS2", "PS3", "PS4":
		p.Unread = p.Unread || s.name == "PS4" && (unknown && !s.val.subst ||
			s.val.from&(fromDecode|fromNet) != 0)
		expands(p, text)
	// A file that a shell runs first, as . FILE does.
	case "BASH_ENV", "ENV":
		if substitutes(text) {
			expands(p, text)
		}
		if s.name == "BASH_ENV" && text != "" && len(words) == 0 {
			p.Unread = true // it may be written later
		}
		if s.name == "BASH_ENV" || len(words) > 0 && inList(shellNames, words[0].text) {
			w.runWords([]word{lit("."), s.val}, stream{}, &scope{cwd: w.o.Cwd}, &p.Parts)
		}
	}
}

// ranByShells are the variables in which a shell runs or expands what it finds.
const ranByShells = " PROMPT_COMMAND PS0 PS1 PS2 PS4 BASH_ENV ENV "

const shellNames = " sh bash dash ksh zsh ash mksh "

package program

import (
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/common/verdict"
)

// unnamedVariable is a loop over all variables of the environment, or one whose name is no text.
var unnamedVariable = match.Regex{Text: `\bENVIRON\b(?:[^\[]|$)|\bENVIRON\s*\[\s*(?:[^"\s]|` +
	`"[^"]*"\s*[^\]\s])`}

// homeVariable is the home as a program of awk(1) puts it before the rest of a path.
var homeVariable = match.Regex{Text: `ENVIRON\["HOME"\]\s*"`}

// awkToken is a piece of a program: in its groups a text, a name, and a mark that matters.
var awkToken = match.Regex{Text: `^(?:("(?:\\(?s:.)|[^"\\])*"?)|` +
	`([A-Za-z_$][A-Za-z_0-9]*|[0-9.]+)|#[^\n]*|[ \t\r]+|\\\n|(\|\||\|&|>=|>>|<=|(?s:.)))`}

// awkPattern is what stands between slashes where no value is before them.
var awkPattern = match.Regex{Text: `^/(?:\\.|\[\^?\]?[^\]\n]*\]|[^/\\\[\n])*/`}

// awkTokens returns the pieces of a program without blanks and comments. Patterns are "0".
func awkTokens(text string) (tokens []string) {
	value := false // a slash divides
	for text != "" {
		p := awkPattern.Get().FindString(text)
		// Behind a parenthesis only the grammar knows whether a slash divides.
		if n := len(tokens); value && n > 0 && tokens[n-1] == ")" && strings.Contains(p, `"`) {
			return append(tokens, "@")
		}
		if p != "" && !value {
			tokens, text, value = append(tokens, "0"), text[len(p):], true
			continue
		}
		m := awkToken.Get().FindStringSubmatch(text)
		text = text[len(m[0]):]
		token := m[1] + m[2] + m[3]
		if token == "" {
			continue
		}
		tokens = append(tokens, token)
		value = m[3] == "" && !match.InList(" return in else do case print printf getline ", token) ||
			token == ")" || token == "]"
	}
	return tokens
}

// An awkProgram is a program of awk(1) while its commands and files are judged.
type awkProgram struct {
	a      *argv
	label  string
	tokens []string
	files  []string // its texts that are paths, any of which it may open
}

// readAwk reads a program of awk(1) for what leaves it: commands, files, the network. What names
// one by other than a text is unread.
func readAwk(a *argv, label, text string) {
	if strings.Contains(text, "ENVIRON") && unnamedVariable.Match(text) {
		a.out |= shell.FromSecret
		a.p.Add(judgement.ReadsSecrets, "env:secret",
			a.name+" reads variables whose names are not known")
	}
	text = strings.ReplaceAll(homeVariable.Replace(text, `"~`), `ENVIRON["HOME"]`, `"~"`)
	s := awkProgram{a: a, label: label, tokens: awkTokens(text)}
	for i := range s.tokens {
		switch file, ok := s.text(i); {
		case strings.HasPrefix(file, "/inet"):
			a.p.Add(judgement.TalksToHosts, label, "the program talks to other machines")
		case ok && file != "" && strings.ContainsAny(file[:1], "/~"):
			s.files = append(s.files, file)
		}
	}
	for _, u := range a.used {
		if _, file, ok := strings.Cut(u.val.Text, "="); ok && match.InList(" -v --assign --var ",
			u.Name) {
			s.files = append(s.files, file)
		}
	}
	s.judge()
}

// text returns the text that token i is.
func (s *awkProgram) text(i int) (string, bool) {
	if i < 0 || i >= len(s.tokens) || s.tokens[i][0] != '"' {
		return "", false
	}
	text, _ := shell.Escapes(strings.TrimSuffix(s.tokens[i][1:], `"`), true)
	return text, true
}

// whole returns the text at token i if it is all of an expression, and else what it begins with.
func (s *awkProgram) whole(i int) (text string, all bool) {
	for i < len(s.tokens) && s.tokens[i] == "(" {
		i++
	}
	text, all = s.text(i)
	return text, all && (i+1 == len(s.tokens) || strings.Contains(";})\n", s.tokens[i+1]))
}

func (s *awkProgram) is(i int, token string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i] == token
}

// judge goes over the tokens.
func (s *awkProgram) judge() {
	prints, depth, reads := false, 0, false
	for i, t := range s.tokens {
		switch t {
		case "\n", ";", "{", "}":
			prints, depth, reads = false, 0, false
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case "print", "printf":
			prints, depth = true, 0
		case "system":
			if s.is(i+1, "(") {
				s.a.base = max(s.a.base, verdict.BuildTest)
				s.runs(s.whole(i + 2))
			}
		case "|", "|&":
			switch text, ok := s.text(i - 1); {
			case !s.is(i+1, "getline") && t == "|":
				s.a.base = max(s.a.base, verdict.BuildTest)
				s.runs(s.whole(i + 1))
			case ok && t == "|" && (i < 2 || strings.Contains("(;{\n!", s.tokens[i-2])):
				s.runs(text, true)
			default:
				s.unread("the program runs a command that is not known")
			}
		case "getline":
			reads = !s.is(i-1, "|")
		case "<":
			if reads {
				for _, file := range s.files {
					s.a.s.Read(s.a.p, shell.Lit(file), s.a.sc)
				}
				file, _ := s.whole(i + 1)
				s.a.s.Read(s.a.p, shell.Lit(file), s.a.sc)
			}
		// Behind print this is a file, unless parentheses make it a comparison.
		case ">", ">>":
			if prints && depth <= 0 {
				s.writes(s.whole(i + 1))
			}
		case "@", "extension":
			s.unread("the program loads code, or calls by name")
		case "ARGV", "PROCINFO": // by them it reads other files
			s.unread("the program may set " + t)
		}
	}
}

func (s *awkProgram) unread(why string) {
	s.a.p.AddUnread(s.label, why)
}

// runs judges a command that the program starts, of which only the beginning may be known: where
// that names no program, nobody knows what runs.
func (s *awkProgram) runs(text string, all bool) {
	a := s.a
	if !all {
		program, _, more := strings.Cut(strings.TrimLeft(text, " "), " ")
		if !more || program == "" || strings.ContainsAny(text, "'\"\\`$;|&(\n") {
			s.unread("the program runs a command that is not known")
			return
		}
		a.p.AddHidden(s.label, "the program runs a command that is not known whole")
		text += ` "$1"`
	}
	sc := shell.Scope{Cwd: a.sc.Cwd, Stay: a.sc.Stay}
	sc.Put("@", shell.Value{Text: match.Hole, From: a.in.Bits})
	out := a.s.runScript(text, shell.Stream{}, &sc, &a.p.Parts)
	a.fromVariable(out.Bits)
	if out.Bits&shell.FromSecret != 0 {
		a.p.Add(judgement.ReadsSecrets, "env:secret", "the program reads all variables")
	}
}

// writes judges a file that the program writes: by a name of which only a piece is known, any of
// its texts may be.
func (s *awkProgram) writes(name string, all bool) {
	if all && (strings.HasPrefix(name, "/dev/std") || name == "-") {
		return
	}
	s.a.p.Add(judgement.WritesHere, s.label, "the program writes a file")
	list := []string{name}
	if !all {
		list = append(list, s.files...)
	}
	for _, file := range list {
		s.a.s.Write(s.a.p, shell.Lit(file), s.a.sc, true)
	}
}

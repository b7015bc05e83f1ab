package program

import (
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
)

// sedCommand is one command of sed(1) that a program may hold without being unread, behind its
// addresses: but for s and y, which only begin here. Its groups are these, a file that is written,
// and one that is read.
var sedCommand = match.Regex{Text: `^[\s;{}]*(?:(?:\d+(?:~\d+)?|[$]|[+~]\d+|` +
	`/(?:\\.|\[\^?\]?[^\]/\n]*\]|[^/\\\[\n])*/[IM]*|\\,(?:\\.|[^,\\\[\n])*,[IM]*|` +
	`\\[|](?:\\.|[^|\\\[\n])*[|][IM]*)\s*,?\s*){0,2}[\s!]*(?:` +
	`([sy])|[{}=dDgGhHnNpPxzF]|[lqQ][ 0-9]*|#[^\n]*|[:btTv][^\n;}]*|[aic](?:\\\n|[^\n])*|` +
	`[wW][ \t]*([^\n]+)|[rR][ \t]*([^\n]+)|$)`}

// sedFlags is what may follow s, and a file that it writes.
var sedFlags = match.Regex{Text: `^[gpimIM0-9]*(?:w[ \t]*([^\n]+))?`}

// sedBracket is a bracket expression.
var sedBracket = match.Regex{Text: `^\[\^?\]?(?:\[(?::\w+:|\.[^.]+\.|=[^=]+=)\]|[^\[\]\n]|\[)*\]`}

// readSed reads a program of sed(1): which files it writes and reads. One with any other command
// than those of the form, such as e, is unread.
func readSed(a *argv, label, text string) {
	for text != "" {
		m := sedCommand.Get().FindStringSubmatch(text)
		end := 0
		if m != nil {
			if end = len(m[0]); m[1] != "" {
				end += sedSections(text[end:])
			}
		}
		if m == nil || end == 0 || m[1] != "" && end == len(m[0]) {
			a.p.AddUnread(label, "a sed script with a command that is not read")
			return
		}
		written := m[2]
		if text = text[end:]; m[1] == "s" {
			flags := sedFlags.Get().FindStringSubmatch(text)
			written, text = flags[1], text[len(flags[0]):]
		}
		if file := strings.TrimSpace(written); file != "" && file != "/dev/stdout" &&
			file != "/dev/stderr" {
			a.p.Add(judgement.WritesHere, label, "the script writes a file")
			a.s.Write(a.p, shell.Lit(file), a.sc, true)
		}
		a.s.Read(a.p, shell.Lit(strings.TrimSpace(m[3])), a.sc)
	}
}

// sedSections returns how long the two texts of s or y are with their delimiters, or 0. Seds
// don't agree where a delimiter in brackets, or a bracket that does not end, ends the first.
func sedSections(text string) int {
	if text == "" || strings.Contains("\\\n", text[:1]) {
		return 0
	}
	delim := text[0]
	for i, part := 1, 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[' && part == 0:
			m := sedBracket.Get().FindString(text[i:])
			if m == "" || strings.IndexByte(m, delim) >= 0 {
				return 0
			}
			i += len(m) - 1
		case c == delim:
			if part++; part == 2 {
				return i + 1
			}
		}
	}
	return 0
}

package agenthooks

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/shelltext"

	"github.com/tidwall/gjson"
)

// The names, in small letters, that a tool may give to what it runs: commands that a shell runs,
// the words behind them or without a program's name, and code. The last two lists count only in a
// tool whose name has a word of a shell, a terminal or an interpreter in it, for what it types
// into what runs.
const (
	commandNames = ` command cmd script commands cmds commandline cmdline shellcommand bashcommand
		shellscript bash powershell `
	argumentNames = ` args argv arguments `
	codeNames     = ` code sourcecode javascript python `
	typedNames    = ` input stdin chars keys keystrokes text line lines run exec execute source cell
		snippet expression sh shell `
	runnerNames = ` shell bash sh zsh fish powershell pwsh cmd command commands terminal tty pty
		console exec execute run stdin process ssh repl tmux screen eval evaluate interpreter kernel
		spawn python node `
)

// among reports whether a name is in a list, whatever its case and joints.
func among(list, name string) bool {
	name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	return slices.Contains(strings.Fields(list), name)
}

// A Text is what a shell would run, or why nothing can be: "" if something can.
type Text struct{ Shell, Bad string }

// textOf returns the text of a member.
func textOf(v gjson.Result) Text {
	text, bad := shelltext.Of(v)
	return Text{text, bad}
}

// A toolInput is what a tool's input may have it run.
type toolInput struct {
	runner                bool // it is a shell or an interpreter by its name
	deep                  bool // not all of it was read
	commands, words, code []gjson.Result
}

// maxReadings is how many readings of another agent's tool call are judged, each for
// itself.
const maxReadings = 32

// maxInputDepth is how deep objects and lists in the input of another agent's tool are read for
// what it runs.
const maxInputDepth = 32

// Readings returns all that the tool may run, or nothing if it runs no command. A tool
// that is not the agent's shell also runs one if it is given a command: it may be a shell
// of another name, or of a server. It is not known then which of several members it
// takes, whether it ignores their case, or whether a list is words or lines, so each
// reading is judged.
func (a *Agent) Readings(c Call) (texts []Text) {
	switch shell := slices.Contains(a.Shells, c.Tool); {
	case shell: // without a command it is a broken call, which is denied
		return []Text{textOf(c.Input.Get("command"))}
	case slices.Contains(a.Others, c.Tool):
		return nil
	}
	r := toolInput{}
	for _, word := range regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`).FindAllString(c.Tool, -1) {
		r.runner = r.runner || among(runnerNames, word)
	}
	if !c.Input.IsObject() && r.runner && c.Input.Exists() {
		r.words = append(append(r.words, c.Input), c.Input.Array()...) // a text, words or lines
	}
	r.read(c.Input, 0)
	if texts = r.texts(); len(texts) > maxReadings || r.deep {
		texts = []Text{{Bad: "it is not known which of many commands the tool runs"}}
	}
	return texts
}

// read notes the members of the input and of the objects and lists in it.
func (r *toolInput) read(input gjson.Result, depth int) {
	if r.deep = r.deep || depth > maxInputDepth; r.deep {
		return
	}
	input.ForEach(func(key, v gjson.Result) bool {
		text := v.Type == gjson.String || v.IsArray() && v.Get("0").Type == gjson.String
		switch name := key.Str; {
		case among(commandNames, name):
			r.commands = append(r.commands, v)
		case text && (among(argumentNames, name) || r.runner && among(typedNames, name)):
			r.words = append(r.words, v)
		case v.Type == gjson.String && among(codeNames, name):
			r.code = append(r.code, v)
		case v.IsObject() || v.IsArray():
			r.read(v, depth+1)
		}
		return len(r.commands)+len(r.words)+len(r.code) <= maxReadings
	})
}

// texts returns each reading: a command alone, with the words behind it, and its lines;
// words without one; and code as any of the usual interpreters would run it.
func (r *toolInput) texts() (texts []Text) {
	for _, v := range r.commands {
		texts = append(texts, textOf(v))
		if lines := v.Array(); v.IsArray() {
			for _, line := range lines[:min(len(lines), maxReadings)] {
				texts = append(texts, textOf(line))
			}
		}
	}
	for _, words := range r.words {
		behind := textOf(words)
		if len(r.commands) == 0 {
			texts = append(texts, behind)
		}
		for _, v := range r.commands {
			program := textOf(v)
			texts = append(texts, Text{program.Shell + " " + behind.Shell,
				cmp.Or(program.Bad, behind.Bad)})
		}
	}
	for _, code := range r.code {
		for _, words := range [][]string{{"python3", "-c"}, {"node", "-e"}, {"bash", "-c"}} {
			text, err := shelltext.Quote(append(words, code.Str))
			bad := shelltext.Lone(code)
			if bad != "" || err != nil {
				bad = "the code can't be read"
			}
			texts = append(texts, Text{text, bad})
		}
	}
	return texts
}

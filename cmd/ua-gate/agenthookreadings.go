package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

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
	objectNames   = ` args arguments input params parameters `
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

// A toolInput is what a tool's input may have it run.
type toolInput struct {
	runner                bool // it is a shell or an interpreter by its name
	deep                  bool // not all of it was read
	sure                  bool // a command stands where tools have theirs
	commands, words, code []gjson.Result
}

// readings returns all that the tool may run, or nothing if it runs no command. A tool
// that is not the agent's shell also runs one if it is given a command: it may be a shell
// of another name, or of a server. It is not known then which of several members it
// takes, whether it ignores their case, or whether a list is words or lines, so each
// reading is judged. It is sure if one of them is a command by its name; words and code may
// be anything else.
func (a *agent) readings(c hookCall) (calls []call, sure bool) {
	switch shell := slices.Contains(a.Shells, c.tool); {
	case shell: // without a command it is a broken call, which is denied
		return []call{hookedCall(c.input.Get("command"))}, true
	case slices.Contains(a.Others, c.tool):
		return nil, false
	}
	r := toolInput{}
	for _, word := range regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`).FindAllString(c.tool, -1) {
		r.runner = r.runner || among(runnerNames, word)
	}
	if !c.input.IsObject() && r.runner && c.input.Exists() {
		r.words = append(append(r.words, c.input), c.input.Array()...) // a text, words or lines
	}
	r.read(c.input, 0, true)
	if calls = r.calls(); len(calls) > maxReadings || r.deep {
		calls = []call{{bad: "it is not known which of many commands the tool runs"}}
	}
	return calls, r.sure
}

// read notes the members of the input and of the objects and lists in it; own says that the
// object is the input or its arguments, and not something that it tells of.
func (r *toolInput) read(input gjson.Result, depth int, own bool) {
	if r.deep = r.deep || depth > maxInputDepth; r.deep {
		return
	}
	input.ForEach(func(key, v gjson.Result) bool {
		text := v.Type == gjson.String || v.IsArray() && v.Get("0").Type == gjson.String
		switch name := key.Str; {
		case among(commandNames, name):
			r.commands, r.sure = append(r.commands, v), r.sure || own
		case text && (among(argumentNames, name) || r.runner && among(typedNames, name)):
			r.words = append(r.words, v)
		case v.Type == gjson.String && among(codeNames, name):
			r.code = append(r.code, v)
		case v.IsObject() || v.IsArray():
			r.read(v, depth+1, own && among(objectNames, name))
		}
		return len(r.commands)+len(r.words)+len(r.code) <= maxReadings
	})
}

// calls returns each reading as a call: a command alone, with the words behind it, and its lines;
// words without one; and code as any of the usual interpreters would run it.
func (r *toolInput) calls() (calls []call) {
	for _, v := range r.commands {
		calls = append(calls, hookedCall(v))
		if lines := v.Array(); v.IsArray() {
			for _, line := range lines[:min(len(lines), maxReadings)] {
				calls = append(calls, hookedCall(line))
			}
		}
	}
	for _, words := range r.words {
		behind := hookedCall(words)
		if len(r.commands) == 0 {
			calls = append(calls, behind)
		}
		for _, v := range r.commands {
			program := hookedCall(v)
			c := shellCall("hook", program.command+" "+behind.command)
			c.bad = cmp.Or(c.bad, program.bad, behind.bad)
			calls = append(calls, c)
		}
	}
	for _, code := range r.code {
		for _, words := range [][]string{{"python3", "-c"}, {"node", "-e"}, {"bash", "-c"}} {
			text, err := inWords(append(words, code.Str))
			c := shellCall("hook", text)
			if loneSurrogate(code) != "" || err != nil {
				c.bad = "the code can't be read"
			}
			calls = append(calls, c)
		}
	}
	return calls
}

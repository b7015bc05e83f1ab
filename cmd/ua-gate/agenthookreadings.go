package main

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"mvdan.cc/sh/v3/syntax"
)

// The names, in small letters, that a tool may give to what it runs: commands that a shell
// runs, the words behind them or without a program's name, code, and an object that holds these.
var (
	commandNames = []string{"command", "cmd", "script", "commands", "cmds", "commandline",
		"cmdline", "shellcommand", "bashcommand", "shellscript", "bash", "powershell"}
	argumentNames = []string{"args", "argv", "arguments"}
	codeNames     = []string{"code", "sourcecode", "javascript", "python"}
	objectNames   = []string{"args", "arguments", "input", "params", "parameters"}
	languageNames = []string{"language", "lang", "runtime", "interpreter", "kernel"}
)

// Only a tool whose name says that it is one of a shell, a terminal or an interpreter has these
// names for what it runs or types into what runs.
var (
	runnerNames = []string{"shell", "bash", "sh", "zsh", "fish", "powershell", "pwsh", "cmd",
		"command", "commands", "terminal", "tty", "pty", "console", "exec", "execute", "run", "stdin",
		"process", "ssh", "repl", "tmux", "screen", "eval", "evaluate", "interpreter", "kernel",
		"spawn", "python", "node"}
	typedNames = []string{"input", "stdin", "chars", "keys", "keystrokes", "text", "line", "lines",
		"run", "exec", "execute", "source", "cell", "snippet", "expression", "sh", "shell"}
)

// readings returns all that the tool may run, or nothing if it runs no command. A tool
// that is not the agent's shell also runs one if it is given a command: it may be a shell
// of another name, or of a server. It is not known then which of several members it
// takes, whether it ignores their case, or whether a list is words or lines, so each
// reading is judged. It is sure if one of them is a command by its name; words and code may
// be anything else.
func (a *agent) readings(c hookCall) (calls []call, sure bool) {
	shell := slices.Contains(a.shells, c.tool)
	if v := c.input.Get("command"); shell && v.Exists() {
		return []call{hookedCall(v)}, true
	}
	if slices.Contains(a.others, c.tool) {
		return nil, false
	}
	r := toolInput{shell: shell, runner: saysRunner(c.tool)}
	if !c.input.IsObject() && r.runner && !shell && c.input.Exists() {
		r.words = append(append(r.words, c.input), c.input.Array()...) // a text, words or lines
	}
	r.read(c.input, 0, true)
	calls, sure = r.calls(), shell || r.sure
	switch {
	case len(calls) > maxReadings || r.deep:
		calls = []call{{bad: "it is not known which of many commands the tool runs"}}
	// A shell without a command is judged as a broken call, which is denied.
	case shell && len(calls) == 0:
		calls = []call{hookedCall(gjson.Result{})}
	}
	return calls, sure
}

// A toolInput is what a tool's input may have it run.
type toolInput struct {
	shell                    bool // it is the agent's own shell
	runner                   bool // it is a shell or an interpreter by its name
	deep                     bool // not all of it was read
	sure                     bool // a command stands where tools have theirs
	commands, words, scripts []gjson.Result
	language                 string
}

// read notes the members of the input and of the objects and lists in it; own says that the
// object is the input or its arguments, and not something that it tells of.
func (r *toolInput) read(input gjson.Result, depth int, own bool) {
	if r.deep = r.deep || depth > maxInputDepth; r.deep {
		return
	}
	input.ForEach(func(key, v gjson.Result) bool {
		name := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key.Str))
		text := v.Type == gjson.String || v.IsArray() && v.Get("0").Type == gjson.String
		switch {
		case slices.Contains(commandNames, name):
			r.commands, r.sure = append(r.commands, v), r.sure || own
		case r.shell:
		case slices.Contains(argumentNames, name) && text:
			r.words = append(r.words, v)
		case slices.Contains(codeNames, name) && v.Type == gjson.String:
			r.scripts = append(r.scripts, v)
			if name == "python" || name == "javascript" {
				r.language = name
			}
		case slices.Contains(languageNames, name):
			r.language = strings.ToLower(v.Str)
		case r.runner && slices.Contains(typedNames, name) && text:
			r.words = append(r.words, v)
		case v.IsObject() || v.IsArray():
			r.read(v, depth+1, own && slices.Contains(objectNames, name))
		}
		return len(r.commands)+len(r.words)+len(r.scripts) <= maxReadings
	})
}

// saysRunner reports whether one of the words of a tool's name is that of a shell or an
// interpreter: mcp__box__runCommand, write_stdin.
func saysRunner(tool string) bool {
	word := ""
	for i, c := range tool + "_" {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		begins := c >= 'A' && c <= 'Z' && i > 0 && tool[i-1] >= 'a' && tool[i-1] <= 'z'
		if !letter || begins {
			if slices.Contains(runnerNames, strings.ToLower(word)) {
				return true
			}
			word = ""
		}
		if letter {
			word += string(c)
		}
	}
	return false
}

// calls returns each reading as a call: a command alone, with the words behind it, and its lines;
// words without one; and code as its language's interpreter would run it.
func (r *toolInput) calls() (calls []call) {
	for _, v := range r.commands {
		calls = append(calls, hookedCall(v))
		if lines := v.Array(); !r.shell && v.IsArray() {
			for _, line := range lines[:min(len(lines), maxReadings)] {
				calls = append(calls, hookedCall(line))
			}
		}
		for _, words := range r.words {
			calls = append(calls, joined(hookedCall(v), hookedCall(words)))
		}
	}
	if len(r.commands) == 0 {
		for _, words := range r.words {
			calls = append(calls, hookedCall(words))
		}
	}
	for _, code := range r.scripts {
		calls = append(calls, codeCalls(code, r.language)...)
	}
	return calls
}

// joined returns the call of a program with the words of another call behind it.
func joined(program, words call) call {
	c := shellCall("hook", program.command+" "+words.command)
	for _, bad := range []string{words.bad, program.bad} {
		if bad != "" {
			c.bad = bad
		}
	}
	return c
}

// codeCalls returns the calls that run a code in its language. If that is not known it may be
// any of the usual ones.
func codeCalls(code gjson.Result, language string) (calls []call) {
	var programs []string
	switch strings.TrimRight(language, "0123456789.") {
	case "python", "py", "ipython":
		programs = []string{"python3 -c"}
	case "javascript", "js", "node", "nodejs", "typescript", "ts":
		programs = []string{"node -e"}
	case "ruby", "perl", "lua":
		programs = []string{language + " -e"}
	case "php":
		programs = []string{"php -r"}
	case "bash", "sh", "shell", "zsh":
		programs = []string{"bash -c"}
	default:
		programs = []string{"python3 -c", "node -e", "bash -c"}
	}
	quoted, err := syntax.Quote(code.Str, syntax.LangBash)
	for _, program := range programs {
		c := shellCall("hook", program+" "+quoted)
		if bad := loneSurrogate(code.Raw); bad != "" {
			c.bad = bad
		} else if err != nil {
			c.bad = err.Error()
		}
		calls = append(calls, c)
	}
	return calls
}

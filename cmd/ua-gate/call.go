package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-gate/internal/shelltext"
	"ua/internal/common/event"
)

// A call is a tool_call event, as far as the gate judges it.
type call struct {
	id      string
	place          // where, if the call says so
	command string // what will run
	raw     []byte // the tool_call as it came
	unsent  []byte // the same, until it is written
	bad     string // why nothing can run, in words for the model; "" if something can
}

// A place is where a call says that it runs. An empty member means that the options' one
// holds.
type place struct{ cwd, shell string }

// parseCall reads a tool_call. A member that occurs twice is refused, since two readers
// could take different ones for the command.
func parseCall(line []byte) call {
	c := call{raw: line, unsent: line}
	var m [5]gjson.Result
	twice := event.Members(gjson.ParseBytes(line), m[:], "id", "name", "input", "cwd", "shell")
	c.id = m[0].Str
	switch {
	case twice != "":
		c.bad = "a member of the call stands twice"
	case c.id == "":
		c.bad = "the call has no id"
	case m[1].Str != "shell":
		c.bad = fmt.Sprintf("there is no tool %q: the only tool is shell, with the member command",
			m[1].Str)
	default:
		if c.command, c.bad = commandOf(m[2]); c.bad == "" {
			c.place, c.bad = placeOf(m[3], m[4])
		}
	}
	return c
}

// placeOf returns where a call says that it runs, or why that cannot be. Only a stage
// writes these members: the model writes nothing but the input.
func placeOf(cwd, shell gjson.Result) (p place, bad string) {
	p = place{cwd.Str, shell.Str}
	switch {
	case cwd.Exists() && !filepath.IsAbs(p.cwd):
		return p, fmt.Sprintf("the call's cwd %s is not an absolute path", cwd.Raw)
	case shell.Exists() && !knownShell(p.shell):
		return p, fmt.Sprintf("the call's shell %s is none of %s", shell.Raw,
			strings.Join(shells(), ", "))
	}
	if p.cwd != "" {
		p.cwd = filepath.Clean(p.cwd)
	}
	return p, ""
}

// commandOf returns the command of a shell call's input, or why there is none.
func commandOf(input gjson.Result) (command, bad string) {
	if !input.IsObject() {
		return "", "input is not an object: call shell with {\"command\": \"...\"}"
	}
	// Readers differ in which of two members they take.
	var m [1]gjson.Result
	if event.Members(input, m[:], "command") != "" {
		return "", `input has two members "command"`
	}
	if m[0].Type == gjson.String {
		command, bad = m[0].Str, shelltext.Lone(m[0])
	}
	if bad != "" {
		return "", bad
	}
	if strings.TrimSpace(command) == "" {
		return "", "input.command is missing or empty: give the command as a string"
	}
	return command, shelltext.Unprintable(command)
}

// with returns line, after the call itself if that is not written yet.
func (c *call) with(line []byte) [][]byte {
	if c.unsent == nil {
		return [][]byte{line}
	}
	defer func() { c.unsent = nil }()
	return [][]byte{c.unsent, line}
}

// shellCall returns a call of the shell tool for the command.
func shellCall(id, command string) call {
	input := append(event.AppendString([]byte(`{"command":`), command), '}')
	c := call{id: id, command: command, bad: shelltext.Unprintable(command)}
	if strings.TrimSpace(command) == "" {
		c.bad = "the command is empty"
	}
	c.raw = event.New("tool_call").Str("id", id).Str("name", "shell").Raw("input", input).Line()
	return c
}

// Package agents reads definitions of agents: Markdown files with YAML front matter
// (ua-agents(5)), built in, the user's and the project's.
package agents

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"ua/internal/common/verdict"
)

// A Definition says how an agent is run. Its zero value asks for nothing.
type Definition struct {
	Name          string
	Description   string
	Model         string
	Provider      string
	Tools         []string
	NotTools      []string
	Delegate      *bool // nil: as its parent may
	Permissions   string
	Mode          string
	Isolation     string
	Judge         string // the lowest level that a judge has to agree to, "" for none
	MaxIterations int
	Timeout       time.Duration
	BudgetTokens  int64
	Body          string // joins the system prompt

	Source string // where it comes from: "built-in", "user" or "project"
	Path   string // its file
}

// isName reports whether an agent may be called so: the name stands in branches and
// folders.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsAny(s[:1], "-_") &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// The words that the fields take.
var (
	toolNames   = []string{"read", "glob", "grep", "web_fetch", "edit", "write", "bash"}
	modes       = []string{"react", "plan_and_solve", "reflexion"}
	isolations  = []string{"in_process", "worktree"}
	permissions = []string{"plan", "default", "accept_edits", "trusted", "bypass_permissions"}
)

// Parse reads a definition. warn is told, with its line, of what is there and
// means nothing; what is wrong is an error that names the line.
func Parse(text []byte, warn func(line int, what string)) (d Definition, err error) {
	front, body, err := split(text)
	if err != nil {
		return d, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(front, &doc); err != nil {
		return d, yamlError(err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return d, fmt.Errorf("line 1: the front matter has no fields")
	}
	fields := doc.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		if err := d.set(fields[i], fields[i+1], warn); err != nil {
			return d, fmt.Errorf("line %d: %s: %w", fields[i].Line+1, fields[i].Value, err)
		}
	}
	switch {
	case d.Name == "":
		return d, fmt.Errorf("line 1: no name")
	case d.Description == "":
		return d, fmt.Errorf("line 1: no description")
	}
	d.Body = strings.TrimSpace(string(body))
	return d, nil
}

// split parts the front matter, between two lines of three dashes, from the body.
func split(text []byte) (front, body []byte, err error) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, nil, fmt.Errorf("line 1: no front matter: want a line of ---")
	}
	if body, ok := bytes.CutPrefix(rest, []byte("---\n")); ok {
		return nil, body, nil
	}
	front, body, ok = bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		if front, ok = bytes.CutSuffix(bytes.TrimRight(rest, "\n"), []byte("\n---")); !ok {
			return nil, nil, fmt.Errorf("line 1: the front matter has no end: want a second line of ---")
		}
	}
	return append(front, '\n'), body, nil
}

// yamlError puts an error of package yaml into "line N: cause", counted from the
// file's first line.
func yamlError(err error) error {
	var line int
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(msg, "line %d:", &line); n == 1 {
		_, cause, _ := strings.Cut(msg, ": ")
		return fmt.Errorf("line %d: %s", line+1, cause)
	}
	return fmt.Errorf("%s", msg)
}

// set takes one field in.
func (d *Definition) set(key, value *yaml.Node, warn func(int, string)) (err error) {
	switch key.Value {
	case "name":
		if err = value.Decode(&d.Name); err == nil && !isName(d.Name) {
			err = fmt.Errorf("%q: want lower-case letters, digits, - and _", d.Name)
		}
	case "description":
		err = value.Decode(&d.Description)
	case "model":
		err = value.Decode(&d.Model)
	case "provider":
		err = value.Decode(&d.Provider)
	case "tools":
		d.Tools, err = tools(value, warn)
	case "not_tools", "disallowedTools":
		d.NotTools, err = tools(value, warn)
	case "delegate":
		err = value.Decode(&d.Delegate)
	case "permissions":
		d.Permissions, err = word(value, permissions)
	case "permissionMode":
		d.Permissions, err = word(value, permissions)
		if d.Permissions = claudePermissions(value.Value); d.Permissions != "" {
			err = nil
		}
	case "mode":
		d.Mode, err = word(value, modes)
	case "judge":
		d.Judge, err = word(value, judged())
	case "isolation":
		d.Isolation, err = word(value, isolations)
	case "max_iterations", "maxTurns":
		if err = value.Decode(&d.MaxIterations); err == nil && d.MaxIterations < 1 {
			err = fmt.Errorf("want a number from 1")
		}
	case "timeout":
		d.Timeout, err = time.ParseDuration(value.Value)
		if err != nil || d.Timeout <= 0 {
			err = fmt.Errorf("%q is not a duration such as 90s or 10m", value.Value)
		}
	case "budget_tokens":
		if err = value.Decode(&d.BudgetTokens); err == nil && d.BudgetTokens < 1 {
			err = fmt.Errorf("want a number from 1")
		}
	case "color", "skills", "memory", "mcpServers", "hooks", "background", "effort",
		"initialPrompt":
		// of Claude Code's: they mean nothing here
	default:
		warn(key.Line+1, fmt.Sprintf("unknown field %q", key.Value))
	}
	if _, plain := err.(*yaml.TypeError); plain {
		err = fmt.Errorf("%q is of the wrong type", value.Value)
	}
	return err
}

// judged returns the levels from which a judge may be asked.
func judged() (names []string) {
	for l := verdict.ReadOnly; l < verdict.Denied; l++ {
		names = append(names, l.String())
	}
	return names
}

// word returns a value that must be one of a list.
func word(value *yaml.Node, list []string) (string, error) {
	if !slices.Contains(list, value.Value) {
		return "", fmt.Errorf("%q: want %s", value.Value, strings.Join(list, ", "))
	}
	return value.Value, nil
}

// claudeTools returns the names that Claude Code has for tools.
func claudeTools() map[string]string {
	return map[string]string{"Read": "read", "NotebookRead": "read", "LS": "read",
		"Glob": "glob", "Grep": "grep", "WebFetch": "web_fetch", "WebSearch": "web_fetch",
		"Edit": "edit", "MultiEdit": "edit", "NotebookEdit": "edit", "Write": "write",
		"Bash": "bash"}
}

func claudePermissions(mode string) string {
	return map[string]string{"plan": "plan", "default": "default",
		"acceptEdits": "accept_edits", "auto": "trusted", "dontAsk": "trusted",
		"bypassPermissions": "bypass_permissions"}[mode]
}

// tools reads a list of tools, or one line of them with commas.
func tools(value *yaml.Node, warn func(int, string)) (list []string, err error) {
	var names []string
	if value.Kind == yaml.ScalarNode {
		names = strings.Split(value.Value, ",")
	} else if err := value.Decode(&names); err != nil {
		return nil, fmt.Errorf("want a list of %s", strings.Join(toolNames, ", "))
	}
	list = []string{}
	for _, n := range names {
		n = strings.TrimSpace(n)
		n, _, _ = strings.Cut(n, "(") // Bash(git *)
		if own, ok := claudeTools()[n]; ok {
			n = own
		}
		switch {
		case slices.Contains(toolNames, n):
			list = append(list, n)
		case n != "":
			warn(value.Line+1, fmt.Sprintf("unknown tool %q", n))
		}
	}
	return list, nil
}

// Ceiling returns the highest level of commands that the definition allows: everything
// is done through the shell, so a tool stands for what its work needs there.
func (d Definition) Ceiling() verdict.Level {
	top := verdict.Network
	switch d.Permissions {
	case "plan":
		top = verdict.ReadOnly
	case "default":
		top = verdict.Write
	case "accept_edits":
		top = verdict.Destructive
	}
	if d.Tools == nil && d.NotTools == nil {
		return top
	}
	have := d.Tools
	if have == nil {
		have = toolNames
	}
	level := verdict.ReadOnly
	for _, t := range have {
		if slices.Contains(d.NotTools, t) {
			continue
		}
		switch t {
		case "edit", "write":
			level = max(level, verdict.Write)
		case "bash", "web_fetch":
			level = max(level, verdict.Network)
		}
	}
	return min(top, level)
}

// Plans reports whether files below .ua/plans may be written though nothing else may.
func (d Definition) Plans() bool {
	return d.Permissions == "plan" && (d.Tools == nil || slices.Contains(d.Tools, "write")) &&
		!slices.Contains(d.NotTools, "write")
}

// Package agents reads definitions of agents: Markdown files with YAML front matter
// (ua-agents(5)), built in, the user's and the project's.
package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"ua/internal/common/verdict"
)

// A Definition says how an agent is run (ua-agents(5)). Its zero value asks for nothing.
type Definition struct {
	// How the agent is named, and the one line by which a model chooses it.
	Name        string
	Description string
	// The model, as --model takes it, or its name at Provider.
	Model    string
	Provider string
	// The tools that it may use, and those that it may not. A nil Tools is all of them.
	Tools    []string
	NotTools []string
	Delegate *bool // nil: as its parent may
	// The names of the skills that it works by, and those of them that there are. Each
	// narrows it by its own Tools.
	Skills []string
	With   []Definition
	// The words of permissions, modes and isolations below; "" leaves the usual one.
	Permissions string
	Mode        string
	Isolation   string
	Judge       string // the lowest level that a judge has to agree to, "" for none
	// Limits of its run; 0 leaves the usual one.
	MaxIterations int
	Timeout       time.Duration
	BudgetTokens  int64
	Body          string // joins the system prompt
	Unlisted      bool   // a skill that no list in a prompt names

	Source string // where it comes from: "built-in", "user" or "project"
	Path   string // its file
}

// isName reports whether an agent may have this name. The name becomes part of git
// branches and of folders.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsAny(s[:1], "-_") &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// The words that the fields of a definition accept. permissions is sorted from the
// strictest.
var (
	toolNames   = []string{"read", "glob", "grep", "web_fetch", "edit", "write", "bash"}
	modes       = []string{"react", "plan_and_solve", "reflexion"}
	isolations  = []string{"in_process", "worktree"}
	permissions = []string{"plan", "default", "accept_edits", "trusted", "bypass_permissions"}
)

// Parse reads a definition: front matter in YAML, then the body. warn is called with the
// line of each field that is present and means nothing. An error names the line, counted
// from 1 in the file.
func Parse(text []byte, warn func(line int, what string)) (d Definition, err error) {
	err = d.parse(text, (*Definition).set, warn)
	return d, err
}

// A field stores one field of a front matter in a definition.
type field func(d *Definition, key, value *yaml.Node, warn func(int, string)) error

// parse is Parse for a definition whose fields are stored by set.
func (d *Definition) parse(text []byte, set field, warn func(int, string)) error {
	front, body, err := split(text)
	if err != nil {
		return err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(front, &doc); err != nil {
		return yamlError(err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return fmt.Errorf("line 1: the front matter has no fields")
	}
	fields := doc.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		err := set(d, fields[i], fields[i+1], warn)
		if _, plain := err.(*yaml.TypeError); plain {
			err = fmt.Errorf("%q has the wrong type", fields[i+1].Value)
		}
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", fields[i].Line+1, fields[i].Value, err)
		}
	}
	// A model chooses an agent by these two, so that none can do without them.
	switch {
	case d.Name == "":
		return fmt.Errorf("line 1: no name")
	case d.Description == "":
		return fmt.Errorf("line 1: no description")
	}
	d.Body = strings.TrimSpace(string(body))
	return nil
}

// split separates the front matter, which stands between two lines of three dashes, from
// the body. A byte order mark and CRLF line ends are accepted.
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

// yamlError turns an error of package yaml into "line N: cause". The package counts from
// the front matter, so the line of dashes above it is added.
func yamlError(err error) error {
	var line int
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(msg, "line %d:", &line); n == 1 {
		_, cause, _ := strings.Cut(msg, ": ")
		return fmt.Errorf("line %d: %s", line+1, cause)
	}
	return fmt.Errorf("%s", msg)
}

// set stores one field. The names of Claude Code's fields are accepted beside ua's own,
// so that its definitions work as they are.
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
	case "skills":
		d.Skills, err = list(value)
	case "color", "memory", "mcpServers", "hooks", "background", "effort",
		"initialPrompt":
		// of Claude Code's: they mean nothing here
	default:
		warn(key.Line+1, fmt.Sprintf("unknown field %q", key.Value))
	}
	return err
}

// judged returns the levels from which on a judge may be asked, in rising order.
func judged() (names []string) {
	for l := verdict.ReadOnly; l < verdict.Denied; l++ {
		names = append(names, l.String())
	}
	return names
}

// word returns the value of a field that must be one of a list.
func word(value *yaml.Node, list []string) (string, error) {
	if !slices.Contains(list, value.Value) {
		return "", fmt.Errorf("%q: want %s", value.Value, strings.Join(list, ", "))
	}
	return value.Value, nil
}

// claudeTools maps the names that Claude Code gives its tools to ua's.
func claudeTools() map[string]string {
	return map[string]string{"Read": "read", "NotebookRead": "read", "LS": "read",
		"Glob": "glob", "Grep": "grep", "WebFetch": "web_fetch", "WebSearch": "web_fetch",
		"Edit": "edit", "MultiEdit": "edit", "NotebookEdit": "edit", "Write": "write",
		"Bash": "bash"}
}

// claudePermissions maps Claude Code's permission modes to ua's, "" for an unknown one.
func claudePermissions(mode string) string {
	return map[string]string{"plan": "plan", "default": "default",
		"acceptEdits": "accept_edits", "auto": "trusted", "dontAsk": "trusted",
		"bypassPermissions": "bypass_permissions"}[mode]
}

// tools reads a list of tools, either a YAML sequence or one line with commas. An unknown
// tool is a warning.
func tools(value *yaml.Node, warn func(int, string)) ([]string, error) {
	names, err := list(value)
	if err != nil {
		return nil, fmt.Errorf("want a list of %s", strings.Join(toolNames, ", "))
	}
	return known(names, value.Line, warn), nil
}

// list reads a YAML sequence of strings, or one line of them with commas.
func list(value *yaml.Node) (names []string, err error) {
	if value.Kind == yaml.ScalarNode {
		names = strings.Split(value.Value, ",")
	} else if err := value.Decode(&names); err != nil {
		return nil, fmt.Errorf("want a list of names")
	}
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "" }), nil
}

// known returns the tools among the names that mean something here, and warns of others.
func known(names []string, line int, warn func(int, string)) []string {
	// Not nil, even when it stays empty: nil would mean all tools.
	list := []string{}
	for _, n := range names {
		// The pattern after a tool's name, as in Bash(git *), is dropped: the gate judges
		// commands.
		n, _, _ = strings.Cut(n, "(") // Bash(git *)
		if own, ok := claudeTools()[n]; ok {
			n = own
		}
		switch {
		case slices.Contains(toolNames, n):
			list = append(list, n)
		case n != "":
			warn(line+1, fmt.Sprintf("unknown tool %q", n))
		}
	}
	return list
}

// Ceiling returns the highest level of commands that the definition allows. Every tool
// works through the shell, so each one stands for the level that its work needs there.
func (d Definition) Ceiling() verdict.Level {
	top := verdict.Network
	for _, s := range d.With {
		top = min(top, s.Ceiling())
	}
	switch d.Permissions {
	case "plan":
		top = min(top, verdict.ReadOnly)
	case "default":
		top = min(top, verdict.Write)
	case "accept_edits":
		top = min(top, verdict.Destructive)
	}
	if d.Tools == nil && d.NotTools == nil {
		return top
	}
	// NotTools alone means all tools but those.
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

// Plans reports whether commands may write files below .ua/plans although they may write
// nothing else.
func (d Definition) Plans() bool {
	narrow := func(s Definition) bool { return s.Ceiling() < verdict.Write }
	return d.Permissions == "plan" && !slices.ContainsFunc(d.With, narrow) &&
		(d.Tools == nil || slices.Contains(d.Tools, "write")) && !slices.Contains(d.NotTools, "write")
}

// filesMax is how many definitions are read from a folder, and how many skills.
const filesMax = 500

// fileMax is the longest file with a definition, in bytes.
const fileMax = 256 << 10

// A Catalog holds the definitions that exist, by name.
type Catalog map[string]Definition

// entries returns what is in a folder. A missing or unreadable folder holds nothing.
func entries(dir string, warn func(string)) []fs.DirEntry {
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		warn(fmt.Sprintf("%s: %v", dir, errors.Unwrap(err)))
	}
	return list
}

// located returns an error of a file with its path and, where it names one, its line.
func located(file string, err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if rest, ok := strings.CutPrefix(err.Error(), "line "); ok {
		line, rest, _ := strings.Cut(rest, ": ")
		return file + ":" + line + ": " + rest
	}
	return file + ": " + err.Error()
}

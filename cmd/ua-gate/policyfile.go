package main

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// policyDoc is the shape of a policy file (ua-policy(5)).
type policyDoc struct {
	Levels    map[string]any       `toml:"levels"`
	Deny      []ruleDoc            `toml:"deny"`
	Ask       []ruleDoc            `toml:"ask"`
	Allow     []ruleDoc            `toml:"allow"`
	Hooks     map[string][]hookDoc `toml:"hooks"`
	Judge     *judgeDoc            `toml:"judge"`
	Workspace struct {
		Folders stringList `toml:"folders"`
	} `toml:"workspace"`

	// Package classify reads these.
	Command map[string]any `toml:"command"`
	Env     map[string]any `toml:"env"`
	Path    map[string]any `toml:"path"`
}

// A ruleDoc is one table [[allow]], [[ask]] or [[deny]] of a policy file.
type ruleDoc struct {
	Pattern stringList `toml:"pattern"`
	Row     stringList `toml:"row"`
	Reason  string     `toml:"reason"`
	Match   stringList `toml:"match"`
	Not     stringList `toml:"not"`
}

// A hookDoc is the table of one hook in a policy file.
type hookDoc struct {
	Command stringList `toml:"command"`
	Timeout string     `toml:"timeout"`
	OnError string     `toml:"on_error"`
}

// A judgeDoc is the table [judge] of a policy file. A judge is run as a hook is.
type judgeDoc struct {
	hookDoc
	From string `toml:"from"`
	Mode string `toml:"mode"`
}

// A stringList is a string or an array of strings.
type stringList []string

// UnmarshalTOML reads either form.
func (l *stringList) UnmarshalTOML(v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return fmt.Errorf("want a string or an array of strings")
		}
		*l = append(*l, s)
	}
	return nil
}

// A policyFile is one policy file while it is read.
type policyFile struct {
	path, text string
	lines      map[keyPlace]int
	doc        policyDoc
}

// add reads the file's text and adds what it says.
func (p *policy) add(path, text string) error {
	f := &policyFile{path: path, text: text, lines: linesOf(text)}
	md, err := config.Decode(text, &f.doc)
	if err != nil {
		return config.Bad(path, err)
	}
	for _, key := range md.Undecoded() {
		if !slices.Contains([]string{"levels", "command", "env", "path"}, key[0]) {
			return f.unknown(key)
		}
	}
	for _, step := range []func(*policy) error{f.levels, f.rules, f.hooks, f.judge, f.folders,
		f.rows} {
		if err := step(p); err != nil {
			return err
		}
	}
	return nil
}

// levels reads [levels], which holds in every mode, the modes' own tables, and
// [levels.try].
func (f *policyFile) levels(p *policy) error {
	every := map[string]any{}
	p.reason, _ = f.doc.Levels["reason"].(string)
	for name, v := range f.doc.Levels {
		if !slices.Contains(levelTables(), name) && name != "reason" {
			every[name] = v
		}
	}
	for m, name := range modeNames {
		if err := f.setLevels(p, &p.levels[m], "levels", every); err != nil {
			return err
		}
		if err := f.modeLevels(p, &p.levels[m], name); err != nil {
			return err
		}
	}
	return f.modeLevels(p, &p.try, "try")
}

// levelTables returns the names of the tables inside [levels].
func levelTables() []string { return append(modeNames[:], "try") }

// modeLevels reads the table of that name inside [levels], if there is one.
func (f *policyFile) modeLevels(p *policy, d *decisions, name string) error {
	own, ok := f.doc.Levels[name].(map[string]any)
	if !ok && f.doc.Levels[name] != nil {
		return f.errorf("levels", 0, name, "%s is not a table", name)
	}
	return f.setLevels(p, d, "levels."+name, own)
}

// setLevels sets the decisions that a table says. An unknown level or decision is an
// error.
func (f *policyFile) setLevels(p *policy, d *decisions, table string,
	said map[string]any,
) error {
	for _, name := range slices.Sorted(maps.Keys(said)) {
		l, err := f.level(table, name, name)
		if err != nil {
			return err
		}
		s, ok := said[name].(string)
		if !ok {
			return f.errorf(table, 0, name, "a decision is a string")
		}
		decision, err := f.decision(table, 0, name, s, "allow", "ask", "deny")
		if err != nil {
			return err
		}
		if l == verdict.Denied && decision != verdict.Deny {
			return f.errorf(table, 0, name, "what is denied never runs: no policy can %s it", s)
		}
		if d[l] = decision; decision == verdict.Deny {
			p.closed[l] = closed{f.where(table, 0, name), p.reason}
		}
	}
	return nil
}

// level returns the level of that name. The error names the line, and a similar name if
// there is one.
func (f *policyFile) level(table, key, name string) (verdict.Level, error) {
	l, err := verdict.ParseLevel(name)
	if err != nil {
		e := f.errorf(table, 0, key, "%v", err)
		return 0, hint(e, name, verdict.Levels())
	}
	return l, nil
}

// decision returns the decision s if it is one of the words.
func (f *policyFile) decision(table string, n int, key, s string,
	words ...string) (verdict.Decision, error) {
	if !slices.Contains(words, s) {
		return "", hint(f.errorf(table, n, key, "unknown decision %q", s), s, words)
	}
	return verdict.Decision(s), nil
}

// hint adds to an error the word that is near, or the list of words.
func hint(e *prog.Error, word string, list []string) *prog.Error {
	if near := prog.Nearest(word, list); near != "" {
		return e.Hintf("did you mean %q?", near)
	}
	return e.Hintf("one of %s", strings.Join(list, ", "))
}

// rules reads the rules: deny, ask and allow in this order.
func (f *policyFile) rules(p *policy) error {
	for _, kind := range []struct {
		decision verdict.Decision
		docs     []ruleDoc
	}{{verdict.Deny, f.doc.Deny}, {verdict.Ask, f.doc.Ask}, {verdict.Allow, f.doc.Allow}} {
		for i, d := range kind.docs {
			table := string(kind.decision)
			r := rule{decision: kind.decision, rows: d.Row, reason: d.Reason, match: d.Match,
				not:   d.Not,
				where: f.where(table, i, "pattern")}
			// Such a rule would match every command.
			if len(d.Pattern)+len(d.Row) == 0 {
				return f.errorf(table, i, "", "the rule has no pattern and no row")
			}
			for _, glob := range d.Row {
				if _, err := path.Match(glob, ""); err != nil {
					return f.errorf(table, i, "row", "%q: %v", glob, err)
				}
			}
			for _, text := range d.Pattern {
				pattern, err := classify.ParsePattern(text)
				if err != nil {
					return f.errorf(table, i, "pattern", "%q: %v", text, err)
				}
				r.patterns = append(r.patterns, pattern)
			}
			p.rules = append(p.rules, r)
		}
	}
	return nil
}

// hooks reads the hooks.
func (f *policyFile) hooks(p *policy) error {
	for name, docs := range f.doc.Hooks {
		if !slices.Contains(hookNames(), name) {
			return f.unknown(toml.Key{"hooks", name})
		}
		for i, d := range docs {
			h, err := f.hook("hooks."+name, i, d, hookTimeout)
			if err != nil {
				return err
			}
			if len(h.argv) == 0 {
				return f.errorf("hooks."+name, i, "", "the hook has no command")
			}
			if p.hooks == nil {
				p.hooks = map[string][]hook{}
			}
			p.hooks[name] = append(p.hooks[name], h)
		}
	}
	return nil
}

// hook reads what hooks and the judge share.
func (f *policyFile) hook(table string, n int, d hookDoc, timeout time.Duration) (h hook,
	err error) {
	h = hook{argv: f.program(d.Command), timeout: timeout, onError: hookOnError,
		where: f.where(table, n, "command")}
	if d.Timeout != "" {
		if h.timeout, err = time.ParseDuration(d.Timeout); err != nil || h.timeout <= 0 {
			return h, f.errorf(table, n, "timeout", "%q is not a time such as 5s", d.Timeout)
		}
	}
	if d.OnError != "" {
		h.onError, err = f.decision(table, n, "on_error", d.OnError, "deny", "ask", "ignore")
		if h.onError == "ignore" {
			h.onError = ""
		}
	}
	return h, err
}

// program finds the program of a hook: "~/x" in the user's home, "./x" beside the policy
// file, and "x" on PATH.
func (f *policyFile) program(argv []string) []string {
	argv = slices.Clone(argv)
	if len(argv) == 0 {
		return nil
	}
	argv[0] = config.Expand(argv[0])
	if strings.Contains(argv[0], "/") && !filepath.IsAbs(argv[0]) {
		if dir, err := filepath.Abs(filepath.Dir(f.path)); err == nil {
			argv[0] = filepath.Join(dir, argv[0])
		}
	}
	return argv
}

// judge reads the judge. It adds to that of an earlier file: what this file leaves open
// stays, and the lower of both levels holds.
func (f *policyFile) judge(p *policy) error {
	doc := f.doc.Judge
	if doc == nil {
		return nil
	}
	h, err := f.hook("judge", 0, doc.hookDoc, judgeTimeout)
	if err != nil {
		return err
	}
	j := judge{argv: h.argv, timeout: h.timeout, onError: h.onError, from: judgeFrom}
	if doc.From != "" {
		if j.from, err = f.level("judge", "from", doc.From); err != nil {
			return err
		}
	}
	j.mode = doc.Mode
	if modes := []string{"", "warn", "block"}; !slices.Contains(modes, j.mode) {
		return hint(f.errorf("judge", 0, "mode", "unknown mode %q", j.mode), j.mode, modes[1:])
	}
	if old := p.judge; old != nil {
		if len(j.argv) == 0 {
			j.argv = old.argv
		}
		// Only what this file itself says replaces the earlier values.
		if doc.Timeout == "" {
			j.timeout = old.timeout
		}
		if doc.OnError == "" {
			j.onError = old.onError
		}
		if doc.From == "" || old.from < j.from {
			j.from = old.from
		}
		j.mode = cmp.Or(j.mode, old.mode)
	}
	if len(j.argv) == 0 {
		j.argv = []string{judgeProgram}
	}
	p.judge = &j
	return nil
}

// folders reads the folders that belong to the workspace besides the working folder.
func (f *policyFile) folders(p *policy) error {
	for _, dir := range f.doc.Workspace.Folders {
		dir = config.Expand(dir)
		if !filepath.IsAbs(dir) {
			return f.errorf("workspace", 0, "folders", "%q is not an absolute path", dir)
		}
		p.workspace = append(p.workspace, filepath.Clean(dir))
	}
	return nil
}

// rows reads the rows for the classifier.
func (f *policyFile) rows(p *policy) error {
	if f.doc.Command == nil && f.doc.Env == nil && f.doc.Path == nil {
		return nil
	}
	t, err := classify.ParseTable(f.path, f.text)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	p.rows = append(p.rows, t)
	return nil
}

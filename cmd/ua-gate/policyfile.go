package main

import (
	"cmp"
	"errors"
	"fmt"
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

// A policyDoc is the shape of a policy file (ua-policy(5)). The types of its values check them,
// since package toml tells the line of an error of theirs.
type policyDoc struct {
	Levels struct {
		levelDoc
		Reason     string   `toml:"reason"`
		Unattended levelDoc `toml:"unattended"`
		Attended   levelDoc `toml:"attended"`
		Unconfined levelDoc `toml:"unconfined"`
		Try        levelDoc `toml:"try"`
	} `toml:"levels"`
	Deny      []ruleDoc            `toml:"deny"`
	Ask       []ruleDoc            `toml:"ask"`
	Allow     []ruleDoc            `toml:"allow"`
	Hooks     map[string][]hookDoc `toml:"hooks"`
	Judge     *judgeDoc            `toml:"judge"`
	Workspace struct {
		Folders folders `toml:"folders"`
	} `toml:"workspace"`

	// Package classify reads these.
	Command map[string]any `toml:"command"`
	Env     map[string]any `toml:"env"`
	Path    map[string]any `toml:"path"`
}

// A levelDoc says what happens to the commands of a level.
type levelDoc struct {
	ReadOnly    decision `toml:"read_only"`
	BuildTest   decision `toml:"build_test"`
	Write       decision `toml:"write"`
	Destructive decision `toml:"destructive"`
	Network     decision `toml:"network"`
	Privileged  decision `toml:"privileged"`
	Denied      decision `toml:"denied"`
}

// A ruleDoc is one table [[allow]], [[ask]] or [[deny]] of a policy file.
type ruleDoc struct {
	Pattern patterns   `toml:"pattern"`
	Row     globs      `toml:"row"`
	Reason  string     `toml:"reason"`
	Match   stringList `toml:"match"`
	Not     stringList `toml:"not"`
}

// A hookDoc is the table of one hook in a policy file.
type hookDoc struct {
	Command stringList      `toml:"command"`
	Timeout config.Duration `toml:"timeout"`
	OnError onError         `toml:"on_error"`
}

// A judgeDoc is the table [judge] of a policy file. A judge is run as a hook is.
type judgeDoc struct {
	hookDoc
	From levelName `toml:"from"`
	Mode judgeMode `toml:"mode"`
}

// The words of a policy, and lists of them.
type (
	decision   string // allow, ask or deny
	onError    string // deny, ask or ignore
	judgeMode  string // warn or block
	levelName  struct{ *verdict.Level }
	stringList []string // a string or an array of strings
	patterns   []*classify.Pattern
	globs      []string
	folders    []string // absolute
)

// oneOf returns an error unless a word is one of those.
func oneOf(what, word string, words ...string) error {
	if slices.Contains(words, word) {
		return nil
	}
	near := "one of " + strings.Join(words, ", ")
	if w := prog.Nearest(word, words); w != "" {
		near = fmt.Sprintf("did you mean %q?", w)
	}
	return fmt.Errorf("unknown %s %q (%s)", what, word, near)
}

// UnmarshalText reads the word.
func (d *decision) UnmarshalText(text []byte) error {
	*d = decision(text)
	return oneOf("decision", string(text), "allow", "ask", "deny")
}

// UnmarshalText reads the word. To ignore an error is to decide nothing.
func (d *onError) UnmarshalText(text []byte) error {
	*d = onError(text)
	return oneOf("decision", string(text), "deny", "ask", "ignore")
}

// UnmarshalText reads the word.
func (m *judgeMode) UnmarshalText(text []byte) error {
	*m = judgeMode(text)
	return oneOf("mode", string(text), "warn", "block")
}

// UnmarshalText reads the level's name.
func (l *levelName) UnmarshalText(text []byte) error {
	level, err := verdict.ParseLevel(string(text))
	l.Level = &level
	return err
}

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

// each reads a string or an array of strings, and does something with each.
func each(v any, do func(string) error) error {
	var list stringList
	err := list.UnmarshalTOML(v)
	for _, s := range list {
		err = errors.Join(err, do(s))
	}
	return err
}

// UnmarshalTOML reads a pattern or an array of them.
func (p *patterns) UnmarshalTOML(v any) error {
	return each(v, func(text string) error {
		pattern, err := classify.ParsePattern(text)
		if *p = append(*p, pattern); err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
		return nil
	})
}

// UnmarshalTOML reads a glob or an array of them.
func (g *globs) UnmarshalTOML(v any) error {
	return each(v, func(glob string) error {
		*g = append(*g, glob)
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("%q: %w", glob, err)
		}
		return nil
	})
}

// UnmarshalTOML reads an absolute path or an array of them; "~" is the user's home.
func (f *folders) UnmarshalTOML(v any) error {
	return each(v, func(dir string) error {
		if dir = config.Expand(dir); !filepath.IsAbs(dir) {
			return fmt.Errorf("%q is not an absolute path", dir)
		}
		*f = append(*f, filepath.Clean(dir))
		return nil
	})
}

// A policyFile is one policy file while it is read.
type policyFile struct {
	path  string
	lines map[string]int // of the tables and keys, by "table#number.key"
	doc   policyDoc
}

// add reads the file's text and adds what it says.
func (p *policy) add(path, text string) error {
	f := &policyFile{path: path, lines: linesOf(text)}
	md, err := config.Decode(text, &f.doc)
	if err != nil {
		return config.Bad(path, err)
	}
	for _, key := range md.Undecoded() {
		if !slices.Contains([]string{"command", "env", "path"}, key[0]) {
			return f.unknown(key)
		}
	}
	if err := f.levels(p); err != nil {
		return err
	}
	p.workspace = append(p.workspace, f.doc.Workspace.Folders...)
	if err := f.rules(p); err != nil {
		return err
	}
	if err := f.hooks(p); err != nil {
		return err
	}
	f.judge(p)
	if f.doc.Command == nil && f.doc.Env == nil && f.doc.Path == nil {
		return nil
	}
	t, err := classify.ParseTable(path, text)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	p.rows = append(p.rows, t)
	return nil
}

// unknown returns the error for a key that no policy has, and a similar one if there is one.
func (f *policyFile) unknown(key toml.Key) error {
	last := key[len(key)-1]
	where, what := f.where(key[:len(key)-1].String(), 0, last), fmt.Sprintf("key %q", key.String())
	if f.lines[key.String()+"#0."] > 0 {
		where = f.where(key.String(), 0, "")
	}
	if key[0] == "levels" {
		what = fmt.Sprintf("level %q", last)
	}
	known := config.Keys(&f.doc, key)
	if key[0] == "hooks" && len(key) == 2 {
		known = hookNames[:]
	}
	e := prog.Errorf(prog.Trouble, "%s: unknown %s", where, what)
	if near := prog.Nearest(last, known); near != "" {
		return e.Hintf("did you mean %q?", near)
	}
	return e.Hintf("one of %s", strings.Join(known, ", "))
}

// where returns "file:line" of a key in the n-th table of that name. It is the table's
// line if the key is not found, or just the file.
func (f *policyFile) where(table string, n int, key string) string {
	at := fmt.Sprintf("%s#%d.", table, n)
	if line := cmp.Or(f.lines[at+key], f.lines[at]); line > 0 {
		return fmt.Sprintf("%s:%d", f.path, line)
	}
	return f.path
}

// linesOf returns the lines of a policy's keys and tables, found in its text. Package toml
// tells a line only with an error for the value there, and of tables of one name, as all
// rules of a list are, only the last one's.
func linesOf(text string) map[string]int {
	lines, tables := map[string]int{}, map[string]int{}
	at := "#0."
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		name, _, ok := strings.Cut(line, "=")
		key := at + strings.Trim(name, " \t\"'")
		if strings.HasPrefix(line, "[") {
			table := strings.Trim(line, "[] \t")
			at = fmt.Sprintf("%s#%d.", table, tables[table])
			tables[table]++
			key, ok = at, true
		} else if table, last, dotted := strings.Cut(key[len(at):], "."); at == "#0." && dotted {
			key = table + "#0." + last
		}
		if ok && lines[key] == 0 {
			lines[key] = i + 1
		}
	}
	return lines
}

// levels reads [levels], which holds in every mode, the modes' own tables, and
// [levels.try].
func (f *policyFile) levels(p *policy) (err error) {
	doc := &f.doc.Levels
	set := func(d *decisions, table string, said levelDoc) {
		for l, word := range []decision{said.ReadOnly, said.BuildTest, said.Write, said.Destructive,
			said.Network, said.Privileged, said.Denied} {
			where := f.where(table, 0, verdict.Level(l).String())
			switch decision := verdict.Decision(word); {
			case word == "":
			case verdict.Level(l) == verdict.Denied && decision != verdict.Deny:
				err = prog.Errorf(prog.Trouble, "%s: what is denied never runs: no policy can %s it",
					where, word)
			default:
				if d[l] = decision; decision == verdict.Deny {
					p.closed[l] = closed{where, doc.Reason}
				}
			}
		}
	}
	for m, own := range []levelDoc{doc.Unattended, doc.Attended, doc.Unconfined} {
		set(&p.levels[m], "levels", doc.levelDoc)
		set(&p.levels[m], "levels."+modeNames[m], own)
	}
	set(&p.try, "levels.try", doc.Try)
	return err
}

// rules reads the rules: deny, ask and allow in this order.
func (f *policyFile) rules(p *policy) error {
	for i, docs := range [][]ruleDoc{f.doc.Deny, f.doc.Ask, f.doc.Allow} {
		kind := []verdict.Decision{verdict.Deny, verdict.Ask, verdict.Allow}[i]
		for i, d := range docs {
			where := f.where(string(kind), i, "pattern")
			// Such a rule would match every command.
			if len(d.Pattern)+len(d.Row) == 0 {
				return prog.Errorf(prog.Trouble, "%s: the rule has no pattern and no row", where)
			}
			p.rules = append(p.rules, rule{decision: kind, patterns: d.Pattern, rows: d.Row,
				reason: d.Reason, match: d.Match, not: d.Not, where: where})
		}
	}
	return nil
}

// hooks reads the hooks.
func (f *policyFile) hooks(p *policy) error {
	for name, docs := range f.doc.Hooks {
		if !slices.Contains(hookNames[:], name) {
			return f.unknown(toml.Key{"hooks", name})
		}
		for n, d := range docs {
			h := f.hook(d, hookTimeout)
			if h.where = f.where("hooks."+name, n, "command"); len(h.argv) == 0 {
				return prog.Errorf(prog.Trouble, "%s: the hook has no command", h.where)
			}
			if p.hooks == nil {
				p.hooks = map[string][]hook{}
			}
			p.hooks[name] = append(p.hooks[name], h)
		}
	}
	return nil
}

// hook returns what hooks and the judge share. Its program is "~/x" in the user's home, "./x"
// beside the policy file, or "x" on PATH.
func (f *policyFile) hook(d hookDoc, timeout time.Duration) hook {
	h := hook{argv: d.Command, timeout: cmp.Or(time.Duration(d.Timeout), timeout),
		onError: verdict.Decision(cmp.Or(d.OnError, onError(hookOnError)))}
	if h.onError == "ignore" {
		h.onError = ""
	}
	if len(h.argv) > 0 {
		program := config.Expand(h.argv[0])
		if dir, err := filepath.Abs(filepath.Dir(f.path)); err == nil &&
			strings.Contains(program, "/") && !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		h.argv = append([]string{program}, h.argv[1:]...)
	}
	return h
}

// judge reads the judge. It adds to that of an earlier file: what this file leaves open
// stays, and the lower of both levels holds.
func (f *policyFile) judge(p *policy) {
	doc, old := f.doc.Judge, p.judge
	if doc == nil {
		return
	}
	if old == nil {
		old = &judge{argv: []string{judgeProgram}, timeout: judgeTimeout, onError: hookOnError,
			from: verdict.Denied}
	}
	j, h := *old, f.hook(doc.hookDoc, old.timeout)
	j.timeout, j.mode = h.timeout, cmp.Or(string(doc.Mode), j.mode)
	if len(h.argv) > 0 {
		j.argv = h.argv
	}
	if doc.OnError != "" {
		j.onError = h.onError
	}
	if doc.From.Level != nil {
		j.from = min(j.from, *doc.From.Level)
	} else if p.judge == nil {
		j.from = judgeFrom
	}
	p.judge = &j
}

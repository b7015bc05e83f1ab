package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A policyDoc is the shape of a policy file (ua-policy(5)).
type policyDoc struct {
	Levels struct {
		levelDoc
		Reason                                string
		Unattended, Attended, Unconfined, Try levelDoc
	}
	Deny, Ask, Allow []rule
	Hooks            map[string][]hook
	Judge            judge
	Workspace        struct{ Folders stringList }

	// Package classify reads these.
	Command, Env, Path map[string]any
}

// A levelDoc says what happens to the commands of a level.
type levelDoc struct {
	ReadOnly                                        decision `toml:"read_only"`
	BuildTest                                       decision `toml:"build_test"`
	Write, Destructive, Network, Privileged, Denied decision
}

// A decision is allow, ask or deny.
type decision string

// A stringList is a string or an array of strings.
type stringList []string

// oneOf returns an error unless a word is one of those, or not there.
func oneOf(what, word string, words ...string) error {
	if word == "" || slices.Contains(words, word) {
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

// UnmarshalTOML reads either form.
func (l *stringList) UnmarshalTOML(v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var texts []string
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return errors.New("want a string or an array of strings")
		}
		texts = append(texts, s)
	}
	*l = texts
	return nil
}

// A policyFile is one policy file while it is read.
type policyFile struct {
	path   string
	lines  map[string]int // of the tables and keys, by "table#number.key"
	doc    policyDoc
	judges bool // it has a table [judge]
}

// add reads the file's text and adds what it says.
func (p *policy) add(path, text string) error {
	f := &policyFile{path: path, lines: linesOf(text)}
	// A judge adds to that of an earlier file: what this file leaves open stays.
	f.doc.Judge = *cmp.Or(p.judge, &judge{From: judgeFrom,
		hook: hook{Command: []string{judgeProgram}, Timeout: config.Duration(judgeTimeout)}})
	md, err := config.Decode(text, &f.doc)
	if err != nil {
		return config.Bad(path, err)
	}
	for _, key := range md.Undecoded() {
		if !slices.Contains([]string{"command", "env", "path"}, key[0]) {
			return f.unknown(key)
		}
	}
	f.judges = md.IsDefined("judge")
	for _, read := range []func(*policy) error{f.levels, f.workspace, f.rules, f.hooks, f.judge} {
		if err := read(p); err != nil {
			return err
		}
	}
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

// errorf returns an error about a key.
func (f *policyFile) errorf(table string, n int, key, format string, a ...any) error {
	return prog.Errorf(prog.Trouble, "%s: %w", f.where(table, n, key), fmt.Errorf(format, a...))
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
			name := verdict.Level(l).String()
			switch decision := verdict.Decision(word); {
			case word == "":
			case verdict.Level(l) == verdict.Denied && decision != verdict.Deny:
				err = f.errorf(table, 0, name, "what is denied never runs: no policy can %s it", word)
			default:
				if d[l] = decision; decision == verdict.Deny {
					p.closed[l] = closed{f.where(table, 0, name), doc.Reason}
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

// workspace reads the folders that count as the workspace; "~" is the user's home.
func (f *policyFile) workspace(p *policy) error {
	for _, dir := range f.doc.Workspace.Folders {
		if dir = config.Expand(dir); !filepath.IsAbs(dir) {
			return f.errorf("workspace", 0, "folders", "%q is not an absolute path", dir)
		}
		p.workspace = append(p.workspace, filepath.Clean(dir))
	}
	return nil
}

// rules reads the rules: deny, ask and allow in this order.
func (f *policyFile) rules(p *policy) error {
	for i, rules := range [][]rule{f.doc.Deny, f.doc.Ask, f.doc.Allow} {
		kind := []verdict.Decision{verdict.Deny, verdict.Ask, verdict.Allow}[i]
		for i, r := range rules {
			r.decision, r.where = kind, f.where(string(kind), i, "pattern")
			for _, text := range r.Pattern {
				pattern, err := classify.ParsePattern(text)
				if err != nil {
					return f.errorf(string(kind), i, "pattern", "%q: %w", text, err)
				}
				r.patterns = append(r.patterns, pattern)
			}
			for _, glob := range r.Row {
				if _, err := path.Match(glob, ""); err != nil {
					return f.errorf(string(kind), i, "row", "%q: %w", glob, err)
				}
			}
			// Such a rule would match every command.
			if len(r.Pattern)+len(r.Row) == 0 {
				return prog.Errorf(prog.Trouble, "%s: the rule has no pattern and no row", r.where)
			}
			p.rules = append(p.rules, r)
		}
	}
	return nil
}

// hooks reads the hooks.
func (f *policyFile) hooks(p *policy) error {
	for name, hooks := range f.doc.Hooks {
		if !slices.Contains(hookNames[:], name) {
			return f.unknown(toml.Key{"hooks", name})
		}
		for n, h := range hooks {
			if err := f.hook(&h, "hooks."+name, n); err != nil {
				return err
			}
			h.Timeout = cmp.Or(h.Timeout, config.Duration(hookTimeout))
			if p.hooks == nil {
				p.hooks = map[string][]hook{}
			}
			p.hooks[name] = append(p.hooks[name], h)
		}
	}
	return nil
}

// hook checks what hooks and the judge share. Its program is "~/x" in the user's home, "./x"
// beside the policy file, or "x" on PATH.
func (f *policyFile) hook(h *hook, table string, n int) error {
	if h.where = f.where(table, n, "command"); len(h.Command) == 0 {
		return prog.Errorf(prog.Trouble, "%s: the hook has no command", h.where)
	}
	program := config.Expand(h.Command[0])
	if dir, err := filepath.Abs(filepath.Dir(f.path)); err == nil &&
		strings.Contains(program, "/") && !filepath.IsAbs(program) {
		program = filepath.Join(dir, program)
	}
	h.Command = append([]string{program}, h.Command[1:]...)
	if err := oneOf("decision", h.OnError, "deny", "ask", "ignore"); err != nil {
		return f.errorf(table, n, "on_error", "%w", err)
	}
	return nil
}

// judge reads the judge. The lower of the levels of all files holds.
func (f *policyFile) judge(p *policy) error {
	if !f.judges {
		return nil
	}
	j := &f.doc.Judge
	if p.judge != nil {
		j.From = min(j.From, p.judge.From)
	}
	p.judge = j
	if err := oneOf("mode", j.Mode, "warn", "block"); err != nil {
		return f.errorf("judge", 0, "mode", "%w", err)
	}
	return f.hook(&j.hook, "judge", 0)
}

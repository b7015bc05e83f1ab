package policy

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A document is the shape of a policy file (ua-policy(5)).
type document struct {
	Levels struct {
		levelDoc
		Reason                                string
		Unattended, Attended, Unconfined, Try levelDoc
	}
	Deny, Ask, Allow []Rule
	Hooks            map[string][]Hook
	Judge            Judge
	Workspace        struct{ Folders texts }

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

// A file is a policy file while it is read.
type file struct {
	path   string
	lines  map[string]int // of the tables and keys, by "table#number.key"
	doc    document
	judges bool // it has a table [judge]
}

// Add reads the file's text and adds what it says.
func (p *Policy) Add(path, text string) error {
	f := &file{path: path, lines: linesOf(text)}
	// A judge adds to that of an earlier file: what this file leaves open stays.
	f.doc.Judge = *cmp.Or(p.Judge, defaultJudge())
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
	for _, read := range []func(*Policy) error{f.levels, f.workspace, f.rules, f.hooks, f.judge} {
		if err := read(p); err != nil {
			return err
		}
	}
	if f.doc.Command == nil && f.doc.Env == nil && f.doc.Path == nil {
		return nil
	}
	t, err := table.Parse(path, text)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	p.Rows = append(p.Rows, t)
	return nil
}

// unknown returns the error for a key that no policy has, and a similar one if there is one.
func (f *file) unknown(key toml.Key) error {
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
func (f *file) where(table string, n int, key string) string {
	at := fmt.Sprintf("%s#%d.", table, n)
	if line := cmp.Or(f.lines[at+key], f.lines[at]); line > 0 {
		return fmt.Sprintf("%s:%d", f.path, line)
	}
	return f.path
}

// errorf returns an error about a key.
func (f *file) errorf(table string, n int, key, format string, a ...any) error {
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
func (f *file) levels(p *Policy) (err error) {
	doc := &f.doc.Levels
	set := func(d *Decisions, table string, said levelDoc) {
		for l, word := range []decision{said.ReadOnly, said.BuildTest, said.Write, said.Destructive,
			said.Network, said.Privileged, said.Denied} {
			name := verdict.Level(l).String()
			switch decision := verdict.Decision(word); {
			case word == "":
			case verdict.Level(l) == verdict.Denied && decision != verdict.Deny:
				err = f.errorf(table, 0, name, "what is denied never runs: no policy can %s it", word)
			default:
				if d[l] = decision; decision == verdict.Deny {
					p.closed[l] = Closed{f.where(table, 0, name), doc.Reason}
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
func (f *file) workspace(p *Policy) error {
	for _, dir := range f.doc.Workspace.Folders {
		if dir = config.Expand(dir); !filepath.IsAbs(dir) {
			return f.errorf("workspace", 0, "folders", "%q is not an absolute path", dir)
		}
		p.Workspace = append(p.Workspace, filepath.Clean(dir))
	}
	return nil
}

// rules reads the rules: deny, ask and allow in this order.
func (f *file) rules(p *Policy) error {
	for i, rules := range [][]Rule{f.doc.Deny, f.doc.Ask, f.doc.Allow} {
		kind := []verdict.Decision{verdict.Deny, verdict.Ask, verdict.Allow}[i]
		for i, r := range rules {
			r.Decision, r.Where = kind, f.where(string(kind), i, "pattern")
			for _, text := range r.Pattern {
				pattern, err := finding.ParsePattern(text)
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
				return prog.Errorf(prog.Trouble, "%s: the rule has no pattern and no row", r.Where)
			}
			p.Rules = append(p.Rules, r)
		}
	}
	return nil
}

// hooks reads the hooks.
func (f *file) hooks(p *Policy) error {
	for name, hooks := range f.doc.Hooks {
		if !slices.Contains(hookNames[:], name) {
			return f.unknown(toml.Key{"hooks", name})
		}
		for n, h := range hooks {
			if err := f.hook(&h, "hooks."+name, n); err != nil {
				return err
			}
			h.Timeout = cmp.Or(h.Timeout, config.Duration(hookTimeout))
			if p.Hooks == nil {
				p.Hooks = map[string][]Hook{}
			}
			p.Hooks[name] = append(p.Hooks[name], h)
		}
	}
	return nil
}

// hook checks what hooks and the judge share. Its program is "~/x" in the user's home, "./x"
// beside the policy file, or "x" on PATH.
func (f *file) hook(h *Hook, table string, n int) error {
	if h.Where = f.where(table, n, "command"); len(h.Command) == 0 {
		return prog.Errorf(prog.Trouble, "%s: the hook has no command", h.Where)
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
func (f *file) judge(p *Policy) error {
	if !f.judges {
		return nil
	}
	j := &f.doc.Judge
	if p.Judge != nil {
		j.From = min(j.From, p.Judge.From)
	}
	p.Judge = j
	if err := oneOf("mode", j.Mode, "warn", "block"); err != nil {
		return f.errorf("judge", 0, "mode", "%w", err)
	}
	return f.hook(&j.Hook, "judge", 0)
}

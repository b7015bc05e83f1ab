package main

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"

	"ua/internal/common/prog"
)

// errorf returns an error with the line of the key in the n-th table of that name.
func (f *policyFile) errorf(table string, n int, key, format string, a ...any) *prog.Error {
	return prog.Errorf(prog.Trouble, "%s: %s", f.where(table, n, key), fmt.Sprintf(format, a...))
}

// unknown returns the error for a key that no policy has, and a similar one if there is
// one.
func (f *policyFile) unknown(key toml.Key) *prog.Error {
	name, table := key[len(key)-1], key[:len(key)-1].String()
	e := f.errorf(table, 0, name, "unknown key %q", key.String())
	if f.line(key.String(), 0, "") > 0 {
		e = f.errorf(key.String(), 0, "", "unknown key %q", key.String())
	}
	rule := []string{"pattern", "row", "reason", "match", "not"}
	known := map[string][]string{
		"": {"levels", "deny", "ask", "allow", "hooks", "judge", "workspace", "command", "env",
			"path"},
		"deny": rule, "ask": rule, "allow": rule,
		"hooks": hookNames(),
		"judge": {"command", "timeout", "on_error", "from", "mode"}, "workspace": {"folders"},
	}
	for _, hook := range hookNames() {
		known["hooks."+hook] = []string{"command", "timeout", "on_error"}
	}
	return hint(e, name, known[table])
}

// where returns "file:line" of a key in the n-th table of that name. It is the table's
// line if the key is not found, or just the file.
func (f *policyFile) where(table string, n int, key string) string {
	if line := f.line(table, n, key); line > 0 {
		return fmt.Sprintf("%s:%d", f.path, line)
	}
	return f.path
}

// line returns the line of a key in the n-th table of that name, or of the table, or 0.
func (f *policyFile) line(table string, n int, key string) int {
	if line := f.lines[keyPlace{table, n, key}]; line > 0 {
		return line
	}
	return f.lines[keyPlace{table, n, ""}]
}

// A keyPlace is a key in the n-th table of a name. The table itself has the key "".
type keyPlace struct {
	table string
	n     int
	key   string
}

// linesOf returns the lines of a policy's keys and tables, found in its text. Package toml
// tells a line only with an error for the value there, and of tables of one name, as all
// rules of a list are, only the last one's.
func linesOf(text string) map[keyPlace]int {
	lines, tables := map[keyPlace]int{}, map[string]int{}
	at := keyPlace{}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if strings.HasPrefix(line, "[") {
			at.table = strings.Trim(line, "[] \t")
			at.n = tables[at.table]
			tables[at.table]++
			lines[at] = i + 1
			continue
		}
		name, _, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		key := keyPlace{at.table, at.n, strings.Trim(name, " \t\"'")}
		if dot := strings.LastIndexByte(key.key, '.'); dot > 0 && key.table == "" {
			key.table, key.key = key.key[:dot], key.key[dot+1:]
		}
		if lines[key] == 0 {
			lines[key] = i + 1
		}
	}
	return lines
}

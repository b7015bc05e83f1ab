// Package configtemplate holds the settings that a user can write, with their defaults, and
// says which settings are in force.
package configtemplate

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"ua/internal/common/config"
)

// Text is a file of settings in which every line is a comment.
//
//go:embed config.toml
var Text string

// An Entry is one setting and its origin.
type Entry struct {
	// The table, as in [sandbox], and the key in it.
	Table, Key string
	Value      string // as TOML writes it, or how it is hidden
	From       string // the file, the variable, or "built in"
}

// BuiltIn returns the defaults as the comments of Text state them, in their order.
func BuiltIn() (list []Entry) {
	line := regexp.MustCompile(`^#([a-z_]+) = ((?:"[^"]*"|\[[^\]]*\]|[^#"\[])*?)(?: +# (.*))?$`)
	table := ""
	for l := range strings.Lines(Text) {
		l = strings.TrimRight(l, "\n")
		if name, ok := strings.CutPrefix(l, "["); ok {
			table = strings.TrimSuffix(name, "]")
		} else if strings.HasPrefix(l, "#[") {
			return list // what follows are examples
		} else if m := line.FindStringSubmatch(l); m != nil && !strings.Contains(m[3], "not set") {
			list = append(list, Entry{table, m[1], strings.TrimSpace(m[2]), "built in"})
		}
	}
	return list
}

// Merge returns the defaults, replaced by the settings of a file where it has them,
// followed by the file's other tables. Keys of providers are hidden. from names the file.
// The error is that of TOML.
func Merge(text []byte, from string) ([]Entry, error) {
	var tables map[string]map[string]any
	if _, err := config.Decode(string(text), &tables); err != nil {
		return nil, err
	}
	return Changed(BuiltIn(), nil, tables, from), nil
}

// Changed returns the settings, with every one replaced that differs between before and
// after. from names the file that has made the difference. A setting that list does not
// have is added at the end of its table.
func Changed(list []Entry, before, after map[string]map[string]any, from string) []Entry {
	had := map[string]string{}
	for table := range before {
		for _, e := range flat(table, before[table], "") {
			had[e.Table+"\x00"+e.Key] = e.Value
		}
	}
	list = slices.Clone(list)
	for _, table := range slices.Sorted(maps.Keys(after)) {
		for _, e := range flat(table, after[table], from) {
			if e.Value == had[e.Table+"\x00"+e.Key] {
				continue
			}
			// A new key goes after the last one of its table, and a new table to the end.
			at, end := -1, len(list)
			for i, have := range list {
				if have.Table == e.Table {
					end = i + 1
				}
				if have.Table == e.Table && have.Key == e.Key {
					at = i
				}
			}
			if at >= 0 {
				list[at] = e
			} else {
				list = slices.Insert(list, end, e)
			}
		}
	}
	return list
}

// WithEnv returns the settings, with those replaced that environment variables set.
func WithEnv(list []Entry, lookup func(string) (string, bool)) []Entry {
	model, ok := lookup(config.EnvModel)
	if !ok || model == "" {
		return list
	}
	at := slices.IndexFunc(list, func(e Entry) bool { return e.Table == "think" })
	list = slices.DeleteFunc(slices.Clone(list), func(e Entry) bool {
		return e.Table == "think" && e.Key == "model"
	})
	return slices.Insert(list, min(max(at, 0), len(list)),
		Entry{"think", "model", fmt.Sprintf("%q", model), config.EnvModel})
}

// flat returns the settings of a table, including those of the tables inside it.
func flat(name string, table map[string]any, from string) (list []Entry) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if sub, ok := table[key].(map[string]any); ok {
			list = append(list, flat(name+"."+quoted(key), sub, from)...)
			continue
		}
		list = append(list, Entry{name, key, show(key, table[key]), from})
	}
	return list
}

// quoted returns a key as TOML writes it.
func quoted(key string) string {
	if strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return key
	}
	return fmt.Sprintf("%q", key)
}

// show returns a value as one line of TOML. Of an api_key it shows only that there is
// one.
func show(key string, value any) string {
	if key == "api_key" {
		return `"(hidden)"`
	}
	var b bytes.Buffer
	enc := toml.NewEncoder(&b)
	if err := enc.Encode(map[string]any{"x": value}); err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(value))
	}
	return strings.TrimPrefix(strings.TrimSpace(b.String()), "x = ")
}

// Print writes entries as a file of settings, with the origin of each behind it.
func Print(w *bufio.Writer, list []Entry) error {
	table, width := "", 0
	for _, e := range list {
		width = max(width, min(len(e.Key)+len(e.Value), 50))
	}
	for _, e := range list {
		if e.Table != table {
			if table != "" {
				fmt.Fprintln(w)
			}
			table = e.Table
			fmt.Fprintf(w, "[%s]\n", table)
		}
		fmt.Fprintf(w, "%s = %s%*s  # %s\n", e.Key, e.Value, max(width-len(e.Key)-len(e.Value), 0),
			"", e.From)
	}
	return w.Flush()
}

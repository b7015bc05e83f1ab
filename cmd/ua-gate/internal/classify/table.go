package classify

import (
	"fmt"

	"github.com/BurntSushi/toml"
)

// A Table holds rows: what is known of programs. The embedded one knows some
// hundred; a user's rows come before it.
type Table struct {
	rows map[string]string
}

// ParseTable reads rows in the grammar of commands.toml. The name stands in
// errors: "policy.toml:14: …".
func ParseTable(name, text string) (*Table, error) {
	var doc struct {
		Command map[string]any `toml:"command"`
	}
	if _, err := toml.Decode(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Table{}, nil
}

// An Example is a row's own example: a command and what the row says of it.
type Example struct {
	Command string // the command
	Want    string // a level, or "not LEVEL"
	Row     string // the row that holds it
	Line    int    // where it stands
}

// Examples are the examples of the table's rows, for ua-gate test.
func (t *Table) Examples() []Example { return nil }

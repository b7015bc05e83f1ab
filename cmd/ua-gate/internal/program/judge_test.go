package program

import (
	"maps"
	"slices"
	"testing"

	"ua/cmd/ua-gate/internal/table"
)

// TestReaders holds that a row may name each reader that there is.
func TestReaders(t *testing.T) {
	for _, name := range slices.Concat(slices.Collect(maps.Keys(readers)),
		slices.Collect(maps.Keys(codeReaders))) {
		text := "[command.x]\nlevel = \"write\"\nreader = \"" + name + "\"\n"
		if _, err := table.Parse("t.toml", text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package classify

import (
	"os"
	"path/filepath"
	"testing"

	"ua/cmd/ua-gate/internal/machine"
	"ua/internal/common/verdict"
)

// TestThere has words that mean files because such are there.
func TestThere(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"src", "Makefile/x"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := machine.Options{Cwd: dir, Home: "/home/me", Resolve: true}
	for command, want := range map[string]verdict.Level{
		"git checkout src": verdict.Destructive, "git checkout Makefile": verdict.Destructive,
		"git checkout main": verdict.Write, "git checkout -b src": verdict.Write,
		"mv .env src": verdict.Write, "mv .env x": verdict.Destructive, "mv a x": verdict.Write,
	} {
		if r := Classify(command, &o); r.Level != want {
			t.Errorf("%q is %v (%s: %s), want %v", command, r.Level, r.Row, r.Reason, want)
		}
	}
}

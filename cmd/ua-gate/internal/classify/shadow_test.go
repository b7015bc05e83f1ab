package classify

import (
	"os"
	"path/filepath"
	"testing"
)

// TestShadowed holds that Python code is the project's where the folder has a module in place of
// one of the language's own.
func TestShadowed(t *testing.T) {
	for file, want := range map[string]bool{
		"json.py": true, "json.cpython-312-x86_64-linux-gnu.so": true, "re/__init__.py": true,
		"main.py": false, "json/data": false, "test/__init__.py": false, "json.txt": false,
	} {
		dir := t.TempDir()
		os.Mkdir(filepath.Dir(filepath.Join(dir, file)), 0o700)
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		r := Classify(`python3 -c 'import json; print(1)'`,
			&Options{Cwd: dir, Home: "/home/u", Shell: "bash", Resolve: true})
		if got := r.Level > readOnly; got != want {
			t.Errorf("%s: %s", file, r.Level)
		}
	}
}

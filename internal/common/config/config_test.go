package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLoadFile(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"", ""},
		{"[think]\nmodel = \"a/b\"\n[other]\nx = 1\n", ""},
		{"[think]\nmodle = \"a/b\"\n", `c.toml: unknown key "think.modle"`},
		{"[think]\nmodel = \n", `c.toml:2: expected value but found '\n' instead`},
		{"[think]\nmodel = 3\n", `c.toml:2: incompatible types: TOML value has type int64; destination has type string`},
	} {
		t.Chdir(t.TempDir())
		os.WriteFile("c.toml", []byte(c.text), 0o600)
		var v struct {
			Think struct{ Model string } `toml:"think"`
		}
		err := LoadFile("c.toml", &v)
		if c.err == "" && err != nil || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%q: %v, want %q", c.text, err, c.err)
		}
	}
}

func TestMissingFile(t *testing.T) {
	var v struct{}
	if err := LoadFile(filepath.Join(t.TempDir(), "none"), &v); err != nil {
		t.Error(err)
	}
}

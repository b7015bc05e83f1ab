package main

import (
	"debug/buildinfo"
	"path/filepath"
	"testing"

	"ua/internal/test/scripttest"
)

// TestLinks holds that ua-exec, of which each run starts one, links no reader of settings:
// that of TOML alone reads the time zone before main.
func TestLinks(t *testing.T) {
	info, err := buildinfo.ReadFile(filepath.Join(scripttest.Bin(t), "ua-exec"))
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range info.Deps {
		if module.Path == "github.com/BurntSushi/toml" {
			t.Errorf("%s is linked: go list -deps -f '{{.ImportPath}}: {{.Imports}}' ./cmd/ua-exec says "+
				"why", module.Path)
		}
	}
}

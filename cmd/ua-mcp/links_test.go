package main

import (
	"debug/buildinfo"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestLinks holds that the protocol's SDK, and what it brings, is linked here alone, and that
// of editors nowhere.
func TestLinks(t *testing.T) {
	for _, name := range []string{"ua", "ua-think", "ua-gate", "ua-exec", "ua-sandbox", "ua-try",
		"ua-journal", "ua-shell", "ua-mcp", "ua-acp", "ua-record"} {
		info, err := buildinfo.ReadFile(filepath.Join(scripttest.Bin(t), name))
		if err != nil {
			t.Fatal(err)
		}
		linked := false
		for _, module := range info.Deps {
			if strings.HasPrefix(module.Path, "github.com/coder/acp") {
				t.Errorf("%s: %s", name, module.Path)
			}
			linked = linked || strings.HasPrefix(module.Path, "github.com/modelcontextprotocol/")
		}
		if linked != (name == "ua-mcp") {
			t.Errorf("%s: linked %v", name, linked)
		}
	}
}

//go:build linux

package landing

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNoPaths: what works on covered folders reaches them by package tree alone. By
// path it opens the try's own files, and git's scratch folder.
func TestNoPaths(t *testing.T) {
	call := regexp.MustCompile(`\b(os|unix|syscall|filepath|remove|regular)\.` +
		`(Open|Create|L?[Ss]tat|` +
		`Read|Write|Mk|Remove|Rename|Link|Symlink|L?[Cc]h|Truncate|Walk|Glob|Eval|Unlink|Utimes|` +
		`F?[Cc]hmod|Named|All|[LF]?(get|set|list|remove)xattr)[A-Za-z0-9]*\(`)
	own := regexp.MustCompile(`planPath\(|t\.Path\(|t\.Work\(|r\.dir|` +
		`MkdirTemp\(folder|os\.Open\(path\)`)
	files := 0
	for _, dir := range []string{"landing", "manifest", "diff"} {
		list, _ := filepath.Glob("../" + dir + "/*.go")
		for _, name := range list {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files++
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if call.MatchString(line) && !own.MatchString(line) {
					t.Errorf("%s: %s", name, strings.TrimSpace(line))
				}
			}
		}
	}
	if files < 10 {
		t.Errorf("%d files", files)
	}
}

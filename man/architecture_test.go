package man

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// code is what ARCHITECTURE.md has between backquotes.
var code = regexp.MustCompile("`([^`\n]+)`")

// placeholder stands for any name: cmd/ua/VERB.go.
var placeholder = regexp.MustCompile(`[A-Z]{4}`)

// TestArchitecture holds that the files, packages and methods that the page names are in
// the tree.
func TestArchitecture(t *testing.T) {
	page, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	var tree, text strings.Builder
	filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "bin" || d.Name() == "dist") {
			return fs.SkipDir
		}
		tree.WriteString(strings.TrimPrefix(path, "..") + "\n")
		if strings.HasSuffix(path, ".go") {
			source, _ := os.ReadFile(path)
			text.Write(source)
		}
		return nil
	})
	files, source := tree.String(), text.String()
	method := regexp.MustCompile(`^([a-z]+)\.([a-z]+)$`)
	names := 0
	for _, m := range code.FindAllStringSubmatch(string(page), -1) {
		name := m[1]
		if placeholder.MatchString(name) {
			continue
		}
		var found bool
		switch m := method.FindStringSubmatch(name); {
		case regexp.MustCompile(`\.(go|toml|md|txt|tsv)$`).MatchString(name),
			regexp.MustCompile(`^(cmd|internal|scripts|ua-think)/[a-z]`).MatchString(name):
			place := regexp.QuoteMeta(strings.TrimSuffix(name, "/"))
			place = strings.NewReplacer(`\*`, `[a-z_]*`).Replace(place)
			found = regexp.MustCompile(`(?m)/` + place + `$`).MatchString(files)
		case m != nil:
			found = regexp.MustCompile(`func \([a-z]+ \*?` + m[1] + `\) ` + m[2] + `\(`).MatchString(source)
		default:
			continue
		}
		names++
		if !found {
			t.Errorf("ARCHITECTURE.md: %s: not in the tree", name)
		}
	}
	if names < 40 {
		t.Errorf("only %d names were looked for", names)
	}
}

package man

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Words that are no English which a native would write.
var odd = regexp.MustCompile(`stopped by terminated|is spent: .* are used|limit .*is reached|` +
	`person's yes|nobody there|No sandbox is here|the policy denies what|lifts the limit`)

// TestMessages reads what the programs can say to a person: -v prints it, with its place, to
// be read in one list.
func TestMessages(t *testing.T) {
	said := regexp.MustCompile(`[a-zA-Z]{2,}[,:;]? [a-zA-Z"%]`)
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "/internal/test/") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(literal.Value)
			if where := files.Position(literal.Pos()); odd.MatchString(text) {
				t.Errorf("%s: %q", where, text)
			} else if said.MatchString(text) {
				t.Logf("%s: %q", where, text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

package classify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestRegexes compiles every regex of the package, which else only the command that needs
// it does, and holds that none is compiled as the program starts.
func TestRegexes(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if kind, ok := n.Type.(*ast.Ident); !ok || kind.Name != "regex" {
					return true
				}
				seen++
				text := constant(t, n.Elts[0].(*ast.KeyValueExpr).Value)
				if _, err := regexp.Compile(text); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			case *ast.CallExpr:
				call, ok := n.Fun.(*ast.SelectorExpr)
				if ok && call.Sel.Name == "MustCompile" && !strings.HasSuffix(name, "_test.go") &&
					name != "lazyregex.go" {
					t.Errorf("%s: regexp.MustCompile: make it a regex, which costs no start", name)
				}
			}
			return true
		})
	}
	if seen < 10 {
		t.Errorf("only %d regexes found", seen)
	}
}

// constant returns the text of strings that are joined by +.
func constant(t *testing.T, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return constant(t, e.X) + constant(t, e.Y)
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	t.Fatalf("%T in a regex: write its text as strings", e)
	return ""
}

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// messengers are the functions and types of which the first text is for a person.
var messengers = map[string]int{"Errorf": 1, "Hintf": 0, "Warnf": 0, "Say": 0, "Warn": 0,
	"outcome": 2, "Note": 0, "outOfBudget": 0, "refusal": 1}

// TestMessages gathers from the source what people can be told, and prints it with -v, a program
// at a time, so that it can be read in one go. A message begins small and has no full stop, as
// those of git and gh.
func TestMessages(t *testing.T) {
	files := token.NewFileSet()
	n := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "internal/test/") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			text := message(node)
			if text == "" {
				return true
			}
			n++
			at := fmt.Sprintf("%s:%d", strings.TrimPrefix(path, "../../"), files.Position(node.Pos()).Line)
			t.Logf("%s: %s", at, text)
			if strings.HasPrefix(text, "\n") { // sentences of a question
				return true
			}
			first, _ := utf8.DecodeRuneInString(text)
			second, _ := utf8.DecodeRuneInString(text[1:])
			if strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "..") ||
				unicode.IsUpper(first) && unicode.IsLower(second) && !proper(text) {
				t.Errorf("%s: begins large or ends with a full stop: %q", at, text)
			}
			return true
		})
		return nil
	})
	if err != nil || n < 500 {
		t.Errorf("%d messages: %v", n, err)
	}
}

// message returns the text that a call or a literal says to a person, or "".
func message(node ast.Node) string {
	var callee ast.Expr
	var args []ast.Expr
	switch x := node.(type) {
	case *ast.CallExpr:
		callee, args = x.Fun, x.Args
	case *ast.CompositeLit:
		callee, args = x.Type, x.Elts
	default:
		return ""
	}
	var name string
	switch f := callee.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	at, ok := messengers[name]
	if !ok || at >= len(args) {
		return ""
	}
	return literal(args[at])
}

// literal returns the text of a string that stands in the source, "" for another expression.
func literal(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(x.Value)
		return text
	case *ast.BinaryExpr:
		return literal(x.X) + literal(x.Y)
	}
	return ""
}

// proper reports whether a message begins with a name.
func proper(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return strings.HasPrefix(word, "Linux") || strings.HasPrefix(word, "Landlock") ||
		strings.HasPrefix(word, "Seatbelt") || strings.HasPrefix(word, "Ollama")
}

package match

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestRegexes compiles every Regex of the gate, which else only the command that needs
// it does, and holds that none is compiled as the program starts.
func TestRegexes(t *testing.T) {
	var files []string
	for _, dir := range []string{"match", "finding", "table", "shell", "machine", "program",
		"expansion", "classify"} {
		in, err := filepath.Glob("../" + dir + "/*.go")
		if err != nil || len(in) == 0 {
			t.Fatal(dir, err)
		}
		files = append(files, in...)
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
				if kind, ok := n.Type.(*ast.SelectorExpr); !ok || kind.Sel.Name != "Regex" {
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
					name != "../match/match.go" {
					t.Errorf("%s: regexp.MustCompile: make it a match.Regex, which costs no start", name)
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

// TestGlob: "Inside a word, * matches any text", as Go's regexp says of the same.
func TestGlob(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(letters string, most int) string {
		b := make([]byte, r.IntN(most))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	matched := 0
	for range 20000 {
		pattern, text := word("ab*", 8), word("ab\n", 10)
		want := asRegexp(pattern).MatchString(text)
		if got := Glob(pattern, text); got != want {
			t.Fatalf("%q on %q: %v, regexp says %v", pattern, text, got, want)
		}
		if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matches", matched)
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("a*b*c", "abbc")
	f.Add("*", "")
	f.Add("**.org/*", "https://x.org/\xff")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 50 || !utf8.ValidString(pattern) || !utf8.ValidString(text) {
			return // regexp reads letters, not bytes
		}
		if got, want := Glob(pattern, text), asRegexp(pattern).MatchString(text); got != want {
			t.Fatalf("%q on %q: %v, regexp says %v", pattern, text, got, want)
		}
	})
}

// asRegexp is a pattern's word as a regular expression.
func asRegexp(word string) *regexp.Regexp {
	parts := strings.Split(word, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?s)\A` + strings.Join(parts, `.*`) + `\z`)
}

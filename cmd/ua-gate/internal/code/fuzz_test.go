package code

import "testing"

// FuzzActs holds that no text of any language makes the reader panic or go on
// for ever, and that what stands twice does no less than what stands once.
func FuzzActs(f *testing.F) {
	languages := []string{"python", "node", "ruby", "perl", "php", "lua", "r", "julia", "elixir",
		"erlang", "lisp", "tcl", "emacs", "octave", "haskell", "ocaml", "prolog", "groovy", "swift"}
	for i, text := range []string{
		`import os as o; o.remove(f"{a[1]:>{w}}")`, `const {rm: r} = require("fs"); r("a")`,
		"puts %w[a b] + `id`", `s{a}{b}e; open(my $f, "<", "x")`,
		`$f("a"); echo "$x {$y[1]}";`, `os["a".."b"]("c")`, `x <- file("a", "w")`, "run(`a $b`)",
		`File.read!("a") |> IO.puts()`, `os:cmd("a").`, "(a (b))", "puts [x]",
		"f'{", "`${", "#{", "x[", "((((", "'''", `"\`, "s///", "%w", "~s", "qq", "[[", "<<E",
		"import a; a.f(,b=True)", "with a as b, c as d:", "x.__dict__[", "vars(x)[",
		"for k in pairs(_G)", "#\\\"", "A'", "'\\''", "{id|a|id}", "$x \\ [a", "open $x",
		"catch [x]", "(require '[a.b :as c])",
		"a:*b*", "0'a", `x."$y"()`, "a.b.c.d.", "import", "from . import", "...", "def", "/a/", "y",
	} {
		f.Add(i%len(languages), text)
	}
	f.Fuzz(func(t *testing.T, n int, text string) {
		language := languages[uint(n)%uint(len(languages))]
		acts, ok := Acts(language, text)
		if !ok {
			return
		}
		if twice, ok := Acts(language, text+"\n"+text); ok && len(twice) < len(acts) {
			t.Errorf("%s: %q does %v, but twice it does %v", language, text, acts, twice)
		}
	})
}

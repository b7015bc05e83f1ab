package classify

import (
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
)

// FuzzClassify holds that no command makes the classifier panic, and that a
// report's level is that of its highest part.
func FuzzClassify(f *testing.F) {
	for _, c := range append(cases(f, "everyday.tsv"), cases(f, "hostile.tsv")...) {
		f.Add(c.command)
	}
	for _, c := range deep {
		f.Add(c.make(20))
	}
	f.Fuzz(func(t *testing.T, command string) {
		for _, shell := range []string{"bash", "zsh", "fish"} {
			r := Classify(command, &machine.Options{Cwd: "/home/me/project", Home: "/home/me",
				Shell: shell})
			for p := range r.All() {
				if p.Level > r.Level {
					t.Errorf("%q: the part %q has %v, the whole %v", command, p.Text, p.Level, r.Level)
				}
			}
		}
	})
}

// FuzzParseTable holds that no text makes the table's reader panic.
func FuzzParseTable(f *testing.F) {
	f.Add("[command.\"a b, c\"]\nlevel = \"write\"\nflags = \"-o|--output:write -n:=R\"\noperands " +
		"= \"read* write\"\nsubs = { network = \"push\" }\nmatch = [\"a b\"]\n[env]\ndanger = " +
		"\"X_*\"\n[path]\nsecret = \"/a/*/ b\"\n")
	f.Add("[command.a]\nlevel = \"write\"\nflags = \": ?:B -x:takes,clears\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		if table, err := table.Parse("t", text); err == nil {
			Classify("a b c", &machine.Options{Overlay: table})
		}
	})
}

// deep are commands of n nested or repeated pieces.
var deep = []struct {
	name string
	make func(n int) string
}{
	{"subst", func(n int) string { return strings.Repeat("$(", n) + "ls" + strings.Repeat(")", n) }},
	{"quoted subst", func(n int) string {
		return strings.Repeat(`echo "$(`,
			n) + "ls" + strings.Repeat(`)"`, n)
	}},
	{"subshell", func(n int) string {
		return strings.Repeat("( ", n) + "ls" + strings.Repeat(" )", n)
	}},
	{"block", func(n int) string {
		return strings.Repeat("{ ", n) + "ls;" + strings.Repeat(" };", n)
	}},
	{"param", func(n int) string {
		return "echo " + strings.Repeat("${x:-", n) + strings.Repeat("}", n)
	}},
	{"param subst", func(n int) string {
		return "echo " + strings.Repeat("${x:-$(", n) + "ls" + strings.Repeat(")}", n)
	}},
	{"arithmetic", func(n int) string {
		return "echo " + strings.Repeat("$((", n) + "1" + strings.Repeat("))", n)
	}},
	{"braces", func(n int) string {
		return "echo " + strings.Repeat("{a,", n) + strings.Repeat("}", n)
	}},
	{"brace product", func(n int) string { return "echo " + strings.Repeat("{a,b}", n) }},
	{"eval", func(n int) string { return strings.Repeat("eval ", n) + "ls" }},
	{"env", func(n int) string { return strings.Repeat("env ", n) + "ls" }},
	{"xargs", func(n int) string { return strings.Repeat("xargs ", n) + "ls" }},
	{"and", func(n int) string { return strings.Repeat("ls && ", n) + "ls" }},
	{"pipe", func(n int) string { return strings.Repeat("cat | ", n) + "cat" }},
	{"if", func(n int) string {
		return strings.Repeat("if ls; then ", n) + "ls" + strings.Repeat("; fi", n)
	}},
	{"while", func(n int) string {
		return strings.Repeat("while x=1; do ", n) + "ls" + strings.Repeat("; done", n)
	}},
	{"function", func(n int) string {
		return strings.Repeat("f() { ", n) + "ls" + strings.Repeat("; }", n)
	}},
	{"assign", func(n int) string { return strings.Repeat("x=1$x; ", n) + "echo $x" }},
	{"double", func(n int) string { return "x=aaaa; " + strings.Repeat("x=$x$x; ", n) + "$x" }},
	{"maybe", func(n int) string {
		return strings.Repeat("if ls; then x=1$x; y=$x; fi; ", n) + "ls $x $y"
	}},
	{"sed", func(n int) string { return "sed '" + strings.Repeat("s/a/b/;", n) + "'" }},
	{"sed class", func(n int) string { return "sed 's/" + strings.Repeat("[", n) + "/'" }},
	{"awk", func(n int) string { return "awk '" + strings.Repeat("{print (", n) + "'" }},
	{"awk class", func(n int) string { return "awk '/" + strings.Repeat("[", n) + "/'" }},
	{"perl", func(n int) string { return "perl -e '" + strings.Repeat("s", n) + "'" }},
	{"perl subst", func(n int) string { return "perl -e '" + strings.Repeat("s{", n) + "'" }},
	{"stars", func(n int) string {
		return "cat ~/.ss" + strings.Repeat("*", n) + "/x" + strings.Repeat("*a", n)
	}},
	{"brackets", func(n int) string { return "cat id_" + strings.Repeat("[ab]", n) }},
	{"dots", func(n int) string { return "cat " + strings.Repeat("../", n) + "etc/shadow" }},
	{"find exec", func(n int) string { return "find . " + strings.Repeat("-exec find . ", n) }},
	{"heredoc", func(n int) string {
		return strings.Repeat("cat <<E\n$(", n) + strings.Repeat("\nE\n", n)
	}},
	{"python", func(n int) string { return "python -c '" + strings.Repeat(`open("a")`, n) + "'" }},
	{"placeholders", func(n int) string { return "parallel '" + strings.Repeat("{}", n) + "'" }},
	{"quotes in quotes", func(n int) string { return strings.Repeat("sh -c 'sh -c ", n) }},
	{"flags", func(n int) string { return "git log " + strings.Repeat("--x ", n) }},
	{"cluster", func(n int) string { return "git log -" + strings.Repeat("x", n) }},
	{"paths", func(n int) string { return "cat " + strings.Repeat("a/", n) }},
	{"alias", func(n int) string { return strings.Repeat("alias a='", n) }},
	{"sql", func(n int) string { return "sqlite3 a '" + strings.Repeat("select 1;", n) + "'" }},
}

// BenchmarkDeep is the time for 10,000 bytes of nesting and repetition.
func BenchmarkDeep(b *testing.B) {
	for _, c := range deep {
		n := 1
		for len(c.make(n*2)) < shell.MaxBytes {
			n *= 2
		}
		for len(c.make(n+n/8+1)) < shell.MaxBytes {
			n += n/8 + 1
		}
		command := c.make(n)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				Classify(command, &here)
			}
		})
	}
}

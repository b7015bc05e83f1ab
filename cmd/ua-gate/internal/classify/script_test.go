package classify

import (
	"fmt"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/expansion"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/common/verdict"
)

// parts are the texts of the parts of a command, and whether one is unread.
func parts(command string) (texts []string, unread bool) {
	r := Classify(command, &here)
	for p := range r.All() {
		texts = append(texts, p.Name)
		unread = unread || p.Unread
	}
	return texts, unread
}

// TestNothingHides holds that whatever stands before or around it, sudo is seen
// or what hides it is unread.
func TestNothingHides(t *testing.T) {
	const sudo = "sudo rm -rf /"
	long := strings.Repeat("x", shell.MaxBytes)
	for name, c := range map[string]struct {
		command string
		unread  bool
	}{
		"comment with a backslash":        {"ls # see \\\n" + sudo, true},
		"two of them":                     {"# a \\\n# b \\\n" + sudo, false},
		"many of them":                    {strings.Repeat("# a \\\n", 100) + sudo, false},
		"in a substitution":               {"echo $(ls # \\\n" + sudo + "\n)", true},
		"in a nested script":              {"bash -c 'ls # \\\n" + sudo + "'", true},
		"before a here-document's body":   {"cat <<E # \\\nx\nE\n" + sudo, true},
		"in a case":                       {"case x in # \\\nx) " + sudo + ";; esac", true},
		"behind a here-document's end":    {"cat <<E\n# \\\nE\necho '\nE\n" + sudo + " # '", true},
		"a closed descriptor":             {"ls >&-; >&-sudo rm -rf /", true},
		"a closed input":                  {"<&-sudo rm -rf /", true},
		"a numbered one":                  {"2>&-sudo rm -rf /", true},
		"a closed one behind a blank":     {"<& -sudo rm -rf /", true},
		"an operator over two lines":      {"sudo&\\\n\\\n>x rm -rf /", true},
		"a coprocess":                     {"coproc 2>x sudo rm -rf /", true},
		"an invisible character":          {"# a\u200bb\n" + sudo, false},
		"a reordered comment":             {"# \u202ea\n" + sudo, false},
		"a long comment":                  {"# " + long + "\n" + sudo, true},
		"a long comment behind a command": {"ls # " + long + "\n" + sudo, true},
		"a hash in quotes":                {"echo ' # " + long + "'\n" + sudo, true},
		"a long word":                     {"echo " + long + "\n" + sudo, true},
		"data":                            {"cat >f <<'E'\n" + long + "\nE\n" + sudo, true},
		"data by a bare word":             {"cat >f <<E\n" + long + "\nE\n" + sudo, true},
		"data with tabs":                  {"cat >f <<-\\E\n" + long + "\n\tE\n" + sudo, true},
		"data with brackets": {"tee f <<\"E\"\n" + strings.Repeat("${x(",
			shell.MaxBytes) + "\nE\n" + sudo, true},
		"two files": {strings.Repeat("cat >f <<'E'\n# "+long+"\nE\n",
			3) + sudo, true},
		"no data: it is expanded": {"cat >f <<E\n" + long + "$(" + sudo + ")\nE\n", true},
		"no data: in quotes": {"echo \"<<'E'\n" + long + "\n$(" + sudo + ")\nE\n\"",
			true},
		"no data: a comment": {"# <<'E'\n" + sudo + "\n" + long + "\nE", true},
		"a script":           {"bash <<'E'\n" + long + "\n" + sudo + "\nE", true},
		"many commands":      {strings.Repeat("ls\n", machine.MaxSimple) + sudo, true},
		"some commands":      {strings.Repeat("ls\n", machine.MaxSimple/2) + sudo, false},
		"many brackets":      {strings.Repeat("( ", 16_001) + sudo, true},
		"deep": {strings.Repeat("{ ",
			expansion.MaxNested+1) + sudo + strings.Repeat(";}", expansion.MaxNested+1), true},
		"a quote that stays open": {sudo + "; echo 'x", true},
		"eval of an unknown text": {"eval \"$x\"", true},
		"a shell's unknown input": {"ls | sh", true},
		"an extended pattern":     {"[[ x == @(a|$(" + sudo + ")) ]]", true},
		"one of a case":           {"case x in +(`" + sudo + "`)) ls;; esac", true},
		"one of files":            {"shopt -s extglob\nls !(<(" + sudo + "))", true},
		"one with a value":        {"[[ x == ?(\"${y:-$(" + sudo + ")}\") ]]", true},
		"brackets in its quotes": {"[[ x == @(\"(\") ]]; " + sudo + "; [[ x == @(\")\") ]]",
			true},
		"brackets behind a backslash": {"[[ x == @(\\() ]]; " + sudo + "; [[ x == @(\\)) ]]",
			true},
		"brackets in its own quotes":          {"[[ x == @($'\\'(') ]]; " + sudo + " #')", true},
		"an extended pattern before it":       {"ls !(a|*.@(b|\"$c\"|'d)(e')); " + sudo, true},
		"a plain one before it":               {"ls !(a|*.@(b|c d)); " + sudo, false},
		"a subscript of test":                 {"test -v 'a[$(" + sudo + ")]'", true},
		"one of [[":                           {"[[ -v 'a[$(" + sudo + ")]' ]]", true},
		"one of unset":                        {"unset \"a[\\$(" + sudo + ")]\"", true},
		"one of printf":                       {"printf -v 'a[`" + sudo + "`]' x", true},
		"one of read":                         {"read 'a[$(" + sudo + ")]' <<<1", true},
		"one of declare":                      {"declare 'a[$(" + sudo + ")]=1'", true},
		"one of wait":                         {"wait -p 'a[$(" + sudo + ")]'", true},
		"a carriage return":                   {"bash -c $'ls #\\r\\n" + sudo + "'", false},
		"a carriage return outside a comment": {"bash -c $'ls \\r#\\\\\\n" + sudo + "'", true},
	} {
		names, unread := parts(c.command)
		if seen := strings.Contains(fmt.Sprint(names), "sudo"); seen == c.unread &&
			unread != c.unread || !seen && !unread || unread != c.unread {
			t.Errorf("%s: sudo seen %t, unread %t", name, seen, unread)
		}
	}
}

// TestHarmlessLength holds that data and comments are no reason for a level.
func TestHarmlessLength(t *testing.T) {
	long := strings.Repeat("some text (with brackets) # and so on\n", 200_000/38)
	for command, want := range map[string]verdict.Level{
		"cat > main.go <<'EOF'\n" + long + "EOF\n": verdict.Write,
		"mkdir -p a && cat > a/x <<EOF\n" + long + "EOF\nls " +
			"a": verdict.Write,
		"cat <<'A' >x; cat <<'B' >y\n" + "a\nA\n" + "b\nB\n":   verdict.Write,
		"tee x <<'EOF' >/dev/null\n" + long + "EOF\necho done": verdict.Write,
		"# \u200b" + strings.ReplaceAll(long, "\n",
			"\n# ") + "\nls": verdict.ReadOnly,
		"ls # list \u200b\n": verdict.ReadOnly,
		"# docker run \\\n#   -v x:y \\\n#   image\nls -l": verdict.ReadOnly,
	} {
		if r := Classify(command, &here); r.Level != want {
			t.Errorf("%.60q: %v by %s (%s), want %v", command, r.Level, r.Row, r.Reason, want)
		}
	}
}

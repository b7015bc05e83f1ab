package classify

import (
	"regexp"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/internal/common/verdict"
)

// around puts a command where it still runs: %s is the command, %q the command
// quoted as one word.
var around = []string{
	"( %s\n)", "{ %s\n}", "echo $(%s\n)", "echo \"$(%s\n)\"", "if true; then %s\nfi",
	"while true; do %s\ndone", "for i in 1; do %s\ndone",
	"f() { %s\n}; f", "true && { %s\n}", "false || { %s\n}", "case x in x) %s\n;; esac", "! { %s\n}",
	"time { %s\n}", "coproc { %s\n}", "{ %s\n} | cat", "{ %s\n} 2>/dev/null",
	"cat <(%s\n)", "x=$(%s\n)", "echo ${x:-$(%s\n)}", "[[ -n $(%s\n) ]]", "echo $((1 + $(%s\n)))",
	"cat <<E\n$(%s\n)\nE\n",
	"sh -c %q", "bash -ec %q", "env sh -c %q", "env -i A=1 bash -c %q", "eval %q", "trap %q EXIT",
	"nice -n 3 sh -c %q", "timeout -k 1 5 sh -c %q", "nohup sh -c %q", "stdbuf -oL sh -c %q",
	"find . -exec sh -c %q \\;", "ls | xargs sh -c %q", "xargs -n 1 sh -c %q", "echo %q | sh",
	"sh <<< %q", "busybox sh -c %q", "command eval %q", "script -c %q /dev/null", "watch %q",
	"parallel ::: %q", "flock /tmp/l -c %q", "setsid sh -c %q", "env -S %q",
}

// TestMoved holds that a command is never less than it is alone, wherever it
// stands and whatever runs it.
func TestMoved(t *testing.T) {
	for i, c := range append(cases(t, "everyday.tsv"), cases(t, "hostile.tsv")...) {
		alone := Classify(c.command, &here)
		quoted, err := syntax.Quote(c.command, syntax.LangBash)
		if err != nil {
			continue
		}
		for k, form := range around {
			if testing.Short() && i%4 != k%4 {
				continue
			}
			if strings.HasPrefix(form, "env -S") && strings.ContainsAny(c.command, "\n;|&()<>{}$`*") {
				continue
			}
			moved := strings.NewReplacer("%s", c.command, "%q", quoted).Replace(form)
			r := Classify(moved, &here)
			if r.Level < alone.Level && !hasUnread(&r) {
				t.Errorf("%q is %v (%s), but alone it is %v (%s)", moved, r.Level, r.Row, alone.Level,
					alone.Row)
			}
		}
	}
}

// hasUnread reports whether some part is one that nobody has read, which every deny rule matches.
func hasUnread(r *finding.Report) bool {
	for p := range r.All() {
		if p.Unread {
			return true
		}
	}
	return false
}

var plainProgram = regexp.MustCompile(`^[a-z][a-z0-9.-]+( |$)`)

// TestDisguised holds that the spelling of a program's name, and what stands
// before it, lower nothing.
func TestDisguised(t *testing.T) {
	for _, c := range append(cases(t, "everyday.tsv"), cases(t, "hostile.tsv")...) {
		name := strings.TrimSuffix(plainProgram.FindString(c.command), " ")
		if name == "" || syntax.IsKeyword(name) ||
			strings.Contains(" declare export local typeset readonly let coproc time ", " "+name+" ") {
			continue
		}
		rest := c.command[len(name):]
		alone := Classify(c.command, &here)
		for _, disguise := range []string{
			name[:1] + "''" + name[1:], name[:1] + `""` + name[1:], "'" + name + "'", `"` + name + `"`,
			`\` + name, name[:1] + "\\\n" + name[1:], "$'" + name + "'",
			"X=" + name + "; $X", "X=" + name[:1] + "; Y=" + name[1:] + `; "$X$Y"`, "{" + name + ",}",
			"command " + name, "A=1 " + name, "nohup " + name, "timeout 5 " + name, "env " + name,
			"env A=1 " + name, "nice " + name, "/usr/bin/" + name,
		} {
			if name == "cd" || name == "pushd" {
				continue
			}
			r := Classify(disguise+rest, &here)
			if r.Level < alone.Level && !hasUnread(&r) {
				t.Errorf("%q is %v (%s), but %q is %v (%s)", disguise+rest, r.Level, r.Row, c.command,
					alone.Level, alone.Row)
			}
		}
		if r := Classify("sudo "+c.command, &here); r.Level < verdict.Privileged && r.Row != "parse" {
			t.Errorf("%q is %v (%s)", "sudo "+c.command, r.Level, r.Row)
		}
	}
}

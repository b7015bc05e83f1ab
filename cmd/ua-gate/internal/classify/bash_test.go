package classify

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/test/scripttest"
)

// prettyBash is the text as bash itself understands it: --pretty-print reads a
// script and prints it, and runs nothing of it. What bash read before an error is
// returned with the error.
func prettyBash(text string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.Command("bash", "--norc", "--noprofile", "--pretty-print", "/dev/stdin")
	cmd.Env = []string{"PATH=/nonexistent", "LC_ALL=C.UTF-8"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &errs
	err := cmd.Run()
	if errs.Len() > 0 {
		err = errors.New(errs.String())
	}
	return out.String(), err
}

func needPrettyBash(t testing.TB) {
	if out, err := prettyBash("a;b\n"); err != nil || !strings.Contains(out, "a") {
		scripttest.Skip(t, scripttest.Missing, "bash has no --pretty-print")
	}
}

// spellings are ways of writing that mean the same, from what bash prints for
// the one to what it prints for the other.
var spellings = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile("``"), "$()"},
	{regexp.MustCompile(`\\?(\$?)\\'`), "$1'"}, // a quote that is a letter, as the gate writes it
	{regexp.MustCompile("`([^`\\\\]*)`"), "$($1)"},
	{regexp.MustCompile(`\$\[([^]]*)\]`), "$$(($1))"},
	{regexp.MustCompile(`[;\s]+`), " "},
	{regexp.MustCompile(` - `), "-"},
	{regexp.MustCompile(` ?([^\w\-.'"#\\\x80-\xff]) ?`), "$1"},
	{regexp.MustCompile(`(\$\{\w+/[^}]*)/\}`), "$1}"},
	{regexp.MustCompile(`\b1>|\b0(<)`), ">$1"},
	{regexp.MustCompile(`><`), "<"},
}

var quoted = regexp.MustCompile("`[^`]*[\\\\<>&|;()#\n][^`]*`")

func spell(text string) string {
	for _, s := range spellings {
		text = s.find.ReplaceAllString(text, s.with)
	}
	return strings.TrimSpace(text)
}

// misreadByUs says how bash reads a command otherwise than the gate does, or "".
// What the gate refuses is no difference, nor what bash does not get to. Bash
// prints commands in backquotes as they stand, so those with more than words in
// them can't be compared.
func misreadByUs(command string) string {
	s, why := new(shell.Parser).Parse(command, "bash")
	if why != nil || strings.IndexFunc(command, unprintable) >= 0 ||
		strings.HasSuffix(command, "\\") || quoted.MatchString(command) {
		return ""
	}
	var printed strings.Builder
	if syntax.NewPrinter().Print(&printed, s.File) != nil {
		return ""
	}
	const in, out = "f(){\n", "\n}\n"
	theirs, err := prettyBash(in + command + out)
	ours, err2 := prettyBash(in + printed.String() + out)
	if err != nil { // perhaps it leaves the function: then line by line, as far as bash reads
		theirs, err = prettyBash(command + "\n")
		ours, err2 = prettyBash(printed.String() + "\n")
	}
	a, b := spell(theirs), spell(ours)
	if a == b || err != nil && strings.HasPrefix(b, a) {
		return ""
	}
	return fmt.Sprintf("bash reads %q (%v)\nthe gate   %q (%v)\nprinted    %q", theirs, err, ours,
		err2, printed.String())
}

// pieces are what the mutations put into commands.
var pieces = strings.Split("#\x00 #\x00# "+
	"\\\n\x00\\\n\x00\n\x00'\x00\"\x00`\x00$(\x00)\x00((\x00))\x00{ "+
	"\x00}\x00${\x00<<E\n\x00\nE\n\x00;\x00&\x00|\x00&&\x00[[\x00]]\x00"+
	"case x in \x00esac\x00;;\x00function "+
	"\x00()\x00!\x00=\x00[\x00]\x00$'\x00\\\x00<(\x00>\x00&>\x00<<<\x00<<-\x00<<'E'\n\x00time "+
	"\x00coproc \x00\t\x00if \x00then \x00fi\x00do\x00done\x00for \x00select \x00"+
	"@(\x00!(\x00?(\x00$[\x00$\"\x00~\x00*\x00$#\x00${#\x00$((\x00let \x00declare "+
	"\x00a=(\x00+=(\x00a[\x00]=\x00\\\\\x00>&\x00>|\x002>&1\x00 \\\n\x00x #\x00;#\x00in "+
	"\x00else\x00elif \x00until\x00while\x00{\x00=~\x00-\x00$\x00"+
	"${x\x00%\x00/\x00:\x00,\x00@\x00^\x00\u00a0\x001\x00a\x00-rf\x00(\x00 "+
	"\x00\\\n#\x00<&\x00>&-\x00&-\x00<>\x00|&\x00;&\x00;;&\x00{a,b}\x00\\'\x00\\\"\x00$@"+
	"\x00in\x00export \x00eval \x00-- \x00{x}>\x00=(", "\x00")

// mutate changes a command in one to four places.
func mutate(r *rand.Rand, s string) string {
	for n := 1 + r.IntN(4); n > 0; n-- {
		i := r.IntN(len(s) + 1)
		switch {
		case r.IntN(5) > 0:
			s = s[:i] + pieces[r.IntN(len(pieces))] + s[i:]
		case i < len(s):
			s = s[:i] + s[min(len(s), i+1+r.IntN(3)):]
		}
	}
	return s
}

// shrink leaves out of a misread command what it is misread without.
func shrink(s string) string {
	for size := len(s) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(s); {
			if shorter := s[:i] + s[i+size:]; misreadByUs(shorter) != "" {
				s = shorter
			} else {
				i++
			}
		}
	}
	return s
}

// misreads are what FuzzAgainstBash has found, and their like.
var misreads = []string{
	"ls # \\\nrm -rf x",
	"ls >&-rm -rf x",
	"ls <& -rm -rf x",
	"ls >&\\\n-rm -rf x",
	"rm &\\\n>x -rf y",
	`echo "${x:-'}"; rm -rf x; echo "'}"`,
	`x>o "${x-'}";"'}"`,
	`x>o "${x:='}";"'}"`,
}

// notRead are what shells end in different places: what the one quotes, the other runs.
var notRead = []string{
	`echo "${x-'}" '}"; rm -rf x #'"`,
	`echo "${x+'}" '}"; rm -rf x #'"`,
	`echo "${x:='"' }"; rm -rf x #"'}"`,
	`echo "${x?'\'}"; rm -rf x; echo "'}"`,
	"cat <<E\n${x-'\nE\nrm -rf x #'}\nE",
	"cat <<E\n${x#'\nE\nrm -rf x #'}\nE",
	"cat <<E\n${x-\"\nE\nrm -rf x #\"}\nE",
	"cat <<-E\n${x-$'\n\tE\nrm -rf x #'}\nE",
	"cat <<E\na\nE\\\n\nrm -rf x\nE",
	"cat <<E\na\n\\\nE\nrm -rf x\nE",
}

func TestNotRead(t *testing.T) {
	for _, dialect := range []string{"", "zsh"} {
		for _, c := range notRead {
			if s, why := new(shell.Parser).Parse(c, dialect); why == nil && !deletes(s.File) {
				t.Errorf("%s: %q is read without its rm", dialect, c)
			}
		}
		for _, c := range []string{"cat <<E\na\nE\necho b", "cat <<-E\n\ta $(ls) ${x-b}\n\tE",
			"cat <<A && cat <<B\na\nA\nA\nB", `echo "${x:-'y'} it's"`,
			"cat <<'E'\nE\\\n\nE", "cat <<E\nb \\\n c\nE"} {
			if _, why := new(shell.Parser).Parse(c, dialect); why != nil {
				t.Errorf("%s: %q is not read: %v", dialect, c, why)
			}
		}
	}
}

// deletes reports whether a command of the script is rm.
func deletes(f *syntax.File) (found bool) {
	syntax.Walk(f, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		found = found || ok && len(call.Args) > 0 && call.Args[0].Lit() == "rm"
		return true
	})
	return found
}

func TestAgainstBash(t *testing.T) {
	needPrettyBash(t)
	for _, c := range misreads {
		if diff := misreadByUs(c); diff != "" {
			t.Errorf("%q\n%s", c, diff)
		}
	}
}

// FuzzAgainstBash holds that bash reads a command as the gate does, or the gate
// does not read it: a command of the tables, changed by the seed in some places.
func FuzzAgainstBash(f *testing.F) {
	needPrettyBash(f)
	all := append(cases(f, "everyday.tsv"), cases(f, "hostile.tsv")...)
	for i := range 100 {
		f.Add(uint64(i))
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		command := all[r.IntN(len(all))].command
		if r.IntN(3) == 0 {
			command += "\n" + all[r.IntN(len(all))].command
		}
		if command = mutate(r, command); misreadByUs(command) != "" {
			command = shrink(command)
			t.Errorf("%q\n%s", command, misreadByUs(command))
		}
	})
}

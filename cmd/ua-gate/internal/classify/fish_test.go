package classify

import (
	"os/exec"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// asBash is a script of fish as the gate writes it again, or "" if it can't.
func asBash(script string) string {
	f := fishScript{text: script}
	text := f.list(false)
	if f.lost || f.pos < len(f.text) {
		return ""
	}
	return text
}

// TestFishAsBash holds that fish does with a script what bash does with what the gate
// made of it: what the gate reads is what runs.
func TestFishAsBash(t *testing.T) {
	scripttest.Need(t, "fish", "bash")
	for _, script := range []string{
		`printf '[%s]' a b`,
		`printf '[%s]' 'a b' "c d" e\ f`,
		`printf '[%s]' 'a\'b' 'a\\b' 'a\nb' '$x' "it's" 'say "x"'`,
		`printf '[%s]' "a\"b" "a\\b" "a\$b" "back` + "`" + `tick" ` + "`" + `x` + "`",
		`printf '[%s]' \x41 \u0042 \103 a\tb \$x \; \( \# a#b`,
		`printf '[%s]' x{a,b}y {1,2}`,
		`printf '[%s]' (printf 'a\nb\n')`,
		`printf '[%s]' "$(printf 'a b')" 'x'(echo y)'z'`,
		`echo one # two; echo three`,
		`echo a; echo b
echo c`,
		`set x 1; echo $x "$x" '$x' a$x"b"`,
		`set -l x a b c; printf '[%s]' x; echo $x[1]`,
		`set x; echo "[$x]"`,
		`if test 1 = 1; echo yes; else; echo no; end`,
		`if test 1 = 2; echo a; else if test 1 = 1; echo b; else; echo c; end`,
		`for i in 1 2 3; echo $i; end | tail -n 1`,
		`switch b; case a; echo A; case b c; echo BC; case '*'; echo other; end`,
		`switch x; case a; echo A; case '*'; echo other; end`,
		`begin; echo a; echo b; end | sort -r`,
		`function f -a x y; echo $y $x $argv[1]; end; f 1 2`,
		`function f; printf '[%s]' $argv; end; f a 'b c'`,
		`true; and echo ok`,
		`true && echo a || echo b`,
		`not false; and echo ok`,
		`echo a 2>&1 | cat`,
		`echo err >&2 2>| cat`,
		`ls /nonexistent &| grep -c nonexistent`,
		`echo a \
  b`,
		`set -e x; echo "[$x]"`,
		`while false; echo never; end; echo done`,
		`set -x FOO bar; sh -c 'echo $FOO'`,
		`FOO=baz sh -c 'echo $FOO'`,
		`echo a^b; echo %x; echo a=b`,
	} {
		text := asBash(script)
		if text == "" {
			t.Errorf("%q is not understood", script)
			continue
		}
		run := func(shell ...string) string {
			cmd := exec.Command(shell[0], shell[1:]...)
			cmd.Dir = t.TempDir()
			cmd.Env = append(cmd.Environ(), "HOME="+cmd.Dir, "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME="+cmd.Dir)
			out, _ := cmd.CombinedOutput()
			return strings.ReplaceAll(string(out), "[]", "")
		}
		fish, bash := run("fish", "--no-config", "-c", script), run("bash", "-c", text)
		if fish != bash {
			t.Errorf("%q: fish prints %q, bash %q for\n%s", script, fish, bash, text)
		}
	}
}

// TestOtherShells holds the levels of scripts for fish and zsh.
func TestOtherShells(t *testing.T) {
	for _, shell := range []string{"fish", "zsh"} {
		testShell(t, shell)
	}
}

func testShell(t *testing.T, shell string) {
	for _, c := range cases(t, shell+".tsv") {
		o := Options{Cwd: here.Cwd, Home: here.Home, Shell: shell} // with a parser of its own
		if r := Classify(c.command, &o); !strings.Contains(c.want, levelLetters[r.Level:r.Level+1]) {
			t.Errorf("%s: %q is %v (%s: %s), want one of %s",
				shell, c.command, r.Level, r.Row, r.Reason, c.want)
		}
	}
}

// FuzzFish holds that no text ends the reader of fish or keeps it busy.
func FuzzFish(f *testing.F) {
	for _, c := range cases(f, "fish.tsv") {
		f.Add(c.command)
	}
	f.Fuzz(func(t *testing.T, command string) {
		r := fishScript{text: command}
		if out := r.list(false); len(out) > 64*len(command)+64 {
			t.Errorf("%q becomes %d bytes", command, len(out))
		}
	})
}

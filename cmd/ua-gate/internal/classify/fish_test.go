package classify

import (
	"os/exec"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/test/scripttest"
)

// TestFishAsBash holds that fish does with a script what bash does, where the gate reads the
// one as the other: what the gate reads is what runs.
func TestFishAsBash(t *testing.T) {
	scripttest.Need(t, "fish", "bash")
	for _, script := range []string{
		`printf '[%s]' a b`,
		`printf '[%s]' 'a b' "c d" e\ f`,
		`printf '[%s]' 'a\nb' '$x' "it's" 'say "x"'`,
		`printf '[%s]' "a\"b" "a\$b" \$x \; \( \# a#b`,
		`printf '[%s]' "$(printf 'a b')" {} x{}`,
		`echo one # two; echo three`,
		`echo a; echo b
echo c`,
		`true && echo a || echo b`,
		`! false && echo ok`,
		`echo a 2>&1 | cat`,
		`echo err >&2`,
		`ls /nonexistent >out 2>&1; wc -l <out; echo x >>out; wc -l <out`,
		`echo "$HOME" | grep -c /; echo a=b x:y a,b @ +`,
		`find . -name '*.none' -exec echo {} \; ; echo ~ | grep -c /`,
	} {
		s, why := new(shell.Parser).Parse(script, "fish")
		if why != nil || !shell.AsInFish(s.File) {
			t.Errorf("%q is not read", script)
			continue
		}
		run := func(shell ...string) string {
			cmd := exec.Command(shell[0], shell[1:]...)
			cmd.Dir = t.TempDir()
			cmd.Env = append(cmd.Environ(), "HOME=/tmp", "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME="+cmd.Dir)
			out, _ := cmd.CombinedOutput()
			return string(out)
		}
		fish, bash := run("fish", "--no-config", "-c", script), run("bash", "-c", script)
		if fish != bash {
			t.Errorf("%q: fish prints %q, bash %q", script, fish, bash)
		}
	}
}

// TestOtherShells holds the levels of scripts for fish.
func TestOtherShells(t *testing.T) {
	const shell = "fish"
	for _, c := range cases(t, shell+".tsv") {
		o := machine.Options{Cwd: here.Cwd, Home: here.Home, Shell: shell} // with a parser of its own
		if r := Classify(c.command, &o); !strings.Contains(c.want, letters[r.Level:r.Level+1]) {
			t.Errorf("%s: %q is %v (%s: %s), want one of %s",
				shell, c.command, r.Level, r.Row, r.Reason, c.want)
		}
	}
}

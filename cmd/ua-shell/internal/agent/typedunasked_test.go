package agent

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestPlain: what may be typed unasked is that and nothing else.
func TestPlain(t *testing.T) {
	for command, want := range map[string]string{
		"cd sub": "cd sub", "cd /a/b-c": "cd /a/b-c", "cd ..": "cd ..", "cd  ./x  ": "cd ./x",
		"cd 'two words'": "cd 'two words'", `cd "two words"`: `cd "two words"`, "cd ~": "cd ~",
		"cd ~/a": "cd ~/a", "cd größe": "cd größe", "x=": "new x", "x=5": "new x",
		"src2=a/b": "new src2",
		"x='a b'":  "new x", "x=a.b:c@d": "new x",

		"cd": "", "cd -": "", "cd -P x": "", "cd +1": "", "cd ~user": "", "cd ~+": "", "cd a b": "",
		"cd $x": "", "cd a*": "", "cd {a,b}": "", "cd =ls": "", "cd a;ls": "", "cd a\nls": "",
		"cd a # b": "",
		"cd a & ":  "", "cd \"$x\"": "", "cd 'a$x'": "", "cd '!x'": "", `cd "a!b"`: "", "cd a\\ b": "",
		"cd ''": "", "cd $'a'": "", "cd `x`": "", "cd a>b": "", "\tcd a": "", "cd\ta": "", "cd [a]": "",
		"cd '-'": "", "cd 'a'b": "", "cd %1": "", "cd ^a^b": "", "cd a\r": "", "cd <(ls)": "",

		"PATH=x": "", "IFS=x": "", "PS1=x": "", "BASH_ENV=x": "", "PROMPT_COMMAND=x": "",
		"LD_PRELOAD=x":  "",
		"histchars=abc": "", "auto_resume=x": "", "precmd_functions=x": "", "zle_highlight=x": "",
		"x=$(a)": "", "x=`a`": "", "x=a b": "", "x+=a": "", "x[1]=a": "", "x=(a)": "", "x=~/a": "",
		"x=a:~": "",
		"x=*":   "", "x=$y": "", "x=a;b": "", "x=a\nb": "", "x='a[$(b)]'": "", "x=a[1]": "",
		"x=5 y=6":    "",
		"export x=5": "", "x=5 ls": "", "X=5": "", "x==ls": "", "x='!!'": "", "_=a": "", "x=a'b'": "",
	} {
		for _, shell := range []string{"bash", "zsh"} {
			if got := plain(command, shell); got != want {
				t.Errorf("%s: %q is %q, want %q", shell, command, got, want)
			}
		}
	}
	if plain("x=5", "fish") != "" || plain("cd sub", "fish") != "cd sub" {
		t.Error("fish has no assignments, and has cd")
	}
}

// TestPlainWords makes words of all that shells expand, and has each shell print those that
// are accepted: they stand for themselves.
func TestPlainWords(t *testing.T) {
	pieces := []string{"a", "b", "9", "/", ".", "..", "-", "+", "_", "@", ",", ":", " ", "~", "'",
		`"`, "$x",
		"$(echo hit)", "`echo hit`", "*", "?", "[a]", "{a,b}", "!", "!!", "^", "=", "%", "#", "\\",
		";", "&", "|",
		"<", ">", "(", ")", "\n", "\t", "ü", "$'a'", "\x01", "\u202e", "=ls", "<->", "(h)", ":h",
		"~+", "~root"}
	random := rand.New(rand.NewPCG(7, 7))
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "ab", "9"} {
		os.WriteFile(filepath.Join(dir, name), nil, 0o644)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			scripttest.Need(t, shell)
			var script, want strings.Builder
			for accepted := 0; accepted < 400; {
				var word strings.Builder
				for range 1 + random.IntN(6) {
					word.WriteString(pieces[random.IntN(1+random.IntN(len(pieces)))])
				}
				what, ok := strings.CutPrefix(plain("cd "+word.String(), shell), "cd ")
				if !ok {
					continue
				}
				accepted++
				literal := what
				if literal[0] == '\'' || literal[0] == '"' {
					literal = literal[1 : len(literal)-1]
				} else if rest, home := strings.CutPrefix(literal, "~"); home {
					literal = "/home/of" + rest
				}
				fmt.Fprintf(&script, "printf '%%s\\n' %s\n", what)
				want.WriteString(literal + "\n")
			}
			flags := map[string][]string{"bash": {"--norc", "-O", "extglob", "-c"},
				"zsh": {"-f", "-o", "extended_glob", "-o", "magic_equal_subst", "-c"}, "fish": {"-N", "-c"}}
			cmd := exec.Command(shell, append(flags[shell], script.String())...)
			cmd.Dir, cmd.Env = dir, []string{"HOME=/home/of", "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "x=hit"}
			if out, err := cmd.CombinedOutput(); string(out) != want.String() {
				for i, line := range strings.Split(string(out), "\n") {
					if all := strings.Split(want.String(), "\n"); i >= len(all) || all[i] != line {
						t.Fatalf("%v: line %d: %q, want %q", err, i, line, all[min(i, len(all)-1)])
					}
				}
			}
		})
	}
}

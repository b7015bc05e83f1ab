package policy

import (
	"errors"
	"testing"

	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

func TestPolicyErrors(t *testing.T) {
	for _, c := range []struct{ text, want, hint string }{
		{"\n\n[levels]\nwirte = \"ask\"\n", `p.toml:4: unknown level "wirte"`, `did you mean "write"?`},
		{"[levels.attended]\nwrite = \"alow\"\n",
			`p.toml:2: unknown decision "alow" (did you mean "allow"?)`, ""},
		{"[levels]\nwrite = 3\n", `p.toml:2: unknown decision "3" (one of allow, ask, deny)`, ""},
		{"[levels]\nattended = \"ask\"\n",
			`p.toml:2: type mismatch: expected table but found string`, ""},
		{"[levels]\ndenied = \"allow\"\n", `p.toml:2: what is denied never runs: no policy can allow it`,
			""},
		{"[levels]\nwrite = \n", `p.toml:2: expected value but found '\n' instead`, ""},
		{"[[deny]]\nreason = \"x\"\n", `p.toml:1: the rule has no pattern and no row`, ""},
		{"[[deny]]\npattern = \"a *\"\n[[deny]]\n# two\npattern = \" \"\n",
			`p.toml:5: " ": empty pattern`, ""},
		{"[[deny]]\npattern = [1]\n", `p.toml:2: want a string or an array of strings`, ""},
		{"[[allow]]\npattern = \"a\"\nlevel = \"write\"\n", `p.toml:3: unknown key "allow.level"`,
			"one of pattern, row, reason, match, not"},
		{"[[ask]]\nrow = \"[\"\n", `p.toml:2: "[": syntax error in pattern`, ""},
		{"[judge]\nfrom = \"hgih\"\n", `p.toml:2: unknown level "hgih"`, ""},
		{"[judge]\ntimeout = \"soon\"\n", `p.toml:2: "soon" is not a duration such as 90s or 10m`, ""},
		{"[[hooks.pre_exec]]\ntimeout = \"5s\"\n", `p.toml:1: the hook has no command`, ""},
		{"[[hooks.pre_exec]]\ncommand = \"a\"\n\n[[hooks.pre_exec]]\ncommand = \"b\"\non_error = " +
			"\"alow\"\n", `p.toml:6: unknown decision "alow" (one of deny, ask, ignore)`, ""},
		{"[[hooks.post_exce]]\ncommand = \"a\"\n", `p.toml:1: unknown key "hooks.post_exce"`,
			"did you mean \"post_exec\"?"},
		{"[[hooks.session_end]]\ncommand = \"a\"\nwhen = \"b\"\n",
			`p.toml:3: unknown key "hooks.session_end.when"`, "one of command, timeout, on_error"},
		{"[paths]\n", `p.toml:1: unknown key "paths"`, `did you mean "path"?`},
		{"[workspace]\nfolders = [\"../x\"]\n", `p.toml:2: "../x" is not an absolute path`, ""},
		{"workspace.folders = \"x\"\n", `p.toml:1: "x" is not an absolute path`, ""},
	} {
		err := (&Policy{}).Add("p.toml", c.text)
		var e *prog.Error
		if !errors.As(err, &e) || e.Error() != c.want || c.hint != "" && e.Hint != c.hint ||
			e.Status != prog.Trouble {
			t.Errorf("%q: %v (%#v), want %s", c.text, err, e, c.want)
		}
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add("[levels]\nwrite = \"ask\"\n[levels.attended]\nnetwork = \"allow\"\n[[deny]]\npattern = " +
		"[\"a *\"]\nmatch = \"a b\"\n")
	f.Add("[[hooks.pre_exec]]\ncommand = \"./x\"\ntimeout = \"5s\"\n[judge]\nfrom = " +
		"\"write\"\n[workspace]\nfolders = [\"/x\"]\n[command.x]\n")
	f.Add("levels = {attended = {write = \"ask\"}}\ndeny = [{pattern = \"x\"}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		p := &Policy{levels: Defaults()}
		err := p.Add("p.toml", text)
		var e *prog.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
		for _, d := range p.levels {
			if d[verdict.Denied] != verdict.Deny {
				t.Fatalf("what is denied is %s", d[verdict.Denied])
			}
		}
	})
}

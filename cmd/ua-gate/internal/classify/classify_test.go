package classify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

func TestReport(t *testing.T) {
	r := Classify("ls && git -C sub push --force\nsudo rm x", &here)
	if r.Level != verdict.Privileged || r.Row != "sudo" || len(r.Parts) != 3 {
		t.Fatalf("%+v", r)
	}
	push := r.Parts[1]
	if push.Name != "git push" || push.Line != 1 || push.Col != 7 ||
		push.Text != "git -C sub push --force" || push.Level != verdict.Network {
		t.Errorf("%+v", push)
	}
	inner := r.Parts[2].Parts
	if len(inner) != 1 || inner[0].Name != "rm" || inner[0].Level != verdict.Destructive ||
		inner[0].Line != 2 {
		t.Errorf("%+v", inner)
	}
}

func TestDelegates(t *testing.T) {
	for command, want := range map[string]bool{"ua 'sum up'": true, "ls | ua-think": true,
		"sh -c 'ua ps'": true, "/usr/local/bin/ua x": true, "echo ua": false, "uax": false} {
		if r := Classify(command, &here); r.Delegates != want {
			t.Errorf("%q delegates: %t", command, r.Delegates)
		}
	}
}

func TestLimits(t *testing.T) {
	for name, command := range map[string]string{
		"limit:bytes":  "echo " + strings.Repeat("x", shell.MaxBytes),
		"limit:simple": strings.Repeat("ls;", machine.MaxSimple+1),
		"limit:depth": strings.Repeat(`echo "$(`, program.MaxDepth+2) + "ls" + strings.Repeat(`)"`,
			program.MaxDepth+2),
		"limit:control": "ls \x1b[2J",
		"parse":         "echo 'x",
	} {
		if r := Classify(command, &here); r.Level != verdict.Destructive || r.Row != name {
			t.Errorf("%s: %v %s", name, r.Level, r.Row)
		}
	}
	// Values that grow are no longer known: these once took all memory, or minutes.
	for _, command := range []string{
		"x=a; " + strings.Repeat("x=$x$x; ", 60) + "eval $x",
		"x=a; " + strings.Repeat("x+=$x; ", 60) + "$x",
		"set -- a b; " + strings.Repeat(`set -- "$@" "$@"; `, 60) + `"$@"`,
		"echo " + strings.Repeat("$x", 60_000),
		"x=" + strings.Repeat("a", 1000) + strings.Repeat("; echo "+strings.Repeat("$x", 100), 20),
	} {
		if r := Classify(command, &here); r.Level != verdict.Destructive {
			t.Errorf("%.40q: %v %s", command, r.Level, r.Row)
		}
	}
	// So did these, of which each piece was looked at once for each other one.
	there := here
	there.Resolve = true
	for _, command := range []string{
		"echo $((" + strings.Repeat("1+", 50_000) + "1))", "ls " + strings.Repeat("~/", 50_000),
		"cat /" + strings.Repeat("a/", 100_000), strings.Repeat("cd a; ", 1900) + "ls",
	} {
		if r := Classify(command, &there); r.Level != verdict.ReadOnly {
			t.Errorf("%.40q: %v %s", command, r.Level, r.Row)
		}
	}
	execs := "find . " + strings.Repeat("-exec rm {} + ", 10_000)
	if r := Classify(execs, &there); r.Level != verdict.Denied {
		t.Errorf("%.40q: %v %s", execs, r.Level, r.Row)
	}
	if r := Classify("ls \u202e", &here); r.Level < verdict.Destructive {
		t.Errorf("a character that reorders text: %v", r.Level)
	}
	for _, nothing := range []string{"", " ", "# rm -rf /", "\n\n", "x=1"} {
		if r := Classify(nothing, nil); r.Level != verdict.ReadOnly || len(r.Parts) != 0 {
			t.Errorf("%q: %v", nothing, r)
		}
	}
}

func TestDialects(t *testing.T) {
	for _, c := range []struct {
		shell, command string
		want           verdict.Level
	}{
		{"fish", "ls -l | grep 'a b' && git status", verdict.ReadOnly},
		{"fish", "make test; or rm x", verdict.Destructive},
		{"fish", "echo (rm x)", verdict.Destructive},
		{"fish", "set x rm; $x y", verdict.Destructive},
		{"fish", "ls > out", verdict.Write},
		{"fish", "ls > ~/.config/fish/config.fish", verdict.Destructive},
		{"zsh", "ls **/*.go", verdict.ReadOnly},
		{"zsh", "print -l $path", verdict.ReadOnly},
		{"zsh", "rm x", verdict.Destructive},
		{"zsh", "ls =(rm x)", verdict.Destructive},
		{"zsh", "ls >>| ~/.zshrc", verdict.Destructive},
		{"zsh", "echo ${(e)x}", verdict.Destructive},
		{"sh", "ls && echo x", verdict.ReadOnly},
		{"sh", "rm x", verdict.Destructive},
		{"bash", "echo =ls", verdict.ReadOnly},
	} {
		r := Classify(c.command, &machine.Options{Cwd: "/home/me/project", Home: "/home/me",
			Shell: c.shell})
		if r.Level != c.want {
			t.Errorf("%s: %q is %v (%s: %s), want %v", c.shell, c.command, r.Level, r.Row, r.Reason, c.want)
		}
	}
}

func TestResolve(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, work := filepath.Join(dir, "home"), filepath.Join(dir, "home/project")
	for _, d := range []string{work, home + "/.ssh"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(home+"/.ssh", work+"/notes"); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]verdict.Level{
		"cat notes/x":            verdict.Destructive,
		"echo > notes/new":       verdict.Destructive,
		"cat other/x":            verdict.ReadOnly,
		"cd notes && cat x":      verdict.Destructive,
		"cp a notes":             verdict.Destructive,
		"cat ../project/notes/x": verdict.Destructive,
	} {
		o := machine.Options{Cwd: work, Home: home, Resolve: true}
		if r := Classify(command, &o); r.Level != want {
			t.Errorf("%q is %v (%s), want %v", command, r.Level, r.Row, want)
		}
	}
	if r := Classify("cat notes/x", &machine.Options{Cwd: work,
		Home: home}); r.Level != verdict.ReadOnly {
		t.Errorf("without Resolve: %v", r.Level)
	}
}

// TestWhere holds that paths are judged from the folder in which a command
// starts, and what counts as inside.
func TestWhere(t *testing.T) {
	for _, c := range []struct {
		cwd, command string
		want         verdict.Level
	}{
		{"/home/me", "echo x > .bashrc", verdict.Destructive},
		{"/home/me", "echo x > .anything", verdict.Destructive},
		{"/home/me/project", "echo x > .anything", verdict.Write},
		{"/home/me/.config/nvim", "echo x > lua/a.lua", verdict.Destructive},
		{"/usr/src/app", "echo x > a", verdict.Write},
		{"/var/lib/app", "echo x > a", verdict.Write},
		{"/etc", "echo x > hosts", verdict.Destructive},
		{"/", "rm -rf *", verdict.Denied},
		{"/home/me/project", "rm -rf *", verdict.Denied},
		{"/home/me/project", "rm -rf build/*", verdict.Destructive},
		{"/home/me/project", "cd build && rm -rf *", verdict.Destructive},
		{"/home/me/project", "rm -rf vendor/x/.git", verdict.Destructive},
		{"/home/me/project", "rm -rf ../project/.git", verdict.Denied},
		{"/root/project", "echo x > a", verdict.Write},
		{"/root", "echo x > .profile", verdict.Destructive},
		{"", "echo x > a", verdict.Write},
		{"", "echo x > ../../etc/hosts", verdict.Destructive},
		{"", "cat ../../../etc/shadow", verdict.Destructive},
		{"/home/me/project/.git", "echo x > config", verdict.Destructive},
		{"/tmp/x", "echo y > z", verdict.Write},
		{"/tmp/x", "echo y > .git/hooks/pre-commit", verdict.Destructive},
		{"/tmp/x", "cd src && echo y > ../.git/config", verdict.Destructive},
		{"/tmp/x", "echo y > .git/COMMIT_EDITMSG", verdict.Write},
		{"/tmp/x", "echo y > /tmp/other/.git/config", verdict.Write},
		{"/var/www/x", "echo y > .claude/settings.json", verdict.Destructive},
		{"/home/me/project", "echo y > /tmp/x/.git/config", verdict.Write},
	} {
		r := Classify(c.command, &machine.Options{Cwd: c.cwd, Home: "/home/me"})
		if r.Level != c.want {
			t.Errorf("in %q, %q is %v (%s: %s), want %v", c.cwd, c.command, r.Level, r.Row, r.Reason,
				c.want)
		}
	}
	o := machine.Options{Cwd: "/home/me/project", Home: "/home/me",
		Workspace: []string{"/var/data/x"}}
	if r := Classify("touch /var/data/x/a", &o); r.Level != verdict.Write {
		t.Errorf("a workspace of the user's: %v (%s)", r.Level, r.Row)
	}
}

func TestOverlay(t *testing.T) {
	table, err := table.Parse("policy.toml", `
[command.frob]
level = "read_only"
flags = "-x|--exec:exec -o:write -f:D"
operands = "read*"
match = ["frob a", "write: frob -o b a"]
not = ["frob -f"]

[command."git push"]
level = "write"

[command."deploy, ship"]
level = "network"
subs = { read_only = "status", privileged = "now" }

[env]
danger = "FROB_*"

[path]
secret = "vault/"

[rules]
other = "a key of somebody else's"
`)
	if err != nil {
		t.Fatal(err)
	}
	o := machine.Options{Cwd: "/home/me/project", Home: "/home/me", Overlay: table}
	for command, want := range map[string]verdict.Level{
		"frob a": verdict.ReadOnly, "frob -o b a": verdict.Write, "frob -f": verdict.Destructive,
		"frob --ex='rm x' a": verdict.Destructive,
		"frob -o ~/.bashrc":  verdict.Destructive, "git push": verdict.Write,
		"git pull": verdict.Network, "ship status": verdict.ReadOnly, "deploy now": verdict.Privileged,
		"FROB_X=1 ls": verdict.Destructive, "cat vault/x": verdict.Destructive,
		"env frob -f": verdict.Destructive,
	} {
		if r := Classify(command, &o); r.Level != want {
			t.Errorf("%q is %v (%s: %s), want %v", command, r.Level, r.Row, r.Reason, want)
		}
	}
	for _, e := range table.Examples() {
		if e.Row != "frob" || e.Line != 2 {
			t.Errorf("%+v", e)
		}
	}
	if n := len(table.Examples()); n != 3 {
		t.Errorf("%d examples", n)
	}
}

func TestTableErrors(t *testing.T) {
	for text, want := range map[string]string{
		"[command.x]\nlevel = \"wirte\"": "t:1: \"x\": level: " +
			"unknown level \"wirte\"",
		"\n[command.x]\nlevel = \"write\"\nflags = \"o\"": "t:2: \"x\": flags: " +
			"\"o\" does not begin with a dash",
		"[command.x]\nlevel = \"write\"\nflags = \"-o:wirte\"": "t:1: \"x\": flags: " +
			"\"-o:wirte\": unknown effect \"wirte\"",
		"[command.x]\nlevel = \"write\"\noperands = \"raed*\"": "t:1: \"x\": " +
			"operands: unknown effect \"raed\"",
		"[command.x]\nlevel = \"write\"\nfacts = \"shrap\"": "t:1: \"x\": " +
			"unknown fact \"shrap\"",
		"[command.x]\nlevel = \"write\"\nreader = \"y\"": "t:1: \"x\": " +
			"unknown reader \"y\"",
		"[command.x]\nlike = \"y\"": "t:1: like: no row " +
			"\"y\"",
		"[command.x]\nlevel = \"write\"\nsubs = { wirte = \"a\" }": "t:1: \"x\": subs: " +
			"unknown level \"wirte\"",
		"[command.\"a, b\"]\nlevel = \"write\"\n[command.a]\nlevel = \"write\"": "t:1: a second row " +
			"for \"a\"",
		"[path]\nx = \"a\"": "t:2: path: unknown kind \"x\"",
		"a = ":              "t:1: ",
	} {
		_, err := table.Parse("t", text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

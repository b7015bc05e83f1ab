package main

import (
	"strings"
	"testing"

	"ua/internal/common/prog"
)

// TestMend: what a person can do about each refusal.

// TestElsewhere: another place for the changes is tried where the first may be the cause.

// TestUnfit: folders that can't hold the changes, and why.

// TestPlaces: the folder that -o names alone, or the state folder first and then others,

// with a word on why.

// TestRelink replaces links, and nothing else.

// TestUsage: a command line that is wrong has the status of a chain loader, and a verb that

// of a program.

func TestUsage(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, c := range []struct {
		args   string
		status int
		stderr string
	}{
		{"", prog.LoaderUsage, "no command\nua-try: hint: ua-try -- command; --help lists the rest\n"},
		{"--", prog.LoaderUsage, "no command"}, {"--quiet --", prog.LoaderUsage, "no command"},
		{"--quite -- ls", prog.LoaderUsage,
			`unknown option "--quite"` + "\nua-try: hint: did you mean --quiet?\n"},
		{"--dir", prog.LoaderUsage, "option --dir needs a value"},
		{"aply", prog.LoaderUsage, `unknown verb "aply"` + "\nua-try: hint: did you mean apply?\n"},
		{"make all", prog.LoaderUsage, "ua-try -- make runs a command"},
		{"make -- all", prog.LoaderUsage, `unexpected "make" before --`},
		{"--except /no/where -- ls", prog.LoaderUsage, `--except "/no/where": no such file`},
		{"--dir /no/where -- ls", prog.LoaderUsage, `--dir "/no/where": no such file`},
		{"--dir / -- ls", prog.NotConfined, "the whole machine can't be covered"},
		{"ls --jsn", prog.Trouble, "did you mean --json?"},
		{"drop --force", prog.Trouble, `unknown option "--force"`},
		{"ls nobody", prog.Trouble, "there are no tries"}, {"diff", prog.Trouble, "there are no tries"},
		{"drop", prog.Trouble, "there are no tries"}, {"apply", prog.Trouble, "there are no tries"},
	} {
		out, text, status := said(t, strings.Fields(c.args)...)
		if status != c.status || out != "" || !strings.Contains(text, c.stderr) ||
			!strings.HasPrefix(text, "ua-try: ") {
			t.Errorf("%s: %d %q %s", c.args, status, out, text)
		}
	}
	for _, args := range []string{
		"--help", "ls --help", "apply -h", "--quiet --help",
	} {
		out, text, status := said(t, strings.Fields(args)...)
		if status != 0 || text != "" || out != strings.TrimSpace(help)+"\n" {
			t.Errorf("%s: %d %q %s", args, status, out, text)
		}
	}
	if out, _, status := said(t, "ls"); out != "" || status != 0 {
		t.Errorf("ls of none: %d %q", status, out)
	}
}

// TestNow is a time that the file system tells apart from the next.

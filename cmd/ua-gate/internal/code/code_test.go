package code

import (
	"strings"
	"testing"
)

// letters are those of the kinds in the tests.
const letters = "udwcnse"

// TestActs holds what is seen in a text: the kind of an act by its letter, with its arguments,
// where a * stands for what is not known.
func TestActs(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"python", `import os; os.remove("a")`, "d a"},
		{"python", `from os import unlink as u; u("a")`, "d"},
		{"python", `__import__("os").system("id")`, "c id"},
		{"python", `import json; print(json.load(open("a.json"))["v"])`, ""},
		{"python", "p = 'x.py'\nwith open(p, 'w') as f:\n    f.write('y')", "w *"},
		{"python", `from pathlib import Path; (Path.home()/".ssh"/"id").write_text("x")`, "w ~/.ssh/id"},
		{"python", `import subprocess as s; s.run(["rm","-rf","src"])`, "c rm -rf src"},
		{"python", `import os; getattr(os,"sys"+"tem")("id")`, "u"},
		{"python", `import os; print(os.environ["AWS_KEY"])`, "e AWS_KEY"},
		{"python", `print(f"{__import__('os').system('id')}")`, "c id"},
		{"python", `import foo`, "u"},
		{"python", `import inspect, requests; inspect.getsource(requests.get)`, ""},
		{"python", `import requests; requests.get("http://h")`, "n http://h"},
		{"python", `import importlib.metadata as m; m.EntryPoint("a", "os:x", "g").load()()`, "u"},
		{"python", `import uuid; uuid._get_command_stdout("id")`, "u"},
		{"python", `l=[1]; l.remove(1); d={}; d.pop("a"); print(f"{l[0]:>3}")`, ""},
		{"node", `require("fs").rmSync("src")`, "d src"},
		{"node", `const {execSync:e}=require("child_process"); e("id")`, "u"},
		{"node", `require("child_process").execSync("rm a")`, "c rm a"},
		{"node", `require("fs")["unlink"+"Sync"]("a")`, "u"},
		{"node", "console.log(`${1+1} ${process.version}`)", ""},
		{"node", "`${require('fs').unlinkSync('a')}`", "d a"},
		{"node", `let s=""; s.replace(/foo"/g,"bar")`, ""},
		{"node", `require("fs").writeFileSync(require("os").homedir()+"/.x","y")`, "w ~/.x"},
		{"node", strings.Repeat("i++ / 2\n", 100) + `x = /"/; i = evil; y = /"/`, "u"},
		{"ruby", "puts `id`", "c id"},
		{"ruby", `system "rm", "-rf", "src"`, "c rm -rf src"},
		{"ruby", `File.write("a.txt", "x")`, "w a.txt"},
		{"ruby", `puts [1,2].map { |x| x * 2 }.sum`, ""},
		{"ruby", `puts "x=#{File.delete("a")}"`, "d a"},
		{"perl", `open(my $f, ">", "out"); print $f "x"`, "w out"},
		{"perl", `open F, ">>$ENV{HOME}/.bashrc"`, "w ~/.bashrc"},
		{"perl", `s/(\d+)/$1*2/e; print if /x/`, ""},
		{"perl", "s/x/`id`/e", "c id"},
		{"perl", `&{"sys"."tem"}("id")`, "u"},
		{"perl", `unlink "a" if -e "a"`, "d a"},
		{"cobol", "DISPLAY 1", "u"},
		{"cobol", `urlopen("http://h")`, "n http://h"},
	} {
		acts, _ := Acts(c.language, c.text)
		found := c.want == "" && len(acts) == 0
		var got []string
		for _, a := range acts {
			text := string(letters[a.Kind])
			for _, arg := range a.Args {
				text += " " + strings.ReplaceAll(arg, Hole, "*")
			}
			got = append(got, text)
			found = found || c.want != "" && strings.HasPrefix(text, c.want)
		}
		if !found {
			t.Errorf("%s: %s: %q, want %q", c.language, c.text, got, c.want)
		}
	}
}

// TestLong reads long texts of what may not end: each would take minutes if its pieces were read
// again and again.
func TestLong(_ *testing.T) {
	for _, piece := range []string{"/*", `\"`, "'''", "s{", "/[", "f'{", "os.remove(", "`${",
		"a.b.", "(", "/a"} {
		for _, language := range []string{"python", "node", "ruby", "perl", "any"} {
			Acts(language, strings.Repeat(piece, 1<<13))
		}
	}
}

// FuzzActs holds that no text makes the reader panic.
func FuzzActs(f *testing.F) {
	for i, text := range []string{`import os as o; o.remove(f"{a[1]:>{w}}")`, "puts %w[a b] + `id`",
		`const {rm: r} = require("fs"); r("a")`, `s{a}{b}e; open(my $f, "<", "x")`, "f'{", "`${", `"\`} {
		f.Add(i, text)
	}
	f.Fuzz(func(_ *testing.T, n int, text string) {
		Acts([]string{"python", "node", "ruby", "perl", "any"}[uint(n)%5], text)
	})
}

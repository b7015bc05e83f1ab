package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/internal/common/repository"
)

// TestPrograms holds which files of a working tree a setting protects. It has the files
// t/x, t/y.py, "t/a b", u/v/x, n.js, x and Makefile, and not those that begin with "no".
func TestPrograms(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir+"/home")
	for _, file := range []string{"t/x", "t/y.py", "t/a b", "u/v/x", "n.js", "x", "Makefile",
		"build/x", "home/h"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range [][2]string{ // setting, and the protected files
		// One word is found on PATH, unless it has a slash.
		{"core.pager=x", ""},
		{"core.pager=t/x", "t/x"},
		{"core.pager=./x -R", "x"},
		{"core.pager=no/x", "no/x"},
		{"core.pager=~/h", "home/h"},
		{"core.pager=less -R", ""},
		{"gpg.program=t/a b", "t/a b,t/a"},
		{"alias.a=!t/x", "t/x"},
		{"alias.a=!x", ""},
		{"alias.a=!make x", ""},
		{"alias.a=!make -f Makefile no/x", ""},
		{"alias.a=!npm run x && cargo test", ""},
		// What a shell, an interpreter or another program is given to run.
		{"alias.a=!sh x", "x"},
		{"alias.a=!sh -ex x", "x"},
		{"alias.a=!/bin/bash -e no", ""},
		{"alias.a=!sh no", "no"},
		{"alias.a=!python3.11 -W ignore no.py a/b no/c", "no.py"},
		{"alias.a=!sh -c 'make no'", ""},
		{"alias.a=!sh -c 'python3 no/a' no/b", "no/a"},
		{"alias.a=!sh -c \"sh \\\"no/a\\\"\"", "no/a"},
		{"alias.a=!A=b env -i C=d nice -n 5 no/x no/y", "no/x"},
		{"alias.a=!find . -exec no/x {} +", "no/x"},
		{"alias.a=!. t/x; source no", "t/x,no"},
		{"alias.a=!if true; then no/x; fi || no/y | no/z", "no/x,no/y,no/z"},
		{"alias.a=!sh <no >no/log", "no"},
		{"alias.a=!f() { no/x \"$@\"; }; f", "no/x"},
		{"alias.a=!node n", "n.js,n"},
		{"alias.a=!python3 -m build", ""},
		{"alias.a=!cp build/x no/x; cat no/y", "build/x"},
		// Other folders, and words that begin with something else.
		{"alias.a=!cd u && cd v && ./x", "x,u/v/x,u/x,v/x"},
		{"alias.a=!sh -c 'cd t; sh no'", "no,t/no"},
		{"alias.a=!\"$(git rev-parse --show-toplevel)/t/x\"", "t/x"},
		{"alias.a=!`git rev-parse --show-toplevel`/no/x", "no/x"},
		{"alias.a=!\"$PWD\"/t/x; ${PWD}/t/y.py", "t/x,t/y.py"},
		{"alias.a=!sh ${X:-t/x}", "t/x"},
		{"alias.a=!$HOME/h", "home/h"},
		{"alias.a=!\"t/a b\" c", "t/a b,t/a"},
		{"alias.a=!t/a\\ b c", "t/a b"},
		// Aliases of git's own commands.
		{"alias.a=log -- t/x no/x", ""},
		{"alias.a=bisect run t/x", "t/x"},
		{"alias.a=rebase -i --exec 'no/x && make'", "no/x"},
		{"alias.a=submodule foreach 'sh no'", "no"},
		{"alias.a=-c core.editor=no/x commit", "no/x"},
		{"alias.a=fetch --upload-pack=no/x", "no/x"},
		{"alias.a=difftool -x t/x", "t/x"},
		// Data.
		{"commit.template=t/x", ""},
		{"safe.directory=" + dir + "/no", ""},
		{"gitflow.prefix.feature=no/", ""},
		{"unknown.key=https://no/x", ""},
		{"unknown.key=t/x", "t/x"},
		{"core.hookspath=no/hooks", "no/hooks"},
	} {
		name, value, _ := strings.Cut(c[0], "=")
		p := &Policy{Write: []string{dir}}
		p.namedBy(repository.Setting{Name: name, Value: value}, dir)
		var want []string
		for _, file := range strings.FieldsFunc(c[1], func(r rune) bool { return r == ',' }) {
			want = append(want, filepath.Join(dir, file))
		}
		got := slices.Concat(p.Protect, p.Absent)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c[0], got, want)
		}
	}
}

func FuzzSplitCommand(f *testing.F) {
	for _, line := range []string{"sh -c 'a b' c", `\`, "%", "${", "$(", "a='b c", "`x`/y", "=\"\""} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := splitCommand(line)
		if len(words) > maxWords+1 {
			t.Errorf("%d words", len(words))
		}
		for _, w := range words {
			if w.text == "" {
				t.Errorf("%q: %+v", line, words)
			}
		}
	})
}

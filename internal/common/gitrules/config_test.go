package gitrules

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// configs are texts that git and this reader must take the same way.
var configs = []string{
	"[a]b=c", "[a]\nb", "[a]b", "[A.b] C = d", "[a \"B\"] c = d ", "[a \"x\\\"y\\\\z\"]\nc=d",
	"[a]\n\tb = \"c # d\" ; e\n", "[a]\nb = c \\\n  d\n",
	"[a]b=c\\", "[a]b=\"c\\\n", "[a]b=\"c\\\n\"",
	"\xef\xbb\xbf[a]\r\nb=c\r\n", "[a]\n b = x\\ty\\n\\b\n", "[a]\nb=\\q", "[a]\nb c", "[a]\n=c",
	"[a\nb]", "[a \"x\ny\"]", "[a \"x\"y]", "[a \"x\" ]", "[a  \"x\"]b=1", "[]\nb=c", "[a]b-c = 1",
	"# [x]\n[a] ; z\nb= 1 # 2\n;c=1\nd=2", "[a]b\t=\tc\t \n", "[a]b=c\vd", "[a]b=c\rd",
	"[a\t\"x\"]b=1",
	"b=c", "[a]\nb=c\n[d", "[a.\"x\"]b=c", "[a]2b=c", "[a] [c] d=e", "[a]\n\n\fb=1", "[a]b==\"=\"",
	"[a] b = \"\"\"\"", "[a]b=\" x \" y ", "[core]\\\nfsmonitor=x",
}

// TestSettings holds that git reads the same settings, or none after an error.
func TestSettings(t *testing.T) {
	scripttest.Need(t, "git")
	for _, text := range configs {
		got, err := Settings([]byte(text))
		want, gitErr := byGit(t, []byte(text))
		if (err == nil) != (gitErr == nil) || err == nil && !reflect.DeepEqual(spaced(got), want) {
			t.Errorf("%q: %+v %v, git: %+v %v", text, got, err, want, gitErr)
		}
	}
}

// byGit is what git reads from a config.
func byGit(t testing.TB, text []byte) (list []Setting, err error) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "config", "-z", "--file", file, "--list").Output()
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line != "" {
			name, value, ok := strings.Cut(line, "\n")
			list = append(list, Setting{name, value, !ok})
		}
	}
	return spaced(list), err
}

// spaced has one space for all white space: what git keeps of it differs by version.
func spaced(list []Setting) []Setting {
	for i := range list {
		list[i].Value = strings.Join(strings.Fields(list[i].Value), " ")
	}
	return list
}

// FuzzSettings holds that this reader sees each setting that git sees. Git runs only
// on what this one takes, so that fuzzing is quick.
func FuzzSettings(f *testing.F) {
	for _, text := range configs {
		f.Add([]byte(text))
	}
	_, err := exec.LookPath("git")
	f.Fuzz(func(t *testing.T, text []byte) {
		got, gotErr := Settings(text)
		Obeys(got, func(string) bool { return true })
		if err != nil || gotErr != nil {
			return
		}
		if want, gitErr := byGit(t, text); gitErr == nil && !reflect.DeepEqual(spaced(got), want) {
			t.Errorf("%q: %+v, git: %+v", text, got, want)
		}
	})
}

func TestObeys(t *testing.T) {
	for text, want := range map[string]string{
		"[core]\nbare=false\nfilemode=true\n[remote \"o.x\"]\nurl=https://x/y\nfetch=+a:b": "",
		"[core]\nfsmonitor=x":                            "core.fsmonitor",
		"[remote \"o\"]\nurl=ext::sh -c x":               "remote.o.url",
		"[remote \"o\"]\nurl=--upload-pack=x":            "remote.o.url",
		"[remote \"o\"]\nuploadpack=x":                   "remote.o.uploadpack",
		"[submodule \"s\"]\nupdate=!x":                   "submodule.s.update",
		"[submodule \"s\"]\nupdate=merge\nurl=./x":       "",
		"[core]\nworktree=/":                             "core.worktree",
		"[core]\nworktree=in":                            "",
		"[core \"x\"]\nbare=true":                        "core.x.bare",
		"[filter \"lfs\"]\nclean=git-lfs clean":          "filter.lfs.clean",
		"[branch \"a.b\"]\nremote=o\nmerge=refs/heads/a": "",
		"x=y":             "x",
		"[include]path=x": "include.path",
	} {
		list, err := Settings([]byte(text))
		got := Obeys(list, func(tree string) bool { return tree == "in" })
		if got != want || err != nil {
			t.Errorf("%q: %q %v, want %q", text, got, err, want)
		}
	}
}

// TestHarmless holds that git reads what is kept of a config as it did before.
func TestHarmless(t *testing.T) {
	scripttest.Need(t, "git")
	const text = "[core]\nbare\nfsmonitor=x\nfilemode = false\n[remote \"a\\\"b\\\\.c\"]\nurl=\" " +
		"x\\t#\\\\\\\"\\n;\"\n" +
		"pushurl=ext::x\nfetch=+a:b\nfetch=\n[Alias]\nx=!y\n[user]name=\"A\\bB\"\n"
	list, err := Settings([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	kept := Harmless(list, func(string) bool { return true })
	got, err := byGit(t, kept)
	want, _ := byGit(t, []byte(text))
	want = slices.DeleteFunc(want, func(s Setting) bool {
		return slices.Contains([]string{"core.fsmonitor", "alias.x", "remote.a\"b\\.c.pushurl"}, s.Name)
	})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s%+v %v, want %+v", kept, got, err, want)
	}
}

// git runs a script of git's commands in a new repository, and gives its folder.
func git(t testing.TB, script string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=b")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return dir
}

// indexes are git's ways to write an index, each with gitlinks at "a" and "d/sub".
var indexes = map[string]string{
	"2":     "true",
	"3":     "touch n; git add -N n",
	"4":     "git update-index --index-version 4",
	"split": "git update-index --split-index; git update-index --add --cacheinfo 160000,$at,z",
	"tables": "git config index.threads 2; git config core.untrackedCache true; git update-index " +
		"--index-version 4; git status >later",
	"sparse": "git commit -q -m y; git sparse-checkout set --sparse-index x; " +
		"git ls-files --sparse | grep -q '/$'",
	"long": "mkdir -p $(printf 'x%.0s' $(seq 200))/$(printf 'y%.0s' $(seq 200))/w; :",
}

const gitlinks = `git init -q . $form; git commit -q --allow-empty -m x; at=$(git rev-parse HEAD)
for i in 1 2 3 4 5 6 7 8 9; do mkdir -p d/$i; echo $i >d/$i/file; done; git add .
git update-index --add --cacheinfo 160000,$at,a --cacheinfo 160000,$at,d/sub
`

// indexed returns the gitlinks and all names of an index, and the shared index that it names.
func indexed(data []byte, size int) (links, names []string, base string, err error) {
	base, err = readIndex(data, size, func(staged, name []byte) {
		names = append(names, string(name))
		if staged[2]>>4 == 0o160000>>12 && len(name) > 0 {
			links = append(links, string(name))
		}
	})
	return links, names, base, err
}

// refused returns the error for an index of SHA-1.
func refused(data []byte) error {
	_, _, _, err := indexed(data, 20)
	return err
}

func TestIndex(t *testing.T) {
	scripttest.Need(t, "git")
	for form, size := range map[string]int{"": 20, "--object-format=sha256": 32} {
		for name, script := range indexes {
			dir := git(t, "form="+form+"\n"+gitlinks+script)
			data, err := os.ReadFile(filepath.Join(dir, ".git/index"))
			if err != nil {
				t.Fatal(err)
			}
			links, _, shared, err := indexed(data, size)
			if shared != "" {
				base, readErr := os.ReadFile(filepath.Join(dir, ".git", shared))
				more, _, _, sharedErr := indexed(base, size)
				if readErr != nil || sharedErr != nil {
					t.Errorf("%s: %v %v", name, readErr, sharedErr)
				}
				links = append(links, more...)
			}
			slices.Sort(links)
			want := []string{"a", "d/sub"}
			if name == "split" {
				want = append(want, "z")
			}
			if err != nil || !slices.Equal(links, want) || (name == "split") != (shared != "") {
				t.Errorf("%s %s: %q %q %v", form, name, links, shared, err)
			}
		}
	}
}

// Git checks out of an index what it would not add.
func TestIndexPaths(t *testing.T) {
	scripttest.Need(t, "git")
	for _, c := range [][2]string{
		{"agit/x", ".git/x"}, {"aGIT/x", ".GIT/x"}, {"a/agit/x", "a/.git/x"}, {"AA/x", "../x"},
		{"a/AA/x", "a/../x"}, {"A/x", "./x"}, {"A/x", "//x"}, {"a/x", "a//"},
	} {
		dir := git(t, "git init -q .; git update-index --add --cacheinfo 100644,$(echo x | git "+
			"hash-object -w --stdin),"+c[0])
		data, err := os.ReadFile(filepath.Join(dir, ".git/index"))
		if good := refused(data); err != nil || good != nil {
			t.Fatal(err, good)
		}
		if err := refused(bytes.ReplaceAll(data, []byte(c[0]), []byte(c[1]))); err == nil {
			t.Errorf("%q: no error", c[1])
		}
	}
	sparse := git(t, "git init -q .; mkdir -p a/agit; echo x >a/agit/f; echo x >f; git add .\n"+
		"git commit -q -m x; git sparse-checkout set --sparse-index b")
	data, err := os.ReadFile(filepath.Join(sparse, ".git/index"))
	if good := refused(data); err != nil || good != nil {
		t.Fatal(err, good)
	}
	for _, name := range []string{"./", "//", "\x00/"} {
		if err := refused(bytes.ReplaceAll(data, []byte("a/"), []byte(name))); err == nil {
			t.Errorf("%q: no error", name)
		}
	}
	for _, path := range []string{"...", ".gitignore", "a/.gitmodules", "..a", "a.git/x", ".git2"} {
		if !inTree([]byte(path)) {
			t.Errorf("%q refused", path)
		}
	}
}

// Git reads a large index in parallel, by tables at its end: those must be true.
func TestIndexTables(t *testing.T) {
	scripttest.Need(t, "git")
	dir := git(t, `git init -q .; git config index.threads 2
at=$(printf x | git hash-object -w --stdin); i=0
while [ $i -lt 30000 ]; do
	echo "100644 $at	f$i"; i=$((i+1))
done | git update-index --index-info`)
	data, err := os.ReadFile(filepath.Join(dir, ".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	table := bytes.LastIndex(data, []byte("IEOT"))
	end := bytes.LastIndex(data, []byte("EOIE"))
	if _, names, _, err := indexed(data, 20); err != nil || len(names) != 30000 || table < 0 ||
		end < 0 {
		t.Fatalf("%d %v %d %d", len(names), err, table, end)
	}
	for _, at := range []int{table + 8 + 4 + 3, table + 8 + 8 + 3, end + 8 + 3} {
		forged := bytes.Clone(data)
		forged[at] ^= 8
		if err := refused(forged); err == nil {
			t.Errorf("byte %d changed: no error", at)
		}
	}
}

func FuzzIndex(f *testing.F) {
	if _, err := exec.LookPath("git"); err == nil {
		for _, script := range indexes {
			data, err := os.ReadFile(filepath.Join(git(f, gitlinks+script), ".git/index"))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, false)
		}
	}
	f.Add([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff"), true)
	f.Fuzz(func(t *testing.T, data []byte, long bool) {
		size := 20
		if long {
			size = 32
		}
		_, names, _, err := indexed(data, size)
		if err == nil && strings.Contains(strings.Join(names, ""), "\x00") {
			t.Errorf("%q", names)
		}
	})
}

// TestLargeFiles lets the settings of git-lfs stand as it writes them, and no others.
func TestLargeFiles(t *testing.T) {
	const own = "[filter \"lfs\"]\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs " +
		"filter-process\n" +
		"\trequired = true\n\tclean = git-lfs clean -- %f\n"
	for text, want := range map[string]string{
		own: "",
		"[filter \"lfs\"]\n\tclean = \"git-lfs clean -- %f; x\"\n": "filter.lfs.clean",
		"[filter \"lfs\"]\n\tclean = ./git-lfs clean -- %f\n":      "filter.lfs.clean",
		"[filter \"LFS\"]\n\tclean = git-lfs clean -- %f\n":        "filter.LFS.clean",
		"[filter \"lfs\"]\n\tclean = \"git-lfs\tclean\"\n":         "filter.lfs.clean",
		"[filter \"lfs\"]\n\tsmudge\n":                             "filter.lfs.smudge",
		own + "[lfs]\n\tcustomtransfer = x\n":                      "lfs.customtransfer",
		own + "[lfs \"customtransfer.x\"]\n\tpath = /tmp/x\n":      "lfs.customtransfer.x.path",
	} {
		list, err := Settings([]byte(text))
		if got := Obeys(list, func(string) bool { return true }); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/internal/common/secret"
)

// TestPointers tells a linked worktree from what a command could have made up: the pointer
// and what it leads to have to agree in every part.
func TestPointers(t *testing.T) {
	for _, c := range []struct {
		name           string
		pointer        string // the worktree's .git, with MAIN for the main repository's folder
		gitdir, common string // in the worktree's own folder
		head           string
		change         func(main, work string) error
		ok             bool
		refs           string // below MAIN
	}{
		{"absolute", "gitdir: MAIN/worktrees/w", "WORK/.git", "../..", "ref: refs/heads/x", nil, true,
			"refs"},
		{"relative", "gitdir: ../main/.git/worktrees/w", "../../../../work/.git", "../..",
			"ref: refs/heads/x", nil, true, "refs"},
		{"detached", "gitdir: MAIN/worktrees/w", "WORK/.git", "../..", "0123456789", nil, true, "refs"},
		{"a branch of ua's", "gitdir: MAIN/worktrees/w", "WORK/.git", "../..", "ref: refs/heads/ua/x",
			nil,
			true, "refs/heads/ua"},
		{"a branch of a like name", "gitdir: MAIN/worktrees/w", "WORK/.git", "../..",
			"ref: refs/heads/uax", nil, true, "refs"},
		{"no pointer", "MAIN/worktrees/w", "WORK/.git", "../..", "x", nil, false, ""},
		{"to nowhere", "gitdir: MAIN/worktrees/v", "WORK/.git", "../..", "x", nil, false, ""},
		{"to a folder of another name", "gitdir: MAIN/modules/w", "WORK/.git", "../..", "x",
			func(main, _ string) error { return os.Rename(main+"/worktrees", main+"/modules") }, false, ""},
		{"in the folder itself", "gitdir: WORK/worktrees/w", "WORK/.git", "../..", "x",
			func(main, work string) error { return os.Rename(main+"/worktrees", work+"/worktrees") },
			false, ""},
		{"by a link in the folder", "gitdir: WORK/l", "WORK/.git", "../..", "ref: refs/heads/x",
			func(main, work string) error { return os.Symlink(main+"/worktrees/w", work+"/l") }, true,
			"refs"},
		{"that does not point back", "gitdir: MAIN/worktrees/w", "HOME/other/.git", "../..", "x", nil,
			false,
			""},
		{"that points to its folder", "gitdir: MAIN/worktrees/w", "WORK", "../..", "x", nil, false, ""},
		{"that says nothing", "gitdir: MAIN/worktrees/w", "", "../..", "x", nil, false, ""},
		{"with another common folder", "gitdir: MAIN/worktrees/w", "WORK/.git", "../../../other", "x",
			nil,
			false, ""},
		{"without one", "gitdir: MAIN/worktrees/w", "WORK/.git", "", "x", nil, false, ""},
		{"without objects", "gitdir: MAIN/worktrees/w", "WORK/.git", "../..", "x",
			func(main, _ string) error { return os.Remove(main + "/objects") }, false, ""},
		{"without a HEAD", "gitdir: MAIN/worktrees/w", "WORK/.git", "../..", "x",
			func(main, _ string) error { return os.Remove(main + "/HEAD") }, false, ""},
		{"a pointer of 9,000 bytes", "gitdir: " + strings.Repeat("/", 9000) + "MAIN/worktrees/w",
			"WORK/.git",
			"../..", "x", nil, false, ""},
	} {
		home, _ := place(t)
		main, work := filepath.Join(home, "main/.git"), filepath.Join(home, "work")
		names := strings.NewReplacer("MAIN", main, "WORK", work, "HOME", home)
		put(t, main+"/HEAD", "ref: refs/heads/main\n")
		put(t, main+"/worktrees/w/HEAD", c.head+"\n")
		put(t, main+"/worktrees/w/gitdir", names.Replace(c.gitdir)+"\n")
		put(t, main+"/worktrees/w/commondir", c.common+"\n")
		put(t, work+"/.git", names.Replace(c.pointer)+"\n")
		for _, dir := range []string{"objects", "refs/heads/ua", "logs/refs/heads/ua"} {
			os.MkdirAll(filepath.Join(main, dir), 0o755)
		}
		if c.change != nil {
			if err := c.change(main, work); err != nil {
				t.Fatal(err)
			}
		}
		p := resolve(t, Options{}, work)
		if !c.ok {
			if len(p.Grants) != 0 || p.Writable(main+"/refs") {
				t.Errorf("%s: grants %q", c.name, p.Grants)
			}
			continue
		}
		logs := "logs/" + c.refs
		if c.refs == "refs" {
			logs = "logs"
		}
		want := []string{main + "/objects", main + "/" + c.refs, main + "/" + logs,
			main + "/worktrees/w"}
		if !slices.Equal(p.Grants, want) {
			t.Errorf("%s: grants %q, want %q", c.name, p.Grants, want)
		}
		for _, file := range []string{"gitdir", "commondir"} {
			if path := main + "/worktrees/w/" + file; !slices.Contains(p.Protect, path) {
				t.Errorf("%s: %s is not protected", c.name, file)
			}
		}
	}
}

// TestHoldsToken tells settings files with a secret from those that hide nothing.
func TestHoldsToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rc")
	for text, want := range map[string]bool{
		"registry=https://registry.example.org/\n":            false,
		"fund=false\naudit=false\n":                           false,
		"//registry.example.org/:_authToken=x\n":              true,
		"[global]\nindex-url = https://u:p@example.org/x\n":   true,
		"# mail me@example.org\n":                             false,
		"proxy = http://example.org\nname = a@b\n":            false,
		"user = a:b\nPASSWORD = x\n":                          true,
		"header = \"Authorization: Bearer x\"\n":              true,
		"[a]\napi-key = 1\n":                                  true,
		"apikey: 1":                                           true,
		"client_secret=1":                                     true,
		"":                                                    false,
		"a = 1\nb = ssh://git@example.org/x\n":                true,
		strings.Repeat("x = 1\n", maxText/6+1) + "fund=false": true, // too large to say
	} {
		put(t, path, text)
		if got := holdsToken(path); got != want {
			t.Errorf("%.60q: %v", text, got)
		}
	}
	if !holdsToken(path + ".none") {
		t.Error("what can't be read")
	}
}

// TestOwnFiles finds the files that the settings name, in all the forms that TOML has for
// words: who may not read them, and who may not write them.
func TestOwnFiles(t *testing.T) {
	home, work := place(t)
	t.Chdir(work)
	t.Setenv("KEYS", home+"/keys")
	t.Setenv("UA_CONFIG", "")
	put(t, home+"/.config/ua/config.toml", `
[ua]
think = "./think.sh --fast '~/quoted dir/x' | tee /tmp/log"
gate = "ua-gate | jq ."
[provider.a]
api_key_file = "~/a key"
api_key_cmd = "/usr/bin/pass show $KEYS/one; cat \"$HOME/two\""
[[provider.b]]
api_key_file = "b"
[[provider.b]]
api_key_cmd = "sh ./c"
[other]
list = ["x/y", ["z/1"], 7, true]
file = "/not/named"
empty_file = ""
`)
	put(t, home+"/.config/ua/policy.toml", `
[[hooks.pre_exec]]
command = ["/opt/hook", "--in", "rel/path", "plain"]
[judge]
command = "./judge"
`)
	put(t, home+"/.config/ua/more.toml", "")
	secrets, programs := ownSecrets(), ownPrograms()
	for path, want := range map[string][2]bool{ // that it is secret, that it is a program
		home + "/.config/ua/config.toml": {true, false}, home + "/.config/ua/policy.toml": {false,
			false},
		home + "/.config/ua/more.toml": {true, false}, home + "/.local/state/ua": {true, false},
		work + "/think.sh": {false, true}, home + "/quoted": {false, true},
		"/tmp/log":      {false, true},
		home + "/a key": {true, false}, home + "/keys/one": {true, true}, home + "/two": {true, true},
		"/usr/bin/pass": {false, true}, work + "/b": {true, false}, work + "/c": {true, true},
		work + "/x/y": {false, false}, "/not/named": {false, false}, work: {false, false},
		"/opt/hook": {false, true}, work + "/rel/path": {false, true}, work + "/judge": {false, true},
		work + "/plain": {false, false},
	} {
		if got := [2]bool{slices.Contains(secrets, path), slices.Contains(programs, path)}; got != want {
			t.Errorf("%s: secret and program %v, want %v", path, got, want)
		}
	}
	for _, broken := range []string{"[ua\n", "a = \n", "\x00"} {
		put(t, home+"/.config/ua/config.toml", broken)
		if got := settingWords(home + "/.config/ua/config.toml"); len(got) != 0 {
			t.Errorf("%q: %v", broken, got)
		}
	}
}

// TestPointed finds the secrets that variables move.
func TestPointed(t *testing.T) {
	home, _ := place(t)
	for _, c := range []struct{ name, value, path string }{
		{"KUBECONFIG", "/k/one:/k/two", "/k/two"}, {"KUBECONFIG", "relative", ""}, {"KUBECONFIG", "/",
			""},
		{"KUBECONFIG", "HOME", ""}, {"KUBECONFIG", "/k/../k2", "/k2"}, {"DOCKER_CONFIG", "/d", "/d"},
		{"XDG_CONFIG_HOME", "/x", "/x/gh"}, {"XDG_CONFIG_HOME", "x", ""}, {"HISTFILE", "/h", "/h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			value := strings.ReplaceAll(c.value, "HOME", home)
			before := pointed([]string{home}, nil)
			t.Setenv(c.name, value)
			found := pointed([]string{home}, secret.Paths())
			if got := slices.Contains(found, c.path); got != (c.path != "") {
				t.Errorf("%s=%s: %q in %q", c.name, c.value, c.path, found)
			}
			if c.path == "" && slices.ContainsFunc(found, func(p string) bool {
				return (p == value || p == "/" || p == home) && !slices.Contains(before, p)
			}) {
				t.Errorf("%s=%s: %q", c.name, c.value, found)
			}
		})
	}
}

// TestWithin reads a tool's cache through where a project of its kind is, and only there.
func TestWithin(t *testing.T) {
	for file, want := range map[string][]string{
		"src/go.mod": {"GOMODCACHE", "GOPATH"}, "go.work": {"GOMODCACHE", "GOPATH"},
		"src/sub/go.mod": {"GOMODCACHE", "GOPATH"}, "src/sub/deep/go.mod": nil,
		"src/Cargo.toml": {"CARGO_HOME"}, "src/crate/Cargo.toml": {"CARGO_HOME"},
		"src/package.json": nil,
	} {
		home, work := place(t)
		for _, name := range []string{"GOPATH", "GOMODCACHE", "CARGO_HOME"} {
			t.Setenv(name, "")
		}
		for _, dir := range []string{"go/pkg/mod", "go/pkg/sumdb/sum.golang.org", ".cargo/registry"} {
			os.MkdirAll(filepath.Join(home, dir), 0o755)
		}
		put(t, home+"/go/pkg/sumdb/sum.golang.org/latest", "tree\n")
		put(t, filepath.Join(home, file), "")
		p := resolve(t, Options{}, work)
		var names []string
		for _, c := range p.Caches("/tmp/own") {
			names = append(names, c.Name)
			if c.Name == "GOPATH" && (len(c.Copies) != 1 || c.Copies[0][1] !=
				"/tmp/own/.cache/go/pkg/sumdb/sum.golang.org/latest") {
				t.Errorf("%s: %q", file, c.Copies)
			}
			for _, pair := range slices.Concat(c.Overlays, c.Links, c.Copies) {
				if !strings.HasPrefix(pair[1], "/tmp/own/.cache/") {
					t.Errorf("%s: %s is shown at %s", file, pair[0], pair[1])
				}
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %q, want %q", file, names, want)
		}
		if list := p.Caches(""); list != nil {
			t.Errorf("%s without a TMPDIR: %v", file, list)
		}
	}
}

// TestSetenv has one value of each variable.
func TestSetenv(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3", "B=A=4"}
	if got := Setenv(slices.Clone(env), "A", "5"); !slices.Equal(got, []string{"AB=2", "B=A=4",
		"A=5"}) {
		t.Errorf("%q", got)
	}
	if got := Setenv(nil, "A", ""); !slices.Equal(got, []string{"A="}) {
		t.Errorf("%q", got)
	}
}

// TestGrantedLink: a grant whose path has become a link since it was judged opens nothing.
func TestGrantedLink(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(dir+"/docs/real", 0o755)
	os.Symlink("real", dir+"/docs/link")
	for path, ok := range map[string]bool{"/docs/real": true, "/docs/link": false} {
		p, err := Resolve(Options{Profile: "workspace", Grants: []string{dir + path}}, t.TempDir())
		if (err == nil) != ok || ok && !p.Writable(dir+path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

package proxy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/gitrules"
)

// files writes a tree from name, text pairs and returns its root.
func files(t *testing.T, pairs ...string) string {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(root, pairs[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestPackages: the preset is the registries that are usual, and those of the caller's
// variables, at their ports.
func TestPackages(t *testing.T) {
	env := map[string]string{"GOPROXY": "https://goproxy.test/a,http://second.test:8443|direct",
		"npm_config_registry": "http://npm.test:4873/x", "UV_INDEX": "corp=https://user:pw@uv.test/s",
		"PIP_EXTRA_INDEX_URL": "https://one.test/simple https://two.test/simple off file:///x"}
	rules := packageHosts(func(name string) string { return env[name] })
	var list []string
	for _, r := range rules {
		list = append(list, r.String())
	}
	got := strings.Join(list, " ")
	want := " goproxy.test:443 second.test:8443 npm.test:4873 one.test:443 two.test:443 uv.test:443"
	if !strings.HasSuffix(got, want) || !strings.Contains(got, "registry.npmjs.org") ||
		!strings.Contains(got, "pypi.org") || strings.Contains(got, "pw") {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestGit(t *testing.T) {
	const config = `[core]
	bare = false
[remote "origin"]
	url = git@host.test:me/repo.git ; comment
	pushurl = "ssh://git@push.test:2222/me/repo.git"
[remote "web"]
	url = https://user@web.test/x.git
[remote "short"]
	url = gh:me/other
[remote "disk"]
	url = ../elsewhere
[remote "disk2"]
	url = /srv/x:y.git
[remote "six"]
	url = [2606:4700::1]:x.git
[remote "own"]
	url = http://localhost:2375/
	url = http://host.internal:2375/
	url = http://127.0.0.1:2375/
	url = git@[::1]:x
	url = [::1]:x
	url = ssh://10.0.0.1/x
	url = http://169.254.169.254/x
[submodule "s"]
	url = http://sub.test:8000/s.git
[remote.dotted]
	url = https://dot\
ted.test/x
`
	root := files(t,
		"home/.gitconfig", "[url \"https://hub.test/\"]\n\tinsteadOf = gh:\n[url "+
			"\"https://wrong.test/\"]\n\tinsteadOf = g\n",
		"repo/.git/config", config, "repo/a/b/file", "", "repo/.git/worktrees/w/commondir", "../..\n",
		"tree/.git", "gitdir: ../repo/.git/worktrees/w\n", "tree/sub/file", "")
	for _, dir := range []string{"repo", "repo/a/b", "tree/sub"} {
		m := presets{home: filepath.Join(root, "home"), dir: filepath.Join(root, dir), root: root,
			getenv: func(string) string {
				return ""
			}}
		p, err := parseAllowlist([]string{"git"}, m)
		if err != nil {
			t.Fatal(err)
		}
		// "git@host.test…" begins with "g" too: insteadOf is a plain prefix.
		want := "wrong.test:443 push.test:2222 web.test:443 hub.test:443 " +
			"[2606:4700::1]:22 sub.test:8000 dotted.test:443"
		if got := strings.Join(p.Hosts(), " "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", dir, got, want)
		}
	}
}

func TestGitRule(t *testing.T) {
	for _, tt := range []struct{ remote, want string }{
		{"git@host.test:me/repo.git", "host.test:22"},
		{"host.test:repo", "host.test:22"},
		{"[git@host.test:2222]:repo", "host.test:2222"},
		{"git+ssh://host.test/repo", "host.test:22"},
		{"HTTPS://host.test/", "host.test:443"},
		{"git://host.test/repo", ""},
		{"file:///srv/repo", ""},
		{"./a:b", ""},
		{"", ""},
		{"ext::sh -c evil", ""},
		{"https://127.1/x", ""},
	} {
		got := ""
		if r, ok := gitRule(tt.remote); ok {
			got = r.String()
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.remote, got, tt.want)
		}
	}
}

func FuzzGitConfig(f *testing.F) {
	f.Add("[remote \"a\"]\nurl = git@h:x\n[url \"b\"] insteadOf = c")
	f.Fuzz(func(t *testing.T, text string) {
		for _, remote := range gitrules.Remotes(text) {
			if r, ok := gitRule(remote.URL); ok && r.name == "" && !r.addr.IsValid() {
				t.Fatalf("%q: a rule for every host", text)
			}
		}
	})
}

package proxy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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

func TestPackages(t *testing.T) {
	root := files(t,
		"home/.config/go/env", "GOPROXY=https://goproxy.test/a,https://second.test:8443|direct\n",
		"home/.npmrc", "; comment\nregistry = "+
			"https://npm.test/\n@corp:registry=http://corp.test:4873/x\n//npm.test/:_authToken=s3cret\n",
		"home/.config/pip/pip.conf", "[global]\nindex-url = "+
			"https://user:pw@pypi.test/simple\nextra-index-url =\n    https://one.test/simple\n    "+
			"https://two.test/simple\ntimeout = 60\n",
		"home/.cargo/config.toml", "[source.crates-io]\nreplace-with = \"m\"\n[source.m]\nregistry = "+
			"\"sparse+https://crates.test/index/\"\n# \"https://comment.test/\"\n",
		"home/.cargo/registry/index/index.cached.test-1949cf8c6b5b557f/config.json",
		`{"dl":"https://static.cached.test/crates","api":"/"}`,
		"etc/apt/sources.list", "deb [signed-by=/k] http://deb.test/debian stable main\n# deb "+
			"http://no.test/ x\ndeb cdrom:[x]/ x y\n",
		"etc/apt/sources.list.d/a.sources",
		"Types: deb\nURIs: https://apt.test/debian http://apt2.test\nSuites: x\n",
		"etc/apt/sources.list.d/off.sources.disabled", "URIs: https://off.test\n",
	)
	env := map[string]string{"GOSUMDB": "sum.test+1234+abcd"}
	m := presets{getenv: func(k string) string { return env[k] }, home: filepath.Join(root, "home"),
		root: root, dir: root}
	p, err := parsePolicy([]string{"packages"}, m)
	if err != nil {
		t.Fatal(err)
	}
	want := "goproxy.test:443 second.test:8443 sum.test:443 npm.test:443 corp.test:4873 " +
		"pypi.test:443 one.test:443 two.test:443 " +
		"crates.test:443 index.cached.test:443 static.cached.test:443 deb.test:80 apt.test:443 " +
		"apt2.test:80"
	if got := strings.Join(p.Hosts(), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestDefaults has a tool's own registry where it is installed and no file names
// another one.
func TestDefaults(t *testing.T) {
	none := func(string) string { return "" }
	for _, tt := range []struct {
		tools, file, text, want string
	}{
		{"", "x", "", ""},
		{"npm", "x", "", "registry.npmjs.org:443"},
		{"npm", "home/.npmrc", "registry=https://npm.test\n", "npm.test:443"},
		{"npm", "home/.npmrc", "@corp:registry=https://corp.test\n",
			"corp.test:443 registry.npmjs.org:443"},
		{"pip3", "x", "", "pypi.org:443 files.pythonhosted.org:443"},
		{"pip uv", "home/.pip/pip.conf", "[global]\nindex-url = https://pip.test/simple\n",
			"pip.test:443"},
		{"cargo", "x", "", "index.crates.io:443 static.crates.io:443"},
		{"cargo", "home/.cargo/config.toml", "[source.crates-io]\nreplace-with = \"m\"\n[source.m]\n" +
			"registry = \"sparse+https://crates.test/\"\n", "crates.test:443"},
		{"cargo", "home/.cargo/config.toml",
			"[registries.corp]\nindex = \"sparse+https://corp.test/\"\n",
			"corp.test:443 index.crates.io:443 static.crates.io:443"},
		{"pip", "home/.pip/pip.conf", "[global]\nextra-index-url = https://more.test/simple\n",
			"more.test:443 pypi.org:443 files.pythonhosted.org:443"},
		{"uv", "home/.config/uv/uv.toml",
			"[[index]]\nurl = \"https://uv.test/simple\"\ndefault = true\n", "uv.test:443"},
		{"uv", "etc/uv/uv.toml", "[[index]]\nurl = \"https://uv.test/simple\"\n",
			"uv.test:443 pypi.org:443 files.pythonhosted.org:443"},
		{"yarn", "x", "", "registry.yarnpkg.com:443"},
		// What came with the tool: npm's own file, its prefix's, node's prefix's, pip's.
		{"npm", "opt/npm/lib/node_modules/npm/npmrc", "registry=https://made.test\n", "made.test:443"},
		{"npm", "opt/npm/etc/npmrc", "registry=https://prefix.test\n", "prefix.test:443"},
		{"npm node", "opt/node/etc/npmrc", "registry=https://node.test\n", "node.test:443"},
		{"pip3", "opt/pip3/pip.conf", "[global]\nindex-url = https://site.test/simple\n",
			"site.test:443"},
		// A tool in the working folder brings no settings: commands may write there.
		{"npm", "work/npm/etc/npmrc", "registry=https://evil.test\n", "registry.npmjs.org:443"},
		{"node npm", "work/node/etc/npmrc", "registry=https://evil.test\n", "registry.npmjs.org:443"},
		{"pip", "work/pip/pip.conf", "[global]\nindex-url = https://evil.test\n",
			"pypi.org:443 files.pythonhosted.org:443"},
	} {
		root := files(t, tt.file, tt.text)
		at := filepath.Join(root, "opt")
		if strings.HasPrefix(tt.file, "work/") {
			at = filepath.Join(root, "work")
		}
		m := presets{getenv: none, home: filepath.Join(root, "home"), root: root,
			dir: filepath.Join(root, "work"), find: func(tool string) string {
				switch {
				case !slices.Contains(strings.Fields(tt.tools), tool):
					return ""
				case tool == "npm":
					return filepath.Join(at, "npm/lib/node_modules/npm/bin/npm-cli.js")
				}
				return filepath.Join(at, tool, "bin", tool)
			}}
		var got []string
		for _, r := range m.packageHosts() {
			got = append(got, r.String())
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.tools, tt.file, got, tt.want)
		}
	}
}

func TestGoHosts(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"GOPROXY", "https://a.test,direct", "https://a.test direct"},
		{"GOPROXY", "https://a.test|https://b.test", "https://a.test https://b.test"},
		{"GOSUMDB", "off", ""},
		{"GOSUMDB", "sum.test", "https://sum.test"},
		{"GOSUMDB", "sum.test+key https://mirror.test/sumdb", "https://mirror.test/sumdb"},
	} {
		if got := strings.Join(goHosts(tt.name, tt.value), " "); got != tt.want {
			t.Errorf("%s=%s: %q, want %q", tt.name, tt.value, got, tt.want)
		}
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
		p, err := parsePolicy([]string{"git"}, m)
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
		var c gitConfig
		c.parse(text)
		for _, u := range c.urls {
			if r, ok := gitRule(c.rewrite(u)); ok && r.name == "" && !r.addr.IsValid() {
				t.Fatalf("%q: a rule for every host", u)
			}
		}
	})
}

func FuzzPackageFiles(f *testing.F) {
	f.Add("index-url = https://a.test\n  https://b.test")
	f.Add(`registry = "sparse+https://c.test/"`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, u := range append(pipIndexes(text), quotedURLs(text)...) {
			if r, ok := urlRule(u); ok && r.name == "" && !r.addr.IsValid() {
				t.Fatalf("%q: a rule for every host", u)
			}
		}
	})
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c/tool"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("b/real", 0o755)
	write("a/tool", 0o644) // not to be run
	write("near", 0o755)
	if err := os.Symlink("real", filepath.Join(dir, "b/tool")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, c := range []struct{ path, tool, want string }{
		{dir + "/none:" + dir + "/a:" + dir + "/c:" + dir + "/b", "tool", real + "/b/real"},
		{dir + "/a:" + dir + "/c", "tool", ""},
		{":" + dir, "near", ""}, // what the working folder gives is not asked for further
		{"", "near", ""},
		{dir + ":", "near", real + "/near"},
	} {
		t.Setenv("PATH", c.path)
		if got := find(c.tool); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.tool, c.path, got, c.want)
		}
	}
}

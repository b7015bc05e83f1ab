package access

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ua/internal/common/verdict"
	"ua/internal/test/scripttest"
)

// place is a home and a workspace in it.
func place(t *testing.T) (home, work string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work = filepath.Join(home, "src")
	if err := os.MkdirAll(work, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	return home, work
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func resolve(t *testing.T, o Options, dir string) *Policy {
	t.Helper()
	o, err := Expand(o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Resolve(o, dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *Policy) masks(path string) bool {
	return slices.ContainsFunc(p.Masks, func(m Mask) bool { return m.Path == path })
}

func TestProfiles(t *testing.T) {
	_, work := place(t)
	for profile, want := range map[string]struct {
		writes  bool
		network Network
	}{"read-only": {false, NetOwn}, "workspace": {true, NetOwn}, "": {true, NetOwn},
		"network": {true, NetProxy}, "none": {true, NetHost}} {
		p := resolve(t, Options{Profile: profile}, work)
		if p.Writable(work) != want.writes || p.Network != want.network {
			t.Errorf("%s: writes %v, network %s", profile, p.Writable(work), p.Network)
		}
	}
	if p := resolve(t, Options{NetAllow: []string{"example.com"}}, work); p.Network != NetProxy ||
		p.Profile != verdict.ProfileWorkspace {
		t.Errorf("--net-allow: %s", p.Network)
	}
}

func TestSecrets(t *testing.T) {
	home, work := place(t)
	for _, name := range []string{".ssh/id", ".config/gh/hosts.yml", "keys/k", ".npmrc"} {
		put(t, filepath.Join(home, name), "registry=https://registry.example/\n")
	}
	put(t, filepath.Join(home, "aws/credentials"), "x")
	if err := os.Symlink("aws", filepath.Join(home, ".aws")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", filepath.Join(home, "keys/k"))
	p := resolve(t, Options{}, work)
	for path, want := range map[string]bool{".ssh": true, ".config/gh": true, "aws": true,
		"keys/k": true, ".npmrc": false, ".docker": false} {
		if got := p.masks(filepath.Join(home, path)); got != want {
			t.Errorf("%s hidden: %v", path, got)
		}
	}
	put(t, filepath.Join(home, ".local/share/opencode/auth.json"), "x")
	put(t, filepath.Join(home, ".curlrc"), "header = \"Authorization: Bearer x\"\n")
	for _, name := range []string{".local/share/opencode/auth.json", ".curlrc"} {
		if !resolve(t, Options{}, work).masks(filepath.Join(home, name)) {
			t.Errorf("%s is not hidden", name)
		}
	}
	put(t, filepath.Join(home, ".npmrc"), "//r/:_authToken=x\n")
	if !resolve(t, Options{}, work).masks(filepath.Join(home, ".npmrc")) {
		t.Error("a token in .npmrc is not hidden")
	}
	if resolve(t, Options{Read: []string{"~/.ssh"}}, work).masks(filepath.Join(home, ".ssh")) {
		t.Error("--read does not lift a secret")
	}
	if !resolve(t, Options{Read: []string{"~/.ssh"}, Deny: []string{"~/.ssh"}},
		work).masks(filepath.Join(home, ".ssh")) {
		t.Error("--read lifts --deny")
	}
	p = resolve(t, Options{Write: []string{"~/keys"}, Deny: []string{"~/keys", "~/none"}}, work)
	if p.Writable(filepath.Join(home, "keys")) {
		t.Errorf("--deny: writes %v", p.Write)
	}
	if _, err := Resolve(Options{Profile: "workspace"}, home); err == nil ||
		!strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link to a secret that can be turned: %v", err)
	}
	if _, err := Resolve(Options{Profile: "workspace"}, filepath.Join(home, ".ssh")); err == nil {
		t.Error("a secret folder is taken as workspace")
	}
}

func TestProfileFile(t *testing.T) {
	home, work := place(t)
	put(t, filepath.Join(home, ".config/ua/profiles/go.toml"), `
base = "network"
write = ["~/.cache", "/no/such/place"]
deny = ["~/private"]
net_allow = ["modules.example"]
env = ["GOPRIVATE"]
strict = true
[limits]
mem = "2G"
pids = 100
`)
	put(t, filepath.Join(home, ".cache/x"), "")
	put(t, filepath.Join(home, "private/x"), "")
	var l Limits
	l.Mem = 1 << 20
	p := resolve(t, Options{Profile: "go", Limits: l}, work)
	if p.Network != NetProxy || !p.Strict || !p.Writable(filepath.Join(home, ".cache")) ||
		!p.masks(filepath.Join(home, "private")) ||
		p.Limits != (Limits{Mem: 1 << 20, Pids: 100}) ||
		!slices.Equal(p.Allow, []string{"modules.example"}) {
		t.Errorf("%+v", p)
	}
	for text, want := range map[string]string{"bsae = 1": "unknown key",
		"base = \"x\"": "unknown profile", "[limits]\nmem = \"x\"": "bad.toml:2: want a size",
		"x": "bad.toml:1: "} {
		put(t, filepath.Join(home, "bad.toml"), text)
		if _, err := Expand(Options{Profile: filepath.Join(home, "bad.toml")}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAgent(t *testing.T) {
	place(t)
	t.Setenv("SSH_AUTH_SOCK", "/run/agent")
	o, err := Expand(Options{Sockets: []string{"/run/agent"}})
	if err != nil || !slices.Equal(o.Env, []string{"SSH_AUTH_SOCK"}) {
		t.Errorf("%v %v", o.Env, err)
	}
	if o, _ := Expand(Options{Sockets: []string{"/run/other"}}); len(o.Env) > 0 {
		t.Errorf("%v", o.Env)
	}
}

func TestCaches(t *testing.T) {
	home, work := place(t)
	for _, c := range toolCaches {
		t.Setenv(c.variable, "")
	}
	t.Setenv("MAVEN_OPTS", "-Xmx1g")
	os.MkdirAll(filepath.Join(home, ".gradle"), 0o755) // may hold settings, and no project is here
	t.Setenv("PIP_CACHE_DIR", filepath.Join(work, "pip"))
	put(t, filepath.Join(home, ".cache/go-build/x"), "")
	p := resolve(t, Options{Write: []string{"~/.cache/go-build"}}, work)
	got := strings.Join(p.TmpEnv(nil, "/t"), " ")
	want := "TMPDIR=/t TMP=/t TEMP=/t XDG_CACHE_HOME=/t/.cache GOCACHE=" + home +
		"/.cache/go-build PIP_CACHE_DIR=" + work + "/pip UV_CACHE_DIR=/t/.cache/uv " +
		"npm_config_cache=/t/.cache/npm "
	if strings.Contains(got, "GRADLE") ||
		!strings.Contains(got, " MAVEN_OPTS=-Xmx1g -Dmaven.repo.local=/t/.cache/m2 ") {
		t.Errorf("%s", got)
	}
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestLinkedWorktree(t *testing.T) {
	scripttest.Need(t, "git")
	home, work := place(t)
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	main, linked := filepath.Join(home, "main"), filepath.Join(work, "linked")
	for _, line := range []string{"init -q " + main,
		"-C " + main + " -c user.name=a -c user.email=b commit -q --allow-empty -m x",
		"-C " + main + " worktree add -q " + linked} {
		if out, err := exec.Command("git", strings.Fields(line)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %s", line, out)
		}
	}
	p := resolve(t, Options{}, linked)
	for path, want := range map[string]bool{"objects": true, "refs": true, "logs": true,
		"worktrees/linked": true, "hooks": false, "config": false, "worktrees": false, "HEAD": false} {
		if got := p.Writable(filepath.Join(main, ".git", path)); got != want {
			t.Errorf("%s writable: %v", path, got)
		}
	}
	// A forged pointer gives nothing: the repository does not point back.
	forged := filepath.Join(home, "forged")
	pointer := "gitdir: " + filepath.Join(main, ".git/worktrees/linked") + "\n"
	put(t, filepath.Join(forged, ".git"), pointer)
	if p := resolve(t, Options{}, forged); len(p.Write) != 1 {
		t.Errorf("a forged pointer grants %v", p.Write)
	}
}

// A link that the command, or one before it, could turn is not granted, and a
// profile file that it could write is protected.
func TestTurnedLinks(t *testing.T) {
	home, work := place(t)
	put(t, home+"/.ssh/id", "x")
	if err := os.Symlink(home, work+"/out"); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{
		{Write: []string{work + "/out"}},
		{Read: []string{work + "/out/.ssh"}},
		{Tmp: Tmp{Dir: work + "/out/t"}},
	} {
		for _, o.Profile = range []string{"workspace", "read-only"} {
			if p, err := Resolve(o, work); err == nil || !strings.Contains(err.Error(), "symbolic link") {
				t.Errorf("%+v: %v %v", o, p, err)
			}
		}
	}
	if err := os.Symlink(work, home+"/link"); err != nil {
		t.Fatal(err)
	}
	if _, err := Resolve(Options{Profile: "workspace", Write: []string{home + "/link"}},
		work); err != nil {
		t.Errorf("a link that nobody can turn: %v", err)
	}
	put(t, work+"/p.toml", "base = \"workspace\"\n")
	if p := resolve(t, Options{Profile: work + "/p.toml"}, work); !slices.Contains(p.Protect,
		work+"/p.toml") {
		t.Errorf("%q", p.Protect)
	}
}

// Links in a main repository that an earlier command has made up lead nowhere.
func TestForgedWorktree(t *testing.T) {
	home, work := place(t)
	own := home + "/made/worktrees/w"
	put(t, own+"/gitdir", work+"/.git")
	put(t, own+"/commondir", "../..")
	put(t, work+"/.git", "gitdir: "+own)
	put(t, home+"/made/HEAD", "ref: refs/heads/x")
	put(t, home+"/other/x", "")
	for _, name := range []string{"objects", "refs", "logs"} {
		if err := os.Symlink(home+"/other", home+"/made/"+name); err != nil {
			t.Fatal(err)
		}
	}
	if p := resolve(t, Options{Profile: "workspace"}, work); p.Writable(home + "/other") {
		t.Errorf("%q", p.Write)
	}
}

func TestSpans(t *testing.T) {
	for text, want := range map[string]Span{"90": 90, "90s": 90, "10m": 600, "1500ms": 2, "0": 0,
		"x": 0, "-5s": 0} {
		var s Span
		if err := s.UnmarshalText([]byte(text)); s != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d %v", text, s, err)
		}
	}
}

func TestBound(t *testing.T) {
	table := "Num       RefCount Protocol Flags    Type St Inode Path\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01 12345 /run/a b/s\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01 12346 @abstract\n" +
		"0000000000000000: 00000002 00000000 00010000 0001 01 12347\n" +
		"0000000000000000: 00000002 00000000 00000000 0002 01    17 relative/s\n"
	if absolute, relative := bound(table); !slices.Equal(absolute, []string{"/run/a b/s"}) ||
		!slices.Equal(relative, []string{"relative/s"}) {
		t.Errorf("%q %q", absolute, relative)
	}
}

// A socket that was bound by a relative name is found where its program is.
func TestPlaced(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	l, err := net.Listen("unix", "here")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := foreign(nil)
	if !slices.Contains(got, filepath.Join(dir, "here")) && runtime.GOOS == "linux" {
		t.Errorf("not among %q", got)
	}
}

// TestPlacedElsewhere: it is found in the folders that the command can write, too, where its
// program has left the folder or belongs to another user, whose /proc can't be asked.
func TestPlacedElsewhere(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	l, err := net.Listen("unix", "here")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Chdir("/")
	if got := foreign([]string{"/nowhere", dir}); !slices.Contains(got, filepath.Join(dir, "here")) {
		t.Errorf("not among %q", got)
	}
}

// TestSocketVars: what names a socket by which a program of the session runs commands is
// hidden, though its listener is in another network namespace.
func TestSocketVars(t *testing.T) {
	for name, value := range map[string]string{
		"SWAYSOCK": "/h/s", "I3SOCK": "/h/s", "NIRI_SOCKET": "/h/s", "NVIM": "/h/s",
		"NVIM_LISTEN_ADDRESS": "/h/s", "VSCODE_IPC_HOOK_CLI": "/h/s", "VSCODE_GIT_IPC_HANDLE": "/h/s",
		"KITTY_LISTEN_ON": "unix:/h/s", "WEZTERM_UNIX_SOCKET": "/h/s", "ALACRITTY_SOCKET": "/h/s",
		"EMACS_SOCKET_NAME": "/h/s", "TMUX": "/h/s,12,0", "CONTAINER_HOST": "unix:///h/s",
		"ATUIN_SOCKET": "-", "HOME": "-",
	} {
		t.Run(name, func(t *testing.T) {
			if value == "-" {
				t.Setenv(name, "/h/s")
			} else {
				t.Setenv(name, value)
			}
			if slices.Contains(foreign(nil), "/h/s") != (value != "-") {
				t.Errorf("%s=%s", name, value)
			}
		})
	}
	t.Setenv("NVIM", "127.0.0.1:6666")
	t.Setenv("KITTY_LISTEN_ON", "unix:@abstract")
	for _, path := range foreign(nil) {
		if !filepath.IsAbs(path) ||
			strings.Contains(path, "abstract") || strings.Contains(path, "6666") {
			t.Errorf("%q", path)
		}
	}
}

func FuzzBound(f *testing.F) {
	f.Add("0: 2 0 1 0001 01 1 /x\n")
	f.Fuzz(func(t *testing.T, table string) {
		absolute, relative := bound(table)
		if slices.ContainsFunc(absolute, func(path string) bool { return !filepath.IsAbs(path) }) ||
			slices.ContainsFunc(relative, filepath.IsAbs) {
			t.Errorf("%q %q", absolute, relative)
		}
	})
}

func FuzzProfileFile(f *testing.F) {
	f.Add("base = \"network\"\n[limits]\nmem = \"1G\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := parse(text); err == nil {
			if _, err := verdict.ParseProfile(p.Base); err != nil {
				t.Error(err)
			}
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	o, err := Expand(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Resolve(o, "/"); err != nil {
			b.Fatal(err)
		}
	}
}

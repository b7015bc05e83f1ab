package environ

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ua/internal/common/run"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// TestPath: commands have the PATH that UA_PATH says, where ua-exec has another itself.
func TestPath(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"PATH=/usr/bin UA_PATH=/w/venv/bin:/usr/bin", "PATH=/w/venv/bin:/usr/bin"},
		{"UA_PATH=/w/venv/bin:/usr/bin PATH=/usr/bin", "PATH=/w/venv/bin:/usr/bin"},
		{"PATH=/usr/bin", "PATH=/usr/bin"},
	} {
		e := New(strings.Fields(c.env), nil, nil, false, "/")
		env := e.Of(verdict.ProfileWorkspace, true, Credential{})
		env = slices.DeleteFunc(env, func(v string) bool { return !strings.Contains(v, "PATH=") })
		if !slices.Equal(env, []string{c.want}) {
			t.Errorf("%s: %q", c.env, env)
		}
	}
}

// TestPathOutside: a command outside of any sandbox has no folder on PATH that commands
// can write.
func TestPathOutside(t *testing.T) {
	work := t.TempDir()
	t.Chdir(work)
	t.Setenv("TMPDIR", "/var/tmp")
	t.Setenv("PATH", work+"/venv/bin:/opt/given/bin:/usr/bin")
	e := New(os.Environ(), nil, nil, false, work)
	e.Writable = []string{"/opt/given"}
	for p, planted := range map[verdict.Profile]bool{verdict.ProfileNone: false,
		verdict.ProfileWorkspace: true} {
		env := strings.Join(e.Of(p, false, Credential{}), "\n") + "\n"
		if strings.Contains(env, "PATH="+work+"/venv/bin:/opt/given/bin:/usr/bin\n") != planted ||
			strings.Contains(env, work+"/venv/bin") != planted ||
			strings.Contains(env, "/given") != planted || strings.Count(env, "\nPATH=") > 1 {
			t.Errorf("%s: %s", p, env)
		}
	}
}

// TestGatewayToken: a command that starts ua gets a token of its own at the gateway, never
// the run's, and no output shows either.
func TestGatewayToken(t *testing.T) {
	e := New([]string{"UA_GATEWAY=/run/gateway.sock", "UA_GATEWAY_TOKEN=S3CRETS3CRETS3CRET"}, nil,
		nil, false, "/")
	own := run.CommandToken("S3CRETS3CRETS3CRET", "7")
	env := e.Of(verdict.ProfileWorkspace, true, Credential{ID: "7"})
	if !slices.Contains(env, "UA_GATEWAY_TOKEN="+own) ||
		strings.Contains(strings.Join(env, "\n"), "S3CRET") {
		t.Errorf("%q", env)
	}
	if id, ok := run.CommandOf("S3CRETS3CRETS3CRET", own); id != "7" || !ok {
		t.Errorf("%q %v", id, ok)
	}
	if text, _ := e.Secrets.Text(own + " S3CRETS3CRETS3CRET"); strings.Contains(text, "S3CRET") ||
		strings.Contains(text, own) {
		t.Errorf("%s", text)
	}
}

// Each variable goes to the commands that may have it, and a secret to none.
func TestNew(t *testing.T) {
	const key = "sk-ant-0123456789abcdef0123456789abcdef"
	e := New([]string{
		"HOME=/home/a", "LANG=C", "MY_API_KEY=" + key, "COPY=x" + key, "KEPT_TOKEN=" + key,
		"PAGER=less", "BASH_ENV=/evil", "BASH_FUNC_ls%%=() { evil; }", "CDPATH=/x", "PWD=/old",
		"UA_MODEL=m", "TRACEPARENT=00-x", "UA_SANDBOX=4", "UA_PROXY=http://u:pw@127.0.0.1:1",
		"HTTPS_PROXY=http://u:pw@127.0.0.1:1", "npm_config_proxy=http://u:pw@127.0.0.1:1",
		"GOMAXPROCS=1", "GUARD=1", "EMPTY=", "odd",
	}, []string{"KEPT_TOKEN"}, []string{"GOMAXPROCS", "GUARD"}, false, "/work")
	for _, c := range []struct {
		name                   string
		plain, network, starts bool // of commands: read_only, network, that start ua
	}{
		{"HOME=/home/a", true, true, true},
		{"LANG=C", true, true, true},
		{"KEPT_TOKEN=" + key, true, true, true},
		{"UA_SANDBOX=4", true, true, true},
		{"EMPTY=", true, true, true},
		{"PWD=/work", true, true, true},
		{"PAGER=cat", true, true, true},
		{"GIT_TERMINAL_PROMPT=0", true, true, true},
		{"HTTPS_PROXY=http://u:life@127.0.0.1:1", false, true, false},
		{"npm_config_proxy=http://u:life@127.0.0.1:1", false, true, false},
		{"HTTPS_PROXY=http://u:pw@127.0.0.1:1", false, false, false},
		{"UA_MODEL=m", false, false, true},
		{"TRACEPARENT=00-x", false, false, true},
		{"MY_API_KEY=" + key, false, false, false},
		{"COPY=x" + key, false, false, false},
		{"PAGER=less", false, false, false},
		{"BASH_ENV=/evil", false, false, false},
		{"BASH_FUNC_ls%%=() { evil; }", false, false, false},
		{"CDPATH=/x", false, false, false},
		{"PWD=/old", false, false, false},
		{"UA_PROXY=http://u:pw@127.0.0.1:1", false, false, false},
		{"GOMAXPROCS=1", false, false, false},
		{"GUARD=1", false, false, false},
	} {
		for kind, want := range map[string]bool{"plain": c.plain, "network": c.network,
			"starts ua": c.starts} {
			profile := verdict.ProfileReadOnly
			if kind == "network" {
				profile = verdict.ProfileNetwork
			}
			own := Credential{ID: "7", Proxy: "u:life"}
			passed := e.Of(profile, kind == "starts ua", own)
			if got := slices.Contains(passed, c.name); got != want {
				t.Errorf("%s, %s: %v", c.name, kind, got)
			}
		}
	}
	withheld := []string{"COPY", "MY_API_KEY"}
	if !slices.Equal(e.Withheld, withheld) || !strings.Contains(e.ProxyURL, "pw") {
		t.Errorf("withheld %q, proxy %s", e.Withheld, e.ProxyURL)
	}
	token := e.JobsToken(verdict.ProfileNetwork, Credential{})
	text, _ := e.Secrets.Text("it is " + key + " or " + token)
	if strings.Contains(text, key) || strings.Contains(text, token) {
		t.Errorf("%s", text)
	}
}

func TestUserinfo(t *testing.T) {
	for url, want := range map[string]string{"http://u:p@h:1/": "u:p", "http://h": "", "u:p@h": "",
		"": "", "x://@h": "", "socks5h://a@b@c": "a"} {
		if got := userinfo(url); got != want {
			t.Errorf("%s: %q", url, got)
		}
	}
}

// A value that also stands in harmless output is no secret to look for there.
func TestSecretive(t *testing.T) {
	for value, want := range map[string]bool{"": false, "12345678": false, "/etc/passwd": false,
		"secret": false, "s3cret": true, "averylongpassword": true, "a-b": true} {
		if got := secretive(value); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}

// TestJudged: what ua-sandbox passes is the same for commands and for outputs, whether it
// is judged once more or not.
func TestJudged(t *testing.T) {
	const key = "sk-ant-0123456789abcdef0123456789abcdef"
	ours := []string{"UA_GATEWAY_TOKEN=S3CRETS3CRETS3CRET", "UA_TRIES_TOKEN=T0KENT0KENT0KEN",
		"UA_TRIES=/t", "UA_JOURNAL=/r/j",
		"TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	env := append([]string{
		"HOME=/home/a", "MY_API_KEY=" + key, "COPY=x" + key, "KEPT_TOKEN=" + key + "1",
		"DATABASE_URL=postgres://a:pa55w0rd@db/x", "MAIL=a@b.example",
		"GIT_COMMITTER_EMAIL=a@b.example",
		"SESSION=plain", "BUILD_ID=0f3c9a7d5e1b4c2f8a6d0e9b7c5f3a1d", "PATH=/usr/bin",
	}, ours...)
	keep := []string{"KEPT_TOKEN"}
	names := append([]string{}, keep...)
	for _, v := range ours {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	passed, withheld := secret.Environ(env, names)
	passed = append(passed, "UA_WITHHELD="+strings.Join(withheld, " "), "UA_SANDBOX=4",
		"UA_PROXY=http://ua:pa55w0rd1234@127.0.0.1:1", "HTTPS_PROXY=http://ua:pa55w0rd1234@127.0.0.1:1",
		"npm_config_proxy=http://ua:pa55w0rd1234@127.0.0.1:1")
	again, once := New(passed, keep, nil, false, "/"), New(passed, keep, nil, true, "/")
	if !slices.Equal(once.Withheld, again.Withheld) || !slices.Equal(once.Names(), again.Names()) {
		t.Errorf("%q and %q are withheld", once.Withheld, again.Withheld)
	}
	for _, p := range verdict.Profiles() {
		for _, delegates := range []bool{false, true} {
			c := Credential{ID: "7", Proxy: "ua:life"}
			got := once.Of(verdict.Profile(p), delegates, c)
			if want := again.Of(verdict.Profile(p), delegates, c); !slices.Equal(got, want) {
				t.Errorf("%s: %q, not %q", p, got, want)
			}
		}
	}
	for _, v := range env {
		text, _ := again.Secrets.Text(v)
		if got, _ := once.Secrets.Text(v); got != text {
			t.Errorf("%s is shown as %s, not as %s", v, got, text)
		}
	}
	// Without ua-sandbox, the key is nobody's.
	if alone := New(env, keep, nil, false, "/"); !slices.Contains(alone.Withheld, "MY_API_KEY") {
		t.Errorf("%q", alone.Withheld)
	}
}

// FuzzNew: whatever the environment, what is kept from commands is in none of theirs, and no
// command gets the secret of the run's tries.
func FuzzNew(f *testing.F) {
	f.Add("A=1\nMY_TOKEN=sk-ant-0123456789abcdef0123\nB=sk-ant-0123456789abcdef0123", "A")
	f.Add("UA_TRIES_TOKEN=x1y2z3x1y2z3x1y2\n=x\n\x00\nUA_PROXY=://@", "UA_PROXY")
	f.Fuzz(func(t *testing.T, text, keep string) {
		env, names := strings.Split(text, "\n"), map[string]bool{}
		for _, v := range env {
			name, _, _ := strings.Cut(v, "=")
			if names[name] {
				return // of two values one may be a secret
			}
			names[name] = true
		}
		e := New(env, []string{keep}, nil, false, "/")
		for _, v := range e.Of(verdict.ProfileNetwork, false, Credential{}) {
			name, _, _ := strings.Cut(v, "=")
			if name != keep && slices.Contains(e.Withheld, name) {
				t.Errorf("%q is withheld and given", name)
			}
			if name != keep && actsOnShell(name) && v != "PWD=/" {
				t.Errorf("a shell acts on %q", v)
			}
		}
	})
}

package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/person"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// One command of each level.
const (
	readOnly    = "ls"
	buildTest   = "go test ./..."
	write       = "touch file"
	destructive = "rm -rf build"
	network     = "curl https://example.org/x"
	privileged  = "sudo id"
	denied      = "rm -rf /"
)

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		command                string
		unattended, thatAsks   verdict.Decision
		profile                verdict.Profile
		freed, strict, privily verdict.Decision // unattended, under three policies
	}{
		{readOnly, "allow", "allow", "read-only", "allow", "allow", "allow"},
		{buildTest, "allow", "allow", "workspace", "allow", "deny", "allow"},
		{write, "allow", "allow", "workspace", "allow", "deny", "allow"},
		{destructive, "allow", "ask", "workspace", "allow", "deny", "allow"},
		{network, "allow", "ask", "network", "allow", "deny", "allow"},
		{privileged, "deny", "ask", "none", "deny", "deny", "allow"},
		{denied, "deny", "deny", "none", "deny", "deny", "deny"},
	} {
		for _, x := range []struct {
			mode   policy.Mode
			policy string
			want   verdict.Decision
		}{
			{unattended, "", c.unattended},
			{attended, "", c.thatAsks},
			{unattended, "[levels]\nwrite = \"allow\"\n", c.freed},
			{unattended, "[levels]\nbuild_test = \"deny\"\nnetwork = \"allow\"\n", c.strict},
			{unattended, "[levels.unattended]\nprivileged = \"allow\"\n", c.privily},
		} {
			v := decided(t, testGate(t, x.mode, x.policy), c.command, nil)
			if v.Decision != x.want || v.Profile != c.profile || v.Reason == "" || v.By == "" {
				t.Errorf("%q, mode %d, policy %q: %+v, want %s", c.command, x.mode, x.policy, v, x.want)
			}
		}
	}
}

// TestHeld holds that nothing wipes what nobody gets back with nobody there, unless an allow rule
// names it, and that a person is asked about it.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		command, policy      string
		unattended, thatAsks verdict.Decision
	}{
		{"find . | xargs rm -rf", "", "deny", "ask"},
		{"rm --recursive $(ls)", "", "deny", "ask"},
		{"ls | xargs rm -r", "[[allow]]\npattern = \"rm *\"\n", "deny", "ask"},
		{"ls | xargs rm -r", "[[allow]]\nrow = \"path:unknown\"\n", "allow", "allow"},
		{"rm -rf \"$D\"/*", "", "deny", "ask"},
		{"rm -rf \"$D\"/*", "[levels.attended]\ndestructive = \"allow\"\n", "deny", "ask"},
		{"git filter-repo --path a", "", "deny", "ask"},
		{"git filter-repo --analyze", "", "allow", "allow"},
		{"cd nosuch; rm -rf *", "", "deny", "ask"},
		{"while read -r f; do rm \"$f\"; done < list", "", "deny", "ask"},
		{"rm -rf sub/.hg", "", "deny", "ask"},
		{"mv draft.txt /tmp/", "", "deny", "ask"},
		{"git stash clear", "", "allow", "ask"},
		{"git ls-files '*.o' | xargs rm", "", "allow", "ask"},
		{"mv .git /tmp/x", "", "deny", "ask"},
		{"while :; do sleep 99 & done", "", "deny", "ask"},
		{"git branch -D old", "", "allow", "ask"},
	} {
		for m, want := range [...]verdict.Decision{unattended: c.unattended, attended: c.thatAsks} {
			v := decided(t, testGate(t, policy.Mode(m), c.policy), c.command, nil)
			if v.Decision != want || v.Profile != "workspace" || v.Reason == "" {
				t.Errorf("%q, mode %d, policy %q: %+v, want %s", c.command, m, c.policy, v, want)
			}
		}
	}
}

// TestModes holds the decisions where no sandbox of ours is around the commands,
// and in a try.
func TestModes(t *testing.T) {
	const freed = "[levels.try]\nnetwork = \"allow\"\ndestructive = \"allow\"\n"
	for _, c := range []struct {
		command                             string
		unconfined, nobody, tried, projects verdict.Decision
	}{
		{readOnly, "allow", "allow", "allow", "allow"},
		{buildTest, "ask", "deny", "allow", "allow"},
		{write, "ask", "deny", "allow", "allow"},
		{destructive, "ask", "deny", "allow", "ask"},
		{network, "ask", "deny", "allow", "ask"},
		{privileged, "ask", "deny", "deny", "deny"}, // nothing leaves a try
		{denied, "deny", "deny", "deny", "deny"},
	} {
		for _, x := range []struct {
			name string
			options
			projects string
			want     verdict.Decision
		}{
			{"unconfined", options{ask: true, unconfined: true}, "", c.unconfined},
			{"unconfined, nobody there", options{unconfined: true}, "", c.nobody},
			{"try", options{ask: true, try: true}, "", c.tried},
			{"try, tightened", options{ask: true, try: true},
				"[levels.try]\ndestructive = \"ask\"\n", c.projects},
		} {
			dir := t.TempDir()
			err := errors.Join(os.Mkdir(dir+"/.ua", 0o700),
				os.WriteFile(dir+"/.ua/policy.toml", []byte(x.projects), 0o600))
			p, err2 := policyOf(t, freed).In([]string{dir}, t.Errorf)
			if err = errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			x.shell, x.cwd, x.hosts = "bash", "/home/user/project", []string{"example.org"}
			g := gateWith(&prog.Env{Stdout: os.Stdout, Stderr: os.Stderr}, x.options, p)
			if v := decided(t, g, c.command, nil); v.Decision != x.want {
				t.Errorf("%s: %q: %s by %s (%s), want %s", x.name, c.command, v.Decision, v.By, v.Reason,
					x.want)
			}
		}
	}
}

func TestRules(t *testing.T) {
	const rules = `
[[deny]]
pattern = "git push --force *"
reason = "history is shared"
[[deny]]
pattern = ["nc *", "ncat *"]
[[ask]]
pattern = "make deploy *"
[[allow]]
pattern = "sudo systemctl status *"
[[allow]]
pattern = "curl https://example.org/*"
[[allow]]
pattern = ["make *", "cat *"]
[[ask]]
row = "path:guarded"
[[allow]]
row = "env:FOO_*"
pattern = "make *"
`
	for _, c := range []struct {
		command              string
		unattended, thatAsks verdict.Decision
		by                   string // unattended
	}{
		{"git push origin main --force", "deny", "deny", "rule"},
		{"ls; (cd x && git push --force)", "deny", "deny", "rule"},
		{`git push "$flag"`, "deny", "deny", "rule"}, // may be --force
		{"bash -c 'nc -l 1'", "deny", "deny", "rule"},
		{"make deploy", "deny", "ask", "rule"},
		{"sudo systemctl status sshd", "allow", "allow", "rule"},
		{"sudo systemctl status sshd; sudo id", "deny", "ask", "level"},
		{"curl https://example.org/x", "allow", "allow", "level"},
		{"curl https://example.com/x", "allow", "ask", "level"},
		{"make CC=clang", "allow", "allow", "level"},
		{"LD_PRELOAD=./x.so make", "allow", "allow", "level"}, // by no rule: the sandbox holds it
		{"cat ~/.ssh/id_rsa", "allow", "deny", "level"},       // the sandbox hides it
		{"echo x >>.vscode/tasks.json", "deny", "ask", "rule"},
		{"echo x >>.git/hooks/pre-commit", "deny", "deny", "rule"}, // it is never taken
		{"FOO_X=./x.so make", "allow", "allow", "level"},
		{"BAR_X=./x.so make", "allow", "allow", "level"},
		{"FOO_X=./x.so rm x", "allow", "ask", "level"},
		{denied, "deny", "deny", "level"}, // an allow rule does not reach it
	} {
		v := decided(t, testGate(t, unattended, rules), c.command, nil)
		if v.Decision != c.unattended || v.By != c.by {
			t.Errorf("%q unattended: %s by %s (%s), want %s by %s", c.command, v.Decision, v.By, v.Reason,
				c.unattended, c.by)
		}
		if v := decided(t, testGate(t, attended, rules), c.command, nil); v.Decision != c.thatAsks {
			t.Errorf("%q attended: %s by %s (%s), want %s", c.command, v.Decision, v.By, v.Reason,
				c.thatAsks)
		}
	}
	v := decided(t, testGate(t, unattended, rules), "git push --force", nil)
	if v.Reason != "history is shared" || v.Rule != "policy.toml:3" {
		t.Errorf("the rule's own words: %+v", v)
	}
}

// What nobody has read may be anything: every deny and ask rule matches it, no
// allow rule, grant or hook frees it, and with nobody there it is denied.
func TestUnread(t *testing.T) {
	const (
		vouch = "[[hooks.pre_exec]]\ncommand = [\"echo\", '{\"decision\":\"allow\"}']\n"
		free  = "[levels]\nprivileged = \"allow\"\n[[allow]]\nrow = \"*\"\n"
		never = "[[deny]]\npattern = \"sudo *\"\n"
		first = "[[ask]]\nrow = \"sudo\"\n"
	)
	for _, command := range []string{"sudo id; echo 'x", "eval \"$x\"", "ls | sh"} {
		for _, c := range []struct {
			policy               string
			unattended, thatAsks verdict.Decision
			by                   string
		}{
			{"", "deny", "ask", "level"},
			{free, "deny", "ask", "level"},
			{vouch, "deny", "ask", "level"},
			{never, "deny", "deny", "rule"},
			{first, "deny", "ask", "rule"},
			{"[levels]\ndestructive = \"deny\"\n", "deny", "deny", "level"},
		} {
			for m, want := range [...]verdict.Decision{unattended: c.unattended, attended: c.thatAsks} {
				g := testGate(t, policy.Mode(m), c.policy)
				g.granted.Add(g.sandbox(), []*finding.Part{{Row: "parse", Level: verdict.Denied}}, nil)
				v := decided(t, g, command, nil)
				if v.Decision != want || policy.Mode(m) == attended && v.By != c.by {
					t.Errorf("%q, mode %d, policy %q: %s by %s (%s), want %s by %s",
						command, m, c.policy, v.Decision, v.By, v.Reason, want, c.by)
				}
			}
		}
	}
}

// A script from the network needs the whole word, not a y.
func TestNeedsYes(t *testing.T) {
	fetched := &finding.Part{Row: "pipe:net", Level: verdict.Network, Unread: true}
	for _, c := range []struct {
		risk verdict.Level
		open []*finding.Part
		want bool
	}{
		{verdict.Network, nil, false},
		{verdict.Network, []*finding.Part{{Row: "curl", Level: verdict.Network}}, false},
		{verdict.Network, []*finding.Part{fetched}, true},
		{verdict.Privileged, nil, true},
	} {
		q := &pendingCall{call: &call{}, open: c.open}
		q.Risk = c.risk
		for word, want := range map[string]verdict.Decision{"allow": "deny", "session": "deny",
			"yes": "allow"} {
			if !c.want {
				want = "allow"
			}
			testGate(t, attended).settle(q, person.Reply{Word: word})
			if q.needsYes() != c.want || q.Decision != want {
				t.Errorf("%v, %q: needs yes %t, %s; want %t, %s", c, word, q.needsYes(), q.Decision, c.want,
					want)
			}
		}
	}
}

// A question frees nothing that a level denies, whoever asks it.
func TestAskUnderDeny(t *testing.T) {
	const denies = "[levels]\nnetwork = \"deny\"\n"
	for _, p := range []string{
		"[[ask]]\npattern = \"curl *\"\n",
		"[[hooks.pre_exec]]\ncommand = [\"echo\", '{\"decision\":\"ask\"}']\n",
		"[[hooks.pre_exec]]\ncommand = [\"echo\", '{\"decision\":\"allow\"}']\n",
	} {
		if v := decided(t, testGate(t, attended, denies, p), network, nil); v.Decision != "deny" ||
			v.By != "level" {
			t.Errorf("%q: %+v", p, v)
		}
	}
}

// An upstream verdict is never loosened, whatever this gate says.
func TestTighten(t *testing.T) {
	for _, d := range []verdict.Decision{"allow", "ask", "deny"} {
		for _, risk := range verdict.Levels() {
			for _, profile := range verdict.Profiles() {
				line := `{"type":"verdict","call_id":"c1","decision":"` + string(d) + `","risk":"` + risk +
					`","profile":"` + profile + `"}`
				up := parseVerdict([]byte(line))
				for _, command := range []string{readOnly, write, network, privileged, denied} {
					own := decided(t, testGate(t, unattended), command, nil)
					v := decided(t, testGate(t, unattended), command, &up)
					if policy.Strictness(v.Decision) < policy.Strictness(up.Decision) ||
						policy.Strictness(v.Decision) < policy.Strictness(own.Decision) ||
						v.Risk < up.Risk || v.Risk < own.Risk || !v.Profile.Within(up.Profile) ||
						!v.Profile.Within(own.Profile) {
						t.Errorf("%q under %s: %+v", command, line, v)
					}
				}
			}
		}
	}
}

func TestUnreadableUpstream(t *testing.T) {
	for line, want := range map[string]verdict.Decision{
		`{"decision":"allow"}`:              "allow",
		`{"decision":"maybe"}`:              "deny",
		`{}`:                                "deny",
		`{"decision":"allow","risk":"low"}`: "deny",
		`{"decision":"allow","profile":7}`:  "deny",
		// readers differ in which they take
		`{"decision":"allow","decision":"deny"}`:                "deny",
		`{"decision":["allow"],"risk":"write"}`:                 "deny",
		`{"decision":"allow","command":"sudo id"}`:              "deny",
		`{"decision":"allow","command":"echo x\u0007"}`:         "deny",
		`{"decision":"allow","command":"ls -l","risk":"write"}`: "allow",
	} {
		up := parseVerdict([]byte(line))
		if v := decided(t, testGate(t, unattended), readOnly, &up); v.Decision != want {
			t.Errorf("%s: %+v, want %s", line, v, want)
		}
	}
}

// What an earlier gate has not judged does not run behind it.
func TestChangedBehindAnotherGate(t *testing.T) {
	g := testGate(t, unattended,
		"[[hooks.pre_exec]]\n"+
			"command = [\"printf\", '{\"decision\":\"modify\",\"command\":\"ls -l\"}']\n")
	if v := decided(t, g, "ls", nil); v.Decision != "allow" || v.Command != "ls -l" {
		t.Errorf("alone: %+v", v)
	}
	up := Verdict{Decision: "allow", Profile: "none", Delegates: true}
	if v := decided(t, g, "ls", &up); v.Decision != "deny" || !strings.Contains(v.Reason, "ls -l") {
		t.Errorf("behind another gate: %+v", v)
	}
}

// TestHeldBySandbox holds that code which no rule reads runs unasked only with a person there, in
// a sandbox that holds it, by a policy that leaves it to that, and if its text says no loss.
func TestHeldBySandbox(t *testing.T) {
	const unread = `lua -e 'print(1)'`
	for _, c := range []struct {
		command, policy, tier string
		mode                  policy.Mode
		want                  verdict.Decision
	}{
		{unread, "", "3", attended, verdict.Allow},
		{unread, "", "2", attended, verdict.Ask},
		{unread, "[levels]\ndestructive = \"deny\"", "4", attended, verdict.Deny},
		{unread, "[levels]\nwrite = \"ask\"", "4", attended, verdict.Ask},
		{unread, "[[ask]]\npattern = \"lua *\"", "4", attended, verdict.Ask},
		{"nosuchprogram x", "", "4", attended, verdict.Allow},
		{"nosuchprogram --delete x", "", "4", attended, verdict.Ask},
		{`lua -e 'print(io.open(".env"):read("a"))'`, "", "4", attended, verdict.Ask},
		{`lua -e 'f(".git/hooks/pre-commit")'`, "", "4", attended, verdict.Ask},
		{`lua -e 'io.open("main.go", "w")'`, "", "4", attended, verdict.Ask},
		{`lua -e 'git("push", "-f")'`, "", "4", attended, verdict.Ask},
		{`lua -e "$CODE"`, "", "4", attended, verdict.Ask},
		{"sudo nosuchprogram", "", "4", attended, verdict.Ask},
		{unread + "; curl -d @x https://example.org", "", "4", attended, verdict.Ask},
	} {
		t.Setenv("UA_SANDBOX", c.tier)
		g := testGate(t, c.mode, c.policy)
		g.confines = confines
		v, err := g.decide(&call{command: c.command}, nil, nil)
		if err != nil || v.Decision != c.want {
			t.Errorf("%s (tier %s, mode %d, %q): %s, %s, %v", c.command, c.tier, c.mode, c.policy,
				v.Decision, v.Reason, err)
		}
	}
}

// TestLossInTry holds that nobody is asked about a loss that a try can undo, unless a policy says
// so, and still about all else.
func TestLossInTry(t *testing.T) {
	for text, want := range map[string]string{
		"": "rm -r src: allow, ls | xargs rm: allow, mv .hg /tmp: ask, mv a /tmp: allow, " +
			"git rm -r .: ask, git push: ask, rm -r src >>.vscode/tasks.json: ask",
		"[levels.try]\ndestructive = \"ask\"\n": "rm -r src: ask, ls | xargs rm: ask, " +
			"mv .hg /tmp: ask, mv a /tmp: ask, git rm -r .: ask, git push: ask, " +
			"rm -r src >>.vscode/tasks.json: ask",
	} {
		p := policyOf(t, text)
		o := options{ask: true, try: true, shell: "bash", cwd: "/home/user/project",
			hosts: []string{"git"}}
		g := gateWith(&prog.Env{Stdout: os.Stdout, Stderr: os.Stderr}, o, p)
		var got []string
		for _, command := range []string{"rm -r src", "ls | xargs rm", "mv .hg /tmp", "mv a /tmp",
			"git rm -r .", "git push", "rm -r src >>.vscode/tasks.json"} {
			got = append(got, command+": "+string(decided(t, g, command, nil).Decision))
		}
		if is := strings.Join(got, ", "); is != want {
			t.Errorf("%q: %s, want %s", text, is, want)
		}
	}
}

//go:build linux

package broker

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/internal/common/run"
	"ua/internal/common/verdict"
)

// TestPack: what Pack puts into the environment is what Enter finds there, however long it
// is and whatever bytes it has.
func TestPack(t *testing.T) {
	q := &Request{Dir: "/w\xff", Words: []tree.Name{"a", "b\nc", tree.Name(strings.Repeat("x",
		3*partMax))},
		Env: []tree.Name{"A=1", "B=\xfe=2"}}
	environ, names := Pack(q)
	var text string
	for _, kv := range environ[len(environ)-len(names):] {
		_, value, _ := strings.Cut(kv, "=")
		text += value
		if len(kv) > 128<<10 {
			t.Errorf("a variable of %d bytes", len(kv))
		}
	}
	got, err := decode([]byte(text))
	if err != nil || len(names) < 3 || got.Dir != q.Dir || !slices.Equal(got.Words, q.Words) ||
		!slices.Equal(got.Env, q.Env) {
		t.Errorf("%d parts: %v", len(names), err)
	}
}

func TestCarried(t *testing.T) {
	t.Setenv("TMPDIR", "/tmp/own")
	got := Carried([]string{
		"A=1", "HTTPS_PROXY=x", "no_proxy=x", "UA_SANDBOX=4", "UA_SANDBOX_WRITE=x",
		"UA_TRIES=x", "UA_TRIES_TOKEN=x", "UA_JOBS=x", "TMPDIR=/tmp/own", "CACHE=/tmp/own/cache",
		"UA_MODEL=m", "PWD=/", "UA_TRY=x",
		"GIT_SSH_COMMAND=ssh -o 'ProxyCommand=ua-sandbox --connect %h %p'",
	})
	if want := []tree.Name{"A=1", "UA_MODEL=m"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestFind(t *testing.T) {
	made := []string{"/t/20260101-1-a", "/t/20260101-2-b"}
	for word, want := range map[string]string{"last": made[1], "20260101-1-a": made[0],
		made[0]:      made[0],
		"20260101-1": "", "/other/20260101-1-a": "", "": "", "..": ""} {
		if got := find(made, word); got != want {
			t.Errorf("%q: %q", word, got)
		}
	}
	if got := find(nil, "last"); got != "" {
		t.Errorf("%q of none", got)
	}
}

// FuzzDecode: what is taken for a request can be made arguments and variables of.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"words":["a"],"dir":"/w","env":["A=1"],"token":"x"}`,
		`{"words":["a\u0000"]}`,
		`{"env":["=x"]}`, `{"env":[{"base64":"QQA9"}]}`, `[]`,
		`{"words":null,"verb":"ls","flags":["--json"]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		q, err := decode(line)
		if err != nil {
			return
		}
		for _, word := range slices.Concat(q.Words, q.Env, q.Except, []tree.Name{q.Dir}) {
			if strings.ContainsRune(string(word), 0) {
				t.Fatalf("%q", word)
			}
		}
		for _, kv := range q.Env {
			if name, _, ok := strings.Cut(string(kv), "="); !ok || name == "" {
				t.Fatalf("%q", kv)
			}
		}
		if _, err := json.Marshal(q); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOperands finds what a verb is done on: nothing but tries that were made here.
func TestOperands(t *testing.T) {
	made := []string{"/t/1-a", "/t/2-b"}
	for _, c := range []struct {
		verb, flags, words string
		made               []string
		want, wrong        string
	}{
		{"apply", "", "", made, "/t/2-b", ""},
		{"apply", "", "last f g", made, "/t/2-b f g", ""},
		{"apply", "", "1-a", made, "/t/1-a", ""},
		{"apply", "", "", nil, "", `"last": no try of this run`},
		{"apply", "", "f", made, "", `"f": no try of this run`},
		{"undo", "", "/t/1-a", made, "/t/1-a", ""},
		{"undo", "", "/elsewhere/1-a", made, "", "no try of this run"},
		{"diff", "", "", made, "", "only with --stat or --name-status"},
		{"diff", "--json", "", made, "", "only with --stat or --name-status"},
		{"diff", "--stat", "last f", made, "/t/2-b f", ""},
		{"ls", "--json", "", made, "/t/1-a /t/2-b", ""},
		{"ls", "", "", nil, "", ""},
		{"ls", "", "2-b last", made, "/t/2-b /t/2-b", ""},
		{"ls", "", "2-b f", made, "", `"f": no try of this run`},
		{"drop", "", "", made, "/t/2-b", ""},
		{"drop", "", "", nil, "", ""},
		{"drop", "", "1-a 2-b", made, "/t/1-a /t/2-b", ""},
		{"drop", "", "1-a /etc", made, "", `"/etc": no try of this run`},
		{"serve", "", "last", made, "", `"serve": no verb for a try`},
		{"enter", "", "", made, "", "no verb"},
	} {
		q := &Request{Verb: c.verb, Flags: strings.Fields(c.flags)}
		for _, word := range strings.Fields(c.words) {
			q.Words = append(q.Words, tree.Name(word))
		}
		list, no := operands(q, c.made)
		if strings.Join(list, " ") != c.want || (no == nil) != (c.wrong == "") ||
			no != nil && (!strings.Contains(no.Error, c.wrong) || no.Status == 0) {
			t.Errorf("%s %s %s: %q, %+v", c.verb, c.flags, c.words, list, no)
		}
	}
}

// TestToken gives a profile to who has its token, and none wider than the server may.
func TestToken(t *testing.T) {
	for widest, want := range map[verdict.Profile][]string{
		verdict.ProfileReadOnly: {"read-only"}, verdict.ProfileWorkspace: {"read-only", "workspace"},
		verdict.ProfileNone: verdict.Profiles(),
	} {
		s := &Server{Secret: "of this run", Widest: widest, Lives: t.TempDir()}
		for _, name := range verdict.Profiles() {
			life := filepath.Join(s.Lives, run.LiveName(name, "ID"))
			os.WriteFile(life, nil, 0o600)
			got, _ := s.profile(run.TriesToken("of this run", name) + "-ID")
			if slices.Contains(want, name) != (string(got) == name) || got != "" && string(got) != name {
				t.Errorf("at most %s: %s gets %q", widest, name, got)
			}
			os.WriteFile(filepath.Join(s.Lives, run.LiveName("other", "OTHER")), nil, 0o600)
			os.Mkdir(filepath.Join(s.Lives, run.LiveName(name, "FOLDER")), 0o700)
			own := run.TriesToken("of this run", name)
			for _, token := range []string{
				run.TriesToken("of another", name) + "-ID", name, "", "of this run", own, own + "-",
				own + "-OTHER", own + "-FOLDER", own + "-x/../" + run.LiveName(name, "ID"),
				own + "-ID-", own + "ID", "-ID",
			} {
				if got, _ := s.profile(token); got != "" {
					t.Errorf("at most %s: %q gets %q", widest, token, got)
				}
			}
			os.Remove(life)
			if got, _ := s.profile(own + "-ID"); got != "" {
				t.Errorf("at most %s: a command that has ended gets %q", widest, got)
			}
		}
	}
}

// TestLines sends requests as they may come: in pieces, and without an end.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		text, want string
		wrong      string
	}{
		{"{}\n", "{}", ""}, {"\n", "", ""}, {"{}\nmore\n", "{}", ""},
		{strings.Repeat("x", 200<<10) + "\n", strings.Repeat("x", 200<<10), ""},
		{"{}", "", "unexpected EOF"}, {"", "", "unexpected EOF"},
		{strings.Repeat("x", requestMax+1), "", "too long"},
	} {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			writeAll(fds[0], []byte(c.text))
			unix.Close(fds[0])
		}()
		got, err := readLine(fds[1])
		if strings.Contains(c.text, "more") { // a signal that came with the request
			if rest, err := readLine(fds[1]); string(rest) != "more" || err != nil {
				t.Errorf("what follows is %q, %v", rest, err)
			}
		}
		unix.Close(fds[1])
		if string(got) != c.want || (err == nil) != (c.wrong == "") || err != nil &&
			err.Error() != c.wrong {
			t.Errorf("%.20q: %.20q, %v", c.text, got, err)
		}
	}
}

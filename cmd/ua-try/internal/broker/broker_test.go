//go:build linux

package broker

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ua/cmd/ua-try/internal/tree"
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
	got := Carried([]string{"A=1", "HTTPS_PROXY=x", "no_proxy=x", "UA_SANDBOX=4", "UA_SANDBOX_WRITE=x",
		"UA_TRIES=x", "UA_TRIES_TOKEN=x", "UA_JOBS=x", "TMPDIR=/tmp/own", "CACHE=/tmp/own/cache",
		"UA_MODEL=m",
		"PWD=/", "UA_TRY=x", "GIT_SSH_COMMAND=ssh -o 'ProxyCommand=ua-sandbox --connect %h %p'"})
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

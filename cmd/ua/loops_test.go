package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// loops are the cases that ua, over both APIs, and scripts/ua.sh answer alike.
// types is what the journal holds between instruction and summary; a turn's
// letters are t turn, c tool_call, v verdict, r tool_result, a response, e error.
var loops = []struct {
	name, model, text, types string
	status                   int
	result                   string // what the first tool_result has as its output
}{
	{"no tool", "text: hello", "hello\n", "t a", 0, ""},
	{"one tool", "text: I look.\ncall: wc -l < note.txt\n---\ntext: three lines", "three lines\n",
		"t c v r a t a", 0, "3"},
	{"several tools in one response",
		"call: echo one\ncall: echo two\ncall: echo three\n---\ntext: done", "done\n",
		"t c v r c v r c v r a t a", 0, "one"},
	{"a failing command", "call: exit 7\n---\ntext: it failed", "it failed\n",
		"t c v r a t a", 0, ""},
	{"an unknown tool", "tool: fly {\"to\":\"moon\"}\n---\ncall: echo walk\n---\ntext: done",
		"done\n", "t c v r a t c v r a t a", 0, ""},
	{"a denied command", "call: sudo rm -rf /etc\n---\ncall: echo fine\n---\ntext: without",
		"without\n", "t c v r a t c v r a t a", 0, ""},
	{"text in one-byte pieces",
		"pieces: 1\ntext: añ😀 €\ncall: echo x\n---\npieces: 1\ntext: ça",
		"ça\n", "t c v r a t a", 0, "x"},
	{"2 MiB of output", "call: head -c 2097152 /dev/zero | tr '\\\\0' x\n---\ntext: long", "long\n",
		"t c v r a t a", 0, "x"},
	{"an answer that is cut", "text: half a wo\ncut", "", "t e a", 75, ""},
	{"a refused key", "status: 401", "", "t e", 2, ""},
}

func TestLoops(t *testing.T) {
	bin := scripttest.Bin(t)
	script, err := filepath.Abs("../../scripts/ua.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range loops {
		for _, loop := range []struct{ name, model, program string }{
			{"ua messages", "anthropic/fake", filepath.Join(bin, "ua")},
			{"ua chat", "openai-chat/fake", filepath.Join(bin, "ua")},
			{"ua.sh messages", "anthropic/fake", script},
			{"ua.sh chat", "openai-chat/fake", script},
		} {
			t.Run(c.name+"/"+loop.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				os.WriteFile(filepath.Join(dir, "model"), []byte(c.model+"\n"), 0o644)
				os.WriteFile(filepath.Join(dir, "note.txt"), []byte("one\ntwo\nthree\n"), 0o644)
				server := httptest.NewServer(modeltest.New(dir))
				defer server.Close()
				cmd := exec.Command(loop.program, "do", "it")
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir,
					"XDG_STATE_HOME="+filepath.Join(dir, "state"),
					"ANTHROPIC_BASE_URL="+server.URL, "OPENAI_BASE_URL="+server.URL+"/v1", "UA_MODEL="+loop.model,
					"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789", "OPENAI_API_KEY=sk-test-key-0123456789")
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				cmd.Run()
				if stdout.String() != c.text || cmd.ProcessState.ExitCode() != c.status {
					t.Errorf("status %d, stdout %q, want %d and %q\n%s", cmd.ProcessState.ExitCode(),
						stdout.String(), c.status, c.text, stderr.Bytes())
				}
				if c.status == 2 && loop.program != script {
					return // it leaves no run
				}
				kept := journalOf(t, dir)
				if got := letters(kept); got != "run system instruction "+c.types+" summary" {
					t.Errorf("journal: %s, want %s", got, c.types)
				}
				if out := gjson.GetBytes(kept, `..#(type=="tool_result").output`).Str; c.result != "" &&
					!strings.Contains(out, c.result) {
					t.Errorf("the first result is %.300q", out)
				}
			})
		}
	}
}

// journalOf is the journal of the one run under dir.
func journalOf(t *testing.T, dir string) []byte {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(dir, "state/ua/runs/*/journal.jsonl"))
	if len(found) != 1 {
		t.Fatalf("journals: %v", found)
	}
	kept, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// letters is the types of a journal's lines, those of a turn in one letter.
func letters(kept []byte) string {
	var list []string
	for line := range bytes.Lines(kept) {
		typ := gjson.GetBytes(line, "type").Str
		switch typ {
		case "turn", "verdict", "error":
			typ = typ[:1]
		case "tool_call":
			typ = "c"
		case "tool_result":
			typ = "r"
		case "response":
			typ = "a"
		}
		list = append(list, typ)
	}
	return strings.Join(list, " ")
}

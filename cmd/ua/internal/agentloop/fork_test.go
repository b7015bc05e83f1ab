package agentloop

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
)

// journalOf writes a run's journal.
func journalOf(t testing.TB, text string) run.Run {
	t.Helper()
	r := run.Run{ID: "old", Dir: t.TempDir()}
	if err := os.WriteFile(r.Journal(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

const conversation = `{"type":"run","id":"old","task":"t"}
{"type":"instruction","text":"t"}
{"type":"turn","n":1}
{"type":"response","stop_reason":"tool_use","content":[]}
junk
{"type":"turn","n":2}
{"type":"response","stop_reason":"end_turn","content":[]}
{"type":"summary","exit_code":0}
`

// A fork has what came before a turn, under its own name, and no end.
func TestCopyEvents(t *testing.T) {
	for at, want := range map[int]string{
		0: "run instruction turn response turn response",
		1: "run instruction",
		2: "run instruction turn response",
		3: "run instruction turn response turn response",
	} {
		from, to := journalOf(t, conversation), run.Run{ID: "new", Dir: t.TempDir()}
		var out bytes.Buffer
		changed := 0
		if err := copyEvents(&out, strings.NewReader(conversation), from, to, at,
			func() { changed++ }); err != nil || changed == 0 { // it has no chain at all
			t.Fatalf("%v, changed %d times", err, changed)
		}
		var types []string
		for line := range bytes.Lines(out.Bytes()) {
			types = append(types, event.Type(line))
		}
		if got := strings.Join(types, " "); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
		first := gjson.ParseBytes(out.Bytes())
		if first.Get("id").Str != "new" || first.Get("fork").Str != "old" {
			t.Errorf("at %d: %s", at, first)
		}
	}
	err := copyEvents(io.Discard, strings.NewReader(conversation),
		run.Run{ID: "old"}, run.Run{ID: "new"}, 4, func() {})
	if err == nil || err.Error() != "--at 4: old has 2 turns" {
		t.Errorf("a turn that is not there: %v", err)
	}
}

// FuzzCopyEvents: whatever stands in a journal, a fork of it has only whole events and no end.
func FuzzCopyEvents(f *testing.F) {
	f.Add(conversation, 0)
	f.Add("{\"type\":\"run\"}\n{\"type\":\"summary\"", 1)
	f.Add("\x00\n[1]\n{}\n{\"type\":7,\"media\":[{\"path\":\"../../x\"}]}\n", -1)
	f.Fuzz(func(t *testing.T, text string, at int) {
		var out bytes.Buffer
		from, to := run.Run{ID: "old", Dir: t.TempDir()}, run.Run{ID: "new"}
		if copyEvents(&out, strings.NewReader(text), from, to, at, func() {}) != nil {
			return
		}
		for line := range bytes.Lines(out.Bytes()) {
			if typ := event.Type(line); !event.Valid(bytes.TrimSuffix(line, []byte("\n"))) ||
				typ == "summary" {
				t.Errorf("%q", line)
			}
		}
	})
}

// A run has its answer when nothing came after a whole one.
func TestAnswered(t *testing.T) {
	const answer = `{"type":"response","stop_reason":"end_turn"}` + "\n"
	for _, c := range []struct {
		journal string
		want    bool
	}{
		{conversation, true},
		{"", false},
		{answer, true},
		{answer + `{"type":"instruction"}` + "\n", false},
		{answer + `{"type":"message"}` + "\n", false},
		{answer + `{"type":"shell_command"}` + "\n", false},
		{answer + `{"type":"response","stop_reason":"max_tokens"}` + "\n", false},
		{answer + "junk\n" + `{"type":"summary"}` + "\n", true},
		{answer + `{"type":"instruc`, true},
	} {
		if got := runfolder.Read(journalOf(t, c.journal)).Whole; got != c.want {
			t.Errorf("%q: %v", c.journal, got)
		}
	}
	if runfolder.Read(run.Run{Dir: filepath.Join(t.TempDir(), "none")}).Whole {
		t.Error("a run without a journal")
	}
}

// A file gets the answer whole or stays as it is; a pipe is written as it is.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	for _, text := range []string{"first", "second"} {
		if err := saveAnswer(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); string(got) != text || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := saveAnswer(path, []byte("third")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%v", list)
	}
	if err := saveAnswer(filepath.Join(dir, "none", "out"), nil); err == nil {
		t.Error("saved in no folder")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := saveAnswer("/dev/fd/"+itoa(int(w.Fd())), []byte("x")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if got, err := io.ReadAll(r); string(got) != "x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/event"
	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// TestRingSendsWhatReadSends compares each request of a run, whose conversation
// is cut several times, with what `ua-journal read | ua-think` makes of the
// journal as it was then.
func TestRingSendsWhatReadSends(t *testing.T) {
	const turns, budget = 14, "1500"
	bin := scripttest.Bin(t)
	for _, api := range []string{"anthropic/fake", "openai-chat/fake"} {
		t.Run(api, func(t *testing.T) {
			dir := t.TempDir()
			var answers strings.Builder
			for i := range turns {
				fmt.Fprintf(&answers, "text: step %d\ncall: seq %d00 %d99\ncall: echo b%d\n---\n", i, i, i, i)
			}
			answers.WriteString("text: done\n")
			os.WriteFile(filepath.Join(dir, "model"), []byte(answers.String()), 0o644)
			m := modeltest.New(dir)
			m.AnyTurn = true
			server := httptest.NewServer(m)
			defer server.Close()
			env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir,
				"XDG_STATE_HOME="+filepath.Join(dir, "state"), "UA_MODEL="+api,
				"ANTHROPIC_BASE_URL="+server.URL, "OPENAI_BASE_URL="+server.URL+"/v1",
				"ANTHROPIC_API_KEY=sk-ant-test-key-0123456789", "OPENAI_API_KEY=sk-test-key-0123456789")
			cmd := exec.Command(filepath.Join(bin, "ua"), "-q", "--context-tokens", budget, "task")
			cmd.Dir, cmd.Env = dir, env
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != "done\n" {
				t.Fatalf("%v: %s", err, out)
			}
			kept := journalOf(t, dir)
			n, cuts, at := 0, 0, 0
			for line := range bytes.Lines(kept) {
				if event.Type(line) == "turn" {
					n++
					sent, err := os.ReadFile(filepath.Join(dir, "requests", fmt.Sprint(n)))
					if err != nil {
						t.Fatal(err)
					}
					then := filepath.Join(dir, "then.jsonl")
					os.WriteFile(then, kept[:at], 0o600)
					read := exec.Command("sh", "-c",
						"ua-journal read --budget "+budget+" ./then.jsonl | ua-think --dry-run")
					read.Dir, read.Env = dir, env
					printed, err := read.Output()
					if err != nil {
						t.Fatal(err)
					}
					if !sameRequest(sent, printed) {
						t.Fatalf("request %d:\n%s\nfrom the journal:\n%s", n, sent, printed)
					}
					if bytes.Contains(sent, []byte("left out")) || bytes.Contains(sent, []byte("cut")) {
						cuts++
					}
				}
				at += len(line)
			}
			if n != turns+1 || cuts < 3 {
				t.Errorf("%d requests, %d of them with a cut", n, cuts)
			}
		})
	}
}

// sameRequest says whether a dry run printed the request that was sent: as it
// is, or as the body of an object.
func sameRequest(sent, printed []byte) bool {
	if bytes.Equal(bytes.TrimSpace(sent), bytes.TrimSpace(printed)) {
		return true
	}
	var v struct{ Body json.RawMessage }
	return json.Unmarshal(printed, &v) == nil && bytes.Equal(sent, v.Body)
}

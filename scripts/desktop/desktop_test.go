// Package desktop holds the test of the demo in which an agent works on a desktop.
package desktop

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// TestDesktop has a recorded model look at a real screen, click into a real editor's
// window, type, and look again: the second picture is another one, and its words can
// be read. A judge sees each click and typed text, and its objection is a denial.
func TestDesktop(t *testing.T) {
	scripttest.Need(t, "Xvfb", "xauth", "openbox", "mousepad", "scrot", "xdotool", "tesseract", "jq")
	dir := t.TempDir()
	var lines []string
	for i, command := range []string{
		"scrot -",
		"xdotool search --onlyvisible --name Mousepad windowactivate --sync mousemove --window %1 200 " +
			"200 click 1 type 'Hello from an agent'",
		"for i in $(seq 50); do scrot -o s.png && tesseract s.png - 2>/dev/null | grep -i 'hello " +
			"from an agent' && exit; sleep 0.2; done; exit 1",
		"xdotool type 'pass hunter2'",
		"scrot -",
	} {
		call := map[string]any{"type": "tool_use", "id": string(rune('a' + i)), "name": "shell",
			"input": map[string]any{"command": command}}
		b, err := json.Marshal(map[string]any{"type": "response", "model": "recorded",
			"stop_reason": "tool_use", "content": []any{call}})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	lines = append(lines,
		`{"type":"response","model":"recorded","stop_reason":"end_turn",`+
			`"content":[{"type":"text","text":"done"}]}`)
	model := filepath.Join(dir, "model.jsonl")
	if err := os.WriteFile(model, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A judge that the user has told only to warn; the agent's definition has it block.
	policy := filepath.Join(dir, ".config/ua/policy.toml")
	if err := os.MkdirAll(filepath.Dir(policy), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(policy, []byte(judge), 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("../desktop-demo")
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script, "-m", "replay:"+model, "write a greeting")
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "PATH="+scripttest.Bin(t)+":"+os.Getenv("PATH"), "HOME="+dir,
		"XDG_STATE_HOME="+dir, "TMPDIR="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	journals, err := filepath.Glob(filepath.Join(dir, "ua/runs/*/journal.jsonl"))
	if err != nil || len(journals) != 1 {
		t.Fatal(journals, err)
	}
	text, err := os.ReadFile(journals[0])
	if err != nil {
		t.Fatal(err)
	}
	var results []gjson.Result
	for line := range strings.Lines(string(text)) {
		if r := gjson.Parse(line); r.Get("type").Str == "tool_result" {
			results = append(results, r)
		}
	}
	if len(results) != 5 {
		t.Fatalf("%d results\n%s", len(results), text)
	}
	before, after := results[0].Get("media.0"), results[4].Get("media.0")
	if before.Get("media_type").Str != "image/png" || after.Get("ref").Str == "" ||
		before.Get("ref").Str == after.Get("ref").Str {
		t.Errorf("before %s, after %s", before, after)
	}
	if read := results[2].Get("output").Str; !strings.Contains(strings.ToLower(read),
		"hello from an agent") {
		t.Errorf("the screen reads %q after %s", results[2], results[1])
	}
	if denied := results[3]; denied.Get("status").Str != "denied" ||
		!strings.Contains(denied.Get("output").Str, "the judge: it types a secret") {
		t.Errorf("what the judge objects to: %s", denied)
	}
}

// judge objects to commands in which a known password stands, and agrees to the others.
const judge = `[judge]
command = ["sh", "-c", "grep -q hunter2 && ` +
	`echo '{\"decision\":\"deny\",\"category\":\"input\",\"reason\":\"it types a secret\"}' || ` +
	`echo '{\"decision\":\"allow\",\"reason\":\"it is asked for\"}'"]
mode = "warn"
`

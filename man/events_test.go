package man

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// eventPages returns for each type of event the words of its entry in ua-events(5), with those
// of the pages that the entry refers to for more.
func eventPages(t *testing.T) map[string]map[string]bool {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	word := regexp.MustCompile(`[a-z][a-z0-9_]*`)
	page := read("ua-events.5")
	list, _, _ := strings.Cut(page, "\n.Ss Order\n")
	_, list, _ = strings.Cut(list, "\n.Bl -tag -width Ds\n")
	pages := map[string]map[string]bool{}
	reference := regexp.MustCompile(`see\n\.Xr (\S+) (\d)`)
	for item := range strings.SplitSeq("\n"+list, "\n.It Cm ") {
		head, text, _ := strings.Cut(item, "\n")
		if strings.Contains(text, "see\n.Xr") {
			for _, other := range reference.FindAllStringSubmatch(text, -1) {
				text += read(other[1] + "." + other[2])
			}
		}
		words := map[string]bool{}
		for _, w := range word.FindAllString(text, -1) {
			words[w] = true
		}
		for typ := range strings.FieldsFuncSeq(head, func(r rune) bool { return r == ' ' || r == ',' }) {
			pages[typ] = words
		}
	}
	return pages
}

// TestEventsAreInTheManual: programs that read events have ua-events(5) to go by. What the
// programs write in runs that do many things has no type and no member that is not in it.
func TestEventsAreInTheManual(t *testing.T) {
	bin, dir := scripttest.Bin(t), t.TempDir()
	home := filepath.Join(dir, "home")
	work := filepath.Join(dir, "work")
	for _, d := range []string{home, work} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := func(stdin string, argv ...string) string {
		t.Helper()
		if path := filepath.Join(bin, argv[0]); argv[0] != "sh" {
			argv[0] = path
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Stdin = work, strings.NewReader(stdin)
		cmd.Env = []string{
			"HOME=" + home, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
		}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if len(out) == 0 {
			t.Fatalf("%q: %v: %s", argv, err, stderr.String())
		}
		return string(out)
	}
	calls := func(name string, commands ...string) {
		t.Helper()
		var blocks []string
		for i, command := range commands {
			input := fmt.Sprintf(`{"command":%q}`, command)
			if strings.HasPrefix(command, "{") {
				input = command
			}
			blocks = append(blocks, fmt.Sprintf(
				`{"type":"tool_use","id":"%s%d","name":"shell","input":%s}`, name, i, input))
		}
		text := `{"type":"response","model":"m","stop_reason":"tool_use","usage":{"input":5,` +
			`"output":2,"cost_usd":0.1},"content":[` +
			strings.Join(blocks, ",") + "]}\n" +
			`{"type":"response","model":"m","stop_reason":"end_turn",` +
			`"content":[{"type":"text","text":"done"}]}` + "\n"
		if err := os.WriteFile(filepath.Join(work, name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls("inner", "echo inner")
	calls("outer", "echo one; echo two >&2; false", "sudo reboot",
		"ua --model replay:inner.jsonl 'a smaller task'",
		`{"command":"sleep 60","timeout_ms":50}`, `{"command":"echo started","background":true}`,
		"head -c 3000000 /dev/zero | tr '\\\\0' x", "kill -TERM $$", "no-such-program-at-all",
		"cat image.png", "curl -s http://example.invalid/")
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
	if err := os.WriteFile(filepath.Join(work, "image.png"), []byte(png), 0o600); err != nil {
		t.Fatal(err)
	}
	var lines []string
	add := func(text string) {
		lines = append(lines, strings.Split(strings.TrimSpace(text), "\n")...)
	}
	add(run("", "ua", "--json", "--model", "replay:outer.jsonl", "the task"))
	add(run("", "ua-journal", "cat", "last"))
	add(run("", "ua", "--json", "--model", "replay:nowhere.jsonl", "a task that fails"))
	add(run("junk\n"+`{"type":"tool_call","id":"a","name":"shell",`+
		`"input":{"command":"ls"}}`+"\n", "sh", "-c", "ua-gate | ua-exec"))
	add(run("", "ua-think", "--events", "--model", "replay:inner.jsonl", "hello"))
	add(run("", "sh", "-c", `find "$HOME" -name journal.jsonl -exec cat {} +`))

	pages, seen := eventPages(t), map[string]bool{}
	bad := map[string]bool{}
	for _, line := range lines {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatalf("%v: %.300s", err, line)
		}
		var typ string
		json.Unmarshal(members["type"], &typ)
		seen[typ] = true
		words, known := pages[typ]
		if !known {
			bad[fmt.Sprintf("the type %q", typ)] = true
			continue
		}
		for name := range members {
			if !words[name] && !slices.Contains([]string{"type", "ts", "prev"}, name) {
				bad[fmt.Sprintf("%s: %q", typ, name)] = true
			}
		}
	}
	for what := range bad {
		t.Errorf("not in ua-events(5): %s", what)
	}
	for _, typ := range []string{
		"run", "system", "instruction", "turn", "tool_call", "verdict", "tool_result", "response",
		"subagent", "summary", "error", "delta",
	} {
		if !seen[typ] {
			t.Errorf("no %s was written: what does the test hold?", typ)
		}
	}
}

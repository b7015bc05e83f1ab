package foreign

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// events imports a text, and checks each event.
func events(t *testing.T, from, text string) (list []gjson.Result) {
	t.Helper()
	err := Import(from, "20260101-000000-000000", strings.NewReader(text), func(line []byte) error {
		if !event.Valid(line) || bytes.IndexByte(line, '\n') >= 0 {
			t.Fatalf("no event: %q", line)
		}
		list = append(list, gjson.Parse(string(line)))
		return nil
	})
	switch {
	case err != nil && len(list) > 0:
		t.Error(err)
	case err == nil && (list[0].Get("type").Str != "run" || list[1].Get("type").Str != "system" ||
		list[len(list)-1].Get("type").Str != "summary"):
		t.Errorf("%v", list)
	}
	return list
}

// TestOrder: calls have their results before the answer, whatever the order of the lines, and
// what is not taken is kept.
func TestOrder(t *testing.T) {
	for from, c := range map[string]struct {
		types   string
		foreign int
	}{
		"claude-code": {"run system instruction turn tool_call verdict tool_result tool_call " +
			"tool_result response turn tool_call verdict tool_result response turn tool_call verdict " +
			"tool_result response turn response summary", 6},
		"codex": {"run system instruction turn tool_call verdict tool_result tool_call verdict " +
			"tool_result response turn tool_call tool_result response turn tool_call verdict " +
			"tool_result response turn response summary", 9},
		"pi": {"run system instruction turn tool_call verdict tool_result tool_call tool_result " +
			"response turn tool_call verdict tool_result response turn response summary", 5},
	} {
		text, err := os.ReadFile("testdata/" + from + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var types []string
		foreign, codes := 0, ""
		for _, e := range events(t, from, string(text)) {
			if e.Get("type").Str == "foreign" {
				foreign++
				continue
			}
			types = append(types, e.Get("type").Str)
			if e.Get("type").Str == "tool_result" {
				codes += e.Get("exit_code").Raw + e.Get("status").Str + " "
			}
		}
		if got := strings.Join(types, " "); got != c.types || foreign != c.foreign {
			t.Errorf("%s: %d lines kept, %s", from, foreign, got)
		}
		if !strings.Contains(codes, "3run") {
			t.Errorf("%s: %s", from, codes)
		}
		if got := events(t, from, "{}\n[]\nnull\nx\n"+strings.Repeat("[", 20000)); got != nil {
			t.Errorf("%s: %v", from, got)
		}
	}
}

// fuzz holds that whatever stands in a file, what comes of it are events.
func fuzz(f *testing.F, from string) {
	text, err := os.ReadFile("testdata/" + from + ".jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	for line := range strings.Lines(string(text)) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) { events(t, from, text) })
}

func FuzzClaude(f *testing.F) { fuzz(f, "claude-code") }
func FuzzCodex(f *testing.F)  { fuzz(f, "codex") }
func FuzzPi(f *testing.F)     { fuzz(f, "pi") }

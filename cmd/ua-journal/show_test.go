package main

import (
	"bytes"
	"testing"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// FuzzView: whatever stands in a journal, no control character of it is printed.
func FuzzView(f *testing.F) {
	for _, typ := range []string{"run", "instruction", "message", "shell_command", "checkpoint",
		"tool_call", "verdict", "tool_result", "response", "error", "guarded", "subagent", "summary"} {
		f.Add(typ, hostile)
	}
	f.Fuzz(func(t *testing.T, typ, text string) {
		var out bytes.Buffer
		v := newView(&out, style.Style(false), false)
		e := event.New(typ)
		for _, name := range []string{"id", "ts", "model", "text", "from", "stage", "message", "name",
			"risk", "decision", "reason", "command", "path", "why", "agent", "state", "output"} {
			e.Str(name, text)
		}
		v.Write(append(e.Line(), '\n'))
		v.Write([]byte(text + "\n"))
		v.flush()
		v.now.Flush()
		for _, r := range string(bytes.ReplaceAll(out.Bytes(), []byte("\n"), nil)) {
			if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e {
				t.Errorf("%q", out.String())
			}
		}
	})
}

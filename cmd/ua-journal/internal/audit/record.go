// Package audit makes the lines of the audit log of the events of journals (ua-journal(1),
// The audit log).
package audit

import (
	"fmt"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// maxRecord is the longest line of the audit log, in bytes with its newline.
const maxRecord = 4000

// Record returns the line of the audit log for an event of a run, without newline, or nil
// if the log does not show it. Long texts are cut more and more until the line is short.
func Record(run string, line []byte) []byte {
	members := map[string]gjson.Result{}
	// Of two members with one name the first counts, as everywhere (gjson).
	gjson.ParseBytes(line).ForEach(func(name, v gjson.Result) bool {
		if _, twice := members[name.Str]; !twice {
			members[name.Str] = v
		}
		return true
	})
	for limit := 1600; ; limit /= 2 {
		e := record{event.At("", members["ts"].Str).Str("run", run), members, limit}
		text := e.build()
		if len(text) < maxRecord-1 || limit == 0 {
			return text
		}
	}
}

// A record is a line of the audit log that is being made.
type record struct {
	b     *event.Builder
	from  map[string]gjson.Result
	limit int // bytes that a long text keeps
}

// build returns the line with the members that the log shows of this type of event. Its
// own type says what happened: a tool_result can be an execution or a denial.
func (e record) build() []byte {
	kind := ""
	switch typ := e.from["type"].Str; typ {
	case "run":
		kind = typ
		e.copy("parent", "depth", "task", "agent", "model", "cwd", "pid")
	case "tool_call":
		kind = "proposal"
		e.add("call_id", e.from["id"])
		e.copy("name")
		e.add("command", e.from["input"].Get("command"))
	case "verdict":
		kind = typ
		e.copy("call_id", "decision", "risk", "by", "rule", "profile", "delegates", "command",
			"reason", "judge", "safer")
	case "tool_result":
		kind = "execution"
		e.copy("call_id", "status", "exit_code", "signal", "duration_ms", "profile", "cwd")
		// A command that did not run is a denial; its output is the reason.
		if status := e.from["status"].Str; status == "denied" || status == "refused" {
			kind = "denial"
			e.add("reason", e.from["output"])
		}
	case "subagent":
		kind = typ
		e.copy("state", "id", "pid", "depth", "agent", "isolation")
	case "model_request":
		kind = typ
		e.copy("n", "decision", "reason", "method", "path", "model", "agent", "pid", "depth",
			"status", "tool_calls", "request_sha256")
	case "proposal":
		kind = "descendant"
		e.add("call_id", e.from["id"])
		e.copy("n", "agent", "depth", "name", "input", "sha256")
	case "summary":
		kind = "end"
		e.copy("exit_code", "commands", "denied", "cost_usd", "duration_ms", "stage", "message")
	default:
		return nil
	}
	line := e.b.Line()
	return append([]byte(`{"type":"`+kind), line[len(`{"type":"`):]...)
}

// copy copies those of the named members that exist.
func (e record) copy(names ...string) {
	for _, name := range names {
		e.add(name, e.from[name])
	}
}

// add copies a scalar under a name. A long text is cut and says so; objects are left out.
func (e record) add(name string, v gjson.Result) {
	switch v.Type {
	case gjson.String:
		e.b.Str(name, cut(v.Str, e.limit))
	case gjson.Number:
		if len(v.Raw) < 40 {
			e.b.Raw(name, []byte(v.Raw))
		}
	case gjson.True, gjson.False:
		e.b.Bool(name, v.Bool())
	}
}

// cut returns s, or about its first limit bytes and a note on how many were cut.
func cut(s string, limit int) string {
	if len(s) <= limit+20 {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return fmt.Sprintf("%s…[%d bytes cut]", s[:limit], len(s)-limit)
}

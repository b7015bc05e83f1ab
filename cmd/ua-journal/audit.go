package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// auditLog is the operand that means the audit log.
const auditLog = "audit"

// eachRecord calls do for each line of the audit log: what the runs of the user and their
// subagents proposed, were allowed and did, the oldest run first. It is made of their
// journals.
func eachRecord(env *prog.Env, do func(line []byte) error) error {
	paths, err := allRuns()
	if err != nil {
		return err
	}
	for _, path := range paths {
		j, size, err := store.Open(path)
		if err != nil {
			warn(env, path)(err)
			continue
		}
		run := filepath.Base(filepath.Dir(path))
		err = journal.Each(j, size, warn(env, path), func(line []byte, _ int64) error {
			if record := record(run, line); record != nil {
				return do(record)
			}
			return nil
		})
		j.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// records says what the audit log shows of each type of event: the type of its line, and the
// members, some under another name.
var records = map[string]string{
	"run":       "run parent depth task agent model cwd pid",
	"tool_call": "proposal call_id=id name command=input.command",
	"verdict": "verdict call_id decision risk by rule profile delegates command reason judge " +
		"safer",
	"tool_result": "execution call_id status exit_code signal duration_ms profile cwd",
	"subagent":    "subagent state id pid depth agent isolation",
	"model_request": "model_request n decision reason method path model agent pid depth status " +
		"tool_calls request_sha256",
	"proposal": "descendant call_id=id n agent depth name input sha256",
	"summary":  "end exit_code commands denied cost_usd duration_ms stage message",
}

// maxRecord is the longest line of the audit log, in bytes with its newline.
const maxRecord = 4000

// record returns the line of the audit log for an event of a run, without newline, or nil if
// the log does not show it. Long texts are cut more and more until the line is short.
func record(run string, line []byte) []byte {
	kind, members, ok := strings.Cut(records[event.Type(line)], " ")
	if !ok {
		return nil
	}
	// A command that did not run is a denial; its output is the reason.
	if status := event.Str(line, "status"); kind == "execution" &&
		(status == "denied" || status == "refused") {
		kind, members = "denial", members+" reason=output"
	}
	for limit := 1600; ; limit /= 2 {
		b := event.At(kind, event.Str(line, "ts")).Str("run", run)
		for name := range strings.FieldsSeq(members) {
			name, path, renamed := strings.Cut(name, "=")
			if !renamed {
				path = name
			}
			switch v := gjson.GetBytes(line, path); {
			case v.Type == gjson.String:
				b.Str(name, cut(v.Str, limit))
			case v.IsBool() || v.Type == gjson.Number && len(v.Raw) < 40:
				b.Raw(name, []byte(v.Raw))
			}
		}
		if text := b.Line(); len(text) < maxRecord-1 || limit == 0 {
			return text
		}
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

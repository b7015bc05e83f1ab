package main

import (
	"github.com/tidwall/sjson"

	"ua/internal/common/verdict"
)

// A form says where an agent's answer has its members, as paths in JSON, "" for none.
type form struct {
	start            string // the answer with what is always in it
	decision, reason string
	message          string // the reason once more, of a question
	input, command   string // the tool's whole input with a changed command, or that alone
}

// toolForm is that of Claude Code's PreToolUse, which others have taken.
var toolForm = form{start: `{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`,
	decision: "hookSpecificOutput.permissionDecision",
	reason:   "hookSpecificOutput.permissionDecisionReason",
	input:    "hookSpecificOutput.updatedInput"}

// requestForm is that of a PermissionRequest, to which no answer leaves the question to the
// person.
var requestForm = form{start: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest"}}`,
	decision: "hookSpecificOutput.decision.behavior",
	input:    "hookSpecificOutput.decision.updatedInput"}

// answer returns the agent's answer, nil for none.
func (a *agent) answer(in hookCall, v *Verdict) []byte {
	f, w := a.form, *v
	codex, ask := a.name == "codex", v.Decision == verdict.Ask
	switch request := in.event == "PermissionRequest"; {
	case request && (ask || codex && v.Decision == verdict.Allow && v.Command != ""):
		return nil // Codex takes no changed input here
	case request:
		if f = requestForm; v.Decision == verdict.Deny {
			f.reason = "hookSpecificOutput.decision.message"
		}
	// Codex's PreToolUse accepts a denial or a changed input and rejects every other answer. What
	// is allowed or asked is left to its own approvals, which a PermissionRequest then answers.
	case codex && v.Decision != verdict.Deny && v.Command == "":
		return nil
	case codex && ask:
		w.Decision, w.Reason = verdict.Deny, v.Reason+"; a hook of the policy wants instead: "+v.Command
	// An object without a decision leaves the call to Crush's own question.
	case a.name == "crush" && ask:
		f = form{start: `{"version":1}`, command: f.command}
	// OpenCode runs what the plugin that installHook writes does not object to, so what needs a
	// question is denied.
	case a.name == "opencode" && v.Decision != verdict.Allow:
		f = form{start: "{}", reason: "deny"}
	}
	if !ask {
		f.message = ""
	}
	return f.answer(in, &w)
}

// answer returns the answer in the form.
func (f form) answer(in hookCall, v *Verdict) []byte {
	out := []byte(f.start)
	set := func(path, raw string) {
		if path != "" {
			out, _ = sjson.SetRawBytes(out, path, []byte(raw)) // the paths are ours
		}
	}
	why := quoted("ua-gate: " + v.Risk.String() + ": " + v.Reason)
	set(f.decision, quoted(string(v.Decision)))
	set(f.reason, why)
	set(f.message, why)
	if v.Command != "" && v.Decision != verdict.Deny {
		set(f.command, quoted(v.Command))
		// It replaces the whole input, so all other members are kept.
		input, err := sjson.SetBytes([]byte(in.input.Raw), "command", v.Command)
		if err != nil {
			input = []byte(`{"command":` + quoted(v.Command) + `}`)
		}
		set(f.input, string(input))
	}
	return out
}

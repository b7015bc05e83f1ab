package main

import (
	"github.com/tidwall/sjson"

	"ua/internal/common/verdict"
)

// A form says where an agent's answer has its members, as paths in JSON.
type form struct {
	start            string // the answer with what is always in it
	decision, reason string
	input, command   string // the tool's whole input with a changed command, or that alone
}

// toolForm is that of Claude Code's PreToolUse, which others have taken.
var toolForm = form{`{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`,
	"hookSpecificOutput.permissionDecision", "hookSpecificOutput.permissionDecisionReason",
	"hookSpecificOutput.updatedInput", ""}

// answer returns the answer in the form. Members without a path are left out.
func (f form) answer(in hookCall, v *Verdict) []byte {
	out := []byte(f.start)
	set := func(path, raw string) {
		if path != "" {
			out, _ = sjson.SetRawBytes(out, path, []byte(raw)) // the paths are ours
		}
	}
	set(f.decision, quoted(string(v.Decision)))
	set(f.reason, quoted(v.said()))
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

// said returns the reason in the form that another agent shows.
func (v *Verdict) said() string { return "ua-gate: " + v.Risk.String() + ": " + v.Reason }

// claudeAnswer answers a PreToolUse or PermissionRequest hook.
func claudeAnswer(in hookCall, v *Verdict) []byte {
	if in.event == "PermissionRequest" {
		return permissionAnswer(in, v, "hookSpecificOutput.decision.updatedInput")
	}
	return toolForm.answer(in, v)
}

// permissionAnswer answers a PermissionRequest hook, in which a changed input has that path if
// the agent takes one. No answer leaves the question to the person.
func permissionAnswer(in hookCall, v *Verdict, input string) []byte {
	f := form{`{"hookSpecificOutput":{"hookEventName":"PermissionRequest"}}`,
		"hookSpecificOutput.decision.behavior", "", input, ""}
	switch {
	case v.Decision == verdict.Deny:
		f.reason = "hookSpecificOutput.decision.message"
	case v.Decision == verdict.Ask || v.Command != "" && input == "":
		return nil
	}
	return f.answer(in, v)
}

// codexAnswer answers Codex. Its PreToolUse accepts a denial or a changed input and
// rejects every other answer. What is allowed or asked is left to Codex's own approvals,
// which a PermissionRequest hook then answers.
func codexAnswer(in hookCall, v *Verdict) []byte {
	switch {
	case in.event == "PermissionRequest":
		return permissionAnswer(in, v, "")
	case v.Decision != verdict.Deny && v.Command == "":
		return nil
	case v.Decision == verdict.Ask:
		deny := *v
		deny.Decision, deny.Reason = verdict.Deny,
			v.Reason+"; a hook of the policy wants instead: "+v.Command
		v = &deny
	}
	return toolForm.answer(in, v)
}

// geminiAnswer answers a BeforeTool hook. The word "ask" (gemini-cli#21146, not in its
// reference) makes it confirm even what it would have let through.
func geminiAnswer(in hookCall, v *Verdict) []byte {
	f := form{"{}", "decision", "reason", "", "hookSpecificOutput.tool_input.command"}
	out := f.answer(in, v)
	if v.Decision == verdict.Ask {
		out, _ = sjson.SetRawBytes(out, "systemMessage", []byte(quoted(v.said())))
	}
	return out
}

// crushAnswer answers a PreToolUse hook of Crush. An object without a decision leaves the
// call to Crush's own question.
func crushAnswer(in hookCall, v *Verdict) []byte {
	f := form{"{}", "decision", "reason", "", "updated_input.command"}
	if v.Decision == verdict.Ask {
		f = form{start: `{"version":1}`, command: f.command}
	}
	return f.answer(in, v)
}

// opencodeAnswer answers the plugin that installHook writes, which throws an error with
// the message or takes the changed command. OpenCode runs what no plugin objects to, so
// what needs a question is denied.
func opencodeAnswer(in hookCall, v *Verdict) []byte {
	f := form{start: "{}", command: "command"}
	if v.Decision != verdict.Allow {
		f = form{start: "{}", reason: "deny"}
	}
	return f.answer(in, v)
}

// copilotAnswer answers a preToolUse hook of Copilot CLI.
func copilotAnswer(in hookCall, v *Verdict) []byte {
	return form{"{}", "permissionDecision", "permissionDecisionReason", "modifiedArgs", ""}.
		answer(in, v)
}

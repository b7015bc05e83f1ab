package main

import (
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// claudeAnswer answers a PreToolUse or PermissionRequest hook. updatedInput replaces the
// whole input, so all other members are kept.
func claudeAnswer(in hookCall, v *Verdict) []byte {
	if in.event == "PermissionRequest" {
		return permissionAnswer(in, v, true)
	}
	out := event.AppendString([]byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse",`+
		`"permissionDecision":`), string(v.Decision))
	out = event.AppendString(append(out, `,"permissionDecisionReason":`...), v.said())
	if v.Command != "" && v.Decision != verdict.Deny {
		out = append(append(out, `,"updatedInput":`...), updated(in, v)...)
	}
	return append(out, "}}"...)
}

// said returns the reason in the form that another agent shows.
func (v *Verdict) said() string { return "ua-gate: " + v.Risk.String() + ": " + v.Reason }

// updated returns the tool's input with the changed command.
func updated(in hookCall, v *Verdict) []byte {
	raw, err := sjson.SetBytes([]byte(in.input.Raw), "command", v.Command)
	if err != nil {
		return append(event.AppendString([]byte(`{"command":`), v.Command), '}')
	}
	return raw
}

// permissionAnswer answers a PermissionRequest hook. No answer leaves the question to the
// person.
func permissionAnswer(in hookCall, v *Verdict, update bool) []byte {
	out := []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest",` +
		`"decision":{"behavior":`)
	switch {
	case v.Decision == verdict.Deny:
		out = event.AppendString(append(out, `"deny","message":`...), v.said())
	case v.Decision == verdict.Ask || v.Command != "" && !update:
		return nil
	case v.Command != "":
		out = append(append(out, `"allow","updatedInput":`...), updated(in, v)...)
	default:
		out = append(out, `"allow"`...)
	}
	return append(out, "}}}"...)
}

// codexAnswer answers Codex. Its PreToolUse accepts a denial or a changed input and
// rejects every other answer. What is allowed or asked is left to Codex's own approvals,
// which a PermissionRequest hook then answers.
func codexAnswer(in hookCall, v *Verdict) []byte {
	switch {
	case in.event == "PermissionRequest":
		return permissionAnswer(in, v, false)
	case v.Decision == verdict.Allow && v.Command == "" || v.Decision == verdict.Ask &&
		v.Command == "":
		return nil
	case v.Decision == verdict.Ask:
		deny := *v
		deny.Decision, deny.Reason = verdict.Deny,
			v.Reason+"; a hook of the policy wants instead: "+v.Command
		v = &deny
	}
	return claudeAnswer(in, v)
}

// geminiAnswer answers a BeforeTool hook. The word "ask" (gemini-cli#21146, not in its
// reference) makes it confirm even what it would have let through.
func geminiAnswer(_ hookCall, v *Verdict) []byte {
	out := decisionAnswer(v)
	if v.Decision == verdict.Ask {
		out = event.AppendString(append(out, `,"systemMessage":`...), v.said())
	}
	if v.Command != "" && v.Decision != verdict.Deny {
		out = append(event.AppendString(append(out,
			`,"hookSpecificOutput":{"tool_input":{"command":`...),
			v.Command), "}}"...)
	}
	return append(out, '}')
}

// crushAnswer answers a PreToolUse hook of Crush. An object without a decision leaves the
// call to Crush's own question.
func crushAnswer(_ hookCall, v *Verdict) []byte {
	out := []byte(`{"version":1`)
	if v.Decision != verdict.Ask {
		out = decisionAnswer(v)
	}
	if v.Command != "" && v.Decision != verdict.Deny {
		out = append(event.AppendString(append(out, `,"updated_input":{"command":`...), v.Command), '}')
	}
	return append(out, '}')
}

// decisionAnswer returns the start of an answer, to which more members can be added.
func decisionAnswer(v *Verdict) []byte {
	out := event.AppendString([]byte(`{"decision":`), string(v.Decision))
	return event.AppendString(append(out, `,"reason":`...), v.said())
}

// opencodeAnswer answers the plugin that installHook writes, which throws an error with
// the message or takes the changed command. OpenCode runs what no plugin objects to, so
// what needs a question is denied.
func opencodeAnswer(_ hookCall, v *Verdict) []byte {
	if v.Decision != verdict.Allow {
		return append(event.AppendString([]byte(`{"deny":`), v.said()), '}')
	}
	if v.Command != "" {
		return append(event.AppendString([]byte(`{"command":`), v.Command), '}')
	}
	return []byte("{}")
}

// copilotAnswer answers a preToolUse hook of Copilot CLI.
func copilotAnswer(in hookCall, v *Verdict) []byte {
	out := event.AppendString([]byte(`{"permissionDecision":`), string(v.Decision))
	out = event.AppendString(append(out, `,"permissionDecisionReason":`...), v.said())
	if v.Command != "" && v.Decision != verdict.Deny {
		out = append(append(out, `,"modifiedArgs":`...), updated(in, v)...)
	}
	return append(out, '}')
}

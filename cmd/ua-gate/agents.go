package main

import (
	"path/filepath"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// An agent is another program that asks a hook before it runs a command. All
// give the call as one JSON object on stdin and take exit status 2 as a
// denial; they differ in names and in how an answer is said.
type agent struct {
	tool   string // the name of its shell tool
	dir    string // the member of tool_input that names a folder to run in
	answer func(in gjson.Result, v *Verdict) []byte
}

// agentOf is the agent of that name. Sources: the hooks references of Claude
// Code (code.claude.com/docs/en/hooks), Codex (developers.openai.com/codex/hooks),
// Gemini CLI (geminicli.com/docs/hooks/reference) and Crush (docs/hooks in its
// repository), as of autumn 2026.
func agentOf(name string) (agent, bool) {
	a, ok := map[string]agent{
		"claude-code": {"Bash", "", claudeAnswer},
		"codex":       {"Bash", "workdir", codexAnswer},
		"gemini":      {"run_shell_command", "dir_path", geminiAnswer},
		"crush":       {"bash", "working_dir", crushAnswer},
	}[name]
	return a, ok
}

// agentHook answers one pre-tool hook call. The other agent's own question is
// the person; no sandbox of ours is around the command. Every error ends with
// status 2, which is a denial to each of them.
func agentHook(env *prog.Env, o options, operands []string) error {
	if len(operands) != 1 {
		return prog.Errorf(prog.Trouble, "hook takes the name of one agent").Hintf("claude-code, codex, gemini or crush")
	}
	a, ok := agentOf(operands[0])
	if !ok {
		return prog.Errorf(prog.Trouble, "unknown agent %q", operands[0]).Hintf("claude-code, codex, gemini or crush")
	}
	text, err := readAll(env.Stdin)
	if err != nil {
		return err
	}
	if !gjson.ValidBytes(text) || !gjson.ParseBytes(text).IsObject() {
		return prog.Errorf(prog.Trouble, "stdin is not a JSON object, so nothing is allowed")
	}
	in := gjson.ParseBytes(text)
	if in.Get("tool_name").Str != a.tool || !before(in) {
		return nil // no command: no opinion
	}
	v, err := a.judge(env, o, in)
	if err != nil {
		return err
	}
	if out := a.answer(in, v); out != nil {
		env.Printf("%s\n", out)
	}
	return nil
}

// before says whether the event comes before a tool runs.
func before(in gjson.Result) bool {
	switch eventName(in) {
	case "PreToolUse", "PermissionRequest", "BeforeTool", "":
		return true
	}
	return false
}

func eventName(in gjson.Result) string {
	if name := in.Get("hook_event_name").Str; name != "" {
		return name
	}
	return in.Get("event").Str
}

func (a *agent) judge(env *prog.Env, o options, in gjson.Result) (*Verdict, error) {
	if dir := in.Get("cwd").Str; filepath.IsAbs(dir) {
		o.cwd = dir
	}
	project := o.cwd
	if dir := in.Get("tool_input").Get(a.dir).Str; a.dir != "" && dir != "" {
		if o.cwd = dir; !filepath.IsAbs(dir) {
			o.cwd = filepath.Join(project, dir)
		}
	}
	o.ask, o.unconfined = true, true
	g, err := newGate(env, o, project)
	if err != nil {
		return nil, err
	}
	c := shellCall("hook", "")
	if c.command, c.bad = commandOf(in.Get("tool_input")); c.bad == "" {
		c = shellCall("hook", c.command)
	}
	v, err := g.decide(&c, nil, nil)
	if v.Decision == verdict.Ask && o.noAsk {
		v.Decision, v.Reason = verdict.Deny, v.Reason+": that needs a person's yes, and nobody is there to say it"
	}
	return &v, err
}

// claudeAnswer answers a PreToolUse or PermissionRequest hook. updatedInput
// replaces the whole input, so the other members are kept.
func claudeAnswer(in gjson.Result, v *Verdict) []byte {
	if eventName(in) == "PermissionRequest" {
		return permissionAnswer(in, v, true)
	}
	out := event.AppendString([]byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":`), string(v.Decision))
	out = event.AppendString(append(out, `,"permissionDecisionReason":`...), v.said())
	if v.Command != "" && v.Decision != verdict.Deny {
		out = append(append(out, `,"updatedInput":`...), updated(in, v)...)
	}
	return append(out, "}}"...)
}

// said is the reason as the other agent shows it.
func (v *Verdict) said() string { return "ua-gate: " + v.Risk.String() + ": " + v.Reason }

// updated is the tool's input with the changed command.
func updated(in gjson.Result, v *Verdict) []byte {
	raw, err := sjson.SetBytes([]byte(in.Get("tool_input").Raw), "command", v.Command)
	if err != nil {
		return append(event.AppendString([]byte(`{"command":`), v.Command), '}')
	}
	return raw
}

// permissionAnswer answers a PermissionRequest hook: silence leaves the
// question to the person.
func permissionAnswer(in gjson.Result, v *Verdict, update bool) []byte {
	out := []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":`)
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

// codexAnswer answers Codex, whose PreToolUse takes a denial or a changed input
// and rejects any other word: what is allowed or asked is left to its own
// approvals, which a PermissionRequest hook then answers.
func codexAnswer(in gjson.Result, v *Verdict) []byte {
	switch {
	case eventName(in) == "PermissionRequest":
		return permissionAnswer(in, v, false)
	case v.Decision == verdict.Allow && v.Command == "" || v.Decision == verdict.Ask && v.Command == "":
		return nil
	case v.Decision == verdict.Ask:
		deny := *v
		deny.Decision, deny.Reason = verdict.Deny, v.Reason+"; a hook of the policy wants instead: "+v.Command
		v = &deny
	}
	return claudeAnswer(in, v)
}

// geminiAnswer answers a BeforeTool hook. Its "ask" (gemini-cli#21146, not in its
// reference) makes it confirm even what it would have let through.
func geminiAnswer(_ gjson.Result, v *Verdict) []byte {
	out := decisionAnswer(v)
	if v.Decision == verdict.Ask {
		out = event.AppendString(append(out, `,"systemMessage":`...), v.said())
	}
	if v.Command != "" && v.Decision != verdict.Deny {
		out = append(event.AppendString(append(out, `,"hookSpecificOutput":{"tool_input":{"command":`...), v.Command), "}}"...)
	}
	return append(out, '}')
}

// crushAnswer answers a PreToolUse hook of Crush; an object without a decision
// leaves the call to its own question.
func crushAnswer(_ gjson.Result, v *Verdict) []byte {
	out := []byte(`{"version":1`)
	if v.Decision != verdict.Ask {
		out = decisionAnswer(v)
	}
	if v.Command != "" && v.Decision != verdict.Deny {
		out = append(event.AppendString(append(out, `,"updated_input":{"command":`...), v.Command), '}')
	}
	return append(out, '}')
}

// decisionAnswer is an answer that is still open to further members.
func decisionAnswer(v *Verdict) []byte {
	out := event.AppendString([]byte(`{"decision":`), string(v.Decision))
	return event.AppendString(append(out, `,"reason":`...), v.said())
}

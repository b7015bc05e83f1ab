package main

import (
	"strings"

	"ua/internal/common/prog"
)

// An agent is another program that asks a hook before it runs a command. All agents give
// the call as one JSON object on stdin, and take exit status 2 as a denial. They differ
// in names and in the form of the answer.
type agent struct {
	name   string
	shells []string // the names of its shell tools
	others []string // its tools with a member command that is no shell text
	dir    string   // the member of the tool's input that names a folder to run in
	form   form     // of its answers
	// it runs what a hook puts in the place of a command, and never the command itself
	confines bool
	// the variable that names the folder of its project, or "" if its hooks run there
	project string
	// the file of its hooks, in the folder that a variable names or in one of the home
	variable, folder, file string
	events                 []string // at which it asks; none if the file is the hook's own
	tools                  string   // about which it asks: also those of servers
	// what runs it once with the model at ADDRESS, and the variables that this needs; "" for an
	// agent that takes no other model
	trial    string
	trialEnv []string
}

// agents returns the agents that can ask. Sources: the hooks references of Claude
// Code (code.claude.com/docs/en/hooks), Codex (developers.openai.com/codex/hooks),
// Gemini CLI (geminicli.com/docs/hooks/reference), Qwen Code
// (qwenlm.github.io/qwen-code-docs), OpenCode (opencode.ai/docs/plugins), Copilot CLI
// (docs.github.com/en/copilot/reference/hooks-reference) and Crush (docs/hooks in its
// repository), as of autumn 2026.
func agents() []agent {
	pre := []string{"PreToolUse"}
	return []agent{{
		name: "claude-code", shells: []string{"Bash"}, others: []string{"SlashCommand"},
		form: toolForm, confines: true, project: "CLAUDE_PROJECT_DIR",
		variable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json", events: pre,
		tools: "Bash|PowerShell|Monitor|mcp__.*",
		trial: "claude -p go --model claude-sonnet-4-5",
		trialEnv: []string{"ANTHROPIC_BASE_URL=ADDRESS", "ANTHROPIC_API_KEY=none",
			"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
	}, {
		name: "codex", shells: []string{"Bash"}, others: []string{"apply_patch"}, dir: "workdir",
		form: toolForm, confines: true, variable: "CODEX_HOME", folder: ".codex",
		file: "hooks.json", events: append(pre, "PermissionRequest"), tools: "Bash|mcp__.*",
		trial: "codex exec --skip-git-repo-check --ephemeral -s danger-full-access -m gpt-5 -c " +
			`model_provider=trial -c model_providers.trial={name="trial",base_url="ADDRESS/v1",` +
			`wire_api="responses",env_key="UA_GATE_TRIAL"} go`,
		trialEnv: []string{"UA_GATE_TRIAL=none"},
	}, {
		name: "gemini-cli", shells: []string{"run_shell_command"}, dir: "dir_path",
		// The word "ask" (gemini-cli#21146, not in its reference) makes it confirm even what it would
		// have let through.
		form: form{start: "{}", decision: "decision", reason: "reason", message: "systemMessage",
			command: "hookSpecificOutput.tool_input.command"},
		confines: true, project: "GEMINI_PROJECT_DIR",
		variable: "GEMINI_CLI_HOME", file: ".gemini/settings.json", events: []string{"BeforeTool"},
		tools: "run_shell_command|mcp_.*",
		trial: "gemini -y -m gemini-2.5-pro -p go",
		trialEnv: []string{"GOOGLE_GEMINI_BASE_URL=ADDRESS", "GEMINI_API_KEY=none",
			"GEMINI_CLI_TRUST_WORKSPACE=true"},
	}, {
		name: "qwen-code", shells: []string{"run_shell_command", "Bash"}, dir: "directory",
		form: toolForm, variable: "QWEN_HOME", folder: ".qwen", file: "settings.json",
		events: pre, tools: "^(Bash|run_shell_command|monitor|mcp__.*)$",
		trial: "qwen --auth-type openai -m trial -y -p go",
		trialEnv: []string{"OPENAI_BASE_URL=ADDRESS/v1", "OPENAI_API_KEY=none",
			"OPENAI_MODEL=trial"},
	}, {
		name: "opencode", shells: []string{"bash"}, others: []string{"task"}, dir: "workdir",
		form: form{start: "{}", command: "command"}, confines: true, variable: "XDG_CONFIG_HOME",
		folder: ".config", file: "opencode/plugins/ua-gate.js", trial: "opencode run -m trial/trial go",
		trialEnv: []string{"OPENCODE_DISABLE_AUTOUPDATE=1",
			`OPENCODE_CONFIG_CONTENT={"provider":{"trial":{"npm":"@ai-sdk/openai-compatible",` +
				`"options":{"baseURL":"ADDRESS/v1","apiKey":"none"},` +
				`"models":{"trial":{"tool_call":true}}}},"permission":"allow"}`},
	}, {
		name: "copilot-cli", shells: []string{"bash"}, others: []string{"str_replace_editor"},
		form: form{start: "{}", decision: "permissionDecision", reason: "permissionDecisionReason",
			input: "modifiedArgs"}, confines: true, project: "COPILOT_PROJECT_DIR",
		variable: "COPILOT_HOME", folder: ".copilot", file: "hooks/ua-gate.json",
		// With a model of its own it needs no account (copilot help providers).
		trial: "copilot -p go --allow-all-tools --no-auto-update",
		trialEnv: []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=ADDRESS/v1",
			"COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=trial"},
	}, {
		name: "crush", shells: []string{"bash"}, dir: "working_dir",
		form: form{start: "{}", decision: "decision", reason: "reason",
			command: "updated_input.command"},
		variable: "XDG_CONFIG_HOME", folder: ".config", file: "crush/crush.json", events: pre,
		tools: "^bash$", // its package on npm has only a link to its program
	}}
}

// agentOf returns the agent of that name, with or without -cli.
func agentOf(name string) (agent, error) {
	var names []string
	for _, a := range agents() {
		if a.name == name || a.name == name+"-cli" {
			return a, nil
		}
		names = append(names, a.name)
	}
	return agent{}, prog.Errorf(prog.Trouble, "unknown agent %q", name).
		Hintf("one of %s", strings.Join(names, ", "))
}

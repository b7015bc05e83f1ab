package main

import (
	"errors"
	"slices"
	"strings"

	"ua/cmd/ua/internal/completion"
	"ua/cmd/ua/internal/manual"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
)

// hinted adds what ua has in place of an option that it does not have but other programs, or
// its own verbs, do.
func hinted(verb string, err error) error {
	var name prog.UnknownOption
	e, ok := err.(*prog.Error)
	if !ok || !errors.As(err, &name) {
		return err
	}
	for line := range strings.Lines(foreignOptions) {
		names, hint, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if slices.Contains(strings.Fields(names), string(name)) {
			return e.Hintf("%s", hint)
		}
	}
	option := prog.Dashed(string(name))
	for line := range strings.Lines(help) {
		words := strings.Fields(strings.TrimPrefix(line, "usage:"))
		if len(words) < 2 || words[0] != "ua" || words[1] == verb {
			continue
		}
		if slices.ContainsFunc(words, func(w string) bool { return strings.Trim(w, "[]") == option }) {
			return e.Hintf("%s is an option of %s", option, strings.Join(words, " "))
		}
	}
	return e
}

// foreignOptions are those of other agents and programs, with what to type here.
const foreignOptions = `p print exec: ua prints the answer and ends: ua "task"
	yolo full-auto yes yes-always y auto-approve: nothing is asked unless you say --ask
	dangerously-skip-permissions allow-all-tools: nothing is asked unless you say --ask
	dangerously-bypass-approvals-and-sandbox: no option removes the sandbox; see ua help sandbox
	resume session session-id last fork-session: ua resume RUN; ua ps --all lists the runs
	cd cwd workdir chdir working-directory: -C DIR works in DIR
	timeout max-time: --time-limit D, such as 90s or 10m
	v verbose V debug: --version prints the version; ua log shows what a run did
	h: --help
	add-dir include-directories: --write DIR lets commands write it, --read PATH read secrets
	allowedTools allowed-tools disallowedTools allow-tool: rules in policy.toml; ua help policy
	approval-mode ask-for-approval permission-mode: --ask asks before risky commands
	s sandbox: --profile NAME: read-only, workspace or network
	append-system-prompt system-prompt: --system FILE replaces the usual prompt
	output-format stream-json: --json prints events
	output-schema json-schema: --schema FILE
	file image images i f: -a FILE attaches a file
	temperature t reasoning-effort: --effort LEVEL
	max-tokens max-cost max-budget-usd budget: --budget-tokens N or --budget-usd X
	w worktree: --isolate worktree
	mcp-config: [mcp.NAME] in the settings; see ua help mcp
	detach background d b: --bg
	prompt task message msg prompt-interactive: ua "task"`

// meant returns an error, with a hint, for a first word that only looks like a verb, or is
// that of a program which is missing. A model should not be paid for a guess.
func meant(args []string) error {
	const key = "ua keys set PROVIDER"
	const spend, prune = "ua journal index spend", "ua journal prune --older 30d --dry-run"
	hints := map[string]string{
		"list": "ua ps --all", "ls": "ua ps --all",
		"runs": "ua ps --all", "history": "ua ps --all", "sessions": "ua ps --all",
		"status": "ua ps", "jobs": "ua ps", "kill": "ua stop RUN", "version": "ua --version",
		"settings": "ua config", "init": "ua config init", "setup": "ua doctor", "check": "ua doctor",
		"login": key, "logout": key, "auth": key, "key": key,
		"model": "ua models lists them; -m MODEL takes one", "continue": "ua resume last",
		"run": "ua \"task\"", "exec": "ua \"task\"", "update": "make install in a newer checkout",
		"policy": "ua gate test", "chat": "ua", "shell": "ua",
		"show": "ua log RUN; ua journal show RUN says more", "view": "ua log RUN", "tail": "ua log -f",
		"cost": spend, "costs": spend, "usage": spend, "spend": spend, "stats": spend,
		"prune": prune, "clean": prune, "cleanup": prune, "rm": prune, "delete": prune, "remove": prune,
		"export": "ua journal export --otlp RUN", "replay": "ua -m replay:FILE \"task\"",
		"search": "ua journal grep -e REGEXP", "grep": "ua journal grep -e REGEXP",
		"uninstall": "make uninstall", "upgrade": "make install in a newer checkout",
	}
	// Nobody writes the ID of a run at the end of a task.
	isRun := func(word string) bool { return word == run.Last || runfolder.IsID(word) }
	// More words are a task, even if the first is a verb elsewhere.
	if len(args) != 1 && (len(args) != 2 || !isRun(args[1])) {
		return nil
	}
	asTask := "to give it as a task: ua -- " + strings.Join(args, " ")
	if hint, ok := hints[args[0]]; ok {
		if strings.HasPrefix(hint, "ua") {
			hint = "try " + hint
		}
		return prog.Errorf(prog.Trouble, "%q is not a verb", args[0]).Hintf("%s; %s", hint, asTask)
	}
	if p, ok := manual.Find("ua-" + args[0] + ".1"); ok && p.Name == "ua-"+args[0] {
		return prog.Errorf(prog.NotFound, "%s is missing", p.Name).
			Hintf("make install puts it beside ua; %s", asTask)
	}
	return nil
}

// sounds checks words that run another program and read like a task without quotes.
// ua-think takes any words for its question, so for it this is an error, and so is what the
// other program has no verb for. Elsewhere a warning explains its complaint.
func sounds(env *prog.Env, args []string) error {
	plain := func(w string) bool {
		return strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,.?!'") == ""
	}
	task := strings.Join(args, " ")
	switch {
	case slices.ContainsFunc(args, func(w string) bool { return !plain(w) }):
	case args[0] == "think" && len(args) >= 3 && args[1] != "models" && args[1] != "serve":
		return prog.Errorf(prog.Trouble, "ua think would run ua-think with a question of %d words",
			len(args)-1).Hintf("quote a task: ua %q; quote a question too: ua think %q", task,
			strings.TrimPrefix(task, "think "))
	case len(args) >= 3 && noVerb(args[0], args[1]):
		return prog.Errorf(prog.Trouble, "%q is not a verb of ua-%s", args[1], args[0]).
			Hintf("quote a task: ua %q", task)
	case len(args) >= 4:
		env.Warnf("this runs ua-%s; if you mean a task, quote it: ua %q", args[0], task)
	}
	return nil
}

// noVerb reports whether the program, one that takes nothing but verbs, has no verb of
// that name.
func noVerb(program, name string) bool {
	if !slices.Contains([]string{"exec", "gate", "journal", "try"}, program) {
		return false
	}
	return !slices.ContainsFunc(completion.Next([]string{"ua", program, ""}),
		func(c completion.Candidate) bool { return c.Word == name })
}

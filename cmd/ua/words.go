package main

import (
	"slices"
	"strings"

	"ua/cmd/ua/internal/completion"
	"ua/cmd/ua/internal/runs"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// meant returns an error, with a hint, for a first word that only looks like a verb. A
// model should not be paid for a guess.
func meant(args []string) error {
	const key = "put the key into ANTHROPIC_API_KEY or OPENAI_API_KEY; ua doctor checks it"
	const spend, prune = "ua journal index spend", "ua journal prune --older 30d --dry-run"
	hints := map[string]string{
		"models": "ua think models", "list": "ua ps --all", "ls": "ua ps --all",
		"runs": "ua ps --all", "history": "ua ps --all", "sessions": "ua ps --all",
		"status": "ua ps", "jobs": "ua ps", "kill": "ua stop RUN", "version": "ua --version",
		"settings": "ua config", "init": "ua config init", "setup": "ua doctor", "check": "ua doctor",
		"login": key, "logout": key, "auth": key, "key": key, "keys": key,
		"model": "ua think models lists them; -m MODEL takes one", "continue": "ua resume last",
		"run": "ua \"task\"", "exec": "ua \"task\"", "update": "make install in a newer checkout",
		"policy": "ua gate test", "chat": "ua", "shell": "ua",
		"show": "ua log RUN; ua journal show RUN says more", "view": "ua log RUN", "tail": "ua log -f",
		"cost": spend, "costs": spend, "usage": spend, "spend": spend, "stats": spend,
		"prune": prune, "clean": prune, "cleanup": prune, "rm": prune, "delete": prune, "remove": prune,
		"export": "ua journal export --html RUN", "replay": "ua -m replay:FILE \"task\"",
		"search": "ua journal grep -e REGEXP", "grep": "ua journal grep -e REGEXP",
		"uninstall": "make uninstall", "upgrade": "make install in a newer checkout",
	}
	// Nobody writes the ID of a run at the end of a task.
	isRun := func(word string) bool { return word == run.Last || runs.IsID(word) }
	// More words are a task, even if the first is a verb elsewhere.
	if len(args) != 1 && (len(args) != 2 || !isRun(args[1])) {
		return nil
	}
	if hint, ok := hints[args[0]]; ok {
		if strings.HasPrefix(hint, "ua") {
			hint = "try " + hint
		}
		return prog.Errorf(prog.Trouble, "%q is not a verb", args[0]).
			Hintf("%s; to give it as a task: ua -- %s", hint, strings.Join(args, " "))
	}
	return nil
}

// sounds checks words that run another program and read like a task without quotes.
// ua-think takes any words for its question, so for it this is an error. The other
// programs know their verbs, and a warning explains their complaint.
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
	case len(args) >= 4, len(args) == 3 && noVerb(args[0], args[1]):
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

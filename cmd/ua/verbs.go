package main

import (
	"os"
	"slices"
	"strings"
	"syscall"

	"ua/cmd/ua/internal/agentloop"
	"ua/cmd/ua/internal/completion"
	"ua/cmd/ua/internal/worktree"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// verbs returns the function of each verb. Any other first word begins a task.
func verbs() map[string]func(*prog.Env, []string) error {
	return map[string]func(*prog.Env, []string) error{
		"agents":   agentsVerb,
		"answer":   answerVerb,
		"asks":     asksVerb,
		"complete": completeVerb,
		"config":   configVerb,
		"far":      farVerb,
		"gc":       gcVerb,
		"help":     helpVerb,
		"info":     infoVerb,
		"job":      jobVerb,
		"keys":     thinkVerb("keys"),
		"log":      logVerb,
		"models":   thinkVerb("models"),
		"ps":       psVerb,
		"recall":   recallVerb,
		"send":     sendVerb,
		"skills":   skillsVerb,
		"stop":     stopVerb,
		"tree":     treeVerb,
		"undo":     undoVerb,
		"wait":     waitVerb,
	}
}

// farVerb runs an agent here for a ua elsewhere that was given --via.
func farVerb(env *prog.Env, args []string) error {
	if err := env.Parse(prog.Flags(), args, helpOf("far")); err != nil {
		return err
	}
	return agentloop.Far(env, help)
}

// completeVerb prints the words that may stand at the end of a command line, for the
// completions of shells: one word a line and, after a tab, what it means.
func completeVerb(env *prog.Env, args []string) error {
	if len(args) == 0 || args[0] != "--" {
		return agentloop.AsTask("complete", args, prog.Errorf(prog.Trouble,
			"complete: want -- and a command line"))
	}
	for _, c := range completion.Next(args[1:]) {
		env.Printf("%s\t%s\n", c.Word, c.About)
	}
	return nil
}

// thinkVerb returns a verb of ua that is one of ua-think: only that program holds keys. It
// takes the place of this one.
func thinkVerb(verb string) func(*prog.Env, []string) error {
	return func(env *prog.Env, args []string) error {
		if slices.Contains(args, "--help") {
			env.Printf("%s\n", helpOf(verb))
			return nil
		}
		if verb == "keys" && len(args) > 0 && args[0] != "set" && args[0] != "rm" &&
			!strings.HasPrefix(args[0], "-") {
			return agentloop.AsTask(verb, args, prog.Errorf(prog.Trouble,
				"%q: keys takes set PROVIDER or rm PROVIDER, or nothing", args[0]))
		}
		path, err := prog.FindSibling("ua-think")
		if err != nil {
			return err
		}
		return prog.Errorf(prog.NotFound, "%s: %v", path, syscall.Exec(path,
			append([]string{"ua-think", verb}, args...), os.Environ()))
	}
}

// gcVerb removes the work trees that runs left behind and nobody came back to. With
// --force it also removes those that hold changes. What stays is a warning, not a
// failure.
func gcVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	force := fs.Bool("force", false, "")
	if err := parse(env, "gc", fs, args, 0); err != nil {
		return err
	}
	config.TakeKeys() // git runs programs of the user's
	for _, old := range worktree.Collect(*force) {
		if old.Err == nil {
			env.Outf("removed %s\n", old.Path)
		} else {
			env.Warnf("%s: %v", old.Path, old.Err)
		}
	}
	return nil
}

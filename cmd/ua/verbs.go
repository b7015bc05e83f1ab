package main

import "ua/internal/common/prog"

// verbs returns the function of each verb. Any other first word begins a task.
func verbs() map[string]func(*prog.Env, []string) error {
	return map[string]func(*prog.Env, []string) error{
		"agents":   agentsVerb,
		"answer":   answerVerb,
		"asks":     asksVerb,
		"complete": completeVerb,
		"config":   configVerb,
		"doctor":   doctorVerb,
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

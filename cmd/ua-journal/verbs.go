package main

import "ua/internal/common/prog"

// verbs returns the function of each verb.
func verbs() map[string]func(*prog.Env, []string) error {
	return map[string]func(*prog.Env, []string) error{
		"answer":       answerVerb,
		"append":       appendVerb,
		"calls":        callsVerb,
		"cat":          catVerb,
		"end":          endVerb,
		"export":       exportVerb,
		"grep":         grepVerb,
		"import":       importVerb,
		"ls":           lsVerb,
		"new":          newVerb,
		"path":         pathVerb,
		"prune":        pruneVerb,
		"read":         readVerb,
		"redact":       redactVerb,
		"replay":       replayVerb,
		"ship":         shipVerb,
		"show":         showVerb,
		"tail":         tailVerb,
		"trajectories": trajectoriesVerb,
		"verify":       verifyVerb,
	}
}

package main

import (
	"slices"
	"strings"

	"ua/cmd/ua/internal/runs"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// verb returns what the first argument means when it is the name of a verb, nil when
// it is not: then it begins a task.
func verb(name string) func(*prog.Env, []string) error {
	switch name {
	case "agents":
		return agentsVerb
	case "complete":
		return completeVerb
	case "config":
		return configVerb
	case "doctor":
		return doctorVerb
	case "far":
		return farVerb
	case "gc":
		return gcVerb
	case "help":
		return helpVerb
	case "info":
		return infoVerb
	case "job":
		return jobVerb
	case "log":
		return logVerb
	case "ps":
		return psVerb
	case "send":
		return sendVerb
	case "stop":
		return stopVerb
	case "tree":
		return treeVerb
	case "undo":
		return undoVerb
	case "wait":
		return waitVerb
	}
	return nil
}

// reach returns the folder of the runs that a verb may name: all of the user's or, in
// a command of a run, those below that run.
func reach() string {
	o := &options{}
	o.place()
	return o.folder()
}

// named returns the runs that the operands mean.
func named(verb string, names []string) (list []run.Run, err error) {
	folder := reach()
	for _, name := range names {
		r, err := runs.Find(folder, name)
		if err != nil {
			return nil, asTask(verb, names, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// asTask adds to an error what to do when the words were meant as a task.
func asTask(verb string, words []string, err error) error {
	e, ok := err.(*prog.Error)
	if !ok || !slices.ContainsFunc(words, func(w string) bool {
		return strings.Trim(w,
			"0123456789abcdef-") != ""
	}) {
		return err
	}
	return e.Hintf("a task that begins with %q is quoted: ua %q", verb,
		verb+" "+strings.Join(words, " "))
}

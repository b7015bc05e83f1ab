package main

import (
	"strings"

	"ua/cmd/ua/internal/runs"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

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

// asTask adds to an error what to do when the words were meant as a task: none of them
// was quoted, and they are no IDs.
func asTask(verb string, words []string, err error) error {
	e, ok := err.(*prog.Error)
	task := strings.Join(words, " ")
	if !ok || strings.Trim(task, "abcdef -") == "" || len(words) != len(strings.Fields(task)) ||
		strings.ContainsAny(words[0], "0123456789") {
		return err
	}
	if e.Hint != "" {
		return e.Hintf("%s; a task is quoted: ua %q", e.Hint, verb+" "+task)
	}
	return e.Hintf("a task that begins with %q is quoted: ua %q", verb, verb+" "+task)
}

package main

import (
	"ua/cmd/ua-journal/internal/appender"
	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
)

// endVerb appends a summary of the whole journal, as for a run without ua.
func endVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var code int
	prog.Number(fs, &code, "exit-code", 0, 0, 255)
	stage := fs.String("stage", "", "")
	message := fs.String("message", "", "")
	retryable := fs.Bool("retryable", false, "")
	j, size, err := parseAndOpen(env, fs, args)
	if err != nil {
		return err
	}
	defer j.Close()
	tally, age, err := store.Tally(j, size)
	if err != nil {
		return err
	}
	tally.Fail(*stage, *message, *retryable)
	return appender.Lines(j.Name(), tally.Summary(code, age))
}

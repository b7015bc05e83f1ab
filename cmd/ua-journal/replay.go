package main

import (
	"ua/cmd/ua-journal/internal/request"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// replayVerb prints the responses of a run, as ua-think --model replay:FILE plays them.
func replayVerb(env *prog.Env, args []string) error {
	j, size, err := parseAndOpen(env, prog.Flags(), args)
	if err != nil {
		return err
	}
	defer j.Close()
	w := event.NewWriter(env.Out())
	return request.Scan(j, size, warn(env, j.Name()), func(a *request.Call) error {
		return w.Write(journal.Bare(a.Response))
	})
}

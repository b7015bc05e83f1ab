package main

import (
	"io"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// printChecks prints a line for each check of a run: its round, how it ended and its command.
func printChecks(env *prog.Env, j io.ReaderAt, size int64) error {
	return journal.Each(j, size, journal.Ignore, func(line []byte, _ int64) error {
		if event.Type(line) != "check" {
			return nil
		}
		how, status := "failed", "not run"
		if gjson.GetBytes(line, "passed").Bool() {
			how = "passed"
		}
		if code := gjson.GetBytes(line, "exit_code"); code.Exists() {
			status = "status " + style.FirstLine(code.Raw, 10)
		}
		took := time.Duration(gjson.GetBytes(line, "duration_ms").Int()) * time.Millisecond
		env.Printf("round %d  %s  %s  %s  %s\n", gjson.GetBytes(line, "round").Int(), how, status,
			style.Seconds(took), style.FirstLine(event.Str(line, "command"), 400))
		return nil
	})
}

package main

import (
	"errors"
	"io"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// printChecks prints a line for each check of a run: its round, how it ended and its command. In
// front of them stands what was sealed, with its hash.
func printChecks(env *prog.Env, journal io.Reader) error {
	r := event.NewReader(journal)
	for {
		line, err := r.Line()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			continue
		case err != nil:
			return err
		}
		if event.Type(line) == "seal" {
			gjson.GetBytes(line, "paths").ForEach(func(path, what gjson.Result) bool {
				env.Printf("sealed  %s  %s\n", style.FirstLine(what.Str, 100), style.FirstLine(path.Str, 400))
				return true
			})
		}
		if event.Type(line) != "check" {
			continue
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
		for _, name := range []string{"changed", "touched"} {
			for _, path := range gjson.GetBytes(line, name).Array() {
				env.Printf("  %s  %s\n", name, style.FirstLine(path.Str, 400))
			}
		}
	}
}

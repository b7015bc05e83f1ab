package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// answerVerb prints the text of the response that ended the run.
func answerVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	j, size, err := openRun(fs.Args())
	if err != nil {
		return err
	}
	defer j.Close()
	text, found := "", false
	err = journal.Backward(j, size, func(line []byte, _ int64) bool {
		typ := event.Type(line)
		if typ == "response" {
			text, found = finalText(line)
		}
		return !found && typ != "instruction"
	})
	if err != nil {
		return err
	}
	if !found {
		return prog.Errorf(prog.No, "%s: no answer to the last instruction", j.Name())
	}
	_, err = fmt.Fprintf(env.Out(), "%s\n", strings.TrimSuffix(text, "\n"))
	return err
}

// finalText is the text of a response, and whether it is a final one: one that
// calls no tool.
func finalText(response []byte) (string, bool) {
	var text strings.Builder
	final := true
	gjson.GetBytes(response, "content").ForEach(func(_, block gjson.Result) bool {
		switch block.Get("type").Str {
		case "text":
			text.WriteString(block.Get("text").Str)
		case "tool_use":
			final = false
		}
		return true
	})
	return text.String(), final
}

// endVerb appends the summary of the whole journal.
func endVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	code := fs.Int("exit-code", 0, "")
	stage := fs.String("stage", "", "")
	message := fs.String("message", "", "")
	retryable := fs.Bool("retryable", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	j, size, err := openRun(fs.Args())
	if err != nil {
		return err
	}
	defer j.Close()
	tally, began, err := fold(j, size)
	if err != nil {
		return err
	}
	tally.Fail(*stage, *message, *retryable)
	return write(env, j.Name(), tally.Summary(*code, since(began)))
}

// since is the time that has passed, none when the clock went back or nobody
// knows.
func since(began time.Time) time.Duration {
	if began.IsZero() {
		return 0
	}
	return max(time.Since(began), 0)
}

// fold adds up a journal's first size bytes and finds when it began.
func fold(j io.ReaderAt, size int64) (t journal.Tally, began time.Time, err error) {
	err = eachEvent(j, size, ignore, func(line []byte, _ int64) error {
		if began.IsZero() {
			began, _ = time.Parse(time.RFC3339, event.Str(line, "ts"))
		}
		t.Add(line)
		return nil
	})
	return t, began, err
}

package main

import (
	"fmt"
	"strings"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// answerVerb prints the text of the response that answers the last instruction. It reads
// the journal from its end, and its status is 1 if there is no answer.
func answerVerb(env *prog.Env, args []string) error {
	j, size, err := parseAndOpen(env, prog.Flags(), args)
	if err != nil {
		return err
	}
	defer j.Close()
	text, found := "", false
	err = journal.Backward(j, size, func(line []byte, _ int64) bool {
		typ := event.Type(line)
		if typ == "response" {
			text, found = event.ResponseText(line)
		}
		// Before the last instruction there is no answer to it.
		return !found && typ != "instruction"
	})
	if err != nil {
		return err
	}
	if !found {
		return prog.Errorf(prog.No, "%s: the last instruction has no answer", j.Name())
	}
	_, err = fmt.Fprintf(env.Out(), "%s\n", strings.TrimSuffix(text, "\n"))
	return err
}

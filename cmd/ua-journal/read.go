package main

import (
	"bufio"

	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// readVerb prints the conversation with which a model would be asked, cut to the budget.
func readVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var budget int
	prog.Number(fs, &budget, "budget", journal.DefaultBudget, 0, 0)
	j, size, err := parseAndOpen(env, fs, args)
	if err != nil {
		return err
	}
	defer j.Close()
	lines, err := journal.Conversation(j, size, budget, warn(env, j.Name()))
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(env.Out(), 64<<10)
	for _, line := range lines {
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.Flush()
}

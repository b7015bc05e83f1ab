package main

import (
	"fmt"
	"syscall"

	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// bound says which bound forbids a further turn, or "". ua-think holds the
// budgets too, for the conversation that it sees; the run may have more behind
// it.
func (l *loop) bound() string {
	if most := l.o.maxTurns; l.turns >= most {
		return fmt.Sprintf("the limit of %s is reached", style.Plural(int64(most), "turn"))
	}
	return l.overspent()
}

// overspent says which budget the run and its subagents have spent, or "".
func (l *loop) overspent() string {
	switch o := l.o; {
	case o.budgetTokens > 0 && l.tally.TokensIn+l.tally.TokensOut+l.below.All.Tokens() >= o.budgetTokens:
		return fmt.Sprintf("the budget of %d tokens is spent", o.budgetTokens)
	case o.budgetUSD > 0 && l.tally.CostUSD+l.below.All.CostUSD >= o.budgetUSD:
		return fmt.Sprintf("the budget of $%g is spent", o.budgetUSD)
	}
	return ""
}

// countCall ends the run of a model that calls without end: a limit on turns does
// not bound what stands in one answer.
func (l *loop) countCall() {
	l.calls++
	l.allCalls++
	switch o := l.o; {
	case l.calls > o.maxCalls:
		l.interrupt(outcome{prog.Limit, "ua",
			fmt.Sprintf("the limit of %s in one answer is reached",
				style.Plural(int64(o.maxCalls), "command")), false}, syscall.SIGTERM)
	case l.allCalls > o.maxCommands:
		l.interrupt(outcome{prog.Limit, "ua", fmt.Sprintf("the limit of %s is reached",
			style.Plural(int64(o.maxCommands), "command")), false}, syscall.SIGTERM)
	}
}

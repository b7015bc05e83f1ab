package main

import (
	"fmt"
	"syscall"
	"time"

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

// maxDenials is how many denials in a row end the run: a model that tries one
// forbidden thing after the other, or the same one, is not going to get it.
const maxDenials = 3

// countDenials ends the run of a model that does not take no for an answer.
func (l *loop) countDenials(status string) {
	if status != "denied" {
		l.denials = 0
		return
	}
	if l.denials++; l.denials >= maxDenials {
		why := fmt.Sprintf("%d commands in a row were denied; the last: %s", l.denials,
			style.FirstLine(l.reason, 200))
		l.interrupt(outcome{prog.No, "ua-gate", why, false}, syscall.SIGTERM)
	}
}

// stillWaits says once, after a while without a line, what may hold lines back: a
// stage of the user's that does not write each one at once.
func (l *loop) stillWaits() {
	custom := ""
	for _, s := range []struct{ option, line string }{{"--exec", l.o.run}, {"--gate", l.o.gate},
		{"--think", l.o.think}} {
		if s.line != "" {
			custom = s.option
		}
	}
	if custom == "" || l.heard || l.hinted || l.over || l.lastAsked.IsZero() ||
		time.Since(l.lastAsked) < holdsBack {
		return
	}
	l.hinted = true
	l.show.Warn(fmt.Sprintf("no output for %v; does %s flush each line (jq --unbuffered)?",
		holdsBack, custom))
}

// holdsBack is how long the pipe may give nothing before a stage is suspected.
const holdsBack = 10 * time.Second

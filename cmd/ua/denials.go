package main

import (
	"fmt"
	"syscall"

	"ua/internal/common/prog"
	"ua/internal/common/style"
)

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

package display

import (
	"path/filepath"
	"syscall"
	"time"

	"ua/cmd/ua/internal/runs"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// An End is how a run has ended: its exit status and, if that is not 0, the stage that
// failed and why.
type End struct {
	Status         int
	Stage, Message string
	Unasked        bool // no model was asked, so nothing of the run stays
}

// Footer ends the display. It prints why the run failed, unless the stage has said so
// itself, and the totals: what the run used and what a gateway has seen of its subagents.
func (d *Display) Footer(t *journal.Tally, seen *runs.Ledger, e End, took time.Duration) {
	d.answers()
	d.endLine()
	d.lastTurn()
	defer d.flush()
	if e.Unasked {
		if !d.Said(e.Stage) {
			d.env.Warnf("%s: %s", e.Stage, e.Message)
		}
		return
	}
	unread := e.Status == 128+int(syscall.SIGPIPE) // whoever closed stdout knows
	switch {
	case unread, e.Message == "", ours(e.Stage) && d.Said(e.Stage):
	case e.Stage == d.env.Name:
		d.env.Warnf("%s", e.Message)
	default:
		d.env.Warnf("%s: %s", e.Stage, e.Message)
	}
	if e.Status != 0 && e.Status != prog.No && !unread && !d.terse() {
		// A run that a signal ended can simply go on.
		id := short(filepath.Base(filepath.Dir(d.journal)))
		switch {
		case e.Status > 128 && e.Stage == d.env.Name:
			d.env.Warnf("hint: ua resume %s continues it", id)
		case e.Status == prog.Limit && e.Stage == d.env.Name:
			d.env.Warnf("hint: ua resume %s continues it with a higher limit (--max-turns, "+
				"--max-commands, --budget-tokens, --budget-usd, --time-limit)", id)
		default:
			d.env.Warnf("hint: the journal is %s", d.journal)
		}
	}
	if line := d.total.line(seen, took); line != "" {
		d.Say("%s", d.paint.Dim(line))
	}
	d.Say("%s", d.paint.Dim(totals(t, took)))
}

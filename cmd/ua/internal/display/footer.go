package display

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/runfolder"
	"ua/internal/common/style"
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
func (d *Display) Footer(t *journal.Tally, seen *runfolder.Ledger, e End, took time.Duration) {
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
	case e.Stage == d.env.Name, e.Status == prog.No && strings.HasPrefix(e.Stage, "ua-"):
		d.env.Warnf("%s", e.Message)
	default:
		d.env.Warnf("%s: %s", e.Stage, e.Message)
	}
	if hint := d.hint(e); hint != "" && e.Status != 0 && !unread && !d.terse() {
		d.env.Warnf("hint: %s", hint)
	}
	if line := d.total.line(seen, took); line != "" {
		d.Say("%s", d.paint.Dim(line))
	}
	d.Say("%s", d.paint.Dim(totals(t, took)))
}

// hint returns what to do about a run that has failed, "" if there is nothing.
func (d *Display) hint(e End) string {
	id := short(filepath.Base(filepath.Dir(d.journal)))
	switch ours := e.Stage == d.env.Name; {
	case e.Status == prog.No && e.Stage == "ua-gate" && d.lift == "--ask" && d.o.Depth == 0:
		return fmt.Sprintf("ua resume %s --ask \"go on\" asks you about such commands, and "+
			"an allow rule lets them run (ua help policy)", id)
	case e.Status == prog.No && e.Stage == "ua-gate" && d.lift != "" && d.o.Depth == 0:
		return fmt.Sprintf("ua resume %s %s \"go on\" lets such commands run", id, d.lift)
	case e.Status == prog.No:
		return ""
	case e.Status > 128 && ours: // it can simply go on
		return fmt.Sprintf("ua resume %s continues it", id)
	case e.Status == prog.Limit:
		for _, limit := range []struct{ word, option string }{{"time limit", "--time-limit D"},
			{"turn", "--max-turns N"}, {"one answer", ""}, {"command", "--max-commands N"},
			{"tokens", "--budget-tokens N"}, {"$", "--budget-usd X"}} {
			if strings.Contains(e.Message, limit.word) {
				return strings.Join(strings.Fields("ua resume "+id+" "+limit.option+" continues it"), " ")
			}
		}
	}
	return "the journal is " + d.journal
}

// totals returns what a run used, in one line.
func totals(t *journal.Tally, took time.Duration) string {
	cost := style.Dollars(t.CostUSD)
	if cost != "" {
		cost += " "
	}
	in, out := style.Count(t.TokensIn), style.Count(t.TokensOut)
	return fmt.Sprintf(style.Mark("%s↑ %s↓ %s%s %s"), in, out, cost,
		style.Plural(t.Commands, "cmd"), style.Seconds(took))
}

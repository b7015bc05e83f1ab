package agentloop

import (
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/journal"
	"ua/internal/common/spending"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// keep acts on an event that the journal has kept. Once the run is over, events are only
// counted and shown.
func (l *loop) keep(line []byte) {
	typ := event.Type(line)
	l.tally.Add(line)
	switch typ {
	case "instruction":
		l.entries = nil
	case "judge":
		var t journal.Tally
		t.Add(line)
		l.judged = l.judged.Plus(spending.Of(&t))
		l.share()
	case "response", "model_request", "error":
		l.share()
	}
	if event.FromPipe(typ) {
		l.heard = l.heard || typ != "error"
		l.lastHeard = time.Now()
	}
	if err := l.show.Event(typ, line); err != nil {
		l.interrupt(stdoutFailed(err), syscall.SIGTERM)
	}
	switch typ {
	case "verdict":
		l.open = event.Str(line, "decision") == string(verdict.Allow)
		if l.open && event.Str(line, "risk") != verdict.ReadOnly.String() {
			l.wrote, l.wroteLately = true, true
		}
		// The run is being interrupted, and a command is about to start.
		if l.over && l.result.status != 0 {
			l.hurry()
		}
	case "tool_result":
		l.open = false
	case "delta":
		if !l.over && l.o.via == "" && event.Str(line, "kind") == jobs.Asked {
			l.takeRequest(line)
		}
	}
	switch {
	case l.over:
	case l.o.via != "":
		l.keepFar(typ, line)
	default:
		l.goOn(typ, line)
	}
}

// goOn continues the run after an event that the journal has kept.
func (l *loop) goOn(typ string, line []byte) {
	if typ == "turn" {
		l.show.Asks()
		l.lastHeard = time.Now()
	}
	if typ == "turn" || journal.Keeps(typ) {
		l.toThink.Put(line)
	}
	switch typ {
	case "instruction":
		l.turn()
	case "message":
		l.delivered()
	case "model_request":
		l.below.Add(line)
		fallthrough
	case "judge":
		l.bounded(l.o.Limits.Overspent(l.spent()))
	case "net":
		l.notAllowed(line)
	case "guarded":
		// Without this a command that succeeded would look as if it had failed. The person reads
		// the same on stderr, and of what was refused ua-exec says so with the result.
		if event.Str(line, "state") != "refused" {
			l.notice("guarded", "Sandbox: "+style.FirstLine(journal.Guarded(line), 600)+".")
		}
	case "tool_call":
		l.refused = refusalOf("unanswered") // until its result comes
		l.warnOfHome()
		l.bounded(l.count.Call(l.o.Limits))
	case "verdict":
		l.servers.judged(line)
		l.delegates = l.delegates || gjson.GetBytes(line, "delegates").Bool()
		l.reason = event.Str(line, "reason")
	case "tool_result":
		l.takeBack()
		if event.Str(line, "limit") == "" && l.ofAll(int(gjson.GetBytes(line,
			"exit_code").Int())) {
			return
		}
		l.replied(line)
		l.knows(line)
		l.refused = refusalOf(event.Str(line, "status"))
		l.count.Result(event.Str(line, "status") == "denied")
		if l.delegates || l.agents.live > 0 {
			l.lookForAgents(false)
		}
	case "check":
		l.noteCheck(line)
	case "ask":
		l.notifier.Tell(l.run, line)
	case "checkpoint":
		l.cut = -1 // stands for what came before: recall at the next turn
	case "response":
		l.unanswered(line)
		l.answered(line)
	case "error":
		l.replied(line)
		l.quitAt(line)
	}
}

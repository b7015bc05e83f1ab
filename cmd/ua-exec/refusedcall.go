package main

import (
	"fmt"

	"ua/internal/common/event"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// unjudged answers a call without a verdict. With --ungated it runs it instead.
func (s *stage) unjudged(c *call) {
	if !s.opts.ungated {
		s.reply(c, "refused",
			"no verdict came for this call, so it was not run (ua-gate belongs before ua-exec)")
		return
	}
	j := judgement{risk: verdict.Write, profile: verdict.ProfileWorkspace}
	if !j.profile.Within(verdict.Profile(s.opts.profileMax)) {
		j.profile = verdict.Profile(s.opts.profileMax)
	}
	c.judged(j)
	s.run(c)
}

// refusal returns the status and the text of the result of a call that may run by its
// verdicts but does not. They are "" for a call that enters the executor's queue.
func (s *stage) refusal(c *call) (status, why string) {
	switch {
	case c.name != "shell":
		return "not_found", "there is no tool of this name, only shell"
	case c.bad != "":
		return "refused", c.bad
	case c.command == "":
		return "refused", "the call has no command: input must be {\"command\": \"…\"}"
	case s.opts.commands >= 0 && s.all > s.opts.commands:
		return "refused", fmt.Sprintf("reached the limit of %s, so it was not run",
			style.Plural(int64(s.opts.commands), "command"))
	case s.opts.callsMax > 0 && s.calls > s.opts.callsMax:
		return "refused", fmt.Sprintf(
			"more than %d calls in one turn: the rest was not run (--calls-max)", s.opts.callsMax)
	}
	return "", ""
}

// refusal returns the status and the text of the result of a call that does not run
// although it is its turn. They are "" for a call that runs.
func (x *executor) refusal() (status, why string) {
	switch {
	case x.ctx.Err() != nil:
		return "refused", interrupted
	case x.shell.sandbox == "" && !x.opts.unconfined:
		return "refused", "ua-sandbox is neither beside ua-exec nor on PATH, " +
			"so nothing was run (--unconfined runs commands without it)"
	}
	return "", ""
}

// reply queues the result of a call that was not run.
func (s *stage) reply(c *call, status, why string) {
	s.queue.put(item{line: answer(c, status, why)})
}

// answer returns the result of a call that was not run.
func answer(c *call, status, why string) []byte {
	return event.New("tool_result").Str("call_id", c.id).Str("output", why).
		Bool("truncated", false).Int("duration_ms", 0).Str("status", status).Line()
}

// interrupted is the answer to calls whose turn did not come.
const interrupted = "the run was interrupted before this call's turn, so it was not run"

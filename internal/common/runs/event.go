package runs

import (
	"time"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// Begun returns the event that tells the run above of a subagent (ua-events(5), subagent).
func (i *Info) Begun(depth int) []byte { return i.subagent("start", depth).Line() }

// Over returns the event that tells how a subagent ended. Its use of the model is what the
// gateway has counted or, with claimed, its own word. Everything else is always its own word.
func (i *Info) Over(depth int) []byte {
	e := i.subagent("end", depth)
	if i.Claimed {
		e.Bool("claimed", true)
	}
	return e.Str("outcome", i.State).Int("exit_code", int64(i.Status)).Int("turns", i.Turns).
		Int("requests", i.Spent.Requests).Int("tokens_in", i.Tally.TokensIn).
		Int("tokens_out", i.Tally.TokensOut).Float("cost_usd", i.Tally.CostUSD).
		Int("commands", i.Tally.Commands).
		Int("denied", i.Tally.Denied).Int("duration_ms", i.Took(time.Now()).Milliseconds()).
		OptStr("message", style.FirstLine(i.Message, 200)).Line()
}

// subagent begins an event about a subagent.
func (i *Info) subagent(state string, depth int) *event.Builder {
	e := event.New("subagent").Str("state", state).Str("id", i.ID).Int("pid", int64(i.PID)).
		Int("depth", int64(depth)).
		OptStr("agent", i.Agent).OptStr("task", style.FirstLine(i.Task, 200)).
		OptStr("isolation", i.Isolation).OptStr("why", i.Why).OptStr("branch", i.Branch).
		OptStr("worktree", i.Worktree)
	if i.Background {
		e.Bool("background", true)
	}
	return e
}

// Tokens returns how many tokens a run used, shortened for people. A question mark follows a
// figure that no gateway has seen and that only the agent itself reports.
func (i *Info) Tokens() string {
	count := style.Count(i.Tally.TokensIn + i.Tally.TokensOut)
	if i.Claimed {
		count += "?"
	}
	return count
}

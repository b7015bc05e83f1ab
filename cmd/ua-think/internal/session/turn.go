package session

import (
	"context"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/prog"
)

// Take adds a line to the conversation, or asks if the line is a turn. Of input without
// turns it notes whether there is something to ask about, for Finish.
func (s *Session) Take(ctx context.Context, line string) error {
	if s.above.ended != nil {
		return s.passOn(ctx, line)
	}
	switch gjson.Get(line, "type").Str {
	case "turn":
		s.turns, s.fresh = true, false
		s.spentInAll(gjson.Get(line, "spent"))
		return s.ask(ctx)
	case "run":
		// The same run may be fed again, as when it was cut. Its costs then count once.
		if id := gjson.Get(line, "id").Str; id == "" || id != s.talk.Run {
			s.spent, s.counted = usage.Usage{}, map[string]bool{}
		}
		s.Begin()
		s.keep(line)
	case "response":
		s.keep(line)
		s.answered(gjson.Parse(line))
	case "checkpoint":
		s.compact()
		s.keep(line)
	case "tool_call":
		s.keep(line)
		s.ids[gjson.Get(line, "id").Str] = true
		s.fresh = s.fresh || !s.turns
	case "instruction":
		s.keep(line)
		s.fresh, s.spoiled = true, 0
	case "shell_command", "message", "check", "tool_result":
		s.keep(line)
		s.fresh = s.fresh || !s.turns
	case "error":
		s.keep(line)
		s.spoils = s.spoils || gjson.Get(line, "stage").Str == failure.Stage &&
			gjson.Get(line, "call_id").Exists()
	case "system":
		s.keep(line)
	}
	return nil
}

// answered records a response in the conversation. What came before it was asked about.
// Unless the response ends the matter, there is more to ask.
func (s *Session) answered(ev gjson.Result) {
	s.answers++
	if s.spoiled++; !s.spoils {
		s.spoiled = 0
	}
	s.spoils = false
	// A response that is fed again was counted already; its request's hash tells.
	if sha := ev.Get("request_sha256").Str; sha == "" || !s.counted[sha] {
		used := usage.Read(ev.Get("usage"))
		if ev.Get("replay").Bool() {
			used = usage.Usage{} // it was paid for when it was recorded
		}
		s.spent.Add(used)
		s.counted[sha] = true
	}
	for _, id := range ev.Get(`content.#(type=="tool_use")#.id`).Array() {
		s.ids[id.Str] = true
	}
	switch ev.Get("stop_reason").Str {
	case "tool_use", "interrupted", "max_tokens", "error":
		s.fresh = !s.turns
	default:
		s.fresh = false
	}
}

// compact drops what a checkpoint stands for: everything but the run, the system prompt
// and the first instruction.
func (s *Session) compact() {
	lines := s.lines
	s.lines, s.bytes, s.talk = nil, 0, s.empty()
	asked := false
	for _, line := range lines {
		typ := gjson.Get(line, "type").Str
		if typ == "run" || typ == "system" || typ == "instruction" && !asked {
			s.keep(line)
			asked = asked || typ == "instruction"
		}
	}
}

// Finish asks about what is left when the input ends, and returns the outcome of the last
// answer.
func (s *Session) Finish(ctx context.Context) error {
	switch {
	case s.above.ended != nil:
		return s.finishAbove(ctx)
	case s.fresh:
		if err := s.ask(ctx); err != nil {
			return err
		}
	case s.turns:
	case s.answers > 0:
		return prog.Errorf(prog.Trouble,
			"nothing to ask: the conversation ends with the model's answer").
			Hintf("add an instruction")
	default:
		return prog.Errorf(prog.Trouble, "nothing to ask: there is no instruction")
	}
	return s.outcome
}

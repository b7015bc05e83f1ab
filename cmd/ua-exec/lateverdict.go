package main

import (
	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/event"
)

// about takes up what an event says of the call with the id, and says whether it
// is one of ours.
func (s *stage) about(typ, id string, line []byte) bool {
	if c := s.pending; c != nil && c.id == id {
		s.pass(line)
		if typ != "verdict" { // an earlier stage has answered it
			s.pending, s.verdict = nil, nil
			return true
		}
		j := parseJudgement(line)
		if s.verdict != nil {
			j = s.verdict.join(j)
		}
		s.verdict = &j
		return true
	}
	if typ == "error" {
		return false
	}
	s.foresee(typ, id, line)
	j := s.begun[id]
	if j == nil {
		return false
	}
	s.pass(line)
	s.late(typ, j, line)
	return true
}

// late takes up what comes for a call that was begun: a result by another stage
// takes the place of ours, and a verdict that is stricter ends the command.
func (s *stage) late(typ string, j *queuedCall, line []byte) {
	why, answered := "another stage has answered the call", typ == "tool_result"
	if !answered {
		joined := j.joined.join(parseJudgement(line))
		if joined == j.joined {
			return
		}
		if why = joined.denied; why == "" {
			why = "the gates judged it differently"
		}
	}
	if j.revoke(why, answered) {
		why = "its command was ended: " + why
	} else {
		why = "its command had ended already: " + why
	}
	s.queue.put(item{line: event.New("error").Str("stage", s.env.Name).Str("call_id", j.call.id).
		Str("message", typ+" for call "+j.call.id+" came late; "+why).Bool("retryable", false).
		Line()})
}

// ready reports whether a further line is there, or comes within joinWait.
func (s *stage) ready(r *event.Reader) bool {
	if r.Ready() {
		return true
	}
	wait := joinWait
	if s.opts.oneGate {
		wait = 0
	}
	return pipe.Readable(int(s.env.Stdin.Fd()), wait)
}

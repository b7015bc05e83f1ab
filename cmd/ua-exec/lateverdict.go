package main

import (
	"time"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/event"
)

// about takes in what an event says about the call with that ID, and reports whether it
// is one that this stage has.
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
		} else {
			s.judgedAt = time.Now()
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

// late takes in an event about a call that has begun. The result of another stage
// replaces ours; a stricter verdict ends the command.
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
	for k := j.before; k != nil; k = k.before {
		k.revoke(why, answered)
	}
	why = j.revoke(why, answered) + ": " + why
	s.queue.put(item{line: event.New("error").Str("stage", s.env.Name).Str("call_id", j.call.id).
		Str("message", typ+" for call "+j.call.id+" came late; "+why).Bool("retryable", false).
		Line()})
}

// ready reports whether another line is there or comes within joinWait. A stage may stop
// in the middle of one. With one gate there is nothing to wait for.
func (s *stage) ready(r *event.Reader) bool {
	wait := joinWait
	if s.opts.oneGate {
		wait = 0
	}
	for !r.Ready() {
		if !pipe.Readable(int(s.env.Stdin.Fd()), wait) {
			return false
		}
		if !r.More() {
			return true
		}
	}
	return true
}

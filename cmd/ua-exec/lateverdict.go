package main

import (
	"maps"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/event"
)

// replaces is what a stage has to do that says something of a call, too.
const replaces = "a second gate replaces the verdict behind the call by the stricter one " +
	"(ua-events(5))"

// about takes in what an event says about the call with that ID, and reports whether it
// is one that this stage has. Exactly one verdict stands behind a call.
func (s *stage) about(typ, id string, line []byte) bool {
	before, known := s.begun[id]
	if c := s.pending; c != nil && c.id == id {
		s.pass(line)
		j := parseJudgement(line)
		switch {
		case typ != "verdict": // an earlier stage has answered it
			s.pending, s.verdict = nil, nil
		case s.verdict == nil:
			s.verdict = &j
			if before != nil && j.denied != "" { // the denial may be meant for that one
				before.revoke(j.denied)
			}
		default:
			s.verdict = &judgement{denied: "it has two verdicts: " + replaces}
			s.complain(id, s.verdict.denied+", so it does not run")
		}
		return true
	}
	switch {
	case typ != "verdict":
		return false
	case before == nil: // nothing runs of it
		s.stray = s.stray || !known
		return false
	}
	s.pass(line)
	why := "it has another verdict already, and " + replaces
	s.complain(id, "verdict for call "+id+" came late; "+before.revoke(why)+": "+why)
	return true
}

// complain queues an error event about what was said of a call.
func (s *stage) complain(id, message string) {
	s.queue.put(item{line: event.New("error").Str("stage", s.env.Name).Str("call_id", id).
		Str("message", message).Bool("retryable", false).Line()})
}

// expect makes a call wait for its verdict. Whatever that says, a call does not run if a
// verdict came in this answer that stood behind no call, which may have been meant for it, or
// if it has the ID of a call without a result.
func (s *stage) expect(c *call) {
	s.pending, s.refused = c, ""
	j, known := s.begun[c.id]
	if !known { // those that have ended are forgotten now and then
		if len(s.begun) > 2*s.kept+64 {
			maps.DeleteFunc(s.begun, func(_ string, j *queuedCall) bool { return j == nil || j.isDone() })
			s.kept = len(s.begun)
		}
		s.begun[c.id] = nil
	}
	switch {
	case j != nil && !j.isDone():
		s.refused = "another call with the same id has no result yet"
	case s.stray:
		s.refused = "a verdict came before its call, and perhaps before this one: it stands behind it"
	}
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

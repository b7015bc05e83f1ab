package main

import (
	"strings"

	"ua/internal/common/event"
)

// An early is what other stages have said of a call before the call came. What lets it run
// counts only behind it, but no denial and no answer is lost to the order of lines.
type early struct {
	denial   *judgement
	answered bool
}

// size returns what it takes in memory, by about.
func (e *early) size(id string) int {
	n := itemBytes + len(id)
	if e.denial != nil {
		n += len(e.denial.denied)
	}
	return n
}

// earlies are what is kept of the lines of one answer that came before their calls.
type earlies struct {
	of   map[string]early // by the call's id
	size int
	over bool // there was more than is kept
}

// clear forgets what an earlier answer had.
func (s *earlies) clear() {
	clear(s.of)
	s.size, s.over = 0, false
}

// foresee notes what an event says of a call that may still come.
func (s *stage) foresee(typ, id string, line []byte) {
	e := s.early.of[id]
	before := 0
	if e.answered || e.denial != nil {
		before = e.size(id)
	}
	if typ == "tool_result" {
		e.answered = true
	} else if j := parseJudgement(line); j.denied != "" {
		j.denied = strings.Clone(j.denied)
		e.denial = &j
	} else {
		return
	}
	size := s.early.size - before + e.size(id)
	if size > earlyBytes || before == 0 && len(s.early.of) >= earlyMax {
		s.overflow()
		return
	}
	if s.early.of == nil {
		s.early.of = map[string]early{}
	}
	s.early.of[strings.Clone(id)], s.early.size = e, size
}

// overflow tells, once in an answer, that more is said of calls to come than is kept.
func (s *stage) overflow() {
	if s.early.over {
		return
	}
	s.early.over = true
	s.queue.put(item{line: event.Error(s.env.Name, "more verdicts and results came before their "+
		"calls than are kept: no call of this answer runs from here on", false)})
}

// expect has the call wait for its verdicts, joined with a denial that came before it. One
// that has been answered waits for nothing. Once something was not kept, any call may be one
// that was denied.
func (s *stage) expect(c *call) {
	e := s.early.of[c.id]
	if s.early.over && e.denial == nil {
		e.denial = &judgement{denied: "more was said of calls before they came than is kept, " +
			"so this one may have been denied"}
	}
	s.pending, s.verdict = c, e.denial
	if e.answered {
		s.pending, s.verdict = nil, nil
	}
}

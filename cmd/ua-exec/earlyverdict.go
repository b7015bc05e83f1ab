package main

import (
	"strings"
	"time"

	"ua/internal/common/event"
)

// An early is what other stages have said about a call before the call itself came. A
// line that would let it run counts only after the call. A denial or an answer counts in
// any order.
type early struct {
	denial   *judgement
	answered bool
}

// size returns about how many bytes of memory it takes.
func (e *early) size(id string) int {
	n := itemBytes + len(id)
	if e.denial != nil {
		n += len(e.denial.denied)
	}
	return n
}

// earlies holds what came before its calls, within one answer. Its size is limited,
// because any stage can send such lines.
type earlies struct {
	of   map[string]early // by the call's id
	size int
	over bool // there was more than is kept
}

// clear forgets what came within an earlier answer.
func (s *earlies) clear() {
	clear(s.of)
	s.size, s.over = 0, false
}

// foresee records what an event says about a call that may still come.
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

// overflow reports, once in an answer, that more lines came before their calls than are
// kept.
func (s *stage) overflow() {
	if s.early.over {
		return
	}
	s.early.over = true
	s.queue.put(item{line: event.Error(s.env.Name, "more verdicts and results came before their "+
		"calls than are kept: no call of this answer runs from here on", false)})
}

// expect makes a call wait for its verdicts, joined with a denial that came before it. A
// call that another stage has answered waits for nothing. Once something could not be
// kept, any call may be one that was denied, so none runs. Nor does a call with the ID of
// one that has no result yet: a verdict that comes may be about either.
func (s *stage) expect(c *call) {
	e := s.early.of[c.id]
	if j := s.begun[c.id]; j != nil && !j.isDone() {
		if !e.answered {
			s.answer(c, "refused", "another call with the same id has no result yet")
		}
		return
	}
	if s.early.over && e.denial == nil {
		e.denial = &judgement{denied: "more was said of calls before they came than is kept, " +
			"so this one may have been denied"}
	}
	s.pending, s.verdict, s.judgedAt = c, e.denial, time.Now()
	if e.answered {
		s.pending, s.verdict = nil, nil
	}
}

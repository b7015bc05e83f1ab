package main

// An early is what other stages have said of a call before the call came. What lets it run
// counts only behind it, but no denial and no answer is lost to the order of lines.
type early struct {
	denial   *judgement
	answered bool
}

// foresee notes what an event says of a call that may still come.
func (s *stage) foresee(typ, id string, line []byte) {
	e, known := s.early[id]
	if !known && len(s.early) >= earlyMax {
		return
	}
	if typ == "tool_result" {
		e.answered = true
	} else if j := parseJudgement(line); j.denied != "" {
		e.denial = &j
	} else {
		return
	}
	if s.early == nil {
		s.early = map[string]early{}
	}
	s.early[id] = e
}

// expect has the call wait for its verdicts, joined with a denial that came before it. One
// that has been answered waits for nothing.
func (s *stage) expect(c *call) {
	e := s.early[c.id]
	s.pending, s.verdict = c, e.denial
	if e.answered {
		s.pending, s.verdict = nil, nil
	}
}

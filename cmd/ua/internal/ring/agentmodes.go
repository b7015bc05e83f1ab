package ring

import "ua/cmd/ua/internal/inbox"

// goesOn starts the second step of an agent that works in two steps, and reports whether
// it did.
func (l *loop) goesOn() bool {
	text := l.phase()
	if text != "" {
		l.tell(inbox.Message{From: "ua", Text: text})
	}
	return text != ""
}

// phase returns the instruction for the second step of an agent that works in two, ""
// when the answer is final.
func (l *loop) phase() string {
	if l.second {
		return ""
	}
	l.second = true
	switch {
	case l.o.def.Mode == "plan_and_solve" && l.count.Commands == 0:
		return "Now carry out your plan with commands, step by step, and end with the answer."
	case l.o.def.Mode == "reflexion":
		return "Criticise your answer once as a strict reviewer would: what is wrong, missing or " +
			"unproved? Check it with commands where you can, then give the whole answer again, corrected."
	}
	return ""
}

package main

import (
	"strings"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// late handles a verdict for which no call waits. If it is stricter than what was said of
// its call, the verdict is passed on, tightened, for later stages. Any other is dropped:
// it would loosen nothing, or is forged. A denial may also come before its call.
func (s *stream) late(line []byte) error {
	id := event.Str(line, "call_id")
	up := parseVerdict(line)
	said, ok := s.said[id]
	if !ok {
		// An allow that comes early says nothing that the gate has to heed.
		if up.Decision != verdict.Allow {
			s.foresee(id, &up)
			if len(s.ids) == maxSaid { // its call may be one that is forgotten
				return s.w.Write(line)
			}
		}
		return s.w.Write(event.Error("ua-gate", "a verdict without a call before it is left out",
			false))
	}
	now := *said
	now.tighten(up)
	// Only one of them can run, and the other gate has not judged it.
	if up.Command != "" && up.Command != said.Command && now.Decision != verdict.Deny {
		now.tighten(refusal("gate", "the gates judged different commands"))
	}
	if now.Decision == said.Decision && now.Risk == said.Risk && now.Profile == said.Profile &&
		now.Delegates == said.Delegates {
		return nil
	}
	*said = now
	return s.w.Write(said.event(id))
}

// foresee notes what was said against a call that may still come. If there is no room, any
// call that comes in this turn may be the one that was meant.
func (s *stream) foresee(id string, up *Verdict) {
	if s.early[id] == nil && len(s.early) >= maxSaid {
		s.over = true
		return
	}
	s.early[strings.Clone(id)] = sooner(s.early[id], up)
}

// foreseen returns what was said against a call before it came, or nil.
func (s *stream) foreseen(id string) *Verdict {
	if s.early[id] == nil && s.over {
		v := refusal("gate", "more was said of calls before they came than is kept, so this one may "+
			"have been denied")
		return &v
	}
	return s.early[id]
}

// sooner returns what two earlier gates, each of which may be nil, say together.
func sooner(a, b *Verdict) *Verdict {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	both := *b
	both.tighten(*a)
	return &both
}

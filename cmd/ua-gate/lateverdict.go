package main

import (
	"strings"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// late deals with a verdict that no call waits for. One that is stricter than what was said
// of its call is passed on, tightened, for the stages behind to heed; no other is, since it
// would loosen nothing or was forged. A denial may also come before its call.
func (s *stream) late(line []byte) error {
	id := event.Str(line, "call_id")
	up := parseVerdict(line)
	said, ok := s.said[id]
	if !ok {
		if up.Decision != verdict.Allow && len(s.early) < maxSaid {
			s.early[strings.Clone(id)] = sooner(s.early[id], &up)
		}
		return s.w.Write(event.Error("ua-gate", "a verdict without a call before it is left out",
			false))
	}
	now := *said
	now.tighten(up)
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

// sooner returns what two gates before this one say together, of which either may be nil.
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

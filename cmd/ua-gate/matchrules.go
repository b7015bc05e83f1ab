package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/verdict"
)

// matching returns the first deny or ask rule that a part matches, and that part. A word
// of unknown value may be anything, so it matches. So does a part of which nobody knows
// what it runs.
func (p *policy) matching(d verdict.Decision, report *classify.Report) (*rule, *classify.Part) {
	for i := range p.rules {
		r := &p.rules[i]
		if r.decision != d {
			continue
		}
		for part := range report.All() {
			if part.Unread || r.matches(part, true) {
				return r, part
			}
		}
	}
	return nil, nil
}

// allows returns the first allow rule whose words all match the part, or nil. No rule
// allows an unread part. A rule without a row does not allow a part whose level comes
// from beside its program: allowing make does not allow LD_PRELOAD=x make.
func (p *policy) allows(part *classify.Part) *rule {
	for i := range p.rules {
		r := &p.rules[i]
		reaches := r.decision == verdict.Allow && (r.Row != nil || !besideProgram(part))
		if reaches && !part.Unread && r.matches(part, false) {
			return r
		}
	}
	return nil
}

// matches reports whether the part matches a pattern of the rule, if it has any, and a
// row, if it has any. With maybe, a word of unknown value matches.
func (r *rule) matches(part *classify.Part, maybe bool) bool {
	byRow := func(glob string) bool {
		ok, _ := path.Match(glob, part.Row)
		return ok
	}
	byPattern := func(p *classify.Pattern) bool { return p.Match(part, maybe) }
	return (r.Row == nil || slices.ContainsFunc(r.Row, byRow)) &&
		(r.patterns == nil || slices.ContainsFunc(r.patterns, byPattern))
}

// besideProgram reports whether the part's level comes from a path, a variable, a pipe or
// a limit, and not from what its program and flags do.
func besideProgram(part *classify.Part) bool {
	fact, _, ok := strings.Cut(part.Row, ":")
	return ok && slices.Contains([]string{"path", "env", "pipe", "limit", "word"}, fact)
}

// because returns the rule's reason, or a sentence that says what the rule does.
func (r *rule) because(part *classify.Part) string {
	if r.Reason != "" {
		return r.Reason
	}
	return fmt.Sprintf("a rule says %s to %q", r.decision, cut(part.Text, 80))
}

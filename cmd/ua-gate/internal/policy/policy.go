// Package policy reads policy files (ua-policy(5)) and says what they decide: by level and mode,
// by rules, and by which hooks and which judge.
package policy

import (
	"slices"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// A Policy is what all policy files say together.
type Policy struct {
	Rules     []Rule            // in the order of the files
	Hooks     map[string][]Hook // by the name of what they are asked about or told of
	Judge     *Judge            // nil if there is none
	Workspace []string
	Rows      []*table.Table // of the user's files; the highest level counts
	Projects  []*table.Table // of the projects', which can only raise it

	levels    [len(modeNames)]Decisions  // by mode
	try       Decisions                  // in a try, where set, in place of those
	tryAtMost Decisions                  // as the projects tighten them
	closed    [verdict.Denied + 1]Closed // what denies the levels that a file does
}

// A Closed says which line of a file denies a level, and why if it says so.
type Closed struct{ Where, Reason string }

// Closes returns what denies a level: what denies one below it does so, too.
func (p *Policy) Closes(l verdict.Level) Closed {
	for ; l > verdict.ReadOnly && p.closed[l].Where == ""; l-- {
	}
	return p.closed[l]
}

// Decisions returns the decisions of the mode, in a try or not.
func (p *Policy) Decisions(m Mode, try bool) Decisions {
	d := p.levels[m]
	for l := range d {
		if try && p.try[l] != "" {
			d[l] = p.try[l]
		}
		if try && p.tryAtMost[l] != "" {
			d[l] = Stricter(d[l], p.tryAtMost[l])
		}
	}
	d.smooth()
	return d
}

// OfTry reports whether a file says what happens to the level in a try.
func (p *Policy) OfTry(l verdict.Level) bool { return p.try[l] != "" || p.tryAtMost[l] != "" }

// Matching returns the first deny or ask rule that a part matches, and that part. A part of which
// nobody knows what it runs matches each.
func (p *Policy) Matching(d verdict.Decision, report *finding.Report) (*Rule, *finding.Part) {
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Decision != d {
			continue
		}
		for part := range report.All() {
			if part.Unread || r.Matches(part) {
				return r, part
			}
		}
	}
	return nil, nil
}

// Allows returns the first allow rule whose words all match the part, or nil. No rule
// allows an unread part. A rule without a row does not allow a part whose level comes
// from beside its program: allowing make does not allow LD_PRELOAD=x make.
func (p *Policy) Allows(part *finding.Part) *Rule {
	i := slices.IndexFunc(p.Rules, func(r Rule) bool {
		return r.Decision == verdict.Allow && (r.Row != nil || !BesideProgram(part)) &&
			!part.Unread && r.Matches(part)
	})
	if i < 0 {
		return nil
	}
	return &p.Rules[i]
}

package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A Rule decides on a part of a command that one of its patterns and one of its rows
// match. A rule may have only one of both. It is one table [[allow]], [[ask]] or [[deny]].
type Rule struct {
	Pattern, Row texts // rows are globs over those that parts have
	Reason       string
	Match, Not   texts              // its own examples
	Decision     verdict.Decision   `toml:"-"`
	Where        string             `toml:"-"` // "policy.toml:14"
	patterns     []*finding.Pattern `toml:"-"`
}

// Matches reports whether the part matches a pattern of the rule, if it has any, and a row, if it
// has any. A word of unknown value may be anything, so it matches, but not in an allow rule.
func (r *Rule) Matches(part *finding.Part) bool {
	byRow := func(glob string) bool {
		ok, _ := path.Match(glob, part.Row)
		return ok
	}
	byPattern := func(p *finding.Pattern) bool { return p.Match(part, r.Decision != verdict.Allow) }
	return (r.Row == nil || slices.ContainsFunc(r.Row, byRow)) &&
		(r.patterns == nil || slices.ContainsFunc(r.patterns, byPattern))
}

// Because returns the rule's reason, or a sentence that says what the rule does.
func (r *Rule) Because(part *finding.Part) string {
	if r.Reason != "" {
		return r.Reason
	}
	return fmt.Sprintf("a rule says %s to %q", r.Decision, style.Cut(part.Text, 80))
}

// String returns the rule in words: its kind, rows and patterns.
func (r *Rule) String() string {
	list := slices.Clone(r.Row)
	for _, p := range r.patterns {
		list = append(list, p.String())
	}
	return fmt.Sprintf("%s rule %q", r.Decision, strings.Join(list, " | "))
}

// BesideProgram reports whether the part's level comes from a path, a variable, a pipe or
// a limit, and not from what its program and flags do.
func BesideProgram(part *finding.Part) bool {
	fact, _, ok := strings.Cut(part.Row, ":")
	return ok && slices.Contains([]string{"path", "env", "pipe", "limit", "word"}, fact)
}

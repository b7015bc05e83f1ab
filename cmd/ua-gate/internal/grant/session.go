package grant

import (
	"cmp"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/verdict"
)

// A Session is what a person has allowed for as long as the gate runs. The key is a kind of
// command, with the level up to which it is allowed, or a rule, a folder or a host.
type Session map[string]verdict.Level

// kind returns the key of a part: its program and the row that has judged it.
func kind(p *finding.Part) string { return p.Name + "\x00" + p.Row }

// part reports whether a part's kind is allowed.
func (a Session) part(p *finding.Part) bool {
	upto, ok := a[kind(p)]
	return ok && p.Level <= upto && grantable(p)
}

// Rule reports whether what an ask rule stops is allowed.
func (a Session) Rule(r *policy.Rule) bool { return a.allows("rule", []string{r.Where}) }

// allow remembers rules, folders, or hosts for all programs or for a kind of them.
func (a Session) allow(what string, list []string) {
	for _, s := range list {
		a[what+"\x00"+s] = verdict.Denied
	}
}

// allows reports whether all of them are allowed.
func (a Session) allows(what string, list []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool {
		_, ok := a[what+"\x00"+s]
		return !ok
	})
}

// AddHosts allows hosts for all programs.
func (a Session) AddHosts(hosts []string) { a.allow("host", hosts) }

// Add allows the kinds of the parts, or what an ask rule stops (nil for none).
func (a Session) Add(s *Sandbox, parts []*finding.Part, r *policy.Rule) {
	for _, p := range parts {
		need, _ := s.Needs(p)
		a.allow("write", need.Write)
		if openable(p) {
			continue // its folders are allowed, not its kind
		}
		a.allow(kind(p), need.Host)
		a[kind(p)] = max(a[kind(p)], p.Level)
	}
	if r != nil {
		a.allow("rule", []string{r.Where})
	}
}

// Frees reports whether a part is free because all that it needs is allowed: the folders that it
// writes, or the hosts of a program that does nothing worse than talk to them. A kind that is
// allowed needs its own.
func (a Session) Frees(s *Sandbox, p *finding.Part) (need verdict.Grant, ok bool) {
	if s.None {
		return need, a.part(p)
	}
	if len(a) == 0 || p.Unread || p.Held {
		return need, false
	}
	need, why := s.Needs(p)
	switch {
	case why != "" || !a.allows("write", need.Write):
		return need, false
	case a.part(p):
		return need, a.allows("host", need.Host) || a.allows(kind(p), need.Host)
	}
	return need, !need.Empty() && a.allows("host", need.Host) &&
		(openable(p) || p.Level == verdict.Network && !policy.BesideProgram(p))
}

// grantable reports whether a person may allow the part's kind for the session: a known
// program below the privileged level, or redirections to files of the workspace. A level
// that comes from beside the program, such as a write to a start-up file, is asked about
// each time.
func grantable(p *finding.Part) bool {
	known := len(p.Words) > 0 && p.Words[0].Known && p.Name != ""
	return !p.Unread && (redirection(p) || openable(p) || known && !policy.BesideProgram(p) &&
		p.Level < verdict.Privileged)
}

// redirection reports whether a part only writes a file of the workspace by a
// redirection.
func redirection(p *finding.Part) bool {
	return len(p.Words) == 0 && p.Row == "redirect" && p.Level <= verdict.Write
}

// maxKinds is how many kinds of command one answer allows for the session. The help shows
// the names of all of them.
const maxKinds = 8

// Kinds returns names for what Add would allow, those of the highest level first. It is nil if it
// can't be allowed, or if there are so many that a person would not read them.
func Kinds(parts []*finding.Part, r *policy.Rule) (names []string) {
	byLevel := slices.SortedStableFunc(slices.Values(parts), func(a, b *finding.Part) int {
		return cmp.Compare(b.Level, a.Level)
	})
	for _, p := range byLevel {
		if !grantable(p) {
			return nil
		}
		name := p.Name
		if dirs, _ := writes(p); openable(p) {
			name = "writing in " + strings.Join(tildes(dirs), ", ")
		} else if redirection(p) {
			name = "writing to files with >"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if r != nil && len(names) == 0 {
		names = append(names, "what "+r.Where+" stops")
	}
	if len(names) > maxKinds {
		return nil
	}
	return names
}

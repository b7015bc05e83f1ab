package grant

import (
	"cmp"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/classify"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/verdict"
)

// Held is what a person has allowed for as long as the gate runs. The key is a kind of
// command, with the level up to which it is allowed, or a rule, a folder or a host.
type Held map[string]verdict.Level

// kind returns the key of a part: its program and the row that has judged it.
func kind(p *classify.Part) string { return p.Name + "\x00" + p.Row }

// part reports whether a part's kind is held.
func (h Held) part(p *classify.Part) bool {
	upto, ok := h[kind(p)]
	return ok && p.Level <= upto && grantable(p)
}

// Rule reports whether what an ask rule stops is held.
func (h Held) Rule(r *policy.Rule) bool { return h.holds("rule", []string{r.Where}) }

// hold remembers rules, folders, or hosts for all programs or for a kind of them.
func (h Held) hold(what string, list []string) {
	for _, s := range list {
		h[what+"\x00"+s] = verdict.Denied
	}
}

// holds reports whether all of them are held.
func (h Held) holds(what string, list []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool {
		_, ok := h[what+"\x00"+s]
		return !ok
	})
}

// AddHosts holds hosts for all programs.
func (h Held) AddHosts(hosts []string) { h.hold("host", hosts) }

// Add holds the kinds of the parts, or what an ask rule stops (nil for none).
func (h Held) Add(s *Sandbox, parts []*classify.Part, r *policy.Rule) {
	for _, p := range parts {
		need, _ := s.Needs(p)
		h.hold("write", need.Write)
		if openable(p) {
			continue // its folders are held, not its kind
		}
		h.hold(kind(p), need.Host)
		h[kind(p)] = max(h[kind(p)], p.Level)
	}
	if r != nil {
		h.hold("rule", []string{r.Where})
	}
}

// Frees reports whether a part is free because all that it needs is held: the folders that it
// writes, or the hosts of a program that does nothing worse than talk to them. A kind that is
// held needs its own.
func (h Held) Frees(s *Sandbox, p *classify.Part) (need verdict.Grant, ok bool) {
	if s.None {
		return need, h.part(p)
	}
	if len(h) == 0 || p.Unread || p.Held {
		return need, false
	}
	need, why := s.Needs(p)
	switch {
	case why != "" || !h.holds("write", need.Write):
		return need, false
	case h.part(p):
		return need, h.holds("host", need.Host) || h.holds(kind(p), need.Host)
	}
	return need, !need.Empty() && h.holds("host", need.Host) &&
		(openable(p) || p.Level == verdict.Network && !policy.BesideProgram(p))
}

// grantable reports whether a person may allow the part's kind for the session: a known
// program below the privileged level, or redirections to files of the workspace. A level
// that comes from beside the program, such as a write to a start-up file, is asked about
// each time.
func grantable(p *classify.Part) bool {
	known := len(p.Words) > 0 && p.Words[0].Known && p.Name != ""
	return !p.Unread && (redirection(p) || openable(p) || known && !policy.BesideProgram(p) &&
		p.Level < verdict.Privileged)
}

// redirection reports whether a part only writes a file of the workspace by a
// redirection.
func redirection(p *classify.Part) bool {
	return len(p.Words) == 0 && p.Row == "redirect" && p.Level <= verdict.Write
}

// maxKinds is how many kinds of command one answer allows for the session. The help shows
// the names of all of them.
const maxKinds = 8

// Kinds returns names for what Add would hold, those of the highest level first. It is nil if it
// can't be held, or if there are so many that a person would not read them.
func Kinds(parts []*classify.Part, r *policy.Rule) (names []string) {
	byLevel := slices.SortedStableFunc(slices.Values(parts), func(a, b *classify.Part) int {
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

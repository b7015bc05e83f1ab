package main

import (
	"cmp"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/verdict"
)

// grants is what a person has allowed for as long as the gate runs. The key is a kind of
// command, with the level up to which it is allowed, or an ask rule.
type grants map[string]verdict.Level

// kind returns the key of a part: its program and the row that has judged it.
func kind(p *classify.Part) string { return p.Name + "\x00" + p.Row }

// part reports whether a part is granted.
func (g grants) part(p *classify.Part) bool {
	upto, ok := g[kind(p)]
	return ok && p.Level <= upto && grantable(p)
}

// rule reports whether what an ask rule stops is granted.
func (g grants) rule(r *rule) bool {
	_, ok := g["rule\x00"+r.where]
	return ok
}

// grantable reports whether a person may allow the part's kind for the session: a known
// program below the privileged level, or redirections to files of the workspace. A level
// that comes from beside the program, such as a write to a start-up file, is asked about
// each time.
func grantable(p *classify.Part) bool {
	known := len(p.Words) > 0 && p.Words[0].Known && p.Name != ""
	return !p.Unread && (redirection(p) || openable(p) || known && !besideProgram(p) &&
		p.Level < verdict.Privileged)
}

// redirection reports whether a part only writes a file of the workspace by a
// redirection.
func redirection(p *classify.Part) bool {
	return len(p.Words) == 0 && p.Row == "redirect" && p.Level <= verdict.Write
}

// kinds returns names for what a session grant of the question would allow, those of the
// highest level first. It is nil if it cannot be granted, or if there are so many that a
// person would not read them.
func (q *question) kinds() (names []string) {
	byLevel := slices.SortedStableFunc(slices.Values(q.open), func(a, b *classify.Part) int {
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
	if q.askRule != nil && len(names) == 0 {
		names = append(names, "what "+q.askRule.where+" stops")
	}
	if len(names) > maxKinds {
		return nil
	}
	return names
}

// grant allows the kinds of the question for the session.
func (h *gate) grant(q *question) {
	g := h.granted
	for _, p := range q.open {
		need, _ := h.needs(p)
		g.hold("write", need.Write)
		if openable(p) {
			continue // its folders are held, not its kind
		}
		g.hold(kind(p), need.Host)
		g[kind(p)] = max(g[kind(p)], p.Level)
	}
	if q.askRule != nil {
		g["rule\x00"+q.askRule.where] = verdict.Denied
	}
}

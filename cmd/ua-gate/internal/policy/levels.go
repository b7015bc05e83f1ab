package policy

import (
	"slices"

	"ua/internal/common/verdict"
)

// A Mode is a situation with its own decisions.
type Mode int

// The modes, in the order of their tables in ua-policy(5).
const (
	Unattended Mode = iota // nobody to ask, in our sandbox
	Attended               // a person to ask, in our sandbox
	Unconfined             // no sandbox of ours: a live shell, another agent
)

// modeNames are the names of the modes' tables in a policy, by mode.
var modeNames = [...]string{"unattended", "attended", "unconfined"}

// Decisions says for each level what happens to a command.
type Decisions [verdict.Denied + 1]verdict.Decision

// Defaults returns the decisions that hold if no policy says otherwise, by mode.
func Defaults() (levels [len(modeNames)]Decisions) {
	unasked := [...]verdict.Level{
		Unattended: verdict.Network, Attended: verdict.Write, Unconfined: verdict.ReadOnly,
	}
	for m := range levels {
		for l := range levels[m] {
			switch {
			case verdict.Level(l) <= unasked[m]:
				levels[m][l] = verdict.Allow
			case verdict.Level(l) == verdict.Denied || Mode(m) == Unattended:
				levels[m][l] = verdict.Deny
			default:
				levels[m][l] = verdict.Ask
			}
		}
	}
	return levels
}

// smooth makes no level freer than those below it. A command has the highest level of its
// parts, so a gap would let a part of a lower level through with a higher one.
func (d *Decisions) smooth() {
	for l := range d[1:] {
		d[l+1] = Stricter(d[l+1], d[l])
	}
}

// Strictness returns the rank of a decision: 0 allow, 1 ask, 2 deny, and -1 for another
// word.
func Strictness(d verdict.Decision) int {
	return slices.Index([]verdict.Decision{verdict.Allow, verdict.Ask, verdict.Deny}, d)
}

// Stricter returns the stricter of two decisions.
func Stricter(a, b verdict.Decision) verdict.Decision {
	if Strictness(a) > Strictness(b) {
		return a
	}
	return b
}

// Upto returns the highest level up to which all is allowed without a question, -1 for
// none.
func (d *Decisions) Upto() verdict.Level {
	return verdict.Level(slices.IndexFunc(d[:],
		func(x verdict.Decision) bool { return x != verdict.Allow }) - 1)
}

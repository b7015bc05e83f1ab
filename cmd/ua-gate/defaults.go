package main

import (
	"slices"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/verdict"
)

// defaultAskTimeout is how long a person may take to answer a question.
const defaultAskTimeout = config.AskTimeout

// defaultShell is the shell whose words a command is read as.
const defaultShell = "bash"

// Values for hooks, and on_error for a judge too, if the policy does not say.
const (
	hookTimeout = 10 * time.Second
	hookOnError = verdict.Deny
)

// A mode is a situation with its own decisions.
type mode int

const (
	unattended mode = iota // nobody to ask, in our sandbox
	attended               // a person to ask, in our sandbox
	unconfined             // no sandbox of ours: a live shell, another agent
)

// modeNames are the names of the modes' tables in a policy, by mode.
var modeNames = [...]string{"unattended", "attended", "unconfined"}

// decisions says for each level what happens to a command.
type decisions [verdict.Denied + 1]verdict.Decision

// defaults returns the decisions that hold if no policy says otherwise.
func defaults() (levels [len(modeNames)]decisions) {
	unasked := [...]verdict.Level{
		unattended: verdict.Network, attended: verdict.Write, unconfined: verdict.ReadOnly,
	}
	for m := range levels {
		for l := range levels[m] {
			switch {
			case verdict.Level(l) <= unasked[m]:
				levels[m][l] = verdict.Allow
			case verdict.Level(l) == verdict.Denied || mode(m) == unattended:
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
func (d *decisions) smooth() {
	for l := range d[1:] {
		d[l+1] = stricter(d[l+1], d[l])
	}
}

// stricter returns the stricter of two decisions.
func stricter(a, b verdict.Decision) verdict.Decision {
	if strictness(a) > strictness(b) {
		return a
	}
	return b
}

// upto returns the highest level up to which all is allowed without a question, -1 for
// none.
func (d *decisions) upto() verdict.Level {
	return verdict.Level(slices.IndexFunc(d[:],
		func(x verdict.Decision) bool { return x != verdict.Allow }) - 1)
}

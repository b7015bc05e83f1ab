package classify

import (
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
)

// Short names of the acts for the code of this package.
const (
	readsFiles    = judgement.ReadsFiles
	runsOwn       = judgement.RunsOwn
	writesHere    = judgement.WritesHere
	writesUnknown = judgement.WritesUnknown
	runsUnread    = judgement.RunsUnread
	runsHidden    = judgement.RunsHidden
	readsSecrets  = judgement.ReadsSecrets
	writesOutside = judgement.WritesOutside
	writesGuarded = judgement.WritesGuarded
	losesFiles    = judgement.LosesFiles
	losesAll      = judgement.LosesAll
	talks         = judgement.TalksToHosts
	rights        = judgement.ChangesRights
	sendsSecrets  = judgement.SendsSecrets
	runsStrangers = judgement.RunsStrangers
	writesMachine = judgement.WritesMachine
	never         = judgement.Never
)

// add adds an effect to the part: what is done, the row or rule that knows it, and the reason.
// A fact from beside the program (a path, a variable, a pipe) is never hidden by what
// the program itself is: then it becomes a part of its own, without words.
func (p *Part) add(act judgement.Act, row, reason string) { p.addBy(act, row, reason, "") }

// addBy is add for a fact about a path.
func (p *Part) addBy(act judgement.Act, row, reason, path string) {
	effect := judgement.Effect{Act: act, What: path, How: row, Why: reason}
	level := act.Level()
	fact := level >= destructive && beside(row)
	switch {
	case level > p.Level || p.Row == "" || level == p.Level && fact && !beside(p.Row):
		if p.Level >= destructive && beside(p.Row) {
			p.Parts = append(p.Parts, Part{Level: p.Level, Row: p.Row, Reason: p.Reason,
				Path: p.Path, Effects: p.Effects})
			p.Effects = nil
		}
		p.Level, p.Row, p.Reason, p.Path = level, row, reason, path
	case fact && row != p.Row:
		p.Parts = append(p.Parts, Part{Level: level, Row: row, Reason: reason, Path: path,
			Effects: []judgement.Effect{effect}})
		return
	}
	if act != readsFiles || len(p.Effects) == 0 {
		p.Effects = append(p.Effects, effect)
	}
}

// beside reports whether the row is a fact beside the program.
func beside(row string) bool {
	fact, _, found := strings.Cut(row, ":")
	return found && (fact == "path" || fact == "env" || fact == "pipe" || fact == "word" ||
		fact == "limit")
}

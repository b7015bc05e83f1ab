package classify

import "strings"

// Words by which programs call what they do to themselves or to a project: fetch it, or keep
// it. They say more than a name that a person gives a task.
const (
	fetchVerbs = " update upgrade self-update install sync add fetch download pull push publish " +
		"upload " +
		"login preview-docs serve registry socket module "
	storeVerbs = " init create set unset toggle enable disable annotate import edit new configure " +
		"register index split fix fmt format "
)

// servesHere are tools that serve what they build to this machine alone, unless a word says more.
const servesHere = " jekyll trunk zola mdbook mkdocs hugo zensical bridgetown nikola lektor " +
	"pelican "

// verb is the rule for a program whose first word may be a sub-command that the table does
// not know: what it is called it mostly does.
func (a *argv) verb() {
	// PROGRAM exec COMMAND, whatever the program is.
	if len(a.operands) > 1 && a.row.level <= write &&
		a.row.facts&(factText|factCode|factScript|factFirst) == 0 && a.rest == nil &&
		inList(" system shell exec eval sh ", a.operands[0].text) && !a.subbed &&
		!inList(seeking, a.name) {
		if program, _, _ := strings.Cut(a.operands[1].text, " "); inList(commonPrograms, program) {
			a.p.raise(destructive, a.name+" "+a.operands[0].text,
				a.name+" may run "+show(a.operands[1].text))
		}
	}
	if a.row.facts&factVerbs == 0 || a.subbed || len(a.operands) == 0 || !a.operands[0].plain() {
		return
	}
	name := a.operands[0].text
	if strings.ContainsAny(name, "/. ") || a.strange > 0 && a.words[0].text != name {
		return
	}
	// Verbs are named like tasks: what a name says holds for both.
	level, what := taskLevel(name)
	switch {
	case level > readOnly:
	case name == "exec" && len(a.operands) > 1:
		level, what = destructive, "runs what it is given"
	case name == "serve" && inList(servesHere, a.name):
		return
	case inList(fetchVerbs, name):
		level, what = network, "talks to other machines"
	case inList(storeVerbs, name):
		level, what, a.rewrites = write, "changes files", true
	default:
		return
	}
	a.p.raise(level, a.name+" "+name, a.name+" "+name+" says that it "+what)
}

package classify

import "strings"

// fileGoal reports whether a text of Prolog is a goal without arguments, of which only the file
// beside it can say anything: the rule for the file judges that.
func (a *argv) fileGoal(text string) bool {
	goal := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "."))
	goal = strings.TrimSpace(strings.TrimSuffix(goal, "halt"))
	goal = strings.TrimRight(goal, ", \n")
	if a.row.reader != "prolog" || len(a.operands) == 0 ||
		strings.Trim(goal, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" ||
		inList(" shell prolog edit make ", goal) {
		return false
	}
	a.base = max(a.base, buildTest)
	return true
}

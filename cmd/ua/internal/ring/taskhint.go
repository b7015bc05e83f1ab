package ring

import (
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// AsTask adds a hint to an error for the case that the words were meant as a task. It
// does so only if none of them was quoted and they are no IDs of runs.
func AsTask(verb string, words []string, err error) error {
	e, ok := err.(*prog.Error)
	task := strings.Join(words, " ")
	if !ok || strings.Trim(task, "abcdef -") == "" || len(words) != len(strings.Fields(task)) ||
		words[0] == run.Last || strings.ContainsAny(words[0], "0123456789") {
		return err
	}
	if len(words) > 2 || e.Hint == "" { // more words than any verb takes are a task
		return e.Hintf("quote a task that begins with %q: ua %q", verb, verb+" "+task)
	}
	return e.Hintf("%s; quote a task: ua %q", e.Hint, verb+" "+task)
}

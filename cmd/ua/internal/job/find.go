package job

import (
	"slices"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// Find returns the job in the list that word names: by its name, the beginning or the
// last part of it, by the ID of the call that started it, or as run.Last for the newest. An
// exact match goes before a part.
func Find(list []*Job, word string) (*Job, error) {
	if word == run.Last && len(list) > 0 {
		return slices.MaxFunc(list, func(a,
			b *Job) int {
			return a.Started.Compare(b.Started)
		}), nil
	}
	var found []*Job
	// A whole ID counts before the start of another one.
	for _, exact := range []bool{true, false} {
		for _, j := range list {
			if word == j.Name || exact && word == j.CallID ||
				!exact && word != "" && (strings.HasPrefix(j.Name, word) ||
					strings.HasSuffix(j.Name, "-"+word)) {
				found = append(found, j)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	switch len(found) {
	case 0:
		return nil, prog.Errorf(prog.Trouble, "%q: no such job", word).
			Hintf("ua job ls --all lists them")
	case 1:
		return found[0], nil
	}
	return nil, prog.Errorf(prog.Trouble, "%q: matches %d jobs", word, len(found)).
		Hintf("%s and %s are two of them", found[0].Name, found[1].Name)
}

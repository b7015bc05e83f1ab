package run

import (
	"slices"
	"strings"

	"ua/internal/common/prog"
)

// Pick returns the one of all that a name means: that has it among its names or else, if no
// other has, whose first name begins with it or has it as the last part. An error calls them by
// one and many, and says what lists them.
func Pick[T any](
	all []T, names func(T) []string, name, one, many, lists string,
) (picked T, err error) {
	for _, exact := range []bool{true, false} {
		found := slices.DeleteFunc(slices.Clone(all), func(x T) bool {
			if exact {
				return !slices.Contains(names(x), name)
			}
			first := names(x)[0]
			return name == "" || !strings.HasPrefix(first, name) && !strings.HasSuffix(first, "-"+name)
		})
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		return picked, prog.Errorf(prog.Trouble, "%q: matches %d %s", name, len(found), many).
			Hintf("%s and %s are two of them", names(found[0])[0], names(found[1])[0])
	}
	return picked, prog.Errorf(prog.Trouble, "%q: no such %s", name, one).
		Hintf("%s lists the %s", lists, many)
}

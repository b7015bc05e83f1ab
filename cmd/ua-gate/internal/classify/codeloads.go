package classify

import "strings"

// homes writes as ~ what stands for the home at the beginning of a text in other languages.
var homes = strings.NewReplacer(`"$ENV{HOME}/`, `"~/`, "`${process.env.HOME}/", "`~/", "?.(", "(",
	"?.[", "[",
	`ENVIRON["HOME"] "/`, `"~/`)

// movesByName reports whether the function of that name moves a file.
func movesByName(name string) bool {
	last := strings.ToLower(name[strings.LastIndexAny(name, ".:")+1:])
	return strings.Contains(last, "rename") || strings.Contains(last, "move") ||
		inList(" mv replace ", last)
}

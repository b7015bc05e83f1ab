package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// readYosys reads a script of yosys(1): commands with their words, of which some run programs or
// other scripts, and some name files that are written.
func readYosys(a *argv, text string) (verdict.Level, string) {
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r == '\n' ||
			r == ';'
	}) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		verb := words[0]
		if strings.HasPrefix(verb, "!") || inList(" exec tcl script plugin shell ", verb) ||
			inList(" -script -exe ", words[min(1, len(words)-1)]) {
			return destructive, "yosys runs " + show(line)
		}
		for i, w := range words[1:] {
			last := i+2 == len(words) && strings.HasPrefix(verb, "write_")
			before := words[i]
			if last || inList(" -prefix -vcd ", before) || verb == "tee" &&
				inList(" -o -a ", before) ||
				verb == "dump" && before == "-o" {
				a.writes(a.name+" "+verb, lit(w))
				a.w.overwrites(a.p, lit(w), a.sc)
			}
		}
	}
	return readOnly, ""
}

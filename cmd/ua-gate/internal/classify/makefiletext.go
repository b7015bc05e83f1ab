package classify

import "strings"

// A makefile is the variables of one that the command has written, while its lines are read.
type makefile map[string]string

// readsMakefile judges the recipes of a makefile as the shell's, where it has nothing but rules,
// variables and functions that only change lists of names.
func (a *argv) readsMakefile(text string) bool {
	vars := makefile{"CC": "cc", "CXX": "c++", "GO": "go", "PYTHON": "python3", "MAKE": "make",
		"RM": "rm -f", "@": "out", "<": "in", "^": "in", "CARGO": "cargo", "NPM": "npm"}
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		recipe, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t")
		name, val, set := strings.Cut(line, "=")
		switch {
		case ok:
			if !a.readsRecipe(vars, recipe) {
				return false
			}
		case strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
		case set && !strings.ContainsAny(name, "! ;"+"\t") || set && strings.Trim(name, " :?+") != "" &&
			!strings.ContainsAny(strings.TrimRight(name, " :?+"), "!: ;"):
			name = strings.TrimRight(name, " :?+")
			if vars[name], ok = vars.fill(strings.TrimSpace(val)); !ok ||
				inList(" SHELL .SHELLFLAGS MAKEFLAGS ", name) {
				return false
			}
		case strings.HasPrefix(line, "include"), strings.HasPrefix(line, "-include"),
			strings.HasPrefix(line, "sinclude"):
			return false
		default:
			rule, recipe, inline := strings.Cut(line, ";")
			if rule, ok = vars.fill(rule); !ok || strings.Contains(rule, "$") ||
				!strings.Contains(rule, ":") ||
				inline && !a.readsRecipe(vars, strings.TrimSpace(recipe)) {
				return false
			}
			for file := range strings.FieldsSeq(rule) {
				a.reads(lit(file)) // a recipe may name it $< or $^
			}
		}
	}
	return true
}

// readsRecipe judges a line that make gives to the shell.
func (a *argv) readsRecipe(vars makefile, recipe string) bool {
	recipe, ok := vars.fill(strings.TrimLeft(recipe, "@-+ "))
	if ok {
		a.w.text(recipe, stream{}, a.sc.sub(), &a.p.Parts)
	}
	return ok
}

// fill puts values in place of variables. It reports false where one is not known.
func (vars makefile) fill(line string) (string, bool) {
	line, known := makeLists.replace(line, "$1"), true
	line = makeVariable.get().ReplaceAllStringFunc(line, func(name string) string {
		val, ok := vars[strings.Trim(name, "$(){}")]
		known = known && ok
		return val
	})
	return strings.ReplaceAll(line, "$$", "$"), known && !strings.Contains(line, "$(")
}

var (
	// makeVariable is a variable of make(1), automatic ones too.
	makeVariable = regex{text: `\$\(\w+\)|\$\{\w+\}|\$[@<^]`}
	// makeLists finds the functions whose value is a pattern of names of files, as it stands there.
	makeLists = regex{text: `\$\(wildcard +([\w./ *?-]+)\)`}
)

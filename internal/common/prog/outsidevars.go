package prog

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A kind says how a variable's value names code.
type kind int

const (
	harmless kind = iota
	paths         // one path, or a list with colons; relative ones are in the working directory
	modules       // such a list, in which a name without a slash is looked for elsewhere
	options       // text of any form that names files: options, patterns, code
)

//go:embed variables.txt
var variables string

// A codeVariable is what variables.txt says of one.
type codeVariable struct {
	kind  kind
	loads []string
}

// codeVariables returns the rows of variables.txt by name.
var codeVariables = sync.OnceValue(func() map[string]codeVariable {
	kinds := map[string]kind{"paths": paths, "modules": modules, "options": options}
	all := map[string]codeVariable{}
	for line := range strings.Lines(variables) {
		if line[0] == '#' {
			continue
		}
		names, loads, _ := strings.Cut(line, " | ")
		words := strings.Fields(names)
		for _, name := range words[1:] {
			all[name] = codeVariable{kinds[words[0]], strings.Fields(loads)}
		}
	}
	return all
})

// kindOf returns what is known of a variable. A number at the name's end (LUA_INIT_5_4) is not
// part of it.
func kindOf(name string) codeVariable {
	return codeVariables()[strings.TrimRight(name, "_0123456789")]
}

// variable returns a variable, as NAME=VALUE, without what commands can change of a list,
// and false if nothing is left. Of options, all stay or none.
func (c change) variable(v string) (string, bool) {
	name, value, _ := strings.Cut(v, "=")
	known := kindOf(name)
	k := known.kind
	switch k {
	case harmless:
		return v, true
	case options:
		return v, !c.namedIn(value, known.loads)
	}
	if strings.HasPrefix(name, "LD_") && k == modules { // with spaces between them as well
		value = strings.ReplaceAll(value, " ", ":")
	}
	kept := slices.DeleteFunc(strings.Split(value, ":"), func(path string) bool {
		if k == modules && !strings.Contains(path, "/") {
			return path == ""
		}
		return c.chosen(path)
	})
	return name + "=" + strings.Join(kept, ":"), len(kept) > 0
}

// chosen reports whether commands can decide what lies at a path.
func (c change) chosen(path string) bool {
	return !filepath.IsAbs(path) || c.ways.lead(path, c.open) || c.ways.lead(path, c.home)
}

// namedIn reports whether a text names a file that commands can change: as an argument of
// one of the options loads, or by a path that says where it begins, in any place of it. An
// argument follows as a word or after = or :, or after a letter or @ without either.
func (c change) namedIn(text string, loads []string) bool {
	words := strings.FieldsFunc(strings.ReplaceAll(text, "file://", ""), func(r rune) bool {
		return strings.ContainsRune(" \t\n\"'`();", r)
	})
	argument := false
	for _, word := range words {
		list, rest := word, ""
		if !argument {
			list, rest = argumentOf(word, loads)
		}
		argument = slices.Contains(loads, word)
		for path := range strings.SplitSeq(list, ":") {
			if path != "" && c.chosen(path) {
				return true
			}
		}
		for path := range strings.FieldsFuncSeq(rest, marks) {
			if len(path) > 2 && path[0] == '-' {
				path = path[2:] // of a letter
			}
			if strings.IndexAny(path, "./") == 0 && strings.Contains(path, "/") && c.chosen(path) {
				return true
			}
		}
	}
	return false
}

// argumentOf returns a word's argument, if one of the options is in it, and what else the
// word says.
func argumentOf(word string, loads []string) (argument, rest string) {
	head, value := word, ""
	if at := strings.IndexAny(word, "=:"); at > 0 {
		head, value = word[:at], word[at+1:]
	}
	if slices.Contains(loads, head) {
		argument, rest, _ = strings.Cut(value, "=")
		return argument, rest
	}
	for _, o := range loads {
		letter := o == "@" || len(o) == 2 && o[0] == '-'
		if argument, ok := strings.CutPrefix(word, o); ok && letter {
			return argument, ""
		}
	}
	return "", word
}

// marks reports whether r parts words within an option.
func marks(r rune) bool { return strings.ContainsRune("=:,@", r) }

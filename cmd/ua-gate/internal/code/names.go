package code

import (
	_ "embed" // for namesText
	"strings"
)

// namesText is what the names of each language mean; its head says how.
//
//go:embed names.txt
var namesText string

// names are what the names of one language mean, by kind.
type names map[string]string

// namesOf reads the names of a language.
func namesOf(language string) names {
	n := names{}
	_, text, _ := strings.Cut(namesText, "\n["+language+"]\n")
	text, _, _ = strings.Cut(text, "\n[")
	kind := ""
	for line := range strings.Lines(text) {
		if k, rest, ok := strings.Cut(line, ": "); ok && line[0] != ' ' {
			kind, line = k, rest
		}
		n[kind] += " " + strings.Trim(line, " \n") + " "
	}
	return n
}

// has reports whether a name is listed under a kind.
func (n names) has(kind, name string) bool {
	_, ok := n.entry(kind, name)
	return ok
}

// entry returns what stands behind a name in a list: "@1".
func (n names) entry(kind, name string) (string, bool) {
	list := n[kind]
	for {
		i := strings.Index(list, " "+name)
		if i < 0 || name == "" {
			return "", false
		}
		list = list[i+1+len(name):]
		if list[0] == ' ' || list[0] == '@' {
			tail, _, _ := strings.Cut(list, " ")
			return tail, true
		}
	}
}

// kinds are those that a call may have, the gravest first.
var kinds = [...]string{"unknown", "code", "shell", "argv", "net", "delete", "write", "open",
	"load", "sql", "env", "read", "module", "home", "join", "pure"}

// kind returns what the name itself means, or "".
func (n names) kind(name string) string {
	if n.has("pure", name) {
		return "pure"
	}
	for _, k := range kinds {
		if n.has(k, name) {
			return k
		}
	}
	return ""
}

// find returns what the name means by itself, or by the module or the member that it
// is, or "".
func (n names) find(full string) string {
	k, _ := n.look(full)
	return k
}

func (n names) look(full string) (kind, listed string) {
	if k := n.kind(full); k != "" {
		return k, full
	}
	for piece := range strings.SplitSeq(full, ".") { // x.__self__.y
		if strings.HasPrefix(piece, "__") && n.kind("."+piece) == "unknown" {
			return "unknown", "." + piece
		}
	}
	last := full[strings.LastIndexByte(full, '.')+1:]
	if last != full && n.kind("."+last) == "unknown" {
		return "unknown", "." + last // FileUtils.send
	}
	for i := len(full) - 1; i > 0; i-- {
		if full[i] == '.' {
			if k := n.kind(full[:i] + ".*"); k != "" {
				return k, full[:i] + ".*"
			}
		}
	}
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		if k := n.kind(full[i:]); k != "" {
			return k, full[i:]
		}
	}
	return "", ""
}

// armed reports whether a module, handed on as a value, could do anything.
func (n names) armed(module string) bool { return n.has("armed", module) }

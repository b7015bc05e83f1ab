package classify

import (
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// readGdb reads a command of a debugger: only those that show are harmless.
func readGdb(_ *argv, text string) (verdict.Level, string) {
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		verb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch word {
		case "", "bt", "backtrace", "info", "quit", "q", "where", "list", "l", "break", "b", "x", "exit",
			"up", "down",
			"disassemble", "disas", "help", "ptype", "whatis", "show", "echo", "version", "di", "maint",
			"explore":
		// These go on with the program that is debugged, which is the project's.
		case "run", "r", "start", "continue", "c", "next", "n", "step", "s", "finish":
			if rest != "" {
				return destructive, "a debugger's command may run programs"
			}
		case "frame", "f", "thread", "image", "target", "breakpoint", "br", "settings", "type", "source",
			"register", "memory",
			"language", "statistics", "process":
			if word == "target" && verb == "remote" || word == "source" && verb != "list" &&
				verb != "info" || inList(" launch attach connect write set load save delete script add "+
				"import "+
				"command exec modules symbols detach kill signal plugin ", verb) &&
				!inList(" image breakpoint br ", word) ||
				inList(" command script write add exec ", verb) {
				return destructive, "a debugger's command may run programs"
			}
		// An expression may call a function of the program, or change it.
		case "print", "p", "output", "call", "set":
			if strings.ContainsAny(rest, "(|!") || word == "call" || word == "set" &&
				!inList(" pagination confirm width height ", verb) ||
				strings.Contains(rest, "=") {
				return destructive, "a debugger's command may run programs"
			}
		default:
			return destructive, "a debugger's command may run programs"
		}
		if strings.ContainsAny(line, "|!`$") {
			return destructive, "a debugger's command may run programs"
		}
	}
	return buildTest, "debugs a program"
}

// gdb without -batch takes further commands from a person, and with --args or a
// process it runs one.
func (a *argv) gdb() {
	if !a.flagged("-batch", "--batch", "-b") || a.flagged("-p", "--pid", "-pid", "-x", "-command") {
		a.p.add(runsHidden, "gdb", "gdb runs a program, and what it is told")
		return
	}
	i := slices.IndexFunc(a.words, func(wd word) bool { return wd.text == "--args" })
	if i >= 0 && i+1 < len(a.words) {
		a.w.run(a.words[i+1:], a.in, a.sc.sub(), &a.p.Parts)
	}
}

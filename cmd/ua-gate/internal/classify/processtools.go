package classify

import (
	"slices"
	"strings"
)

// kill of process 1 stops the machine.
func (a *argv) kill() {
	if a.name == "kill" && len(a.operands) > 0 &&
		!slices.ContainsFunc(a.operands, func(o word) bool { return o.text != ownJob }) {
		a.base = readOnly // the command's own
	}
	for _, o := range a.operands {
		if a.name == "kill" && o.text == "1" {
			a.p.add(rights, "kill 1", "kill ends the process that runs the machine")
		}
	}
}

// ps shows the variables of every process with the letter e among its words without a
// dash.
func (a *argv) ps() {
	if len(a.operands) > 0 && strings.Contains(a.operands[0].text, "e") &&
		strings.Trim(a.operands[0].text, "abcdefghijklmnopqrstuvwxyzLSTVXZ") == "" {
		a.p.add(readsSecrets, "ps e", "ps shows the variables of other programs")
		a.out |= fromSecret
	}
}

// printsVariables reports whether a command prints all variables, which in a container
// are secrets more often than not: nobody has filtered them.
func printsVariables(p *Part) bool {
	if (p.Row == "env" || p.Row == "printenv" || p.Row == "export" || p.Row == "set" ||
		p.Row == "declare") && len(p.Words) == 1 {
		return true
	}
	for i := range p.Parts {
		if printsVariables(&p.Parts[i]) {
			return true
		}
	}
	return false
}

// strace writes its report to a file, or through a pipe to a command.
func (a *argv) strace() {
	out, ok := a.value("-o", "--output")
	if !ok {
		return
	}
	if strings.HasPrefix(out.text, "|") || strings.HasPrefix(out.text, "!") {
		a.script(a.name+" -o", out.cut(1), stream{})
		return
	}
	a.writes(a.name+" -o", out)
}

// record is script(1): without a command it runs a shell.
func (a *argv) record() {
	if !a.flagged("-c", "--command") {
		a.p.add(runsHidden, "script", "script runs a shell")
	}
	if len(a.operands) == 1 && a.operands[0].text == "/dev/null" {
		a.base = readOnly // what the command does is all that happens
	}
}

// prlimit without a limit only shows those that hold.
func (a *argv) prlimit() {
	for _, u := range a.used {
		if u.val.text != "" && !inList(" -p --pid -o --output ", u.name) &&
			a.flagged("-p", "--pid") {
			a.p.add(rights, "prlimit --pid", "prlimit changes what another program may use")
		}
	}
}

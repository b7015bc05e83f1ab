package classify

import "strings"

// ip reads the words of ip(8): objects and verbs may be cut short.
func (a *argv) ip() {
	a.base = readOnly
	var operands []string
	for i := 0; i < len(a.words); i++ {
		t := a.words[i].text
		if !strings.HasPrefix(t, "-") || len(operands) > 0 {
			operands = append(operands, t)
			if len(operands) == 2 && operands[0] == "netns" && strings.HasPrefix("exec", t) &&
				t != "" {
				a.base = privileged
				if i+2 < len(a.words) {
					a.w.run(a.words[i+2:], a.in, a.sc, &a.p.Parts)
				}
				return
			}
			continue
		}
		if t == "-b" || strings.HasPrefix(t, "-ba") || strings.HasPrefix(t, "-force") {
			a.base = privileged
			return
		}
		if t == "-n" || t == "-netns" || t == "-f" || t == "-family" {
			i++
		}
	}
	if len(operands) < 2 {
		return
	}
	verb := operands[1]
	for _, show := range []string{"show", "list", "lst", "get", "help", "monitor"} {
		if verb != "" && strings.HasPrefix(show, verb) {
			return
		}
	}
	a.base = privileged
}

// sysctl sets what stands with a =.
func (a *argv) sysctl() {
	for _, o := range a.operands {
		if strings.Contains(o.text, "=") || !o.known() {
			a.p.raise(privileged, "sysctl KEY=VALUE", "sysctl sets "+show(o.text))
		}
		a.effect(isLoose, o, "")
	}
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
		a.p.raise(destructive, "script", "script runs a shell")
	}
	if len(a.operands) == 1 && a.operands[0].text == "/dev/null" {
		a.base = readOnly // what the command does is all that happens
	}
}

// localHost is getent, which asks nobody about this machine's own names.
func (a *argv) localHost() {
	if len(a.operands) == 0 || a.name != "host" && !strings.HasSuffix(a.name, "hosts") {
		return
	}
	for _, o := range a.operands {
		if o.text != "localhost" && !strings.HasPrefix(o.text, "127.") && o.text != "::1" {
			return
		}
	}
	a.base = readOnly
}

// ps shows the variables of every process with the letter e among its words without a
// dash.
func (a *argv) ps() {
	if len(a.operands) > 0 && strings.Contains(a.operands[0].text, "e") &&
		strings.Trim(a.operands[0].text, "abcdefghijklmnopqrstuvwxyzLSTVXZ") == "" {
		a.p.raise(destructive, "ps e", "ps shows the variables of other programs")
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

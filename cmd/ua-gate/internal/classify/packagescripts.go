package classify

import "strings"

// scripts is a package manager that runs the tools and scripts of the project: a name
// that the table does not know is one of those.
func (a *argv) scripts() {
	if a.flagged("-m", "--module") && len(a.rest) > 0 {
		a.rest = append([]word{lit("python3"), lit("-m")}, a.rest...)
	}
	for len(a.rest) > 1 && strings.Contains(a.rest[0].text, "=") &&
		strings.ContainsAny(a.rest[0].text[:1], "+-") {
		a.rest = a.rest[1:] // which of the environments: +py=3.11
	}
	if len(a.rest) > 1 && a.rest[1].text == "--" {
		a.rest = append(a.rest[:1:1], a.rest[2:]...) // stack exec ghc -- -e CODE
	}
	if text := first(a.rest, ""); strings.Contains(text.text, " ") {
		a.script(a.name, text, a.in)
		a.rest = nil
		return
	}
	if env, name, ok := strings.Cut(first(a.rest, "").text, ":"); ok &&
		env != "" && a.w.row(name) != nil {
		a.rest = append([]word{lit(name)}, a.rest[1:]...) // in an environment: test:python
	}
	name := first(a.rest, "")
	if a.stdinFile(name.text) {
		a.rest, a.base = nil, readOnly
		a.out |= a.w.runWords([]word{lit("python3"), lit("-")}, a.in, a.sc.sub(), &a.p.Parts).bits
		return
	}
	if name.text == "" || !name.plain() || strings.ContainsAny(name.text, "/.") ||
		a.w.functions[name.text] != nil || a.w.versioned(name.text) != nil ||
		a.w.row(name.text) != nil {
		return
	}
	a.operands, a.rest = a.rest, nil
	for _, o := range a.operands {
		a.touch(o)
	}
}

// bin is the rule for a word by which a package manager starts a script or a tool of the
// project. What the table knows is judged as that; the name of another says what it does.
func (a *argv) bin(name word, i int) bool {
	if !name.known() || strings.ContainsAny(name.text, "/.@") {
		return false
	}
	if r := a.w.row(name.text); r != nil && r.facts&factUa == 0 {
		a.base, a.rest = buildTest, a.words[i:]
		return true
	}
	a.row, a.base = projectTool(name.text), buildTest
	a.slots, a.ended = a.row.slots, true
	a.name += " " + name.text
	return true
}

// projectTool is the row of a tool that the project's package manager put there and that
// the table does not know.
func projectTool(name string) *row {
	return &row{name: name, level: buildTest, alone: noLevel,
		slots: []slot{{what: isPlug, level: noLevel, star: true}}}
}

// runner is npx and its like: a tool of the project if the table knows it by the name that the
// registry has it under, and else one that is fetched.
func (a *argv) runner() {
	name := first(a.rest, "").text
	name, _, _ = strings.Cut(name, "@")
	r := a.w.row(name)
	if r == nil && a.w.functions[name] == nil && a.fetchesNothing() && first(a.rest, "").known() &&
		name != "" && !strings.ContainsAny(a.rest[0].text, "/.@") {
		a.operands, a.rest, a.base = a.rest, nil, buildTest
		for _, o := range a.operands {
			a.touch(o)
		}
		return // a tool of the project that the table does not know
	}
	level := destructive
	if r != nil {
		level = r.level
		if of, ok := r.sub(first(a.rest[min(1, len(a.rest)):], "").text); ok {
			level = of
		}
	}
	mild := level <= write && (a.w.fromNPM(name) || strings.HasSuffix(a.name, " exec") ||
		a.flagged("--offline", "--no-install", "--no"))
	if mild && (!inList(" uvx dlx ", a.name[strings.LastIndexByte(a.name, ' ')+1:]) ||
		a.flagged("--offline", "--no-install", "--no")) &&
		!a.flagged("-p", "--package", "--from", "--with", "-c",
			"--call") {
		a.base = readOnly
	}
}

// fetchesNothing reports whether the runner only starts what the project has.
func (a *argv) fetchesNothing() bool {
	return (a.name == "pnpm exec" || a.name == "yarn exec" ||
		a.flagged("--no-install", "--no", "--offline") && strings.HasPrefix(a.name, "np")) &&
		!a.flagged("-p", "--package", "-c", "--call")
}

// fromNPM reports whether the registry of npm has a program under the name by which the table
// knows it. A word of another program, such as cat or ruff, is there whatever somebody put there.
func (w *machine) fromNPM(name string) bool {
	_, listed := w.row("registry of npm").sub(name)
	return listed
}

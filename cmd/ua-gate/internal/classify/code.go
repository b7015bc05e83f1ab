package classify

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/code"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/internal/common/secret"
)

// code is the rule for a text in another language. A text of which nothing can
// be said is destructive.
func (a *argv) code(label string, val word) {
	if val.from&(fromNet|fromDecode) != 0 {
		a.w.scriptFrom(a.p, val.from, label)
		return
	}
	if val.text == hole || strings.HasPrefix(val.text, hole) && len(val.text) < 4 {
		a.p.add(runsHidden, label, label+" runs code that is not known")
		return
	}
	// A value that is filled in later stands as 0, so that the text can be lexed.
	text := homes.Replace(strings.ReplaceAll(val.text, hole, "0"))
	if a.name == "ipython" && shellLine(text) {
		a.p.add(runsHidden, label, label+" runs a line of a shell or a magic command")
		return
	}
	if read := readerOfCode(a.row.reader); read != nil {
		if level, why := read(a, text); level > readOnly {
			a.p.add(judgement.Of(level), label, a.name+": "+why)
		}
		return
	}
	acts, ok := code.Acts(cmp.Or(a.row.reader, a.name), text)
	if !ok {
		a.p.add(runsUnread, label, label+" runs code that is not understood")
		a.connects(label, text)
		return
	}
	if strings.Contains(val.text, hole) {
		a.base = max(a.base, buildTest) // what fills it in may be code, too
	}
	for i := range acts {
		a.act(label, &acts[i])
	}
	if a.row.reader == "python" && a.shadowed("") {
		a.p.add(runsUnread, label, a.name+" loads a module that this command has just written")
	}
	if a.row.reader == "python" && a.shadowedHere() {
		a.base = max(a.base, buildTest) // the project's own, in place of one of the language's
	}
	a.backdoor(label, acts)
}

// act judges one thing that a text of a language does.
func (a *argv) act(label string, act *code.Act) {
	says := a.name + ": " + show(act.Name)
	first := code.Hole
	if len(act.Args) > 0 {
		first = act.Args[0]
	}
	switch act.Kind {
	case code.Unknown:
		a.p.add(runsUnread, label, says+" may do anything")
	// A module runs when it is loaded: the project's own, a fetched or a written one.
	case code.Load:
		a.base = max(a.base, buildTest)
		if strings.Contains(first, "://") && !strings.HasPrefix(first, "file:") ||
			(a.name == "deno eval" || a.name == "deno repl") &&
				(strings.HasPrefix(act.Name, "npm:") || strings.HasPrefix(act.Name, "jsr:")) {
			a.p.add(talks, label, says+" fetches "+show(first)+" and runs it")
			return
		}
		if a.name == "perl" && (strings.HasPrefix(first, "CPAN") ||
			strings.HasPrefix(act.Name, "CPAN")) {
			a.p.add(talks, label, says+" fetches modules and runs them")
		}
		if a.row.reader == "node" && strings.HasSuffix(first, ".json") {
			a.reads(lit(first)) // which is parsed, and does not run
			return
		}
		if strings.ContainsAny(first, "/~") && !a.fetched(lit(first)) {
			a.plug(label, lit(first))
		}
		if a.w.hasWritten(lit(first), a.sc) || a.name == "python" && a.wroteModule(act.Name) ||
			a.wroteModule(first) || a.wroteModule(path.Base(first)) {
			a.p.add(runsUnread, label, says+" runs what this command has just written")
		}
	case code.Read:
		for _, path := range act.Args {
			a.reads(lit(path))
			if path != "" && a.w.at(path, a.sc).holdsSecrets() {
				a.p.add(readsSecrets, "path:secret", says+" reads all of "+show(path))
			}
			if act.Name != code.InText || !strings.ContainsAny(path, `\?*()[]|^$+`) &&
				!strings.HasSuffix(path, "://") {
				a.address(isRead, label, lit(path))
			}
		}
	case code.Write:
		a.p.add(writesHere, label, says+" writes files")
		if slices.Contains(act.Args, "/dev/null") && movesByName(act.Name) {
			a.p.add(losesFiles, label, says+" loses what it moves to /dev/null")
		}
		if len(act.Args) == 2 && movesByName(act.Name) {
			a.movesAway(lit(act.Args[0]), lit(act.Args[1]), 0)
		}
		for _, path := range act.Args {
			a.address(isRead, label, lit(path))
			a.writes(label, lit(path))
			a.w.overwrites(a.p, lit(path), a.sc)
			a.reads(lit(path))
			a.w.wroteFile(path, a.sc)
		}
	case code.Delete:
		a.p.add(losesFiles, label, says+" deletes "+show(first))
		// Which files these are nobody can tell: they may be all.
		if strings.Contains(first, code.Hole) || everyName(first) {
			a.p.Held = true
		}
		for _, path := range act.Args {
			if path != "" {
				a.deletes(lit(path))
			}
		}
	// The command is judged by itself, too: what is worse than a run is said with its
	// reason.
	case code.Shell, code.Argv:
		a.base = max(a.base, buildTest)
		words := act.Args
		if act.Kind == code.Shell {
			words = strings.Fields(first)
		}
		if strings.Contains(first, code.Hole) || !a.startsTool(words) {
			a.p.add(runsHidden, label, says+" runs a command")
		}
		if act.Kind == code.Shell {
			a.script(label, lit(first), stream{})
			return
		}
		list := make([]word, len(words))
		for i, w := range words {
			list[i] = lit(w)
		}
		a.out |= a.w.run(list, stream{}, a.sc.sub(), &a.p.Parts).bits
	case code.Net:
		a.p.add(talks, label, says+" talks to other machines")
	case code.Env:
		a.variable(label, first)
	case code.SQL:
		if strings.Contains(first, code.Hole) {
			a.p.add(writesHere, label, says+" runs statements that stand elsewhere")
		} else if level, why := readSQL(a, first); level > readOnly {
			a.p.add(judgement.Of(level), label, a.name+": "+why)
		}
	}
}

// startsTool reports whether the words that code gives to the system are a program that the table
// knows, with arguments, and that does not run what it reads: the code may write that.
func (a *argv) startsTool(words []string) bool {
	if len(words) == 0 {
		return false
	}
	r, _ := a.w.program(words[0])
	return r != nil && r.facts&factScript == 0 && r.reader != "shell" && r.reader != "fish" &&
		(len(words) > 1 || inList(" git ls make pytest wc du uname docker ", words[0]))
}

// wroteModule reports whether this command has written the module: NAME.py or NAME/….
func (a *argv) wroteModule(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	for _, file := range a.w.written {
		if base := path.Base(file); name != "" && (strings.HasPrefix(base, name+".") ||
			path.Base(path.Dir(file)) == name && inList(" __init__.py index.js index.mjs index.cjs "+
				"index.ts init.lua ", base)) && !a.readsWritten(file) {
			return true
		}
	}
	return false
}

// variable is the rule for code that reads a variable of the environment, or all.
func (a *argv) variable(label, name string) {
	switch {
	case name == code.Hole:
		a.out |= fromSecret
		a.p.add(readsSecrets, "env:secret", a.name+" reads all variables")
	case secret.Name(name):
		a.out |= fromSecret
		a.p.add(readsSecrets, label, a.name+" reads the secret variable "+show(name))
	}
}

// backdoor is the rule for code that talks to other machines and runs what it is
// told: it gives them a shell.
func (a *argv) backdoor(label string, acts []code.Act) {
	net, runs := false, false
	for _, act := range acts {
		net = net || act.Kind == code.Net
		runs = runs || act.Kind == code.Shell || act.Kind == code.Argv || act.Kind == code.Unknown
	}
	if net && runs {
		a.p.add(runsStrangers, label, label+" runs code that gives another machine a shell")
	}
}

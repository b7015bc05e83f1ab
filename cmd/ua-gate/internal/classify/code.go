package classify

import (
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
		a.p.add(runsUnread, label, label+" runs code that is not known")
		return
	}
	// A value that is filled in later stands as 0, so that the text can be lexed.
	text := homes.Replace(strings.ReplaceAll(val.text, hole, "0"))
	if a.name == "sage" && sageLeaves.match(text) {
		a.p.add(runsHidden, label, a.name+" loads files, evaluates texts or runs other programs")
		return
	}
	if (a.name == "ipython" || a.name == "sage") && shellLine(text) {
		a.p.add(runsHidden, label, label+" runs a line of a shell or a magic command")
		return
	}
	if read := readerOfCode(a.row.reader); read != nil {
		if level, why := read(a, text); level > readOnly {
			a.p.add(judgement.Of(level), label, a.name+": "+why)
		}
		return
	}
	acts, ok := code.Acts(languageOf(a.row.reader, a.name), text)
	if !ok {
		a.p.add(runsUnread, label, label+" runs code that is not understood")
		a.connects(label, text)
		return
	}
	a.coded = text
	for i := range acts {
		a.act(label, &acts[i])
		// Of a module whose name is put together, each path in the text may be the one.
		if acts[i].Kind == code.Load && len(acts[i].Args) > 0 &&
			strings.Contains(acts[i].Args[0], code.Hole) {
			for _, quoted := range outerPaths(text) {
				a.plug(label, lit(quoted))
			}
		}
	}
	a.byText(text, label)
	a.pathsInCode(text, acts)
	if slices.ContainsFunc(acts, func(act code.Act) bool {
		return act.Kind == code.Shell || act.Kind == code.Argv
	}) {
		a.startsIn(label, text)
	}
	if a.row.reader == "python" {
		for _, file := range a.w.written {
			if name, ok := strings.CutSuffix(path.Base(file), ".py"); ok &&
				importsModule(text, name) && !a.readsWritten(file) {
				a.p.add(runsUnread, label,
					a.name+" imports what this command has just written, "+name)
			}
		}
	}
	a.backdoor(label, acts)
}

// importsModule reports whether a text of Python imports the module.
func importsModule(text, name string) bool {
	return strings.Contains(text, "import "+name) || strings.Contains(text, "from "+name+" ") ||
		strings.Contains(text, "."+name+" import ")
}

// pathsInCode is the rule for a path outside the workspace that stands in code which may write
// and is nothing that the code is known to read: it may be written anew.
func (a *argv) pathsInCode(text string, acts []code.Act) {
	if max(a.p.Level, a.base) > write || !strings.Contains(text, "/") {
		return
	}
	for _, quoted := range outerPaths(text) {
		read := slices.ContainsFunc(acts, func(act code.Act) bool {
			return act.Kind == code.Read && act.Name != code.InText &&
				slices.Contains(act.Args, quoted)
		})
		if at := a.w.at(quoted, a.sc); !read &&
			inList(" ~ mnt media data workspace var Volumes net ", at.names[0]) &&
			!strings.ContainsAny(quoted, `^$*\|()<>{}%`) {
			a.w.overwrites(a.p, lit(quoted), a.sc)
		}
	}
}

// outerPaths returns the texts in quotes that begin as a path from the root or a home does.
func outerPaths(text string) (list []string) {
	for i := 0; i+2 < len(text); i++ {
		if text[i] != '"' && text[i] != '\'' || text[i+1] != '/' && text[i+1] != '~' {
			continue
		}
		end := strings.IndexByte(text[i+1:], text[i])
		if end < 0 {
			return list
		}
		list = append(list, text[i+1:i+1+end])
		i += end + 1
	}
	return list
}

// languageOf returns the language that a row's reader names, or else its program.
func languageOf(reader, program string) string {
	switch reader {
	case "sage":
		return "python"
	case "":
		return program
	}
	return reader
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
		a.p.add(runsHidden, label, says+" may do anything")
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
	case code.Shell:
		a.base = max(a.base, buildTest)
		if strings.Contains(first, code.Hole) || !a.startsTools(strings.Fields(first)) {
			a.p.add(runsHidden, label, says+" runs a command")
		}
		a.script(label, lit(first), stream{})
	case code.Argv:
		a.base = max(a.base, buildTest)
		if !a.startsTools(act.Args) {
			a.p.add(runsHidden, label, says+" runs a command")
		}
		a.startWords(act.Args)
	case code.Net:
		a.p.add(talks, label, says+" talks to other machines")
	case code.Env:
		a.variable(label, first)
	case code.SQL:
		if strings.HasSuffix(act.Name, "executescript") && strings.Contains(first, code.Hole) {
			a.p.add(writesHere, label, says+" runs statements that stand elsewhere")
			for _, file := range outerPaths(a.coded) {
				a.plug(label, lit(file))
			}
		}
		if level, why := readSQL(a, first); level > readOnly &&
			!strings.Contains(first, code.Hole) {
			a.p.add(judgement.Of(level), label, a.name+": "+why)
		}
	}
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

// byText sees in a text what its calls do not show: files that Perl's <> reads and R's
// cat writes, and members of Lua's tables whose names are put together.
func (a *argv) byText(text, label string) {
	a.loadsFrom(label, text)
	a.deletesByText(text, label)
	if (inList(" rails.runner rails.r php.artisan.tinker artisan.tinker ",
		strings.ReplaceAll(a.name, " ", ".")) || strings.Contains(label, "manage.py")) &&
		storesOrSends.match(text) {
		a.p.add(losesFiles, label, a.name+" may change what the application keeps")
	}
	if strings.Contains(a.name, "rails") && keptSecrets.match(text) {
		a.p.add(readsSecrets, "env:secret", a.name+" reads the application's secrets")
	}
	if wholeEnv.match(text) {
		a.out |= fromSecret
		a.p.add(readsSecrets, "env:secret", a.name+" reads all variables")
	}
	// What the calls of a language do not show: operators and variables that act.
	switch a.row.reader {
	case "node":
		a.javaScript(label, text)
	case "perl", "ruby":
		// Crystal, which is read as Ruby, runs macros while it compiles.
		if a.name == "crystal eval" && (strings.Contains(text, "{{") ||
			strings.Contains(text, "{%") || strings.Contains(text, "LibC") ||
			strings.Contains(text, "lib ") || strings.Contains(text, "Process") ||
			strings.Contains(text, "fun ")) {
			a.p.add(runsHidden, label, a.name+" runs macros or calls C")
		}
		for _, m := range angled.all(text) {
			a.reads(lit(m[1]))
		}
		// Perl and Ruby edit in place, without -i, when these are set.
		if foundMethod.match(text) {
			a.p.add(runsHidden, label, a.name+" calls what it finds by a name")
		}
		if strings.Contains(text, "$^I") || strings.Contains(text, "$-i") ||
			strings.Contains(text, "$INPLACE_EDIT") {
			a.p.add(losesFiles, label, a.name+" edits in place the files that it opens")
		}
		if _, made, ok := strings.Cut(text, "ERB.new("); ok && !strings.HasPrefix(made, `"`) &&
			!strings.HasPrefix(made, "'") {
			a.p.add(runsHidden, label, a.name+" runs the code in a template that is not known")
		}
		if strings.Contains(text, "@ARGV") &&
			(strings.Contains(text, `|"`) || strings.Contains(text, `|'`) || strings.Contains(text, `"|`)) {
			a.p.add(runsHidden, label, a.name+" runs the command that it opens as a file")
		}
		if strings.Contains(text, "@ARGV") && strings.Contains(text, "=") {
			for _, file := range inQuotes(strings.ReplaceAll(text, "$ENV{HOME}", "~")) {
				a.reads(lit(file))
			}
		}
	case "python", "sage":
		if strings.Contains(text, "__builtins__") || strings.Contains(text, "__dict__[") {
			a.p.add(runsHidden, label, a.name+" takes a function by a name that is put together")
		}
		if strings.Contains(text, "fileinput") && strings.Contains(text, "inplace") {
			a.p.add(writesHere, label, a.name+" edits in place the files that it reads")
			for _, file := range quotedPaths(text) {
				a.w.write(a.p, lit(file), a.sc)
				a.w.overwrites(a.p, lit(file), a.sc)
			}
		}
		for _, m := range renames.all(text) {
			a.p.add(writesHere, label, a.name+" moves "+show(m[1]))
			a.movesAway(lit(m[1]), lit(m[2]), 0)
			a.w.overwrites(a.p, lit(m[1]), a.sc)
			a.writes(label, lit(m[2]))
		}
		for _, m := range logFile.all(text) {
			a.writes(label, lit(m[1]))
		}
		if homeTree.match(text) && strings.Contains(text, "read") {
			a.p.add(runsHidden, label, a.name+" reads files all over the home")
		}
	}
}

var (
	// wholeEnv finds the whole environment.
	wholeEnv = regex{text: `os\.environ(?:\.(?:items|values|copy)|\s*(?:[^.\s\[]|$))|[%@&]ENV\b|` +
		`\bENV\.(?:to_|[a-z_]+\b[^?\w])|process\.env\s*(?:[^.\s\[?]|$)|env\.toObject|expandvars|` +
		`meta\.env`}
	foundMethod = regex{text: `->\s*can\s*\([^)]*\)\s*->\s*\(|\bmethod\s*\(:?["']?\w+["']?\)\.unbind`}

	angled  = regex{text: `<([~/.][^<>\s;]*/[^<>\s;]*)>`} // a glob of Perl's
	renames = regex{text: `Path\(["']([^"']+)["']\)\.(?:replace|rename|move)\(\s*["']([^"']*)`}
	logFile = regex{text: `basicConfig\((?s:.*?)filename\s*=\s*["']([^"']+)`}

	// what changes an application's database, or sends something for it
	storesOrSends = regex{text: `(?i)(?:::|\.|->)\s*(?:force)?_?(?:delete|destroy|truncate|drop|` +
		`update|save|create|insert|upsert|` +
		`increment|decrement|attach|detach|sync|touch|call|queue|dispatch|deliver|perform|send|` +
		`notify|flush|forget|put|set|push|` +
		`execute|exec|statement|unprepared|raw|add|remove|clear|first_?or_?create|find_?or_?create|` +
		`get_or_create|bulk|migrate|rollback|restore)`}
	// where Rails keeps what nobody may see
	keptSecrets = regex{text: `\bcredentials\b|\bsecret_key_base\b|\.secrets\b`}

	homeTree = regex{text: `(?s)(?:Path\.home\(\)|expanduser\(["']~/?["']\)).*\.(?:rglob|walk)\(|` +
		`(?:rglob|walk)\(.*expanduser\(["']~/?["']`}
)

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

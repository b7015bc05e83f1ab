package classify

import (
	"path"
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// scriptWord is the rule for a program whose name is not known.
func scriptWord(p *Part, name word) {
	if name.from&(fromNet|fromDecode) != 0 {
		scriptFrom(p, name.from, "the shell")
		return
	}
	p.add(runsHidden, "word:command", "the program's name, "+show(name.text)+", is not known")
}

// program returns the row of a program by the word that names it, and the least
// level that its place gives it.
func (w *machine) program(name string) (*row, verdict.Level) {
	dir, base := path.Split(name)
	if dir == "" {
		if r := w.row(base); r != nil {
			return r, readOnly
		}
		return w.versioned(base), readOnly
	}
	r := w.row(base)
	if r == nil {
		r = w.versioned(base)
	}
	switch dir = path.Clean(dir); {
	case r == nil && w.projectDir(dir) && !strings.HasPrefix(dir, "target/") &&
		!w.hasWritten(lit(name), &scope{cwd: w.o.Cwd}):
		return projectTool(base), buildTest
	case r == nil:
		return nil, destructive
	case w.systemDir(dir):
		return r, readOnly
	case w.projectDir(dir), dir == "bin" &&
		inList(" rails rake rspec rubocop bundle brakeman artisan phpunit console phpstan pest psalm ",
			base),
		inList(projectCopies, base) && (!strings.ContainsRune("/~", rune(name[0])) ||
			w.at(name, &scope{}).kind&pathHere != 0):
		return r, buildTest
	}
	return nil, destructive
}

// versioned returns the row of a program whose name ends in a version, or in what Windows
// calls programs by: python3.12, gcc-13, clang-format-18, powershell.exe.
func (w *machine) versioned(base string) *row {
	if short, ok := strings.CutSuffix(base, ".exe"); ok {
		return w.row(short)
	}
	if strings.HasPrefix(base, "python") {
		base = strings.TrimSuffix(strings.TrimSuffix(base, "-dbg"), "t") // python3.13t
	}
	short := strings.TrimRight(base, "0123456789.")
	if short = strings.TrimSuffix(short, "-"); short != base && short != "" {
		if r := w.row(short); r != nil {
			return r
		}
	}
	return nil
}

// systemDir reports whether the folder is one of the system's programs.
func (w *machine) systemDir(dir string) bool {
	return strings.HasPrefix(dir, "/") && w.byTable(w.place(dir))&pathPrograms != 0
}

// projectCopies are the programs that a project has a copy of its own of, to build with.
const projectCopies = " configure autogen.sh bootstrap gradlew mvnw mill sbt rebar3 waf bazel " +
	"bazelisk amper "

// projectDir reports whether the folder is one that a project's package manager
// fills with its tools.
func (w *machine) projectDir(dir string) bool {
	return !strings.HasPrefix(dir, "/") && w.byTable(w.place(dir))&pathTools != 0
}

// unknownProgram is the rule for a program without a row.
func (a *argv) unknownProgram(name string) {
	if n := len(a.words); n > 0 && n < 4 && !strings.Contains(name, "/") &&
		versionFlag(a.words[n-1].text) && plainWords(a.words[:n-1]) {
		a.p.add(readsFiles, "version", "prints a version or help")
		return
	}
	a.unknownWords(name)
	if strings.Contains(name, "/") && (a.fetched(lit(name)) || a.runsItself(lit(name))) {
		return
	}
	if strings.Contains(name, "/") {
		if a.ownProgram(lit(name)) {
			a.p.add(runsOwn, "program:own", name+" is a program of the project")
			return
		}
		a.p.add(runsUnread, "program:file", name+" is a program of its own")
		a.p.Unread = a.p.Unread || a.w.hasWritten(lit(name), a.sc)
		return
	}
	a.p.add(runsUnread, "program:unknown", a.name+" is not in the table")
}

// hostNumbers finds the four numbers of a host's address.
var hostNumbers = regex{text: `\b\d+\.\d+\.\d+\.\d+\b`}

// unknownWords is the rule for what an unknown program gets: a secret may go where its name or
// another word says, and a disk is written.
func (a *argv) unknownWords(name string) {
	secret, away := false, slices.ContainsFunc(senders, func(part string) bool {
		return strings.Contains(name, part)
	})
	for _, wd := range a.words {
		secret = a.w.read(a.p, wd, a.sc) || secret || wd.from&(fromSecret|fromVar) != 0
		away = away || strings.Contains(wd.text, ":") || hostNumbers.match(wd.text)
		if key, val, set := strings.Cut(wd.text, "="); set && wd.known() &&
			a.kinds(lit(val))&pathDisk != 0 {
			a.p.add(rights, "path:disk", name+" "+key+"= may write the device "+val)
		}
	}
	if secret && away {
		a.p.add(sendsSecrets, "pipe:secret", name+" may send a secret to another machine")
	}
}

// senders are parts of the names of programs that send what they are given.
var senders = []string{"send", "mail", "slack", "telegram", "discord", "notify", "ntfy", "apprise",
	"tweet", "upload", "transfer", "ftp", "share", "paste", "push", "webhook", "wormhole", "gist",
	"sms", "matrix", "whatsapp", "signal-cli", "irc"}

func versionFlag(text string) bool {
	return text == "--version" || text == "--help" || text == "-version" || text == "-help"
}

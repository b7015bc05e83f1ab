package classify

import (
	"path"
	"strings"

	"ua/cmd/ua-gate/internal/code"
)

// emacs runs what it is told to: its own libraries, those of the project, and of what is called
// by name only what builds, tests, exports or changes the files that it is given.
func (a *argv) emacs() {
	batch := a.flagged("--batch", "-batch") && a.strange == 0
	loads := false
	for _, u := range a.used {
		switch u.name {
		case "-l", "--load", "-load":
			loads = true
			if !inList(emacsLibraries, u.val.text) && !strings.HasSuffix(u.val.text, ".el") ||
				a.w.hasWritten(u.val, a.sc) {
				a.p.raise(destructive, "emacs -l", "emacs runs "+show(u.val.text))
			}
		case "-f", "--funcall":
			a.emacsCalls(u.val.text, batch)
		}
	}
	a.emacsSaves()
	if batch && (loads || a.flagged("--eval", "-eval", "--execute", "-f", "--funcall")) {
		a.base = readOnly
		if loads || a.flagged("-f", "--funcall") {
			a.base = buildTest
		}
	}
}

// emacsSaves is the rule for files that code of Emacs visits and then saves.
func (a *argv) emacsSaves() {
	text := ""
	for _, u := range a.used {
		text += u.val.text + "\n"
	}
	if !strings.Contains(text, "save-") && !strings.Contains(text, "write-") {
		return
	}
	for _, file := range inQuotes(text) {
		if strings.ContainsAny(file, "/~.") && !strings.Contains(file, " ") {
			a.writes("emacs", lit(file))
			a.w.overwrites(a.p, lit(file), a.sc)
		}
	}
}

// emacsLibraries are parts of Emacs, and packages that lint or test.
const emacsLibraries = " ert buttercup package-lint elint checkdoc bytecomp cl-lib relint " +
	"undercover org ox ox-html ox-md ox-ascii ox-latex ox-org ox-texinfo ox-man ox-odt ox-beamer " +
	"ob-core ob-tangle ol json seq subr-x package xml dom treesit htmlize markdown-mode "

// emacsCalls is the rule for a function of Emacs that is called without arguments.
func (a *argv) emacsCalls(name string, batch bool) {
	switch {
	case !batch:
	case strings.HasPrefix(name, "batch-byte-"), name == "batch-native-compile",
		inList(" save-buffer save-some-buffers ", name):
		a.p.raise(write, "emacs -f", "emacs writes files")
		return
	case inList(" ert-run-tests-batch-and-exit ert-run-tests-batch buttercup-run-discover "+
		"package-lint-batch-and-exit elint-file relint-batch checkdoc-file emacs-version "+
		"check-declare-directory check-declare-file untabify tabify whitespace-cleanup "+
		"delete-trailing-whitespace indent-region mark-whole-buffer sort-lines kill-emacs ", name):
		return
	// A file of Org may hold code, which the project's own may run as its scripts do.
	case orgExport.match(name) && a.onlyOwnFiles():
		a.p.raise(write, "emacs -f", "emacs writes what the project's files are turned into")
		return
	}
	a.p.raise(destructive, "emacs -f", "emacs runs "+show(name))
}

var (
	orgExport = regex{text: `^org-(?:\w+-export(?:-\w+)*-to-\w+)$`}

	// words by which functions of Emacs itself act, whatever file has such a name
	emacsActs = regex{text: `\b(?:command|process|file|directory|shell|async|eval|exec|call|apply|` +
		`load|send|open|` +
		`start|url|kill|delete|rename|copy|write|append|save|make|async|map|list|dump|install|vc|` +
		`server)\b`}

	// one call without arguments
	emacsCall = regex{text: `^\s*\(([a-z][a-z0-9-]*)\)\s*$`}
)

// emacsExports judges a text that only calls a function which exports files of Org.
func (a *argv) emacsExports(text string) bool {
	if a.row.reader != "emacs" {
		return false
	}
	m := emacsCall.all(text)
	if m == nil || !orgExport.match(m[0][1]) {
		return false
	}
	a.emacsCalls(m[0][1], a.flagged("--batch", "-batch"))
	return true
}

// onlyOwnFiles reports whether all files that the program is given are the project's, as they
// were before this command.
func (a *argv) onlyOwnFiles() bool {
	for _, o := range a.operands {
		if !a.fromProject(o) {
			return false
		}
	}
	return len(a.operands) > 0
}

// emacsOwn reports whether a function of Emacs Lisp has the name of a file of the project, which
// is loaded: -l lisp/frob.el gives frob-version.
func (a *argv) emacsOwn(name string) bool {
	if a.row.reader != "emacs" || code.Listed("lisp", name) || emacsActs.match(name) {
		return false
	}
	for i, wd := range a.words {
		base, ok := strings.CutSuffix(path.Base(wd.text), ".el")
		if ok && i > 0 && inList(" -l --load -load ", a.words[i-1].text) && len(base) > 1 &&
			(name == base || strings.HasPrefix(name, base+"-")) && a.fromProject(wd) {
			return true
		}
	}
	return false
}

package classify

import "strings"

// These find in a text of any language what its calls do not show.
var (
	// loadedFile and loadedURL find loads of code by the name of its file or its address.
	loadedFile = regex{text: `(?:^|[^.\w])(?:require|import|load|dofile|loadfile|include|` +
		`include_once|` +
		`require_once|source|do|use ` +
		`lib|addsitedir|run_path|libPaths|require_file|SourceFileLoader|CDLL|` +
		`dlopen|lib\.loc\s*=)[\s(,]*(?:qw\W\s*|\[)?["']?([~/][^"')\s;]+)`}
	loadedURL = regex{text: `(?:^|[^.\w])(?:import|importScripts|source|from|` +
		`eval)\s*\(?\s*["']https?://`}
	// searchList finds the lists of folders in which languages look for modules.
	searchList = regex{text: `sys\.(?:path|meta_path)|@INC\b|\$LOAD_PATH|\$:|module\.paths|` +
		`include_path|` +
		`package\.c?path|\bLOAD_PATH|DEPOT_PATH|Code\.(?:pre|ap)pend_path|load-path|\buse lib\b`}
	quotedPath = regex{text: `["']([~/][^"']+)["']`}
)

// loadsFrom is the rule for code that takes more code from outside the workspace, or says
// where modules are found.
func (a *argv) loadsFrom(label, text string) {
	if !strings.Contains(text, "/") && !strings.Contains(text, `"~`) {
		return // no path
	}
	places := loadedFile.all(text)
	if searchList.match(text) {
		places = append(places, quotedPath.all(text)...)
	}
	for _, place := range places {
		data := a.row.reader == "node" && strings.HasSuffix(place[1], ".json")
		if !data && a.w.foreignPlace(place[1], a.sc) {
			a.p.add(runsHidden, label, a.name+" runs code from "+show(place[1]))
		}
	}
	if strings.Contains(text, "://") && loadedURL.match(text) {
		a.p.add(talks, label, a.name+" fetches code and runs it")
	}
}

// homes writes as ~ what stands for the home at the beginning of a text in other languages.
var homes = strings.NewReplacer(`"$ENV{HOME}/`, `"~/`, "`${process.env.HOME}/", "`~/", "?.(", "(",
	"?.[", "[",
	`ENVIRON["HOME"] "/`, `"~/`)

// javaScript sees what modules and interpreters do whose calls have no names of their own.
func (a *argv) javaScript(label, text string) {
	for _, module := range []string{"shelljs", "zx", "execa", "del", "rimraf", "trash", "fs-extra",
		"cross-spawn"} {
		if (strings.Contains(text, `"`+module+`"`) || strings.Contains(text, "'"+module+"'")) &&
			actsOf.match(text) {
			a.p.add(losesFiles, label, a.name+" removes files or runs commands by "+module)
		}
	}
	if strings.Contains(text, "://") && socketAddress.match(localAddress.replace(text, "")) {
		a.p.add(talks, label, a.name+" opens a socket to another machine")
	}
	if a.name == "qjs" && systemOf.match(text) {
		a.p.add(runsHidden, label, a.name+" changes files or runs commands")
	}
}

var (
	actsOf = regex{text: `\.(?:rm|exec|mv|cp|sed|chmod|remove|removeSync|emptyDir|spawn|` +
		`sync|to)\(|\(\s*["'][^"']*[/~*]`}
	socketAddress = regex{text: "[\"'`]wss?://"}
	localAddress  = regex{text: "[\"'`]wss?://(?:localhost|127\\.0\\.0\\.1|\\[::1\\])"}

	systemOf = regex{text: `\b(?:os|std)\.(?:exec|system|popen|open|remove|rename|kill|mkdir|` +
		`symlink|loadScript|evalScript|setenv|urlGet)\b`}
)

// quotedPaths returns the texts of a language that stand in quotes of either kind and look like
// paths.
func quotedPaths(text string) (list []string) {
	for _, m := range quotedPath.all(text) {
		list = append(list, m[1])
	}
	return list
}

// deletesByText sees files that are deleted or written by a method of so common a name that it
// says nothing without what it is called on.
func (a *argv) deletesByText(text, label string) {
	method := strings.Contains(text, ".delete") || strings.Contains(text, ".unlink")
	switch {
	case method && (strings.Contains(text, "Bun.file(") && a.row.reader == "node" ||
		strings.Contains(text, "Pathname") && a.row.reader == "ruby"):
		a.p.add(losesFiles, label, a.name+" deletes files")
	case a.row.reader == "groovy" && textIs.match(text):
		a.p.add(writesHere, label, a.name+" writes files")
		for _, file := range quotedPaths(text) {
			a.w.write(a.p, lit(file), a.sc)
		}
	}
}

// textIs finds an assignment to the text or bytes of a file in Groovy, or what may be added
// to one.
var textIs = regex{text: `\.(?:text|bytes)\s*(?:=[^=~]|<<)|\bFile\b(?s:.*)<<`}

// movesByName reports whether the function of that name moves a file.
func movesByName(name string) bool {
	last := strings.ToLower(name[strings.LastIndexAny(name, ".:")+1:])
	return strings.Contains(last, "rename") || strings.Contains(last, "move") ||
		inList(" mv replace ", last)
}

// connects looks in code that is not understood for words by which it reaches
// other machines, and gives them a shell. It only raises: code without these
// words is no better for it.
func (a *argv) connects(label, text string) {
	has := func(marks ...string) bool {
		for _, m := range marks {
			if strings.Contains(text, m) {
				return true
			}
		}
		return false
	}
	if !has("socket", "Socket", "http://", "https://", "ftp://", "urlopen", "urllib.request",
		"fsockopen", `"net"`, "'net'", "/inet/", "Net::") {
		return
	}
	a.p.add(talks, label, label+" runs code that talks to other machines")
	if has("/bin/sh", "/bin/bash", "popen", "subprocess", "exec(", "spawn", "ProcessBuilder",
		"os.system", "eval") {
		a.p.add(runsStrangers, label, label+" runs code that gives another machine a shell")
	}
}

package classify

import (
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/code"
)

// codeWipes is the rule for code that goes over all that is in the workspace, or over the names
// of it that it is given, and deletes each. What chooses between them is let be.
func (a *argv) codeWipes(text string, acts []code.Act) {
	if a.w.o.Cwd == "" || a.w.at(".", a.sc).abs != a.w.folder(a.w.o.Cwd).abs ||
		!slices.ContainsFunc(acts, deletesUnnamed) && !emptiesFiles.match(text) {
		return
	}
	if deletesHere.match(text) {
		a.p.holdWhole(a.name, "deletes")
	}
	if codeChooses.match(isThere.replace(text, " ")) {
		return
	}
	given := a.in.bits&fromWhole != 0 && (a.letter("n") || a.letter("p") || readsList.match(text)) ||
		takesNames.match(text) && slices.ContainsFunc(a.words, a.whole)
	if given || listsHere.match(text) || globsIn.match(text) && hereFolder.match(text) {
		a.p.holdWhole(a.name, "deletes")
	}
}

// deletesUnnamed reports whether code deletes a file whose name does not stand in it.
func deletesUnnamed(act code.Act) bool {
	return act.Kind == code.Delete &&
		(len(act.Args) == 0 || strings.Contains(act.Args[0], code.Hole) ||
			everyName(act.Args[0])) ||
		act.Kind == code.Unknown && deletesByName.match(act.Name)
}

// awkWipes is codeWipes for awk, which starts a program with each line.
func (a *argv) awkWipes() {
	if a.in.bits&fromWhole != 0 && !a.leavesOut() && deletesLine.match(join(a.words)) {
		a.p.holdWhole(a.name, "deletes")
	}
}

var (
	// listsHere finds what lists all files of the present folder, or below it.
	listsHere = regex{text: `\b(?:listdir|scandir|walk|iterdir|readdirSync|readdir|children|` +
		`entries|each_child|foreach|opendir)\(?\s*(?:\w+\s*,\s*)?(?:["'\x60]\.?/?["'\x60]|` +
		`os\.getcwd\(\)|os\.curdir|process\.cwd\(\)|getcwd\(\)|Dir\.pwd)|` +
		`\b(?:listdir|scandir|iterdir)\(\s*\)|` +
		`(?:(?:^|[^.\w]|\b(?:glob|fs|Dir)\.)(?:bsd_|i)?glob\w*|\bDir)\s*[(\[]?\s*` +
		`(?:["'(]|q+\()(?:\./)?\.?\*{1,2}(?:/\.?\*{1,2})?(?:[ ,]+\.?\*)?["')]|` +
		`<(?:\./)?\.?\*{1,2}(?:[ ,]+\.?\*)?>|\bfind(?:depth)?\b.*,\s*["']\.["']`}
	// globsIn finds a pattern of all files in a folder, and hereFolder the present one.
	globsIn       = regex{text: `\.r?glob\(\s*["']\.?\*{1,2}(?:/\.?\*{1,2})?["']`}
	hereFolder    = regex{text: `\bPath\(\s*(?:["']\.?/?["'])?\s*\)|\bcwd\(\)`}
	deletesByName = regex{text: `(?i)unlink|remove|rmtree|rm_?rf|rmdir|delete`}
	// codeChooses finds by what code tells one file from another.
	codeChooses = regex{text: `\b(?:if|unless|elif|case|match|filter|grep|select|reject|next|` +
		`continue|endswith|startswith|endsWith|startsWith|fnmatch|splitext|suffix|extname|test|` +
		`includes|any)\b|=~|\s\?\s`}
	// isThere finds a test that leaves out next to nothing.
	isThere = regex{text: `\bif\s+(?:not\s+)?[\w.]*\b(?:isfile|isdir|exists|islink|` +
		`is_file|is_dir)\b`}
	// emptiesFiles finds what leaves a file there with nothing in it.
	emptiesFiles = regex{text: `write_text\(\s*(?:""|'')|open\([^()]*["']w["']\s*\)\s*(?:\.close|` +
		`\.truncate)|\btruncate(?:Sync)?\(|writeFileSync\([^,()]*,\s*(?:""|'')`}
	// deletesHere finds what deletes the present folder with all that is in it.
	deletesHere = regex{text: `\b(?:rmtree|remove_tree|rmSync|rmdirSync|rm_rf|rm_r|rm|` +
		`remove_dir_all|` +
		`RemoveAll|removeSync|emptyDirSync|remove_entry_secure)\b[(\s]+(?:os\.(?:getcwd\(\)|curdir|` +
		`environ\[.PWD.\])|(?:pathlib\.)?Path\.cwd\(\)|(?:pathlib\.)?Path\(\s*(?:["']\.["']\s*)?\)|` +
		`process\.cwd\(\)|Dir\.pwd|Dir\.getwd|getcwd\b|cwd\(\)|Deno\.cwd\(\))`}
	deletesLine = regex{text: `system\(\s*"(?:rm|unlink|shred|trash)\b[^"]*"\s*\$\d|` +
		`print\s+"(?:rm|unlink|shred|trash)\b[^"]*"\s*\$\d\s*\|`}
)

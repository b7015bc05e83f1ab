package classify

import (
	"slices"
	"strings"
	"unicode"

	"ua/cmd/ua-gate/internal/code"
)

// codeLosesMany is the rule for code that goes over many files and writes each anew, though it
// reads nothing of what is in them.
func (a *argv) codeLosesMany(label, text string, from flow, acts []code.Act) {
	if !slices.ContainsFunc(acts, func(act code.Act) bool { return act.Kind == code.Write }) {
		return
	}
	bare := readsList.replace(text, "")
	if readsContent.match(bare) {
		return
	}
	lists := listsFiles.match(text) ||
		takesNames.match(text) && slices.ContainsFunc(a.words, many) ||
		a.in.bits&fromListed != 0 && (readsList.match(text) || a.name == "perl" || a.name == "ruby")
	if lists && writesAnew(bare) || from&fromNamed != 0 && a.writesEach(text) {
		a.p.raise(destructive, "path:many", label+" overwrites many files")
	}
}

// writesAnew reports whether code writes anew a file that is named by variables alone, one of
// which a loop or a function is given.
func writesAnew(text string) bool {
	given := " $_ _ argv ARGV $argv $ARGV "
	for _, m := range loopNames.all(text) {
		given += strings.Join(identifiers(strings.Join(m[1:], " ")), " ") + " "
	}
	for _, m := range namedAs.all(text) {
		if onlyNames.match(m[2]) && inAny(given, identifiers(m[2])) {
			given += m[1] + " "
		}
	}
	for _, m := range writesNamed.all(text) {
		for _, name := range m[1:] {
			name = strings.TrimSpace(name)
			if onlyNames.match(name) && inAny(given, identifiers(name)) {
				return true
			}
		}
	}
	return false
}

// identifiers returns the names of variables in an expression.
func identifiers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// writesEach reports whether code of which the shell puts a part in writes just the file that a
// variable of the shell names.
func (a *argv) writesEach(text string) bool {
	for _, name := range sortedKeys(a.sc.vars) {
		v := a.sc.vars[name]
		if v.from&fromEach == 0 || spent(v.text) {
			continue
		}
		file := strings.ReplaceAll(v.text, hole, "0")
		for _, m := range writesQuoted.all(text) {
			if m[1] == file || m[2] == file {
				return true
			}
		}
	}
	return false
}

var (
	// listsFiles finds what gives code the names of the files in folders.
	listsFiles = regex{text: `\b(?:i?glob|rglob|globSync|walk|scandir|listdir|iterdir|readdir|` +
		`readdirSync|readDir|readDirSync|opendir|each_child|children|entries|walkdir|` +
		`popen\(["'](?:ls|find|dir|git ls-files)|RecursiveDirectoryIterator|DirectoryIterator|` +
		`ls-files)\b|\bDir\[|\blist\.files\b|` +
		`\bFind\.find\b|\bFile::Find\b|\blfs\.dir\b|<[\w./]*\*[^<>;]*>|fast-glob`}
	// takesNames finds the words of the command in code, and readsList its input.
	takesNames = regex{text: `sys\.argv|process\.argv|\bARGV\b|\$argv|\barg\[|\bshift\b`}
	readsList  = regex{text: `sys\.stdin(?:\.\w+)?|\bSTDIN\b|<>|<STDIN>|process\.stdin|` +
		`readFileSync\(\s*(?:0|["']/dev/stdin["'])|\$stdin(?:\.\w+)?|\bgets\b`}
	readsContent = regex{text: `\bread(?:File|TextFile|[Ll]ines?|All|_text|_bytes)?(?:Sync)?\s*\(|` +
		`\.(?:read|lines|each_line|readlines)\b|readlines|slurp|file_get_contents|\bload\w*\(|` +
		`<\$?\w+>|\bfgets\b|\bin open\(|_reader|\breader\(|copyfileobj|fileinput|subprocess|` +
		`Image\.open|parse\(|\btype:\s*["']blob`}
	// writesNamed finds what opens a file to write it anew, or puts another one in its place, with
	// the text that names the file.
	writesNamed = regex{text: `\bopen(?:Sync)?\s*\(?\s*((?:[^,;()]|\([^()]*\))*),\s*` +
		`(?:mode\s*=\s*)?["'][wx]|\b(\w+)\.write_(?:text|bytes)\(|` +
		`\b(\w+)\.open\(\s*(?:mode\s*=\s*)?["']w|` +
		`\b(?:writeFile|writeTextFile|outputFile|createWriteStream|Bun\.write|file_put_contents)` +
		`(?:Sync)?\(\s*((?:[^,;()]|\([^()]*\))*)[,)]|` +
		`\b(?:File|IO)\.(?:bin)?write\(?\s*((?:[^,;()]|\([^()]*\))*),|` +
		`\b(?:fopen|File\.(?:open|new))\(?\s*((?:[^,;()]|\([^()]*\))*),\s*["']w|` +
		`\bopen\b[^;]*["']\+?>\s*(?:["']\s*,\s*(\$\w+)|(\$\w+)["'])|` +
		`\b(?:os\.(?:replace|rename)|shutil\.(?:copy\w*|move)|(?:copyFile|rename|copy|cp)(?:Sync)?|` +
		`FileUtils\.(?:cp|copy|mv|install))\(?\s*(?:"[^"]*"|'[^']*')\s*,\s*` +
		`((?:[^,;(){}]|\([^()]*\))*)(?:[,;)}]|$)`}
	// onlyNames finds a variable that holds a file's name, or a path of nothing but variables.
	onlyNames = regex{text: `^(?:[$@]?\w+(?:\.(?:path|name|to_s|chomp|strip)|\[\d\])?|` +
		`(?:sys|process)\.argv\[\d\]|str\(\w+\)|\w+\.(?:strip|trim)\(\)|` +
		`(?:os\.path|path|File)\.join\(\s*\w+\s*,\s*\w+\s*\)|\w+\s*/\s*\w+|` +
		`\w+\s*\+\s*["']/["']\s*\+\s*\w+|` +
		"f?[\"'`][$#]?\\{\\w+\\}/[$#]?\\{\\w+\\}[\"'`])$"}
	// loopNames finds the variables that loops and functions are given, and namedAs those that are
	// set to a path of such.
	loopNames = regex{text: `\bfor(?:each)?\s*\(?\s*(?:(?:const|let|var|my)\s+)?([\w$,\s()]+?)\s+` +
		`(?:in|of)\b|\bfor(?:each)?\s+(?:my\s+)?(\$\w+)\s*\(|\|\s*([\w,\s]+?)\s*\||` +
		`\b([\w,\s]+?)\s*\)?\s*=>|\bas\s+(?:\$\w+\s*=>\s*)?(\$\w+)|` +
		`\b(?:lambda\s+|function\s*\w*\(\s*|def\s+\w+\(\s*)(\w+)`}
	namedAs = regex{text: `(\$?\b\w+)\s*=\s*((?:os\.path|path|File)\.join\([^()]*\)|` +
		`\w+\s*/\s*\w+|[$\w.]+|str\(\w+\))\s*(?:[;\n)]|$)`}
	writesQuoted = regex{text: `(?:open(?:Sync)?|write\w*|fopen|file_put_contents)\(?\s*` +
		`(?:"([^"]*)"|'([^']*)')\s*,`}
)

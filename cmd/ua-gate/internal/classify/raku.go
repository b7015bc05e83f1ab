package classify

import (
	"path"
	"strings"

	"ua/internal/common/verdict"
)

// readRaku reads Raku, of which only the words are known by which a text leaves its computation.
// They count in texts, too: a text may be a command or the name of a function.
func readRaku(a *argv, text string) (verdict.Level, string) {
	text = rakuHome.replace(text, "$1~/")
	for _, m := range rakuEnv.all(text) {
		a.variable("raku", m[1]+m[2])
	}
	if strings.Contains(text, "%*ENV") {
		a.environment(text)
	}
	files := rakuTexts(text)
	if strings.Contains(text, "$*HOME") { // with what stands behind it
		for _, file := range files {
			files = append(files, path.Join("~", file))
		}
	}
	for _, file := range files {
		a.reads(lit(file))
	}
	level, why := readOnly, ""
	for _, m := range rakuModules.all(text) {
		switch module, _, _ := strings.Cut(strings.TrimRight(m[1], ";"), ":"); {
		case inList(rakuCalm, module), strings.HasPrefix(module, "v6"):
		case module == "lib":
			for _, dir := range files {
				a.plug("raku", lit(dir))
			}
			fallthrough
		case rakuModule.match(module):
			level, why = buildTest, "the code loads the module "+show(module)
		default:
			return destructive, "the code loads what no rule knows"
		}
	}
	if what := rakuLeaves.get().FindString(rakuCalmCalls.replace(text, "0")); what != "" {
		return destructive, show(strings.TrimSpace(what)) + " may leave the computation"
	}
	if rakuWrites.match(text) {
		for _, file := range files {
			a.w.write(a.p, lit(file), a.sc)
			if strings.ContainsAny(file, "/.") {
				a.w.overwrites(a.p, lit(file), a.sc)
				a.w.wroteFile(file, a.sc)
			}
		}
		if strings.Contains(text, "HOME") || strings.Contains(text, "$*TMPDIR.parent") {
			return destructive, "the code writes into the home"
		}
		return write, "the code writes files"
	}
	return level, why
}

// rakuTexts returns the texts in quotes of any kind.
func rakuTexts(text string) (list []string) {
	for _, m := range rakuText.all(text) {
		for file := range strings.FieldsSeq(m[1] + m[2] + m[3]) {
			list = append(list, file)
		}
	}
	return list
}

// rakuModules finds what a text loads by its name.
var rakuModules = regex{text: `\b(?:use|need|import|no)\s+(\S+)`}

// rakuModule is a module that is installed, or the project's.
var rakuModule = regex{text: `^(?:JSON|Text|Math|Test|Data|List|String|Date|DateTime|Color|` +
	`Grammar|Terminal|Template|YAML|TOML|CSV|XML|HTML|Lib|My|App)(?:$|::[\w:]+$)|^lib$`}

// rakuCalm are modules and pragmas that are part of the language and do nothing.
const rakuCalm = " Test strict warnings fatal experimental variables soft trace worries isms " +
	"precompilation attributes invocant parameters newline "

var (
	rakuText = regex{text: `"([^"]*)"|'([^']*)'|<([^<>=\s][^<>=]*)>`}
	rakuHome = regex{text: `(["'])(?:\$\*HOME|\{\s*\$\*HOME\s*\}|%\*ENV<HOME>|` +
		`\{\s*%\*ENV<HOME>\s*\})/`}
	rakuEnv = regex{text: `%\*ENV(?:<\s*(\w+)\s*>|\{\s*["']?(\w+)["']?\s*\})`}

	// what writes files and nothing else
	rakuWrites = regex{text: `\b(?:spurt|mkdir|copy)\b|:(?:w|a|rw|ra|x|update|create|append|` +
		`truncate)\b|\.open\(\s*:mode`}

	// names that only look like such words
	rakuCalmCalls = regex{text: `\.\^name\b|\.\^mro\b|\$\*(?:CWD|PROGRAM-NAME|PID|VM|DISTRO|` +
		`KERNEL\.name|USER|THREAD)\b`}

	// The words by which code leaves the computation: programs, the network, machine code, files that
	// are lost, and functions, variables or code that are found by a text.
	rakuLeaves = regex{text: `\b(?:shell|run|qqx|qx|EVAL\w*|EVALFILE|Proc|spawn|exec\w*|fork|` +
		`unlink|rmdir|rm_rf|rmtree|rename|move|chmod|chown|chdir|indir|` +
		`symlink|link|kill|signal|require|HTTP|LWP|Cro|WWW|URI|Net|native\w*|NativeCall|nqp|` +
		`MONKEY[\w-]*|CompUnit|Inline|Shell|` +
		`CALL-ME|FALLBACK|augment|supersede|wrap|tap|listen|connect|accept|Supply\.signal|` +
		`IO::Socket\w*|IO::Pipe|IO::Notification|` +
		`EXPORT|BUILDPLAN|HOW|WHO|WHICH|WHERE|resume|react|repl|Repository|Distribution|Rakudo\w*|` +
		`Telemetry|Pod|slang|trait_mod|macro|quasi)\b|` +
		`\b(?:CORE|SETTING|GLOBAL|PROCESS|OUTER|OUTERS|UNIT|MY|OUR|DYNAMIC|CALLER|CALLERS|LEXICAL|` +
		`COMPILING|CLIENT|PARENT)::|` +
		`::\(|::\{|::<|::\$|&::|&\(|\.\^|\.\*|\.\?["'$]|\.["'][^"']*["']\(|\."[\w-]*[{$@]|` +
		`\b[qQ]{1,2}\s*:\w|:(?:x|exec|c|closure|to)\b\s*[/{(\["'<|!]|\$\*(?:REPO|KERNEL|EXECUTABLE|` +
		`IN\b|ARGFILES|SPEC|SCHEDULER|COLLATION|RAKU|PERL|INIT)|` +
		`\$=finish|\$\?(?:FILE|DISTRIBUTION)|\b(?:is|does|but)\s+(?:native|symbol|rw-native|DEPRECATED)`}
)

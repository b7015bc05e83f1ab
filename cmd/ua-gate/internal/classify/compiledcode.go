package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// readNim reads NimScript, whose names may be written in either case and with underscores
// anywhere.
func readNim(a *argv, text string) (verdict.Level, string) {
	return a.leavesByWords(".nim", &nimScript, text, strings.ReplaceAll(text, "_", ""))
}

// readD reads statements of D, for which rdmd imports most of its library.
func readD(a *argv, text string) (verdict.Level, string) {
	return a.leavesByWords(".d", &dEval, text, text)
}

// leavesByWords is the rule for code of a language of which only the words are known by which
// it leaves its computation. Files that it reads by a name in quotes are judged, and are no such
// words.
func (a *argv) leavesByWords(end string, more *regex, text, words string) (verdict.Level, string) {
	for _, file := range inQuotes(text) {
		a.reads(lit(file))
	}
	words = readsByName.replace(words, "0")
	if more.match(words) || leaves(leavesBy[end], end, words) {
		return destructive, "the code may leave the computation"
	}
	return buildTest, "the code is compiled and run"
}

var (
	readsByName = regex{text: `\b(?:readFile|readText|File|lines|` +
		`staticRead)\s*\(\s*"\w[\w./-]*"\s*\)`}
	nimScript = regex{text: `(?i)\b(?:exec\w*|selfexec\w*|gorge\w*|static\w*|\w*file\w*|\w*dir\w*|` +
		`cd|switch|put|get|del|` +
		`toexe|todll|requires|task|getenv|putenv|delenv|existsenv|include|from|import\s+(?:os|osproc|` +
		`net|macros|std/\w*)|` +
		`importc|importjs|emit|compile|cast|addr|ptr|nimcall|cmpic|` + `slurp|setcommand|system)\b|` +
		`\{\.|\x60|--`}
	dEval = regex{text: `\b(?:std\.(?:file|process|net|socket|mmfile|zip)|core|etc|rmdir\w*|copy|` +
		`rename|chdir|append|` +
		`write\s*\(\s*[\w"~+ ` +
		`]*,|toFile|spawn\w*|execute\w*|system|browse|environment|thisExePath|setAttributes|symlink|` +
		`link|` +
		`getcwd|tempDir|dlopen|asm|mixin|import\s+(?:core|std\.(?:file|process|net|socket|mmfile))|` +
		`\w*Shell|wait|kill|` +
		`get|post|put|del|connect|perform|upload|download|byLineAsync|Curl\w*|HTTP|FTP|SMTP|` +
		`\w*Socket|cast|__\w+|getenv|` +
		`__traits|popen|tmpfile|openNetwork|File\s*\()\b|\bFile\s*\(`}
)

package classify

import (
	"slices"
	"strings"
)

// codeForks is the rule for code that starts processes without end: each of them goes on as the
// first one did, so that they double, or none of the loop's rounds waits for them.
func (a *argv) codeForks(label, text string) {
	if !slices.ContainsFunc(processWords, func(w string) bool { return strings.Contains(text, w) }) {
		return
	}
	bare := bareFork.match(text)
	if !bare && !startsProcess.match(text) {
		return
	}
	endless := endlessLoop.match(text)
	own := forkedBlock.replace(quotedText.replace(text, `""`), "fork")
	if !bare && strings.Contains(text, "target=") && callsItself(text) {
		a.p.raise(denied, label, a.name+" starts processes without end")
	}
	if bare && (endless || manyRounds.match(text) || callsItself(text)) ||
		endless && !endsLoop.match(own) {
		a.p.raise(denied, label, a.name+" starts processes without end")
	}
}

// callsItself reports whether a function in the text calls itself, and something calls it.
func callsItself(text string) bool {
	for _, m := range definesFunction.all(text) {
		if strings.Count(text, m[1]+"(")+strings.Count(text, "target="+m[1]) > 2 {
			return true
		}
	}
	return false
}

// processWords are words of which one stands in all code that starts a process.
var processWords = []string{"fork", "spawn", "open", "Process(", "child_process", "Thread(",
	"system", "execFile"}

var (
	// bareFork finds a fork of which the text does not look at the result: parent and child go
	// on alike.
	bareFork = regex{text: `(?m)(?:^|[;:\[({,)]|\bdo\b|\bor\b)\s*(?:os\.|Process\.|posix\.|pcntl_)?` +
		`fork\b\s*(?:\(\s*\))?\s*(?:$|[;},\]]|\b(?:for|while|until|if|end|or)\b)|` +
		`\b(?:while|until)\b\s*\(?\s*(?:not\s+)?(?:os\.|pcntl_)?fork\b`}
	startsProcess = regex{text: `\bfork\b|\b[Pp]open\(|\bspawn\w*\s*[("']|` +
		`\bThread\(|\bexecFile\(|\bchild_process\b|` +
		`\bproc_open\(|\bsystem\s*\([^)]*&\s*["']|\bposix_spawn|\bProcess\(`}
	// endlessLoop finds a loop that has no end of its own.
	endlessLoop = regex{text: `\bwhile\s*\(?\s*(?:True|true|1|!0|not\s+(?:False|0))\b\s*\)?|` +
		`\bwhile\s*\(?\s*["']\w|` +
		`\bsetInterval\(|\bfor\s*\(\s*;\s*;|\buntil\s*\(?\s*(?:0|false|nil)\b|\bredo\b|\bloop\b|` +
		`\brepeat\b|` +
		`\bin\s+(?:\w+\.)?(?:count|cycle|repeat)\(|\biter\(int,|` +
		`\b(?:while|until)\b\s*\(?\s*(?:not\s+)?(?:os\.|pcntl_)?fork\b`}
	// manyRounds finds a loop of so many rounds that a fork in each makes a thousand processes.
	manyRounds = regex{text: `\brange\(\s*(?:\d+\s*,\s*)?\d\d|\.\.\s*\d\d|\b\d\d+\.times\b|` +
		`[<=]\s*\d\d+\s*;`}
	// endsLoop finds what ends a loop or has it wait.
	endsLoop = regex{text: `\b(?:break|return|last|exit|_exit|die|raise|sleep|usleep|wait\w*|` +
		`accept|recv\w*|select|poll|readline|gets|get|join|communicate|run|input|await|throw)\b`}
	forkedBlock     = regex{text: `\bfork\s*\{[^{}]*\}`} // which the child alone runs
	definesFunction = regex{text: `\b(?:def|sub|function|fn)\s+(\w+)`}
)

package classify

import "strings"

// homes writes as ~ what stands for the home at the beginning of a text in other languages.
var homes = strings.NewReplacer(`"$ENV{HOME}/`, `"~/`, "`${process.env.HOME}/", "`~/", "?.(", "(",
	"?.[", "[",
	`ENVIRON["HOME"] "/`, `"~/`)

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

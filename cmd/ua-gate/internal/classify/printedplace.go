package classify

import (
	"path"
	"strings"
)

// prints notes what a program prints that says where something lies, so that a word made of
// it is judged as that place.
func (a *argv) prints() {
	if a.w.captured == 0 || len(a.words) == 0 || len(a.words) > 4 {
		return
	}
	last := a.words[len(a.words)-1]
	if !last.known() {
		return
	}
	// Only what is the same on every machine, or names a place of a kind that rules know.
	text := ""
	switch a.name {
	case "which", "command":
		if a.name == "which" || a.words[0].text == "-v" {
			text = programPlace(last.text)
		}
	case "type", "whence":
		if inList(" -p -P -fp ", a.words[0].text) {
			text = programPlace(last.text)
		}
	case "dirname":
		if !strings.HasPrefix(last.text, "-") {
			text = path.Dir(last.text)
		}
	case "realpath", "readlink", "grealpath", "greadlink":
		if !strings.HasPrefix(last.text, "-") {
			text = last.text
		}
	case "git rev-parse":
		text = map[string]string{"--git-dir": ".git", "--git-common-dir": ".git",
			"--absolute-git-dir": ".git",
			"--show-toplevel":    ".", "hooks": ".git/hooks"}[last.text]
	case "go env":
		text = usualPlace(last.text)
	case "npm root", "npm prefix":
		if inList(" -g --global ", last.text) {
			text = "/usr/lib"
		}
	case "jobs":
		if last.text == "-p" {
			text = ownJob
		}
	case "brew --prefix", "brew --cellar":
		text = "/usr/local"
	}
	if text != "" {
		a.printed, a.known = text, true
	}
}

// programPlace returns where a program of that name most likely lies.
func programPlace(name string) string {
	if name == "" || strings.ContainsAny(name, "/ ") || strings.HasPrefix(name, "-") {
		return ""
	}
	return "/usr/bin/" + name
}

package classify

import (
	"path"
	"strings"
)

// prints notes what a program prints that says where something lies, so that a word made of
// it is judged as that place.
func (a *argv) prints() {
	if a.printsSettings() { // for eval: variables by which programs are found
		a.printed, a.known = ":", true
		return
	}
	// Where nothing changes the folder, as $PWD.
	if a.name == "pwd" && a.w.captured > 0 && len(a.words) == 0 && !a.w.moves {
		a.printed, a.known = ".", true
	} else if cwd := a.sc.cwd; a.name == "pwd" && a.w.captured > 0 && len(a.words) == 0 &&
		strings.HasPrefix(cwd, "/") {
		a.printed, a.known = cwd, true
	}
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

// printsSettings reports whether the command is one whose output is made for eval: a manager of
// versions or packages says how the shell finds what it has installed.
func (a *argv) printsSettings() bool {
	program, verb, _ := strings.Cut(a.name, " ")
	verbs := settingsVerbs(program)
	if verbs == "" || len(a.words) > 5 {
		return false
	}
	if strings.HasPrefix(program, "cargo") && !strings.Contains(a.name, "llvm-cov") {
		return false
	}
	for _, wd := range a.words {
		if (verb == "" || strings.HasPrefix(program, "cargo")) && !strings.HasPrefix(wd.text, "-") {
			verb = wd.text // the last of cargo's: llvm-cov show-env
		}
	}
	return inList(verbs, verb)
}

// settingsVerbs returns the verbs by which the program prints settings for eval, or "".
func settingsVerbs(program string) string {
	switch program {
	case "opam", "fnm":
		return " env "
	case "brew":
		return " shellenv "
	case "direnv":
		return " hook export "
	case "pyenv", "rbenv", "nodenv", "goenv", "jenv", "phpenv", "zoxide", "starship":
		return " init virtualenv-init "
	case "mise":
		return " activate env hook-env "
	case "luarocks":
		return " path "
	case "conda", "mamba", "micromamba":
		return " shell shell.bash shell.posix "
	case "rustup", "poetry", "kubectl", "gh", "pixi":
		return " completions completion shell-hook "
	case "cargo", "cargo-llvm-cov":
		return " show-env "
	}
	return ""
}

package classify

import (
	"path"
	"strings"
)

// usualPlace returns where a variable that the command does not set leads by custom, or "".
// What is written or read there is judged as if the place itself were named.
func usualPlace(name string) string {
	switch name {
	case "XDG_CONFIG_HOME":
		return "~/.config"
	case "XDG_DATA_HOME":
		return "~/.local/share"
	case "XDG_BIN_HOME", "PIPX_BIN_DIR":
		return "~/.local/bin"
	case "TMPDIR":
		return "/tmp"
	case "XDG_CONFIG_DIRS":
		return "/etc/xdg"
	case "__fish_config_dir":
		return "~/.config/fish"
	case "__fish_user_data_dir":
		return "~/.local/share/fish"
	case "__fish_sysconf_dir":
		return "/etc/fish"
	case "__fish_data_dir", "__fish_datadir":
		return "/usr/share/fish"
	case "fish_function_path", "fish_complete_path":
		return "~/.config/fish/functions"
	case "fpath", "FPATH":
		return "/usr/share/zsh/functions"
	case "ZDOTDIR", "USERPROFILE":
		return "~"
	case "BASH_ENV":
		return "~/.profile"
	case "HISTFILE":
		return "~/.bash_history"
	case "MYVIMRC":
		return "~/.vimrc"
	case "VIMRUNTIME":
		return "/usr/share/vim"
	case "INPUTRC":
		return "~/.inputrc"
	case "GNUPGHOME":
		return "~/.gnupg"
	case "KUBECONFIG":
		return "~/.kube/config"
	case "NETRC":
		return "~/.netrc"
	case "PGPASSFILE":
		return "~/.pgpass"
	case "DOCKER_CONFIG":
		return "~/.docker"
	case "AWS_SHARED_CREDENTIALS_FILE":
		return "~/.aws/credentials"
	case "AWS_CONFIG_FILE":
		return "~/.aws/config"
	case "GOOGLE_APPLICATION_CREDENTIALS":
		return "~/.config/gcloud/application_default_credentials.json"
	case "CARGO_HOME":
		return "~/.cargo"
	case "RUSTUP_HOME":
		return "~/.rustup"
	case "GOPATH":
		return "~/go"
	case "GOBIN":
		return "~/go/bin"
	case "GOROOT":
		return "/usr/local/go"
	case "NVM_DIR":
		return "~/.nvm"
	case "PYENV_ROOT":
		return "~/.pyenv"
	case "RBENV_ROOT":
		return "~/.rbenv"
	case "BUN_INSTALL":
		return "~/.bun"
	case "PNPM_HOME":
		return "~/.local/share/pnpm"
	case "PYTHONSTARTUP":
		return "~/.pythonrc"
	case "GIT_DIR":
		return ".git"
	}
	return ""
}

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

// calledBack is the rule for readarray -C: the shell runs the words with a number and the line
// that was read behind them.
func (a *argv) calledBack() {
	back, ok := a.value("-C")
	if !ok {
		return
	}
	name, _, _ := strings.Cut(back.text, " ")
	if !back.known() || strings.ContainsAny(back.text, ";|&$`(){}<>\n") ||
		!inList(" echo printf : true test [ ", name) {
		a.p.raise(destructive, a.name+" -C", a.name+" runs "+show(back.text)+
			" with each line that it reads")
	}
}

// fd gives what it finds to the command behind -x: names of secrets, if it looks for such.
func (a *argv) fd() {
	for _, u := range a.used {
		if u.name == "-e" || u.name == "--extension" {
			a.lists(lit("./x." + u.val.text))
		}
	}
	for _, o := range a.operands {
		if bare := strings.NewReplacer(`\`, "", "^", "", "$", "", ".*",
			"*").Replace(o.text); secretFile(bare) {
			a.out |= fromNames
		} else {
			a.lists(lit("./" + bare))
		}
	}
	if len(a.rest) > 0 && a.out&fromNames != 0 {
		a.rest = append(a.rest[:len(a.rest):len(a.rest)], word{text: hole, from: fromNames, multi: true})
	}
}

// jc runs the command behind its own flags, to read what that prints.
func (a *argv) jc() {
	for i, wd := range a.words {
		if !strings.HasPrefix(wd.text, "-") {
			a.rest = a.words[i:]
			return
		}
	}
}

// printInto is print -v of zsh, which evaluates the subscript in the name behind it.
func (a *argv) printInto() {
	for i, wd := range a.words {
		switch {
		case !strings.HasPrefix(wd.text, "-") || wd.text == "--":
			return
		case strings.Contains(wd.text, "v") && i+1 < len(a.words) && substitutes(a.words[i+1].text):
			a.p.raise(destructive, "word:subscript", a.name+" -v runs the commands in a subscript")
		}
	}
}

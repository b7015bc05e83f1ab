package classify

import (
	"slices"
	"strings"
)

// customs are the variables that a command does not set and that lead by custom to a place, which
// is judged as if it were named.
const customs = `
XDG_CONFIG_HOME=~/.config XDG_DATA_HOME=~/.local/share XDG_BIN_HOME=~/.local/bin TMPDIR=/tmp
XDG_CONFIG_DIRS=/etc/xdg __fish_config_dir=~/.config/fish __fish_user_data_dir=~/.local/share/fish
fish_function_path=~/.config/fish/functions ZDOTDIR=~ USERPROFILE=~ BASH_ENV=~/.profile
HISTFILE=~/.bash_history MYVIMRC=~/.vimrc INPUTRC=~/.inputrc GNUPGHOME=~/.gnupg
KUBECONFIG=~/.kube/config NETRC=~/.netrc PGPASSFILE=~/.pgpass DOCKER_CONFIG=~/.docker
AWS_SHARED_CREDENTIALS_FILE=~/.aws/credentials AWS_CONFIG_FILE=~/.aws/config
GOOGLE_APPLICATION_CREDENTIALS=~/.config/gcloud/application_default_credentials.json
CARGO_HOME=~/.cargo RUSTUP_HOME=~/.rustup GOPATH=~/go GOBIN=~/go/bin GOROOT=/usr/local/go
NVM_DIR=~/.nvm PYENV_ROOT=~/.pyenv PIPX_BIN_DIR=~/.local/bin PYTHONSTARTUP=~/.pythonrc GIT_DIR=.git
`

// usualPlace returns where a variable that the command does not set leads by custom, or "".
func usualPlace(name string) string {
	for custom := range strings.FieldsSeq(customs) {
		if place, ok := strings.CutPrefix(custom, name+"="); ok {
			return place
		}
	}
	return ""
}

// prints notes what a program prints that says where something lies, so that a word made of it is
// judged as that place.
func (a *argv) prints() {
	switch a.row.name {
	case "cat":
		a.cat()
	case "tee":
		if a.known = a.in.known && len(a.used) == 0; a.known {
			a.printed = a.in.text
		}
	case "mktemp":
		a.mktemp()
	}
	if a.w.captured == 0 || len(a.words) == 0 && a.name != "pwd" {
		return
	}
	text, last := "", first(a.words[max(0, len(a.words)-1):], "").text
	switch a.name {
	case "pwd":
		if text = "."; a.sc.cwd != a.w.o.Cwd {
			text = a.sc.cwd
		}
	case "which", "command":
		if strings.Trim(last, "abcdefghijklmnopqrstuvwxyz0123456789-_.+") == "" {
			text = "/usr/bin/" + last
		}
	case "git rev-parse":
		text = map[string]string{"--git-dir": ".git", "--git-common-dir": ".git",
			"--absolute-git-dir": ".git", "--show-toplevel": ".", "hooks": ".git/hooks"}[last]
	case "go env":
		text = usualPlace(last)
	}
	if text != "" && !strings.Contains(last, hole) {
		a.printed, a.known = text, true
	}
}

// echo is echo and printf: what they write is known if their words are.
func (a *argv) echo() {
	a.printed, a.known = printed(a.name, a.w.shell, a.words)
	// Most of sh, other than bash, decode \0NNN and \c without -e.
	if a.name == "echo" && a.w.depth > 1 && (strings.Contains(a.printed, `\0`) ||
		strings.Contains(a.printed, `\c`)) {
		a.known = false
	}
	for _, wd := range a.words {
		a.out |= wd.from &^ passing
		a.lists(wd)
	}
	if strings.Contains(a.printed, hole) { // names that xargs -0 or the like reads
		a.printed, a.known = strings.ReplaceAll(a.printed, hole, "\n"), false
	}
	if a.name == "printf" {
		a.printInto()
	}
}

// cat passes its input on, if it has no other, or what the command has written into its file.
func (a *argv) cat() {
	switch {
	case len(a.operands) == 1 && a.operands[0].text == "/dev/null":
		a.known = true
	case len(a.used) > 0 || len(a.operands) > 1:
	case len(a.operands) == 1 && a.operands[0].text != "-":
		a.printed, a.known = a.w.textOf(a.operands[0], a.sc)
	case a.in.known:
		a.printed, a.known = a.in.text, true
	}
}

// temporary reports whether the word is the very name that mktemp has given.
func temporary(wd word) bool {
	return wd.from&fromTemp != 0 && !wd.maybe && wd.text == "/tmp/"+hole
}

// removes is rm of what mktemp has made: nothing else is lost.
func (a *argv) removes() {
	made := false
	for _, o := range a.operands {
		made = made || a.madeHere(o)
		if !temporary(o) && (o.text != "" || !o.known()) && !a.madeHere(o) {
			return
		}
	}
	switch {
	case made:
		a.base, a.why = write, "deletes what this command has made"
	case len(a.operands) > 0:
		a.base, a.why = write, "deletes what mktemp has made"
	}
}

// madeHere reports whether the word names a file that this command has written anew,
// so that nothing else is lost with it.
func (a *argv) madeHere(file word) bool {
	if !file.plain() || file.maybe || file.glob || a.sc.maybe > 0 {
		return false
	}
	made := a.w.writtenAt(file, a.sc)
	return made != nil && made.sure
}

// inTemp reports whether a template of mktemp's makes a name in the temporary folder, where it
// stands as a path or, short, behind a flag that says so.
func inTemp(template word, short bool) bool {
	name, rooted := strings.CutPrefix(template.text, "/tmp/")
	return template.plain() && !template.glob && !strings.Contains(name, "/") &&
		(rooted && strings.Contains(name, "XXX") || short)
}

// mktemp says where the new file is, if nothing tells it otherwise.
func (a *argv) mktemp() {
	val, _ := a.value("-p", "--tmpdir")
	if !inList(" /tmp /var/tmp ", val.text) && (val.text != "" || val.from != 0) {
		return
	}
	if !slices.ContainsFunc(a.operands, func(o word) bool {
		return !inTemp(o, a.flagged("-t", "-p", "--tmpdir"))
	}) {
		a.printed, a.known = "/tmp/"+hole, true
		a.out |= fromTemp
	}
}

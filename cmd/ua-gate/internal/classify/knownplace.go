package classify

import (
	"path"
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
	case "dirname", "realpath", "readlink":
		if !strings.HasPrefix(last, "-") {
			text = path.Clean(last)
		}
		if a.name == "dirname" {
			text = path.Dir(last)
		}
	case "jobs":
		text = ownJob
	case "go env":
		text = usualPlace(last)
	}
	if text != "" && !strings.Contains(last, hole) {
		a.printed, a.known = text, true
	}
}

package classify

// usualPlace returns where a variable that the command does not set leads by custom, or "".
// What is written or read there is judged as if the place itself were named.
func usualPlace(name string) string {
	switch name {
	// The places are those that the programs use where nothing else is set.
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

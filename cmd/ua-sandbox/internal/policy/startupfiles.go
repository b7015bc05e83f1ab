package policy

import (
	"os"
	"path/filepath"
	"strings"

	"ua/cmd/ua-sandbox/internal/gitdir"
	"ua/internal/common/secret"
)

// startup lists the places below a home that a later shell, session or program runs or
// obeys by itself.
const startup = `
.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
.zlogin .zlogout
.kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xinitrc .xprofile .xsession .xsessionrc
.pam_environment
.oh-my-zsh .zsh .config/fish .config/nushell .config/autostart .config/systemd
.config/environment.d .config/plasma-workspace
.local/bin bin go/bin .cargo/bin .cargo/env .cargo/config .cargo/config.toml .deno/bin .bun/bin
.npm-global/bin .yarn/bin
.local/share/applications .local/share/systemd .local/share/dbus-1 .local/share/bash-completion
.local/share/nautilus
.pyenv .nvm .rbenv .asdf .sdkman .gitconfig .config/git .git-templates .hgrc .direnvrc
.config/direnv .config/mise
.vimrc .vim .nvimrc .exrc .gvimrc .config/nvim .emacs .emacs.d .config/emacs .nanorc .screenrc
.tmux.conf .config/tmux
.gdbinit .config/gdb .lldbinit .pythonrc .pdbrc .irbrc .pryrc .Rprofile .psqlrc .sqliterc
.lesskey .mailcap .forward .procmailrc
.k5login .shosts .config/pip .config/conda .condarc .config/containers .config/Code .vscode
.vscode-server .config/zed
.claude .codex .cursor .gemini .continue .opencode .config/opencode .crush .config/crush .goose
.config/goose .aider.conf.yml
.config/kitty .config/alacritty .config/i3 .config/sway .config/hypr .config/waybar
.config/polybar .config/wezterm .wezterm.lua
Library/LaunchAgents Library/LaunchDaemons Library/Application\ Support/Code`

// system lists the machine's programs and settings, which root could write.
const system = `/bin /sbin /lib /lib32 /lib64 /libx32 /usr /etc /boot /opt /nix /snap /efi ` +
	`/System /Library /Applications`

// startupVars lists variables with the path of a file or folder that a program runs or
// obeys when it starts.
const startupVars = `BASH_ENV ENV ZDOTDIR INPUTRC PYTHONSTARTUP GIT_CONFIG_GLOBAL
GIT_CONFIG_SYSTEM GIT_TEMPLATE_DIR GIT_EXEC_PATH
GIT_SSH GIT_ASKPASS SSH_ASKPASS GIT_EDITOR GIT_PAGER EDITOR VISUAL PAGER MANPAGER BROWSER
LESSOPEN LESSCLOSE SHELL`

// startupCommands are those of startupVars with command lines, which people run in a folder
// without a repository, too.
var startupCommands = [...]string{
	"SSH_ASKPASS", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESSOPEN", "LESSCLOSE",
}

// startFiles protects what runs by itself later if the command may write the home or the
// whole tree: start-up files, units, and folders of programs. What does not exist yet is
// reported at the end or moved aside.
func (p *Policy) startFiles() {
	var list []string
	if p.Writable("/") {
		list = secret.Fields(system)
	}
	if p.Writable(p.Home) {
		for _, name := range secret.Fields(startup) {
			list = append(list, filepath.Join(p.Home, name))
		}
		list = append(list, filepath.SplitList(os.Getenv("PATH"))...)
	}
	for _, name := range secret.Fields(startupVars) {
		list = append(list, os.Getenv(name))
	}
	for _, path := range list {
		if filepath.IsAbs(path) && path != "/" {
			p.freeze(filepath.Clean(path))
		}
	}
	for _, name := range startupCommands {
		if line := strings.TrimLeft(os.Getenv(name), "|-"); line != "" { // less(1) has | and -
			p.programs(gitdir.Setting{Name: name, Value: line}, p.Dir)
		}
	}
}

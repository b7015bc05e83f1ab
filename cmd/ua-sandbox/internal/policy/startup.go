package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// startup are the places below a home that a later shell, session or program
// runs or obeys by itself.
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

// system are the machine's programs and settings, which root could write.
const system = `/bin /sbin /lib /lib32 /lib64 /libx32 /usr /etc /boot /opt /nix /snap /efi /System /Library /Applications`

// startupVars are variables that name a file or folder which a program runs or
// obeys at its start.
const startupVars = `BASH_ENV ENV ZDOTDIR INPUTRC PYTHONSTARTUP GIT_CONFIG_GLOBAL
GIT_CONFIG_SYSTEM GIT_TEMPLATE_DIR GIT_EXEC_PATH
GIT_SSH GIT_ASKPASS SSH_ASKPASS GIT_EDITOR GIT_PAGER EDITOR VISUAL PAGER MANPAGER BROWSER
LESSOPEN SHELL`

// startFiles guards what runs by itself later when the home, or the whole tree,
// is the command's to write: start-up files, units, folders of programs. What
// is not there yet is told at the end, or moved aside.
func (p *Policy) startFiles() {
	var list []string
	if p.Writable("/") {
		list = fields(system)
	}
	if p.Writable(p.Home) {
		for _, name := range fields(startup) {
			list = append(list, filepath.Join(p.Home, name))
		}
		list = append(list, filepath.SplitList(os.Getenv("PATH"))...)
	}
	for _, name := range fields(startupVars) {
		list = append(list, os.Getenv(name))
	}
	for _, path := range list {
		if filepath.IsAbs(path) && path != "/" {
			p.freeze(filepath.Clean(path))
		}
	}
}

// freeze guards a path also where only Landlock can: the folders above it take no
// new entries there.
func (p *Policy) freeze(path string) {
	real, err := p.tree.existing(path)
	switch {
	case err != nil:
		p.absent(path)
	case p.Writable(real) && !p.named(real) && !slices.Contains(p.Write, real):
		p.protect(path)
		p.Frozen = append(p.Frozen, real)
	}
}

// absent notes a guarded path that is not there, if the command could make it.
func (p *Policy) absent(path string) {
	rest, dir := filepath.Base(path), filepath.Dir(path)
	real, err := p.tree.existing(dir)
	for err != nil && dir != "/" {
		rest, dir = filepath.Join(filepath.Base(dir), rest), filepath.Dir(dir)
		real, err = p.tree.existing(dir)
	}
	at := filepath.Join(real, rest)
	if err == nil && p.Writable(real) && !p.named(path) && !p.named(at) &&
		!slices.Contains(p.Absent, at) {
		p.Absent = append(p.Absent, at)
	}
}

// named reports whether an option lets the path be written by name.
func (p *Policy) named(path string) bool { return slices.Contains(p.Grants, path) }

// fields splits at white space; "\ " stands for a space in a name.
func fields(s string) []string {
	list := strings.Fields(strings.ReplaceAll(s, `\ `, "\x00"))
	for i, f := range list {
		list[i] = strings.ReplaceAll(f, "\x00", " ")
	}
	return list
}

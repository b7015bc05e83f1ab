package policy

// wholes lists folders of a home that hold what its programs obey, run and have built. If
// they exist, they are as read-only as from any other working folder.
const wholes = `.config .local .cache .npm .cargo go/pkg`

// startup lists the places below a home that a later shell, session, interpreter or other
// program runs or obeys by itself; "*" stands for any bytes of a name that exists.
const startup = `
.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions .bash_completion
.bash_completion.d .bashrc.d .aliases .functions .exports .extra .path .profile .dircolors
.zshrc .zshenv .zprofile .zlogin .zlogout .zcompdump* .p10k.zsh .zinit .zplug .zprezto .zpreztorc
.zim .zimrc .antigen .antidote .oh-my-zsh .zsh .oh-my-bash .bash_it .fzf .fzf.bash .fzf.zsh
.git-completion.bash .git-prompt.sh
.kshrc .mkshrc .yashrc .cshrc .tcshrc .login .logout .xonshrc .elvish .inputrc
.xinitrc .xserverrc .xprofile .xsession .xsessionrc .xsettingsd .Xresources .Xdefaults .Xmodmap
.XCompose .xbindkeysrc .xmonad .fluxbox .icewm .fvwm .fvwm2rc .gnomerc .kde .kde4 .asoundrc
.pam_environment .crontab
.config/fish .config/nushell .config/bash .config/zsh .config/xonsh .config/elvish
.config/autostart .config/autostart-scripts .config/systemd .config/environment.d .config/upstart
.config/user-dirs.dirs .config/mimeapps.list .config/plasma-workspace .config/kdeglobals
.config/xfce4 .config/lxsession .config/openbox .config/awesome .config/bspwm .config/sxhkd
.config/qtile .config/i3 .config/sway .config/hypr .config/river .config/niri .config/waybar
.config/polybar .config/rofi .config/dunst .config/dconf .config/pulse .config/pipewire
.config/wireplumber .config/fontconfig .config/Thunar .config/caja .config/nautilus
.local/bin .local/lib .local/share/applications .local/share/systemd .local/share/dbus-1
.local/share/bash-completion .local/share/zsh .local/share/fish .local/share/zinit
.local/share/nautilus .local/share/nemo .local/share/file-manager .local/share/kio
.local/share/kservices5 .local/share/kwin .local/share/plasma .local/share/plasmashell
.local/share/gnome-shell .local/share/cinnamon .local/share/thumbnailers .local/share/mime
.local/share/flatpak .local/share/uv .local/share/pipx .local/pipx .local/share/mise
.local/share/rtx .local/share/fnm .local/share/pnpm .local/share/gem .local/share/nvim
.local/share/helm .local/share/virtualenvs .local/share/powershell .local/state/nix
.cache/pre-commit .cache/node .cache/p10k-* .cache/zsh .cache/gitstatus .cache/uv .cache/pip
.cache/go-build .cache/ccache .cache/pypoetry .cache/nvim
bin go/bin .cargo/bin .cargo/env .cargo/config .cargo/config.toml .rustup .deno/bin .bun/bin
.npm/_npx .npm-global/bin .yarn/bin .yarn/releases .pnpm .volta .fnm .n .nodenv .nodebrew
.pyenv .nvm .rbenv .asdf .asdfrc .sdkman .rvm .rvmrc .plenv .phpenv .phpbrew .goenv .gvm .jenv
.jabba .tfenv .tenv .proto .rye/shims .pixi/bin .ghcup .elan .swiftly .krew .linuxbrew .pkgx
.nix-profile .nix-defexpr .nix-channels .nixpkgs .config/nix .config/nixpkgs
.config/home-manager anaconda3 miniconda3 miniforge3 mambaforge micromamba .mambarc
.gitconfig .config/git .git-templates .hgrc .config/hg .jjconfig.toml .config/jj .bazaar
.config/breezy .darcs .config/darcs .config/pijul .subversion .config/fossil.db .fossil .cvsrc
.p4config .p4enviro .arcrc .tigrc .config/tig .config/lazygit .direnvrc .config/direnv
.config/mise .config/pre-commit
.vimrc .vim .nvimrc .exrc .gvimrc .ideavimrc .config/vim .config/nvim .vim_runtime .SpaceVim
.emacs .emacs.el .emacs.d .spacemacs .doom.d .config/emacs .config/doom .nanorc .config/nano
.kakrc .config/kak .config/helix .config/micro .joerc .jedrc .screenrc .tmux.conf .tmux
.config/tmux .byobu .config/byobu .config/zellij
.gdbinit .gdbearlyinit .config/gdb .lldbinit .config/dlv .valgrindrc
.pythonrc .pdbrc .pydistutils.cfg .pylintrc .config/pylintrc .ipython .jupyter .irbrc .config/irb
.pryrc .rdbgrc .gemrc .rspec .Rprofile .Renviron .julia/config .node_modules .node_libraries
.npmrc .yarnrc .yarnrc.yml .bunfig.toml .config/go .perldb .cpan .sbclrc .guile .ghci .ghc
.cabal/config .cabal/bin .stack/config.yaml .ocamlinit .opam .lein .clojure .sbt .ammonite
.m2/settings.xml .m2/extensions.xml .mavenrc .gradle/init.d .gradle/init.gradle .groovy .iex.exs
.erlang .mix .tclshrc .octaverc .luarocks .psqlrc .sqliterc .duckdbrc .composer .nuget .dotnet
.config/pip .config/uv .config/conda .condarc .config/composer .config/NuGet
.lesskey .lessfilter .lesspipe .mailcap .mailrc .forward .procmailrc .k5login .shosts .ackrc
.ripgreprc .rgrc .ctags .ctags.d .wgetrc .curlrc .lftprc .config/lftp .config/mpv .mpv .lynxrc
.elinks .w3m .config/newsboat .newsboat .config/ranger .config/lf .config/yazi .config/nnn
.config/broot .config/starship.toml .rpmmacros .makepkg.conf .config/pacman .quiltrc .devscripts
.dput.cf .gbp.conf .sbuildrc .pbuilderrc .ansible .ansible.cfg .vagrant.d .terraform.d .packer.d
.config/containers .config/helm
.config/Code .vscode .vscode-server .vscode-insiders .vscode-oss .config/VSCodium .config/Cursor
.cursor-server .config/Windsurf .windsurf .windsurf-server .config/zed .config/sublime-text
.config/JetBrains .local/share/JetBrains
.claude .codex .cursor .gemini .continue .opencode .config/opencode .crush .config/crush .goose
.config/goose .aider.conf.yml .agents .amp .config/amp .augment .kiro .qwen .junie .factory
.copilot .config/github-copilot .roo .cline .trae .mcp.json
.config/kitty .config/alacritty .config/ghostty .config/foot .config/wezterm .wezterm.lua
.config/terminator
Library/LaunchAgents Library/LaunchDaemons Library/Application\ Support/Code`

// system lists the machine's programs and settings, which root could write.
const system = `/bin /sbin /lib /lib32 /lib64 /libx32 /usr /etc /boot /opt /nix /snap /efi ` +
	`/System /Library /Applications`

// startupVars lists variables with the paths of files or folders that a program obeys when it
// starts.
const startupVars = `BASH_ENV ENV ZDOTDIR INPUTRC PYTHONSTARTUP GIT_CONFIG_GLOBAL
GIT_CONFIG_SYSTEM GIT_TEMPLATE_DIR GIT_EXEC_PATH`

// settingsVars lists those of programs that people have keep their settings in a project. At
// tier 2 they are put back, so that the folder still takes new files.
const settingsVars = `
NPM_CONFIG_USERCONFIG NPM_CONFIG_GLOBALCONFIG npm_config_userconfig npm_config_globalconfig
PIP_CONFIG_FILE UV_CONFIG_FILE CONDARC GOENV R_PROFILE R_PROFILE_USER R_ENVIRON_USER PSQLRC IRBRC
IPYTHONDIR JUPYTER_CONFIG_DIR PYLINTRC RIPGREP_CONFIG_PATH BAT_CONFIG_PATH FZF_DEFAULT_OPTS_FILE
LESSKEY LESSKEYIN LESSKEY_SYSTEM WGETRC CURL_HOME HGRCPATH JJ_CONFIG DIRENV_CONFIG MISE_CONFIG_DIR
MISE_GLOBAL_CONFIG_FILE ASDF_CONFIG_FILE STARSHIP_CONFIG SCREENRC MAILCAPS ANSIBLE_CONFIG
TF_CLI_CONFIG_FILE ACKRC`

// startupCommands are variables with command lines, options or lists of files by which a
// program runs something, which people have in a folder without a repository, too.
var startupCommands = [...]string{
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "SHELL",
	"SSH_ASKPASS", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESSOPEN", "LESSCLOSE",
	"PROMPT_COMMAND", "VIMINIT", "EXINIT", "LUA_INIT", "NODE_OPTIONS", "RUBYOPT", "PERL5OPT",
	"PERL5DB", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "LD_PRELOAD", "LD_AUDIT",
	"MAKEFILES", "SVN_SSH", "CVS_RSH", "RSYNC_RSH", "HGEDITOR", "SVN_EDITOR", "JJ_EDITOR",
	"SUDO_EDITOR", "SUDO_ASKPASS", "FCEDIT", "RUSTC_WRAPPER", "FZF_DEFAULT_COMMAND",
}

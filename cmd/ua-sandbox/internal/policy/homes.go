package policy

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ua/internal/common/confine"
	"ua/internal/common/repository"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// startFiles protects what runs by itself later if the command may write a home or the whole
// tree: hidden names, folders of programs, and what variables name.
func (p *Policy) startFiles() {
	var list []string
	if p.Writable("/") {
		list = secret.Fields(system)
	}
	for _, home := range p.homes() {
		if p.Writable(home) && !p.named(home) {
			p.keepHome(home)
		}
	}
	if p.Writable(p.tree.realOr(p.Home)) {
		list = append(list, filepath.SplitList(os.Getenv("PATH"))...)
	}
	list = append(list, p.variables(startupVars)...)
	for _, path := range list {
		if filepath.IsAbs(path) && path != "/" {
			p.freeze(filepath.Clean(path))
		}
	}
}

// keepHome makes read-only what is hidden at the top of a home in which, or around which, the
// command works: settings, start-up files, keys, programs and caches of the user's. A home of
// another account is kept whole. Of new names at the top, only those land that are not hidden
// (see hometop_linux.go); without mounts there can be no new ones.
func (p *Policy) keepHome(home string) {
	if !p.ownHome(home) {
		p.freeze(home)
		return
	}
	p.Tops, p.Frozen = append(p.Tops, home), append(p.Frozen, home+"/.")
	entries, _ := os.ReadDir(home)
	for _, e := range entries {
		switch path := filepath.Join(home, e.Name()); {
		case strings.HasPrefix(e.Name(), HomeTopName): // another sandbox's, which may end meanwhile
			p.Frozen = append(p.Frozen, path)
		case Hidden(e.Name()):
			p.freeze(path)
		}
	}
}

// HomeTopName begins the name of the folder that stands for a home, in that home, so that
// what is made in it lands by rename(2).
const HomeTopName = ".ua-home-"

// Hidden reports whether a name at the top of a home is kept from commands. A repository there
// has a guard of its own.
func Hidden(name string) bool {
	return name[0] == '.' && name != ".git" || runtime.GOOS == "darwin" && name == "Library"
}

// ownHome reports whether a home is this user's, or of an owner of the workspace.
func (p *Policy) ownHome(home string) bool {
	for _, own := range append(p.Owners.homes(), p.Home, accountHome()) {
		if real, err := p.tree.existing(own); own != "" && err == nil && real == home {
			return true
		}
	}
	return false
}

// bases are the folders of a home in which many programs keep their settings, data and
// caches (XDG Base Directory Specification).
const bases = ".config .local .local/share .local/state .cache"

// keepBases leaves such a folder read-only as working folder, too, unless --write names it.
func (p *Policy) keepBases() {
	for _, home := range p.homes() {
		for name := range strings.FieldsSeq(bases) {
			if p.Dir == filepath.Join(home, name) && !p.named(p.Dir) && p.Profile != verdict.ProfileNone {
				p.Write = slices.DeleteFunc(p.Write, func(path string) bool { return path == p.Dir })
			}
		}
	}
}

// startLinks protects what variables have run, and what start-up files are links to: people
// keep these in a repository, and link to it.
func (p *Policy) startLinks() {
	for _, name := range startupCommands {
		line := os.Getenv(name)
		switch {
		case strings.HasPrefix(name, "LESS"):
			line = strings.TrimLeft(line, "|-")
		case name == "LUA_INIT":
			line = strings.TrimPrefix(line, "@")
		case strings.HasPrefix(name, "LD_"):
			line = strings.ReplaceAll(line, ":", " ")
		}
		if line != "" {
			p.programs(repository.Setting{Name: name, Value: detached(line)}, p.Dir)
		}
	}
	p.protect(p.variables(settingsVars)...)
	for _, home := range p.homes() {
		for _, dir := range []string{"", ".config", ".local/bin", ".local/share"} {
			p.protectStartLinks(filepath.Join(home, dir), dir == "")
		}
	}
}

// protectStartLinks protects what the symbolic links in a folder lead to, of a home only the
// hidden ones.
func (p *Policy) protectStartLinks(dir string, hidden bool) {
	names, err := os.ReadDir(dir)
	for _, e := range names {
		if err == nil && e.Type()&os.ModeSymlink != 0 && (!hidden || Hidden(e.Name())) {
			p.protect(filepath.Join(dir, e.Name()))
		}
	}
}

// variables returns the paths in the variables, but for the working folder and those around it.
func (p *Policy) variables(names string) (paths []string) {
	for _, name := range strings.Fields(names) {
		value := os.ExpandEnv(os.Getenv(name))
		if !strings.Contains(value, "/") { // some programs have other words there, as in ENV=test
			continue
		}
		for _, path := range filepath.SplitList(value) {
			if path = from(p.Dir, path); !confine.Under(p.Dir, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// detached returns a command line with each path that follows an option without a space, as in
// ruby's -r./x and java's -javaagent:x/y.jar=z, as a word of its own.
func detached(line string) string {
	words := strings.Fields(line)
	for i, w := range words {
		path := strings.TrimLeftFunc(w, func(r rune) bool {
			return r == '-' || r == ':' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		})
		if w[0] == '-' && strings.HasPrefix(strings.TrimLeft(path, "."), "/") {
			words[i], _, _ = strings.Cut(path, "=")
		} else if _, path, found := strings.Cut(w, ":"); w[0] == '-' && found {
			words[i], _, _ = strings.Cut(path, "=")
		}
	}
	return strings.Join(words, " ")
}

// homes returns the homes whose start-up files count: that of HOME, that of the account, and
// what root may write of other users'. A login reads those of the account, whatever HOME says.
func (p *Policy) homes() []string {
	if p.allHomes != nil {
		return p.allHomes
	}
	add := func(path string) {
		if real, err := p.tree.existing(path); err == nil && !slices.Contains(p.allHomes, real) {
			p.allHomes = append(p.allHomes, real)
		}
	}
	add(p.Home)
	if home := accountHome(); home != "" {
		add(home)
	}
	if os.Getuid() != 0 {
		return p.allHomes
	}
	for _, a := range accounts() {
		if strings.Count(a.home, "/") > 1 && p.meets(a.home) {
			add(a.home)
		}
	}
	return p.allHomes
}

// meets reports whether the command may write path, or a folder below it.
func (p *Policy) meets(path string) bool {
	return slices.ContainsFunc(p.Write, func(w string) bool {
		return confine.Under(path, w) || confine.Under(w, path)
	})
}

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

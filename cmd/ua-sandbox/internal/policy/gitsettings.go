package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-sandbox/internal/gitdir"
	"ua/internal/common/regular"
	"ua/internal/common/xdg"
)

// configured protects what git's settings name for a working tree: those of the repository
// whose git folder is dir, of the worktree, and the user's own. Git runs hooks, filters and
// the like at the top of the working tree, so that a relative path is another file in each
// (git-config(1)).
func (p *Policy) configured(dir, tree string) {
	common := dir
	if to := line(filepath.Join(dir, "commondir")); to != "" {
		common = from(dir, to)
	}
	for _, config := range []string{
		filepath.Join(common, "config"), filepath.Join(dir, "config.worktree"),
	} {
		for _, s := range settingsOf(config) {
			p.namedBy(s, filepath.Dir(config), tree)
		}
	}
	for _, s := range p.usersGit() {
		p.namedBy(s, tree, tree)
	}
}

// usersGit returns the settings that hold in each of the user's repositories, without those
// that they include.
func (p *Policy) usersGit() []gitdir.Setting {
	if p.userGit == nil {
		files := []string{filepath.Join(filepath.Dir(xdg.Config()), "git/config"),
			Absolute("~/.gitconfig")}
		if own := os.Getenv("GIT_CONFIG_GLOBAL"); own != "" {
			files = []string{own}
		}
		p.userGit = []gitdir.Setting{}
		for _, file := range files {
			p.userGit = append(p.userGit, settingsOf(file)...)
		}
		p.userGit = slices.DeleteFunc(p.userGit, func(s gitdir.Setting) bool {
			return strings.HasPrefix(s.Name, "include")
		})
	}
	return p.userGit
}

// dataSettings are settings beside the harmless ones that name files which git only reads.
var dataSettings = strings.Fields(`commit.template core.excludesfile blame.ignorerevsfile
diff.orderfile mailmap.file lfs.fetchinclude lfs.fetchexclude`)

// namedBy protects the files that a setting names: other settings, which are taken from
// folder, a folder of hooks, and each file of the working tree in a command line.
func (p *Policy) namedBy(s gitdir.Setting, folder, tree string) {
	switch {
	case s.True:
	case s.Name == "core.hookspath", s.Name == "core.attributesfile":
		p.protect(from(tree, s.Value))
	case s.Name == "include.path",
		strings.HasPrefix(s.Name, "includeif.") && strings.HasSuffix(s.Name, ".path"):
		p.protect(from(folder, s.Value))
	case strings.HasPrefix(s.Name, "alias.") && !strings.HasPrefix(s.Value, "!"):
	default:
		// Any word that is a file there could be what a command line runs or reads.
		for _, word := range strings.FieldsFunc(s.Value, splitsWords) {
			if !strings.ContainsAny(word, "/.") {
				continue
			}
			path := from(tree, word)
			real, err := p.tree.existing(path)
			if err == nil && p.tree.kind(real) == other && !s.Harmless() &&
				!slices.Contains(dataSettings, s.Name) {
				p.protect(path)
			}
		}
	}
}

// splitsWords reports whether a letter of a command line ends a word.
func splitsWords(r rune) bool { return strings.ContainsRune(" \t\n'\"`;|&<>(){}!$=,%", r) }

// from returns a path of git's settings, taken from dir if it is relative.
func from(dir, path string) string {
	switch {
	case strings.HasPrefix(path, "~/"):
		return Absolute(path)
	case filepath.IsAbs(path):
		return path
	}
	return filepath.Join(dir, path)
}

// settingsOf returns the settings in a git config, as far as git would read them.
func settingsOf(config string) []gitdir.Setting {
	text, err := regular.Read(config, maxConfig)
	if err != nil {
		return nil
	}
	list, _ := gitdir.Settings(text)
	return list
}

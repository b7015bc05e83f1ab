package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/gitrules"
	"ua/internal/common/xdg"
)

const (
	maxConfigs = 64  // that include each other
	maxWords   = 200 // of a command line in one
)

// configured protects what git's settings name for a working tree: those of the repository
// whose git folder is dir, of the worktree, and the user's own, with all that they include.
// Git runs hooks, filters and the like at the top of the working tree, so that a relative
// path is another file in each (git-config(1)).
func (p *Policy) configured(dir, tree string) {
	common := dir
	if to := line(filepath.Join(dir, "commondir")); to != "" {
		common = from(dir, to)
	}
	var own reading
	own.config(filepath.Join(common, "config"))
	own.config(filepath.Join(dir, "config.worktree"))
	for _, s := range slices.Concat(own.list, p.usersGit()) {
		p.namedBy(s, tree)
	}
}

// A reading collects settings from files, each of which is read once.
type reading struct {
	list  []gitrules.Setting
	files []string
}

// config adds the settings of a file and of those that it includes, on whatever condition.
// The paths of these become absolute, since they are taken from the folder of the file.
func (r *reading) config(file string) {
	if slices.Contains(r.files, file) || len(r.files) == maxConfigs {
		return
	}
	r.files = append(r.files, file)
	for _, s := range settingsOf(file) {
		if s.Name == "include.path" ||
			strings.HasPrefix(s.Name, "includeif.") && strings.HasSuffix(s.Name, ".path") {
			s.Value = from(filepath.Dir(file), s.Value)
			r.config(s.Value)
		}
		r.list = append(r.list, s)
	}
}

// usersGit returns the settings that hold in each of the user's repositories.
func (p *Policy) usersGit() []gitrules.Setting {
	if p.userGit != nil {
		return p.userGit
	}
	files := []string{filepath.Join(filepath.Dir(xdg.Config()), "git/config"),
		Absolute("~/.gitconfig")}
	if own := os.Getenv("GIT_CONFIG_GLOBAL"); own != "" {
		files = []string{own}
	}
	if system := os.Getenv("GIT_CONFIG_SYSTEM"); system != "" {
		files = append(files, system)
	} else if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		files = append(files, "/etc/gitconfig")
	}
	r := reading{list: []gitrules.Setting{}}
	for _, file := range files {
		r.config(file)
	}
	p.userGit = r.list
	return p.userGit
}

// dataSettings are settings beside the harmless ones that name files which git only reads,
// or no files; "*" stands for any text.
var dataSettings = [...]string{
	"commit.template", "core.excludesfile", "blame.ignorerevsfile", "diff.orderfile",
	"mailmap.file", "lfs.fetchinclude", "lfs.fetchexclude", "safe.directory",
	"maintenance.repo", "scalar.repo", "gui.recentrepo", "branch.*", "gitflow.*",
	"svn-remote.*", "url.*",
}

// namedBy protects the files that a setting names: other settings, a folder of hooks, and
// the programs of a command line.
func (p *Policy) namedBy(s gitrules.Setting, tree string) {
	is := func(name string) bool {
		prefix, some := strings.CutSuffix(name, "*")
		return s.Name == name || some && strings.HasPrefix(s.Name, prefix)
	}
	switch {
	case s.True, s.Value == "":
	case is("core.hookspath"), is("core.attributesfile"), is("init.templatedir"), is("include.path"),
		is("includeif.*") && strings.HasSuffix(s.Name, ".path"):
		p.protect(from(tree, s.Value))
	case s.Harmless(), slices.ContainsFunc(dataSettings[:], is),
		is("alias.*") && !strings.HasPrefix(s.Value, "!"):
	default:
		p.programs(s, tree)
	}
}

// programs protects the files that a setting's command line names, each word of it taken from
// the top of a working tree, where git runs it. A program or a script that does not exist can't
// be made.
func (p *Policy) programs(s gitrules.Setting, tree string) {
	line := strings.NewReplacer("${HOME}", home(), "$HOME", home()).Replace(s.Value)
	words := strings.FieldsFunc(line, func(r rune) bool {
		return strings.ContainsRune(" \t\n!;|&<>()'\"=", r)
	})
	for i, w := range append(words[:min(len(words), maxWords)], s.Value) {
		if !strings.ContainsAny(w, "/.") { // a program on PATH
			continue
		}
		path := from(tree, w)
		real, err := p.tree.existing(path)
		switch {
		case err == nil && p.tree.kind(real) == other:
			p.protect(path)
		case err != nil && i < 2 && strings.Contains(w, "/") && !strings.HasSuffix(w, "/") &&
			!strings.Contains(s.Value, "://"):
			p.protect(path)
		}
	}
}

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
func settingsOf(config string) []gitrules.Setting {
	text, err := readText(config)
	if err != nil {
		return nil
	}
	list, _ := gitrules.Settings([]byte(text))
	return list
}

package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/confine"
	"ua/internal/common/regular"
	"ua/internal/common/repository"
	"ua/internal/common/secret"
)

// startFiles protects what runs by itself later if the command may write a home, a folder
// in it, or the whole tree: start-up files, units, and folders of programs. What does not
// exist yet is reported at the end or moved aside.
func (p *Policy) startFiles() {
	var list []string
	if p.Writable("/") {
		list = secret.Fields(system)
	}
	list = append(list, p.startPlaces().own...)
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
	p.protect(p.startPlaces().linked...)
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
	text, _ := regular.Read("/etc/passwd", maxText)
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(line, ":"); len(f) > 5 && len(p.allHomes) < maxHomes &&
			strings.Count(f[5], "/") > 1 && p.meets(f[5]) {
			add(f[5])
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

// starts are the places in the homes that count: those that the command may write, and those
// that are reached through a link.
type starts struct{ own, linked []string }

// startPlaces returns these of all homes.
func (p *Policy) startPlaces() *starts {
	if p.starts == nil {
		p.starts = &starts{}
		for _, home := range p.homes() {
			p.homeFiles(home)
		}
	}
	return p.starts
}

// homeFiles adds the places in a home.
func (p *Policy) homeFiles(home string) {
	for _, dir := range [...]string{"", "/.config", "/.local/share"} {
		p.tree.list(home + dir)
	}
	all := p.Writable(home)
	names, listed := p.tree.names[home]
	var covered []string // by the wholes, with a slash at the end
	each := func(name string, whole bool) {
		first, _, _ := strings.Cut(name, "/")
		if !all && listed && !names[folded(first)] ||
			slices.ContainsFunc(covered, func(c string) bool { return strings.HasPrefix(name, c) }) {
			return
		}
		path := home + "/" + name
		link, there := p.tree.walk(path, home)
		switch {
		case link != "":
			p.starts.linked = append(p.starts.linked, path)
		case !p.Writable(path) || whole && !there:
			return
		default:
			p.starts.own = append(p.starts.own, path)
		}
		if whole && !slices.Contains(p.Write, path) {
			covered = append(covered, name+"/")
		}
	}
	for name := range strings.FieldsSeq(wholes) {
		each(name, true)
	}
	for _, name := range secret.Fields(startup) {
		switch {
		case !strings.Contains(name, "*"):
			each(name, false)
		case all:
			found, _ := filepath.Glob(home + "/" + name)
			for _, path := range found {
				each(path[len(home)+1:], false)
			}
		}
	}
	if home == p.allHomes[0] {
		p.movedStarts("XDG_CONFIG_HOME", ".config/")
		p.movedStarts("XDG_DATA_HOME", ".local/share/")
	}
}

// movedStarts adds the places that a variable has moved out of the home.
func (p *Policy) movedStarts(variable, usual string) {
	base := os.Getenv(variable)
	if !filepath.IsAbs(base) || !p.meets(base) {
		return
	}
	for _, name := range secret.Fields(startup) {
		if rest, ok := strings.CutPrefix(name, usual); ok && !strings.Contains(rest, "*") {
			p.starts.own = append(p.starts.own, filepath.Join(base, rest))
		}
	}
}

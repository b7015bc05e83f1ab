package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ua/internal/common/regular"
)

// An obeyed is a file with which a version control system other than git runs programs or
// obeys another folder.
type obeyed struct {
	path string // in the folder of the system's own
	// the settings that do nothing of the kind, as "section.key"; "*" stands for any text
	harmless string
}

// others lists the version control systems besides git by the name of their folder in a
// working tree. Mercurial and Sapling have hooks, aliases and extensions (hgrc(5)), and
// the target of a share. Jujutsu has settings and the git folder behind it, Breezy has
// settings, Darcs has what it does with each command and when recording, and Pijul has
// hooks. Working copies of Subversion have none of these, but its repositories have
// hooks. Fossil has one file, a database that names the repository with the settings;
// every commit writes to it.
var others = map[string][]obeyed{
	".hg":    mercurial,
	".sl":    {{"config", hgrc}, {"sharedpath", "*"}, {"requires", "*"}},
	".jj":    jujutsu,
	".bzr":   {{"branch/branch.conf", breezy}, {"branch/location", "*"}},
	"_darcs": {{"prefs/defaults", ""}, {"prefs/prefs", ".boringfile .binariesfile"}},
	".pijul": {{"config", ".default_remote"}, {"hooks", ""}},

	".fslckout": nil,
	"_FOSSIL_":  nil,
}

// svnHooks is the folder in a repository of Subversion, beside conf, db, locks and
// format, whose programs a commit to its file: URL runs.
const svnHooks = "hooks"

var (
	// Mercurial's settings, and the files that lead to other folders.
	mercurial = []obeyed{{"hgrc", hgrc}, {"hgrc-not-shared", hgrc}, {"sharedpath", "*"},
		{"requires", "*"}}
	// Jujutsu's settings, and the pointer to its git folder.
	jujutsu = []obeyed{{"repo/config.toml", "user.name user.email"}, {"repo/store/git_target", "*"},
		{"workspace-config.toml", ""}}
)

// The settings that are harmless, as in obeyed.
const (
	hgrc   = "paths.* ui.username phases.publish"
	breezy = ".parent_location .push_location .bound_location .bound .submit_branch .public_branch " +
		".stacked_on_location .nickname .append_revisions_only"
)

// isOther reports whether a name marks a tree of another system.
func isOther(name []byte) bool {
	_, ok := others[string(name)]
	return ok
}

// treesIn returns the paths of such names in a folder without subfolders: Fossil's files
// and, only with links, links to folders.
func treesIn(dir string, links bool) (paths []string) {
	for name, files := range others {
		if files != nil && !links {
			continue
		}
		if path := dir + "/" + name; stampAt(path) != (stamp{}) {
			paths = append(paths, path)
		}
	}
	return paths
}

// ToOthers reports whether a change of a file with that name can make a plant for a
// system other than git.
func ToOthers(name string) bool {
	for _, files := range others {
		if slices.ContainsFunc(files, func(o obeyed) bool { return filepath.Base(o.path) == name }) {
			return true
		}
	}
	return false
}

// protectOthers protects what the trees of other systems in a folder obey.
func (p *Policy) protectOthers(c contents) {
	p.trees = append(p.trees, c.trees...)
	for _, tree := range c.trees {
		if filepath.Base(tree) == svnHooks {
			p.protect(tree)
		}
		for _, o := range others[filepath.Base(tree)] {
			p.protect(filepath.Join(tree, o.path))
		}
	}
}

// others looks at the trees of other systems that are new in a folder.
func (h *hunt) others(c contents, old bool) {
	for _, tree := range c.trees {
		files := others[filepath.Base(tree)]
		real, err := filepath.EvalSymlinks(tree)
		k, _ := lstat(tree)
		switch {
		case err != nil, h.looked[real], !h.p.Writable(real), slices.Contains(h.p.trees, tree),
			slices.Contains(h.p.trees, real), h.p.named(tree), h.p.named(real),
			k == link && stampAt(tree).before(h.p.began): // treesIn did not ask for it then
			continue
		}
		h.looked[real] = true
		if filepath.Base(tree) == svnHooks {
			h.hooks(tree, old)
			continue
		}
		if files == nil && !(old && h.before(tree)) {
			h.found = append(h.found, Plant{Path: tree, Why: "it names what Fossil obeys",
				Last: true})
			continue
		}
		for _, o := range files {
			path := filepath.Join(real, o.path)
			h.folders = append(h.folders, filepath.Dir(path))
			if old && h.before(path) {
				continue
			}
			switch why, rest, isDir := o.does(path); {
			case isDir:
				h.hooks(path, old)
			case why != "":
				h.found = append(h.found, Plant{Path: path, Why: why, Rest: rest})
			}
		}
		h.shared(real, filepath.Base(tree), old)
	}
}

// does says what the file at path does that is not harmless, and returns the harmless
// rest of it.
func (o obeyed) does(path string) (why string, rest []byte, isDir bool) {
	if o.harmless == "*" {
		return "", nil, false
	}
	if k, _ := lstat(path); k == nothing || k == folder {
		return "", nil, k == folder
	}
	text, err := regular.Read(path, maxConfig)
	if err != nil {
		return "no regular file", nil, false
	}
	why, rest = sift(text, strings.Fields(o.harmless))
	return why, rest, false
}

// shared looks at the second folder that a share of Mercurial, or a workspace of Jujutsu,
// obeys. It may have any name.
func (h *hunt) shared(tree, name string, old bool) {
	pointer := filepath.Join(tree, "sharedpath")
	if name == ".jj" {
		pointer = filepath.Join(tree, "repo")
	}
	to := line(pointer)
	if to == "" || old && h.before(pointer) {
		return
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(tree, to)
	}
	real, err := filepath.EvalSymlinks(to)
	if name == ".jj" {
		real = filepath.Dir(real)
	}
	if err != nil || !h.p.Writable(real) || slices.Contains(h.p.trees, real) {
		return
	}
	for _, o := range others[name] {
		if why, _, isDir := o.does(filepath.Join(real, o.path)); why != "" || isDir {
			h.plant(pointer, "leads to "+why)
		}
	}
}

// sift separates the lines of a settings file. rest holds the lines whose keys are
// harmless, and why is the first other line. A line that some reader could take for two,
// or for part of the line before, is not harmless.
func sift(text []byte, harmless []string) (why string, rest []byte) {
	section := ""
	for line := range strings.Lines(string(text)) {
		word := strings.TrimRight(line, "\r\n")
		fine := word == "" || word[0] == '#' || word[0] == ';'
		if name, ok := strings.CutPrefix(word, "["); ok {
			section, ok = strings.CutSuffix(name, "]")
			fine = ok && slices.ContainsFunc(harmless,
				func(h string) bool { return section != "" && strings.HasPrefix(h, section+".") })
			if !fine {
				section = "?"
			}
		} else if end := strings.IndexAny(word, " \t="); end > 0 && word[0] != '%' { // a directive
			fine = fine || slices.Contains(harmless, section+"."+word[:end]) ||
				slices.Contains(harmless, section+".*")
		}
		if strings.ContainsFunc(word, func(r rune) bool {
			return r != '\t' && (unicode.IsControl(r) || r == '\u2028' || r == '\u2029')
		}) {
			fine = false
		}
		switch {
		case fine:
			rest = append(rest, line...)
		case why == "":
			why = strings.TrimSpace(word)
		}
	}
	if why == "" {
		return "", nil
	}
	return why, rest
}

package access

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Limits on the search for repositories, since a large tree must not hold up a command.
// What is deeper than the folders that are looked at is looked at when the command has ended.
const (
	maxFolders = 256  // that are listed, the shallow ones first
	maxParts   = 1000 // worktrees and modules, of all repositories, that are looked at
)

// crowdedNames are folders with very many files, in which no person keeps a repository.
var crowdedNames = []string{"node_modules", ".venv", "venv", "target", "dist", "build",
	"__pycache__", ".tox", ".cache", ".gradle", ".cargo", ".npm", ".mypy_cache", ".pytest_cache"}

// A contents is what a search finds in one folder.
type contents struct {
	path      string
	below     []string // the paths of the folders in it that are searched, too
	git       bool
	gitFolder bool     // .git is a folder itself
	bare      bool     // it looks like a bare repository
	crowded   []string // the paths of crowded folders
	trees     []string // the paths of what others names
}

// look lists one folder. A folder without subfolders can only be a repository if it has a
// file .git.
func look(dir string, devices *Devices) (c contents) {
	c.path = dir
	if devices.childless(dir) {
		k, err := lstat(dir + "/.git")
		if err == nil && k != folder || errors.Is(err, fs.ErrNotExist) {
			c.git = err == nil
			return c
		}
	}
	f, err := openFolder(dir)
	if err != nil {
		return c
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	parts, stores, parted := 0, 0, []string(nil)
	for _, e := range entries {
		name, folder := e.Name(), e.IsDir()
		if name == ".git" {
			c.git, c.gitFolder = true, folder
			continue
		}
		if name == "HEAD" || folder && (name == "objects" || name == "refs") {
			parts++
		}
		switch name {
		case "conf", "db", "format", svnHooks, "locks":
			stores++
		}
		if _, ok := others[name]; ok {
			c.trees = append(c.trees, dir+"/"+name)
		}
		switch {
		case !folder:
		case name == "objects" || name == "refs":
			parted = append(parted, dir+"/"+name)
		case slices.Contains(crowdedNames, name):
			c.crowded = append(c.crowded, filepath.Join(dir, name))
		default:
			c.below = append(c.below, filepath.Join(dir, name))
		}
	}
	// A command can make any folder look like a bare repository, with the user's own in it.
	if c.bare = parts == 3; !c.bare {
		c.below = append(c.below, parted...)
	}
	if stores == 5 {
		c.trees = append(c.trees, filepath.Join(dir, svnHooks))
	}
	slices.Sort(c.below) // the same ones within the bound, in each run
	return c
}

// git lets a linked worktree commit. Its main repository can be read, also where the private
// tmp stands in place of the folder that it is in; so can the one around the working folder.
// The parts of the main repository that a commit writes become writable; its hooks and
// settings do not. In every repository that exists, what makes git run something is
// protected.
func (p *Policy) git(inside bool) {
	roots := slices.Clone(p.Write)
	if p.Profile == "none" {
		return
	}
	common, own, ok := worktree(p.Dir)
	if ok && !p.hidden(common) {
		p.Read = append(p.Read, common)
	}
	if top := p.around(); top != "" && !p.hidden(top) {
		p.Read = append(p.Read, top)
		if common, _, ok := worktree(top); ok && !p.hidden(common) {
			p.Read = append(p.Read, common)
		}
	}
	if len(roots) == 0 {
		return
	}
	if ok && p.Writable(p.Dir) {
		p.Shared = common
		for _, part := range []string{filepath.Join(common, "objects"), refs(common, "refs", own),
			refs(common, "logs", own), own} {
			// A link among them could lead anywhere.
			if real, err := p.tree.existing(part); err == nil && real == part && !p.Writable(real) {
				p.Write, p.Grants = append(p.Write, real), append(p.Grants, real)
			}
		}
		p.protect(filepath.Join(own, "gitdir"), filepath.Join(own, "commondir"),
			filepath.Join(own, "config.worktree"), filepath.Join(common, "refs/replace"),
			filepath.Join(common, "objects/info/alternates"),
			filepath.Join(common, "objects/info/http-alternates"))
		if !inside {
			p.configured(own, from(own, filepath.Dir(line(filepath.Join(own, "gitdir")))))
		}
	}
	if inside {
		return // the outer one's mounts hold
	}
	for _, root := range roots {
		if root != "/" {
			p.repositories(root)
		}
	}
}

// repositories protects what git runs and obeys in the repositories at root and below:
// working trees, submodules, linked worktrees and bare repositories. The search goes by
// levels and stops at maxFolders; what is left is looked at when the command has ended.
func (p *Policy) repositories(root string) {
	queue := []string{root}
	for ; len(queue) > 0 && p.searched < maxFolders; queue = queue[1:] {
		c := look(queue[0], &p.devices)
		p.searched++
		queue = append(queue, c.below...)
		if c.git {
			p.dotGit(filepath.Join(c.path, ".git"), c.gitFolder)
		}
		if c.bare {
			p.gitDir(c.path, c.path)
		}
		p.protectOthers(c)
		for _, dir := range c.crowded {
			if git := filepath.Join(dir, ".git"); p.tree.kind(git) != nothing {
				p.dotGit(git, p.tree.kind(git) == folder)
			}
		}
	}
}

// dotGit protects a .git, which is a folder, a file that points to one, or a link.
func (p *Policy) dotGit(path string, folder bool) {
	if folder {
		p.gitDir(path, filepath.Dir(path))
		return
	}
	p.protect(path)
	to, found := leads(path)
	tree := filepath.Dir(path)
	real, err := p.tree.existing(to)
	switch {
	case !found || err != nil:
	case p.Writable(real):
		p.gitDir(real, tree)
	default:
		p.configured(real, tree)
	}
}

// gitDir protects the settings, hooks and pointers of a git folder, whose working tree is
// at tree, and those of the worktrees and modules in it (gitrepository-layout(5)).
func (p *Policy) gitDir(dir, tree string) {
	at := func(name string) string { return filepath.Join(dir, name) }
	if slices.Contains(p.Grants, dir) ||
		slices.ContainsFunc(p.repos, func(r repoSeen) bool { return r.dir == dir }) {
		return
	}
	p.repos = append(p.repos, repoSeen{dir, tree})
	p.protect(at("config"), at("config.worktree"), at("commondir"), at("hooks"),
		at("info/attributes"))
	p.configured(dir, tree)
	// Each linked worktree has settings and pointers of its own here.
	for _, w := range p.parts(at("worktrees")) {
		own := filepath.Join(at("worktrees"), w.Name())
		p.protect(filepath.Join(own, "config.worktree"), filepath.Join(own, "commondir"),
			filepath.Join(own, "gitdir"))
		tree := from(own, filepath.Dir(line(filepath.Join(own, "gitdir"))))
		if !p.Writable(tree) { // git would take one that is not seen here for gone, and prune it
			p.protect(own)
		}
		p.configured(own, tree)
		p.repos = append(p.repos, repoSeen{own, tree})
	}
	p.modules(at("modules"), 4)
}

// parts lists a folder of worktrees or modules. If these are more than anybody has, as a
// command could have made them, it protects the folder as a whole.
func (p *Policy) parts(dir string) []os.DirEntry {
	f, err := openFolder(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.ReadDir(maxParts - p.listed + 1)
	if p.listed+len(list) > maxParts {
		p.protect(dir)
		return nil
	}
	p.listed += len(list)
	return list
}

// modules protects the git folders of submodules. Their names may contain slashes.
func (p *Policy) modules(dir string, deep int) {
	if deep == 0 {
		return
	}
	for _, e := range p.parts(dir) {
		module := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			continue
		}
		if _, err := os.Lstat(filepath.Join(module, "HEAD")); err != nil {
			p.modules(module, deep-1)
			continue
		}
		tree := moduleTree(module)
		if tree != module {
			p.protect(filepath.Join(tree, ".git"))
		}
		p.gitDir(module, tree)
	}
}

// moduleTree returns the working tree of a submodule's git folder, or that folder itself.
func moduleTree(module string) string {
	for _, s := range settingsOf(filepath.Join(module, "config")) {
		if s.Name == "core.worktree" {
			return from(module, s.Value)
		}
	}
	return module
}

// others lists the version control systems besides git by the name of their folder in a
// working tree, with the files there by which they run programs or obey another folder.
// Mercurial and Sapling have hooks, aliases and extensions (hgrc(5)), and the target of a
// share. Jujutsu has settings and the git folder behind it, Breezy has settings, Darcs has
// what it does with each command and when recording, and Pijul has hooks. Working copies of
// Subversion have none of these, but its repositories have hooks. Fossil has one file, a
// database that names the repository with the settings; every commit writes to it.
var others = map[string][]string{
	".hg":    {"hgrc", "hgrc-not-shared", "sharedpath", "requires"},
	".sl":    {"config", "sharedpath", "requires"},
	".jj":    {"repo/config.toml", "repo/store/git_target", "workspace-config.toml"},
	".bzr":   {"branch/branch.conf", "branch/location"},
	"_darcs": {"prefs/defaults", "prefs/prefs"},
	".pijul": {"config", "hooks"},
}

// svnHooks is the folder in a repository of Subversion, beside conf, db, locks and
// format, whose programs a commit to its file: URL runs.
const svnHooks = "hooks"

// protectOthers protects what the trees of other systems in a folder obey.
func (p *Policy) protectOthers(c contents) {
	for _, tree := range c.trees {
		if filepath.Base(tree) == svnHooks {
			p.protect(tree)
		}
		for _, name := range others[filepath.Base(tree)] {
			p.protect(filepath.Join(tree, name))
		}
	}
}

package policy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
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

// A repoSeen is a git folder that existed when the policy was resolved, and its working tree.
type repoSeen struct{ dir, tree string }

// look lists one folder. A folder without subfolders can only be a repository if it has a
// file .git.
func look(dir string) (c contents) {
	c.path = dir
	if childless(dir) {
		k, err := lstat(dir + "/.git")
		if err == nil && k != folder || errors.Is(err, fs.ErrNotExist) {
			c.git = err == nil
			return c
		}
	}
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
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

// repositories protects what git runs and obeys in the repositories at root and below:
// working trees, submodules, linked worktrees and bare repositories. The search goes by
// levels and stops at maxFolders; what is left is looked at when the command has ended.
func (p *Policy) repositories(root string) {
	queue := []string{root}
	for ; len(queue) > 0 && p.searched < maxFolders; queue = queue[1:] {
		c := look(queue[0])
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
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
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

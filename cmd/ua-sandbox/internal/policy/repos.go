package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/regular"
)

// Bounds on the search for repositories: a large tree must not hold a command up.
// What lies deeper than the folders looked at is not guarded.
const (
	maxFolders = 256     // that are listed, the shallow ones first
	maxConfig  = 1 << 20 // bytes of a git config that is read
)

// crowded are folders of many files that no repository of a person lies in.
const crowded = `node_modules .venv venv target dist build __pycache__ .tox .cache .gradle .cargo .npm .mypy_cache .pytest_cache`

// repositories guards what git runs and obeys in the repositories at root and
// below it: working trees, submodules, linked worktrees and bare ones.
func (p *Policy) repositories(root string) {
	queue, skipped := []string{root}, fields(crowded)
	var l lister
	for listed := 0; len(queue) > 0 && listed < maxFolders; listed++ {
		dir := queue[0]
		queue = queue[1:]
		var below []string
		var bare int
		git, gitFolder := false, false
		l.list(dir, func(b []byte, folder bool) {
			name := string(b)
			if name == ".git" {
				git, gitFolder = true, folder
				return
			}
			if name == "HEAD" || folder && (name == "objects" || name == "refs") {
				bare++
			}
			if folder && !slices.Contains(skipped, name) {
				below = append(below, filepath.Join(dir, name))
			}
		})
		if git {
			p.gitEntry(filepath.Join(dir, ".git"), gitFolder)
		}
		if bare == 3 {
			p.gitDir(dir, dir)
			continue
		}
		slices.Sort(below) // the same ones within the bound, in each run
		queue = append(queue, below...)
	}
}

// gitEntry guards a .git: a folder, a file that points to one, or a link.
func (p *Policy) gitEntry(path string, folder bool) {
	if folder {
		p.gitDir(path, filepath.Dir(path))
		// Where .git has been broken, git takes the folder itself for a repository.
		p.guard(filepath.Join(filepath.Dir(path), "HEAD"))
		return
	}
	p.guard(path)
	to, found := strings.CutPrefix(line(path), "gitdir:")
	if !found {
		return
	}
	if to = strings.TrimSpace(to); !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	if real, err := p.tree.existing(to); err == nil && p.Writable(real) {
		p.gitDir(real, filepath.Dir(path))
	}
}

// gitDir guards the settings, hooks and pointers of one git folder, whose working
// tree is at tree, and of the worktrees and modules in it (gitrepository-layout(5)).
func (p *Policy) gitDir(dir, tree string) {
	at := func(name string) string { return filepath.Join(dir, name) }
	if slices.Contains(p.Protect, at("config")) || slices.Contains(p.Grants, dir) {
		return // seen, or named
	}
	p.guard(at("config"), at("config.worktree"), at("commondir"), at("hooks"), at("info/attributes"))
	p.configured(at("config"), tree)
	worktrees, _ := os.ReadDir(at("worktrees"))
	for _, w := range worktrees {
		own := filepath.Join(at("worktrees"), w.Name())
		p.guard(filepath.Join(own, "config.worktree"), filepath.Join(own, "commondir"),
			filepath.Join(own, "gitdir"))
	}
	p.modules(at("modules"), 4)
}

// modules guards the git folders of submodules, whose names may have slashes.
func (p *Policy) modules(dir string, deep int) {
	entries, err := os.ReadDir(dir)
	if err != nil || deep == 0 {
		return
	}
	for _, e := range entries {
		module := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			continue
		}
		if _, err := os.Lstat(filepath.Join(module, "HEAD")); err != nil {
			p.modules(module, deep-1)
			continue
		}
		tree := module
		for _, kv := range settingsOf(filepath.Join(module, "config")) {
			if kv[0] == "core.worktree" {
				tree = filepath.Join(module, kv[1])
				p.guard(filepath.Join(tree, ".git"))
			}
		}
		p.gitDir(module, tree)
	}
}

// configured guards what a git config names: other settings, and a folder of
// hooks in the working tree.
func (p *Policy) configured(config, tree string) {
	for _, kv := range settingsOf(config) {
		path := kv[1]
		switch {
		case strings.HasPrefix(path, "~/"):
			path = Absolute(path)
		case filepath.IsAbs(path):
		case kv[0] == "core.hookspath" || kv[0] == "core.attributesfile":
			path = filepath.Join(tree, path)
		default:
			path = filepath.Join(filepath.Dir(config), path)
		}
		switch {
		case kv[0] == "core.hookspath", kv[0] == "core.attributesfile", kv[0] == "include.path",
			strings.HasPrefix(kv[0], "includeif.") && strings.HasSuffix(kv[0], ".path"):
			p.guard(path)
		}
	}
}

// settingsOf are the settings of a git config (git-config(1)) as name and value,
// as far as they stand on a line of their own. Names are in lower case.
func settingsOf(config string) (list [][2]string) {
	text, err := regular.Read(config, maxConfig)
	if err != nil {
		return nil
	}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			head, rest, _ := strings.Cut(rest, "]")
			name, sub, _ := strings.Cut(head, " ")
			section = strings.ToLower(name)
			if sub = strings.Trim(sub, ` "`); sub != "" {
				section += "." + sub
			}
			line = strings.TrimSpace(rest)
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || section == "" || strings.HasPrefix(name, "#") || strings.HasPrefix(name, ";") {
			continue
		}
		list = append(list, [2]string{section + "." + strings.ToLower(strings.TrimSpace(name)),
			strings.Trim(strings.TrimSpace(value), `"`)})
	}
	return list
}

package policy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ua/internal/common/regular"
	"ua/internal/common/repository"
)

// A Plant is a file, in a repository that a command has made, with which git or another
// version control system would run a program or obey another file. That happens in the
// repository itself, or when the repository around it looks into it, as git-status(1)
// does with every gitlink.
type Plant struct {
	Path, Why string
	Rest      []byte // what may stand in its place: the harmless settings
	Last      bool   // every command of its own system writes it: it is moved at the end
}

// A repoSeen is a git folder that existed when the policy was resolved. What git obeys in
// it is protected by its path.
type repoSeen struct {
	dir, tree string
	index     *os.File // as it was then: git puts a new file in its place
	stamp     stamp    // of index
	execs     []string // of a rebase
}

// seen returns the present state of the git folder dir, whose working tree is at tree.
func seen(dir, tree string) repoSeen {
	path := filepath.Join(dir, "index")
	r := repoSeen{dir: dir, tree: tree, stamp: stampAt(path)}
	if r.stamp != (stamp{}) {
		r.index, _ = regular.Open(path)
	}
	r.execs, _ = execsIn(dir)
	return r
}

// known reports whether dir is a git folder that existed.
func (p *Policy) known(dir string) bool {
	return slices.ContainsFunc(p.repos, func(r repoSeen) bool { return r.dir == dir })
}

// Searched reports whether repositories were looked for, so that new ones can be
// recognised.
func (p *Policy) Searched() bool { return len(p.folders) > 0 }

// Plants looks for repositories that are new since the policy was resolved, and for
// plants in them. folders are those that it looked at, for a watch. A repository is found
// where a searched folder has something new, at a new gitlink in an index, and among the
// modules. The last search, when the command has ended, goes further. rest is a folder that
// was too much to be looked at, "" if the search has come to its end.
func (p *Policy) Plants(last bool) (found []Plant, folders []string, rest string) {
	h := newHunt(p)
	if last {
		h.most = maxLast
	}
	for _, f := range p.folders {
		folders = append(folders, f.path)
		if now := stampAt(f.path); now != f.stamp || !now.before(p.began) {
			h.folder(f)
		}
	}
	for _, r := range p.repos {
		folders = append(folders, r.dir)
		h.modules(filepath.Join(r.dir, "modules"), 4)
		h.rebase(r.dir, r.execs)
		if now := stampAt(filepath.Join(r.dir, "index")); now != r.stamp || !now.before(p.began) {
			h.links(r.dir, r.tree, r.old())
		}
	}
	h.later(last)
	return h.found, append(folders, h.folders...), h.rest
}

// old returns the paths of the gitlinks that the index had.
func (r *repoSeen) old() map[string]bool {
	list := map[string]bool{}
	if r.index == nil {
		return list
	}
	if stampOfFile(r.index) != r.stamp { // written in its place
		return list
	}
	links, _ := linksIn(r.index, r.dir)
	for _, l := range links {
		list[l] = true
	}
	return list
}

// A hunt is one search for plants.
type hunt struct {
	p       *Policy
	l       lister
	looked  map[string]bool // git folders
	listed  int             // new folders
	most    int             // of these
	bytes   int64           // of the indexes that were read
	until   time.Time       // the end of its time
	rest    string          // the first folder that is too much, "" for none
	names   int             // in them
	found   []Plant
	folders []string // new ones, and new git folders
}

// newHunt returns a hunt that has seen nothing.
func newHunt(p *Policy) hunt {
	return hunt{p: p, l: lister{links: true}, looked: map[string]bool{}, most: maxNew,
		until: time.Now().Add(maxHunt)}
}

// enough reports whether the hunt has used up its time, which then ends at dir.
func (h *hunt) enough(dir string) bool {
	if h.rest == "" && time.Now().After(h.until) {
		h.rest = dir
	}
	return h.rest != ""
}

// folder lists a folder that has changed, and then what is new below it.
func (h *hunt) folder(f folderSeen) {
	c := h.l.look(f.path)
	old := f.below
	if !c.stamp.same(f.stamp) {
		old = nil // another folder has its name
	}
	h.contents(c, false)
	queue := slices.DeleteFunc(c.below, func(path string) bool {
		_, there := slices.BinarySearch(old, path)
		return there
	})
	for ; len(queue) > 0 && h.listed < h.most && h.names < maxNames &&
		!h.enough(queue[0]); queue = queue[1:] {
		c := h.l.look(queue[0])
		h.listed++
		h.names += c.names
		h.folders = append(h.folders, c.path)
		h.contents(c, false)
		queue = append(queue, c.below...)
	}
	if len(queue) > 0 && h.rest == "" {
		h.rest = queue[0]
	}
}

// contents looks at the repositories in one folder. Of old ones only changes count.
func (h *hunt) contents(c contents, old bool) {
	if c.git {
		h.workingTree(c.path, old)
	}
	if c.bare {
		h.repository(c.path, c.path, old)
	}
	for _, dir := range c.crowded {
		h.workingTree(dir, old)
	}
	h.others(c, old)
}

// workingTree looks at the repository with the working tree at tree, through a .git that
// is a folder or a file that points to one. Of an old repository only changes count.
func (h *hunt) workingTree(tree string, old bool) {
	real, err := filepath.EvalSymlinks(filepath.Join(tree, ".git"))
	if err != nil {
		return
	}
	if info, err := os.Lstat(real); err == nil && info.IsDir() {
		h.repository(real, tree, old)
	} else if to, ok := strings.CutPrefix(line(real), "gitdir:"); ok {
		h.pointed(strings.TrimSpace(to), filepath.Dir(real), tree, old)
	}
}

// pointed looks at the git folder to which a file in the folder from points.
func (h *hunt) pointed(to, from, tree string, old bool) {
	if !filepath.IsAbs(to) {
		to = filepath.Join(from, to)
	}
	if real, err := filepath.EvalSymlinks(to); err == nil {
		h.repository(real, tree, old)
	}
}

// repository looks at a git folder and at those that it leads to. Each is looked at once.
func (h *hunt) repository(dir, tree string, old bool) {
	if h.enough(tree) || h.looked[dir] || h.p.known(dir) || !h.p.Writable(dir) || h.p.named(dir) {
		return
	}
	h.looked[dir] = true
	h.folders = append(h.folders, dir)
	// In a repository that existed before, only what has changed since can be a plant.
	changed := func(name string) bool {
		return !old || !stampAt(filepath.Join(dir, name)).before(h.p.began)
	}
	for _, name := range []string{"config", "config.worktree"} {
		if changed(name) {
			h.settings(filepath.Join(dir, name))
		}
	}
	hooks := filepath.Join(dir, "hooks")
	if k, _ := lstat(hooks); k == folder || changed("hooks") { // a hook changes without its folder
		h.hooks(hooks, old)
	}
	if changed(rebaseTodo) {
		h.rebase(dir, nil)
	}
	if common := line(filepath.Join(dir, "commondir")); common != "" {
		h.pointed(common, dir, tree, old)
	}
	h.modules(filepath.Join(dir, "modules"), 4)
	if changed("index") {
		h.links(dir, tree, nil)
	}
}

// settings looks at one config file. A file that git could read and this program cannot
// is a plant too.
func (h *hunt) settings(config string) {
	text, err := regular.Read(config, maxConfig)
	var list []repository.Setting
	if err == nil {
		list, err = repository.Settings(text)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	// Git could still read something from it, as from a FIFO.
	case errors.Is(err, fs.ErrInvalid):
		h.plant(config, "no regular file")
		return
	case err != nil:
		h.plant(config, "can't be read")
		return
	}
	inside := func(tree string) bool {
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(filepath.Dir(config), tree)
		}
		if real, err := filepath.EvalSymlinks(tree); err == nil {
			tree = real
		}
		return h.p.Writable(tree)
	}
	if key := repository.Obeys(list, inside); key != "" {
		h.found = append(h.found, Plant{Path: config, Why: key,
			Rest: repository.Harmless(list, inside)})
	}
}

// hooks looks at a folder of hooks. Names with a dot are not hooks; the samples have one.
func (h *hunt) hooks(dir string, old bool) {
	if k, _ := lstat(dir); k == link {
		h.plant(dir, "a link")
		return
	}
	if h.closed(dir) {
		return
	}
	var list []string
	h.l.list(dir, func(name []byte, _ bool) {
		if len(list) <= maxHooks && !slices.Contains(name, '.') &&
			!(old && h.before(filepath.Join(dir, string(name)))) {
			list = append(list, string(name))
		}
	})
	// Too many to be named one by one: the whole folder is moved.
	if len(list) > maxHooks {
		h.plant(dir, "hooks")
		return
	}
	h.folders = append(h.folders, dir)
	for _, name := range list {
		h.plant(filepath.Join(dir, name), "a hook")
	}
}

// before reports whether nothing has changed at path since the command began.
func (h *hunt) before(path string) bool { return stampAt(path).before(h.p.began) }

// closed reports whether a folder cannot be listed. That alone keeps git from nothing in
// it, so it is reported.
func (h *hunt) closed(dir string) bool {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err == nil {
		f.Close()
		return false
	}
	if errors.Is(err, fs.ErrPermission) {
		h.plant(dir, "can't be listed")
	}
	return true
}

// modules looks at the git folders of submodules. Their names may contain slashes.
func (h *hunt) modules(dir string, deep int) {
	if deep == 0 || h.closed(dir) {
		return
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		module := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			continue
		}
		if k, _ := lstat(filepath.Join(module, "HEAD")); k == nothing {
			h.modules(module, deep-1)
			continue
		}
		h.repository(module, moduleTree(module), false)
	}
}

// links looks at the repositories that an index names. Of old ones only changes count.
func (h *hunt) links(dir, tree string, old map[string]bool) {
	path := filepath.Join(dir, "index")
	f, err := regular.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrInvalid) {
			h.plant(path, "no regular file")
		}
		return
	}
	defer f.Close()
	// git writes each index anew. One file in many places would be read for each of them.
	if info, err := f.Stat(); err != nil || info.Sys().(*syscall.Stat_t).Nlink > 1 {
		h.plant(path, "a hard link")
		return
	} else if h.bytes += info.Size(); h.bytes > maxIndexes && h.rest == "" {
		h.rest = tree
		return
	}
	list, err := linksIn(f, dir)
	if err != nil {
		h.plant(path, err.Error())
		return
	}
	for _, link := range list {
		// Too long to be looked at from here, so nothing is known about it.
		if len(tree)+len(link) > maxPath {
			h.plant(path, "a path that is too long to be looked at")
			return
		}
		h.workingTree(filepath.Join(tree, link), old[link] && h.unmoved(tree, link))
	}
}

// unmoved reports whether nothing between tree and the path in it was put there since the
// command began.
func (h *hunt) unmoved(tree, path string) bool {
	for ; path != "."; path = filepath.Dir(path) {
		if !stampAt(filepath.Join(tree, path)).before(h.p.began) {
			return false
		}
	}
	return true
}

// plant adds a finding.
func (h *hunt) plant(path, why string) { h.found = append(h.found, Plant{Path: path, Why: why}) }

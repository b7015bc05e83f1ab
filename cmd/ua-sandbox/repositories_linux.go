package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/remove"
	"ua/internal/common/repository"
)

// The git folders of repositories that exist when a command begins are seen through an
// overlay, in which git works as anywhere. What a command changes there lands in the git
// folder by the rules of package repository: when ua-exec asks for it, as a command of its own
// has ended, and at the end.
type repositories struct {
	mu     sync.Mutex
	dir    string // with the folders that take the changes
	list   []*gitFolder
	answer chan bool // of init
	fresh  []string  // what was refused and is not yet told to who asks
}

// A gitFolder is one of them.
type gitFolder struct {
	path, dir string   // the git folder; where the folders for its changes are, without numbers
	n         int      // of the overlay that is in use
	next      bool     // there is a folder for the next one
	told      []string // what was refused of its changes
	*repository.Landing
}

// newRepositories prepares overlays of the policy's repositories, or returns nil if there are
// none, or if no folder can be made that the command does not see.
func newRepositories(p *policy.Policy) *repositories {
	dirs := p.GitFolders()
	if len(dirs) == 0 {
		return nil
	}
	slices.SortStableFunc(dirs, shorter) // init counts them as they are mounted
	r := &repositories{answer: make(chan bool, 1)}
	if r.dir = hiddenFolder(p); r.dir == "" {
		return nil
	}
	for i, path := range dirs {
		g, err := newGitFolder(p, path, filepath.Join(r.dir, strconv.Itoa(i)))
		if err != nil {
			r.drop()
			return nil
		}
		r.list = append(r.list, g)
	}
	return r
}

// newGitFolder opens a git folder and prepares its first overlay.
func newGitFolder(p *policy.Policy, path, dir string) (*gitFolder, error) {
	fd, err := confine.OpenPath(path, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	lower, err := repository.FolderOf(fd).Sub(".")
	unix.Close(fd)
	if err != nil {
		return nil, err
	}
	g := &gitFolder{path: path, dir: dir, Landing: &repository.Landing{Lower: lower,
		Inside: func(tree string) bool {
			if !filepath.IsAbs(tree) {
				tree = filepath.Join(path, tree)
			}
			return p.Writable(filepath.Clean(tree))
		},
		Foreign: func(id string) bool {
			tree := treeOf(lower, path, id)
			_, err := os.Lstat(filepath.Join(tree, ".git"))
			return !p.Writable(tree) && (err == nil || tree == path)
		},
		Branch: p.OwnBranch(path), Git: func() string { return gitOutside(p) }}}
	if err = g.prepare(0); err == nil {
		_, err = g.begin(0)
	}
	return g, err
}

// gitOutside returns the path of git, from a folder that commands can't write.
func gitOutside(p *policy.Policy) string {
	for _, dir := range filepath.SplitList(prog.OutsidePath(p.Write...)) {
		if path := filepath.Join(dir, "git"); unix.Access(path, unix.X_OK) == nil {
			return path
		}
	}
	return "/usr/bin/git"
}

// treeOf returns the working tree of the main worktree, "", or of a linked one.
func treeOf(lower *repository.Folder, path, id string) string {
	if id == "" {
		if filepath.Base(path) == ".git" {
			return filepath.Dir(path)
		}
		return path
	}
	text, err := lower.Read("worktrees/"+id+"/gitdir", 4096)
	to := strings.TrimSpace(string(text))
	if err != nil || to == "" {
		return "/"
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(path, "worktrees", id, to)
	}
	return filepath.Dir(filepath.Clean(to))
}

// upper returns the folder for the nth overlay.
func (g *gitFolder) upper(n int) string { return g.dir + "." + strconv.Itoa(n) }

// prepare makes the folder for the nth overlay. It is as open as the git folder, because its
// mode is seen there.
func (g *gitFolder) prepare(n int) error {
	stat, err := g.Lower.Stat(".")
	if err != nil {
		return err
	}
	at := g.upper(n)
	err = os.MkdirAll(filepath.Join(at, "work"), 0o700)
	if err == nil {
		err = os.Mkdir(filepath.Join(at, "upper"), 0o700)
	}
	if err == nil && os.Geteuid() == 0 {
		err = os.Chown(filepath.Join(at, "upper"), int(stat.Uid), int(stat.Gid))
	}
	return cmp.Or(err, os.Chmod(filepath.Join(at, "upper"), os.FileMode(stat.Mode&0o777)))
}

// begin tells that the nth overlay is about to be used.
func (g *gitFolder) begin(n int) (back func(bool), err error) {
	upper, err := repository.Open(filepath.Join(g.upper(n), "upper"))
	if err != nil {
		return nil, err
	}
	return g.Begin(upper), nil
}

// maxSaid is how many refusals are said one by one.
const maxSaid = 20

// What the parent asks init beside signals, by numbers that none has: for a new overlay, whether
// nothing runs but the command itself, and to remember the processes that this is.
const (
	askRenew = 200 + iota
	askQuiet
	askOwn
)

// covers returns the paths of the git folders.
func (r *repositories) covers() (paths []string) {
	if r != nil {
		for _, g := range r.list {
			paths = append(paths, g.path)
		}
	}
	return paths
}

// mounts adds the overlays to the mounts of a view. Beneath each lies the git folder itself,
// read-only.
func (r *repositories) mounts(list []layer.Mount) []layer.Mount {
	if r == nil {
		return list
	}
	for _, g := range r.list {
		for _, kind := range []layer.Kind{layer.ReadOnlyBind, layer.GitOverlay} {
			list = append(list, layer.Mount{Path: g.path, Kind: kind, Dir: true, Upper: g.dir})
		}
	}
	slices.SortStableFunc(list, func(a, b layer.Mount) int { return shorter(a.Path, b.Path) })
	return list
}

// shorter sorts paths so that those in a folder come after it.
func shorter(a, b string) int { return len(a) - len(b) }

// someOf shortens what was refused.
func someOf(refused []string) []string {
	if n := len(refused); n > maxSaid {
		return append(slices.Clip(refused[:maxSaid]), strconv.Itoa(n-maxSaid)+" more")
	}
	return refused
}

// land lands what has changed, and returns what was refused and not yet told.
func (r *repositories) land(s *parent) (refused []string) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.list {
		r.landOne(s, g, func() bool { return r.ask(s, []byte{askQuiet}) })
	}
	refused, r.fresh = r.fresh, nil
	return refused
}

// refresh renews the overlays that are outdated if no command runs: one that runs could miss
// what it has just written.
func (r *repositories) refresh(s *parent, outdated func(*repository.Landing) bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, g := range r.list {
		if outdated(g.Landing) {
			if !r.ask(s, []byte{askQuiet}) {
				return
			}
			r.landOne(s, g, nil)
			r.renewOne(s, i, g)
		}
	}
}

// renewOne renews the overlay of a git folder.
func (r *repositories) renewOne(s *parent, i int, g *gitFolder) {
	if !g.next && g.prepare(g.n+1) != nil {
		return
	}
	g.next = true
	back, err := g.begin(g.n + 1)
	if err != nil {
		return
	}
	n := g.n + 1
	renewed := r.ask(s, []byte{askRenew, byte(i), byte(n), byte(n >> 8), byte(n >> 16)})
	back(!renewed)
	if renewed {
		g.drop(g.n)
		g.n, g.next, g.told = g.n+1, false, nil
	}
}

// ask asks init for something, and reports whether it is so.
func (r *repositories) ask(s *parent, packet []byte) bool {
	if s.init.ctl.write(packet) != nil {
		return false
	}
	select {
	case so := <-r.answer:
		return so
	case <-s.over:
		return false
	}
}

// landOne lands the changes of one git folder, and keeps in mind what is refused. quiet is
// asked whether no command runs, and is nil if that is known.
func (r *repositories) landOne(s *parent, g *gitFolder, quiet func() bool) {
	list, err := g.Land(quiet)
	if err != nil {
		list = append(list, repository.Refusal{Path: ".", Why: err.Error()})
	}
	for _, refusal := range list {
		refusal.Path = filepath.Join(g.path, refusal.Path)
		said := shown([]string{refusal.Path}) + " (" + shown([]string{refusal.Why}) + ")"
		if slices.Contains(g.told, said) || len(g.told) > maxSaid {
			continue
		}
		g.told, r.fresh = append(g.told, said), append(r.fresh, said)
		s.look.done.add(notTaken, refusal.Path, refusal.Why)
	}
}

// end lands what is left once nothing of the sandbox runs.
func (r *repositories) end(s *parent) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.list {
		r.landOne(s, g, nil)
		if g.next { // init may have begun to use it unheard
			if _, err := g.begin(g.n + 1); err == nil {
				r.landOne(s, g, nil)
			}
		}
	}
	r.drop()
}

// drop removes the folder with the changes.
func (r *repositories) drop() {
	if r == nil {
		return
	}
	for _, g := range r.list {
		g.drop(g.n)
	}
	_ = remove.All(r.dir)
}

// drop removes the folder of the nth overlay. The kernel leaves folders in it that nobody may
// open.
func (g *gitFolder) drop(n int) {
	at := g.upper(n)
	for _, below := range []string{"work/work", "work/work/incompat", "work/work/incompat/volatile"} {
		_ = os.Chmod(filepath.Join(at, below), 0o700)
	}
	_ = remove.All(at)
}

// renewOverlay is init's side: it renews the overlay of a git folder, as the parent asks.
func renewOverlay(v *layer.View, packet []byte) (bool, error) {
	i, n := int(packet[1]), int(packet[2])|int(packet[3])<<8|int(packet[4])<<16
	for _, c := range v.Mounts {
		if c.Kind != layer.GitOverlay {
			continue
		}
		if i--; i < 0 {
			return v.Renew(c, c.Upper+"."+strconv.Itoa(n))
		}
	}
	return false, errors.New("no such overlay")
}

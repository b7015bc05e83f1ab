package repositories

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/internal/common/confine"
	"ua/internal/common/gitrules"
	"ua/internal/common/prog"
	"ua/internal/common/remove"
	"ua/internal/common/tree"
)

// A gitFolder is a git folder that is seen through an overlay.
type gitFolder struct {
	path, dir string   // the git folder; where the folders for its changes are, without numbers
	n         int      // of the overlay that is in use
	next      bool     // there is a folder for the next one
	told      []string // what was refused of its changes
	*gitrules.Landing
}

// newGitFolder opens a git folder and prepares its first overlay.
func newGitFolder(p *access.Policy, path, dir string) (*gitFolder, error) {
	fd, err := confine.OpenPath(path, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	lower := tree.Opened(fd)
	lower.Crosses = true
	g := &gitFolder{path: path, dir: dir, Landing: &gitrules.Landing{Lower: lower,
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
func gitOutside(p *access.Policy) string {
	for _, dir := range filepath.SplitList(prog.OutsidePath(p.Write...)) {
		if path := filepath.Join(dir, "git"); unix.Access(path, unix.X_OK) == nil {
			return path
		}
	}
	return "/usr/bin/git"
}

// treeOf returns the working tree of the main worktree, "", or of a linked one.
func treeOf(lower *tree.Root, path, id string) string {
	if id == "" {
		if filepath.Base(path) == ".git" {
			return filepath.Dir(path)
		}
		return path
	}
	text, err := lower.At("worktrees/" + id + "/gitdir").Read(4096)
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
	f, err := g.Lower.At(".").Lstat()
	if err != nil {
		return err
	}
	at := g.upper(n)
	err = os.MkdirAll(filepath.Join(at, "work"), 0o700)
	if err == nil {
		err = os.Mkdir(filepath.Join(at, "upper"), 0o700)
	}
	if err == nil && os.Geteuid() == 0 {
		err = os.Chown(filepath.Join(at, "upper"), int(f.UID), int(f.GID))
	}
	return cmp.Or(err, os.Chmod(filepath.Join(at, "upper"), os.FileMode(f.Mode&0o777)))
}

// begin tells that the nth overlay is about to be used.
func (g *gitFolder) begin(n int) (back func(bool), err error) {
	upper, err := gitrules.Open(filepath.Join(g.upper(n), "upper"))
	if err != nil {
		return nil, err
	}
	return g.Begin(upper), nil
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

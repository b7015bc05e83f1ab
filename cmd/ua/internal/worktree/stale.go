package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/xdg"
)

// InnerFolder is the folder, in that of a subagent's run, that holds its work tree.
const InnerFolder = "worktree"

// An Old is a work tree that nobody has come back to.
type Old struct {
	Path string
	Err  error // why it is still there, nil for one that was removed
}

// errUnsaved is why a work tree is kept.
var errUnsaved = errors.New("it has uncommitted changes")

// Due reports, once a day, that it is time to remove old work trees.
func Due() bool {
	stamp := filepath.Join(xdg.State(), ".pruned")
	if info, err := os.Lstat(stamp); err == nil && time.Since(info.ModTime()).Abs() < dueAfter {
		return false
	}
	os.Remove(stamp)
	return os.WriteFile(stamp, nil, 0o600) == nil
}

// Collect removes the old work trees of runs and of their subagents, and returns all that
// it looked at. A work tree with uncommitted changes is kept, unless force is set.
func Collect(force bool) []Old {
	list := pruneAll(staleAfter, force)
	found, _ := run.List(run.Root())
	for _, r := range found {
		for _, tree := range innerTrees(r) {
			at := runs.Read(r).Cwd
			if info, err := os.Stat(at); err != nil || !info.IsDir() {
				at = "/"
			}
			list = append(list, prune(r.Dir, tree, at, force))
		}
	}
	return list
}

// pruneAll removes the work trees of runs that are older than age.
func pruneAll(age time.Duration, force bool) (list []Old) {
	root := filepath.Join(xdg.Cache(), "worktrees")
	found, _ := filepath.Glob(filepath.Join(root, "*", "*"))
	for _, path := range found {
		info, err := os.Lstat(path)
		tree, failed := filepath.Rel(root, path)
		if err != nil || failed != nil || !info.IsDir() || time.Since(info.ModTime()) < age {
			continue
		}
		list = append(list, prune(root, tree, "", force))
		os.Remove(filepath.Dir(path)) // if it was the last one
	}
	return list
}

// prune removes the work tree at a path below root. That of a subagent lies in the folder of
// its run, all of which commands can write. Git therefore examines it in a sandbox, from the
// folder at, which is "" for other work trees, and forgets it by itself (git-worktree(1),
// prune). The branch stays in the repository. os.Root follows no link out of root.
func prune(root, tree, at string, force bool) Old {
	path, git := filepath.Join(root, tree), gitIn(git)
	if at != "" {
		git = confined(at)
	}
	top, err := os.OpenRoot(root)
	if err != nil {
		return Old{path, err}
	}
	defer top.Close()
	if _, err := top.Lstat(filepath.Join(tree, ".git")); errors.Is(err, fs.ErrNotExist) && !force {
		return Old{path, top.Remove(tree)} // git never came to fill it
	}
	changed, err := unsaved(git, path)
	common, none := git(path, "rev-parse", "--path-format=absolute", "--git-common-dir")
	switch {
	case force:
		err = top.RemoveAll(tree)
	case err != nil:
	case changed:
		err = errUnsaved
	default:
		err = top.RemoveAll(tree)
	}
	if err == nil && none == nil && at == "" {
		_, err = git(common, "worktree", "remove", "--force", path)
	}
	return Old{path, err}
}

// innerTrees returns the work trees that the subagents of a run have left, as paths below
// the run's folder. There are none until nobody has driven the run, or one below it, for
// a while. The time is that of the run's own journal, which no subagent can write.
func innerTrees(r run.Run) (trees []string) {
	sub := filepath.Join(r.Dir, run.SubFolder)
	if !runs.Mine(r.Dir) || !runs.Mine(sub) || !stale(r.Journal()) {
		return nil
	}
	_, busy := runs.Driver(r)
	_ = runs.Below(r, func(s run.Run) {
		_, alive := runs.Driver(s)
		// One that is driven keeps all of them.
		busy = busy || alive
		folder := filepath.Join(s.Dir, InnerFolder)
		if !runs.Mine(folder) {
			return
		}
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			rel, err := filepath.Rel(r.Dir, path)
			if err == nil && e.IsDir() && runs.Mine(path) && stale(path) {
				trees = append(trees, rel)
			}
		}
	})
	if busy {
		return nil
	}
	return trees
}

// stale reports whether a file, or the list of names in a folder, has not changed for a
// while.
func stale(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && time.Since(info.ModTime()) >= staleAfter
}

package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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

// Collect removes the old work trees of runs, and returns all that it looked at. A work tree with
// uncommitted changes is kept, unless force is set. One of a subagent goes with its run's folder.
func Collect(force bool) []Old { return pruneAll(staleAfter, force) }

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
		list = append(list, prune(root, tree, force))
		os.Remove(filepath.Dir(path)) // if it was the last one
	}
	return list
}

// prune removes the work tree at a path below root. The branch stays in the repository. os.Root
// follows no link out of root.
func prune(root, tree string, force bool) Old {
	path := filepath.Join(root, tree)
	top, err := os.OpenRoot(root)
	if err != nil {
		return Old{path, err}
	}
	defer top.Close()
	if _, err := top.Lstat(filepath.Join(tree, ".git")); errors.Is(err, fs.ErrNotExist) && !force {
		return Old{path, top.Remove(tree)} // git never came to fill it
	}
	changed, err := unsaved(path)
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
	if err == nil && none == nil {
		_, err = git(common, "worktree", "remove", "--force", path)
	}
	return Old{path, err}
}

// staleAfter is the age from which a work tree is removed.
const staleAfter = 7 * 24 * time.Hour

// dueAfter is the time between two such removals.
const dueAfter = 24 * time.Hour

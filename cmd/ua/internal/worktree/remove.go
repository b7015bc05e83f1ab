package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"ua/internal/common/xdg"
)

// An Old is a work tree that nobody has come back to.
type Old struct {
	// Its folder, and whether it was removed.
	Path    string
	Removed bool
	Err     error // why it was not
}

// pruneAll removes the work trees that are older than age. A work tree with uncommitted
// changes is kept, unless force is set.
func pruneAll(age time.Duration, force bool) (list []Old) {
	found, _ := filepath.Glob(filepath.Join(xdg.Cache(), "worktrees", "*", "*"))
	for _, path := range found {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < age {
			continue
		}
		err = prune(path, force)
		list = append(list, Old{path, err == nil, err})
		os.Remove(filepath.Dir(path)) // if it was the last one
	}
	return list
}

// pruneInner removes the work trees of subagents, which lie in the folders of their runs,
// as pruneAll does for other runs. Each tree is a path below root, the folder of the run
// at the top. Commands can write all of it. Therefore git examines it in a sandbox, and
// removing it with os.Root follows no link out of root. The branch stays in the
// repository, and git forgets the work tree by itself (git-worktree(1), prune). git is
// started in the folder at.
func pruneInner(root string, trees []string, at string, force bool) (list []Old) {
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer top.Close()
	for _, tree := range trees {
		path := filepath.Join(root, tree)
		_, none := os.Lstat(filepath.Join(path, ".git"))
		changed, err := unsaved(confined(at), path)
		switch {
		case force:
			err = top.RemoveAll(tree)
		case errors.Is(none, os.ErrNotExist):
			err = top.Remove(tree) // git never came to fill it
		case err != nil:
		case changed:
			err = errUnsaved
		default:
			err = top.RemoveAll(tree)
		}
		list = append(list, Old{path, err == nil, err})
	}
	return list
}

// errUnsaved is why a work tree is kept.
var errUnsaved = errors.New("it has uncommitted changes")

// prune removes one work tree, or returns why it is kept.
func prune(path string, force bool) error {
	if _, err := os.Lstat(filepath.Join(path, ".git")); errors.Is(err, os.ErrNotExist) {
		return os.Remove(path) // git never came to fill it
	}
	changed, err := unsaved(git, path)
	switch {
	case err != nil && force:
		return os.RemoveAll(path) // its repository is gone
	case err != nil:
		return err
	case changed && !force:
		return errUnsaved
	}
	common, err := git(path, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return err
	}
	_, err = git(common, "worktree", "remove", "--force", path)
	return err
}

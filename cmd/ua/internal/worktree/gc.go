package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"ua/internal/common/config"
)

// An Old is a work tree that nobody has come back to.
type Old struct {
	Path    string
	Removed bool
	Err     error // why it was not
}

// Prune removes the work trees that are older than age. One with changes that are
// on no branch is left, unless force.
func Prune(age time.Duration, force bool) (list []Old) {
	found, _ := filepath.Glob(filepath.Join(config.CacheDir(), "worktrees", "*", "*"))
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

func prune(path string, force bool) error {
	if _, err := os.Lstat(filepath.Join(path, ".git")); errors.Is(err, os.ErrNotExist) {
		return os.Remove(path) // git never came to fill it
	}
	changed, err := unsaved(path)
	switch {
	case err != nil && force:
		return os.RemoveAll(path) // its repository is gone
	case err != nil:
		return err
	case changed && !force:
		return errors.New("it has changes that are not committed")
	}
	common, err := git(path, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return err
	}
	_, err = git(common, "worktree", "remove", "--force", path)
	return err
}

// Due says once a day that it is time to prune, and is false where there is
// nothing to.
func Due() bool {
	folder := filepath.Join(config.CacheDir(), "worktrees")
	if _, err := os.Lstat(folder); err != nil {
		return false
	}
	stamp := filepath.Join(folder, ".pruned")
	if info, err := os.Lstat(stamp); err == nil && time.Since(info.ModTime()) < 24*time.Hour {
		return false
	}
	os.Remove(stamp)
	return os.WriteFile(stamp, nil, 0o600) == nil
}

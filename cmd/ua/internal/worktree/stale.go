package worktree

import (
	"os"
	"path/filepath"
	"time"

	"ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/xdg"
)

// InnerFolder is the folder, in that of a subagent's run, that holds its work tree.
const InnerFolder = "worktree"

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
// it looked at.
func Collect(force bool) []Old {
	list := pruneAll(staleAfter, force)
	found, _ := run.List(run.Root())
	for _, r := range found {
		if trees := innerTrees(r); len(trees) > 0 {
			at := runs.Read(r).Cwd
			if info, err := os.Stat(at); err != nil || !info.IsDir() {
				at = "/"
			}
			list = append(list, pruneInner(r.Dir, trees, at, force)...)
		}
	}
	return list
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
	_ = runs.Each(sub, func(s run.Run) {
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

// Package worktree gives an agent a git work tree of its own, so that its changes are on
// a branch beside the user's checkout (git-worktree(1)). It runs git itself; no command
// of a model is involved.
package worktree

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/xdg"
)

// Why an agent works in place although it asked for a work tree.
const (
	NoGit        = "no_git"
	NotARepo     = "not_a_repo"
	DirtyTree    = "dirty_tree"
	CreateFailed = "create_failed"
)

// What has become of a work tree.
const (
	Kept      = "worktree_kept" // something was changed
	Removed   = "worktree_removed"
	Error     = "worktree_error"
	InProcess = "in_process" // there was none
)

// A Tree is a work tree with a branch of its own.
type Tree struct {
	Path   string // its folder
	Branch string
	main   string // the top of the checkout that it was made from
	base   string // the commit that it began with
}

// A Refusal is an error that names the check which failed.
type Refusal struct{ Why, Detail string }

// Error returns the check, and the detail if there is one.
func (r *Refusal) Error() string {
	if r.Detail == "" {
		return r.Why
	}
	return r.Why + ": " + r.Detail
}

// Folder returns the folder that holds the work trees of a run.
func Folder(run string) string { return filepath.Join(xdg.Cache(), "worktrees", run) }

// Create makes a work tree in the folder for an agent of a run. It begins with the commit
// that the checkout around the working folder has. Every error is a *Refusal.
func Create(folder, run, agent string) (*Tree, error) {
	if _, err := exec.LookPath("git"); err != nil || prog.Lookup("git") == "" {
		return nil, &Refusal{NoGit, ""}
	}
	inside, err := git("", "rev-parse", "--is-inside-work-tree")
	if err != nil || inside != "true" {
		return nil, &Refusal{NotARepo, ""}
	}
	t := &Tree{}
	if t.main, err = git("", "rev-parse", "--show-toplevel"); err != nil {
		return nil, &Refusal{NotARepo, err.Error()}
	}
	changed, err := status("")
	if err != nil {
		return nil, &Refusal{NotARepo, err.Error()}
	}
	if changed != "" {
		first, _, _ := strings.Cut(changed, "\n")
		return nil, &Refusal{DirtyTree, first}
	}
	if t.base, err = git("", "rev-parse", "--verify", "HEAD"); err != nil {
		return nil, &Refusal{CreateFailed, "there is no commit yet"}
	}
	if agent == "" {
		agent = "agent"
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, &Refusal{CreateFailed, err.Error()}
	}
	// Agents of the same name in one run are numbered.
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", agent, n)
		t.Path, t.Branch = filepath.Join(folder, name), "ua/"+run+"-"+name
		if err := os.Mkdir(t.Path, 0o700); err == nil { // ours: git takes an empty folder
			break
		} else if !errors.Is(err, os.ErrExist) || n > 1000 {
			return nil, &Refusal{CreateFailed, err.Error()}
		}
	}
	if _, err := git(t.main, "worktree", "add", "--quiet", "-b", t.Branch, t.Path,
		t.base); err != nil {
		os.Remove(t.Path)
		return nil, &Refusal{CreateFailed, err.Error()}
	}
	return t, nil
}

// End removes the work tree and its branch if nothing was changed or committed, and keeps
// both otherwise. state is Removed, Kept or Error.
func (t *Tree) End() (state string, err error) {
	changed, err := unsaved(t.Path)
	if err != nil {
		return Error, err
	}
	head, err := git(t.Path, "rev-parse", "HEAD")
	if err != nil {
		return Error, err
	}
	if changed || head != t.base {
		return Kept, nil
	}
	if _, err := git(t.main, "worktree", "remove", "--force", t.Path); err != nil {
		return Error, err
	}
	if _, err := git(t.main, "branch", "--quiet", "-D", t.Branch); err != nil {
		return Error, err
	}
	os.Remove(filepath.Dir(t.Path)) // if it was the last one
	return Removed, nil
}

package agentloop

import (
	"errors"
	"os"
	"path/filepath"

	"ua/cmd/ua/internal/worktree"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// isolate moves the run into a git work tree of its own if that was asked for. Where it
// cannot have one, the run works in place and says why.
func (l *loop) isolate() error {
	if l.o.Isolation != "worktree" || l.o.resume && l.o.tree == "" {
		return nil
	}
	if here, err := os.Getwd(); err == nil && l.o.resume && here == l.o.tree {
		return nil
	}
	folder := worktree.Folder(l.run.ID)
	if l.o.parent != "" { // the folder of caches that a command has goes with its run
		folder = filepath.Join(l.run.Dir, worktree.InnerFolder)
	}
	tree, err := worktree.Create(folder, l.run.ID, l.o.Agent)
	var refusal *worktree.Refusal
	if errors.As(err, &refusal) {
		l.notIsolated = refusal.Why
		l.env.Warnf("isolation: %v: working in place", refusal)
		return nil
	}
	if err != nil {
		return prog.Errorf(prog.Trouble, "isolation: %v", err)
	}
	l.tree = tree
	if err := l.o.settle(); err != nil {
		return err
	}
	if err := os.Chdir(tree.Path); err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	return nil
}

// settle makes the paths of options absolute, before the working folder changes.
func (o *options) settle() error {
	for _, list := range [][]string{o.Write, o.Read, o.Sockets} {
		for i, path := range list {
			abs, err := filepath.Abs(path)
			if err != nil {
				return prog.Errorf(prog.Trouble, "%q: %v", path, err)
			}
			list[i] = abs
		}
	}
	return nil
}

// isolationEvent returns the event about the run's work tree. The state "" is that at its
// start.
func (l *loop) isolationEvent(state, message string) []byte {
	e := event.New("isolation").Str("asked", l.o.Isolation)
	if l.tree == nil {
		return e.Str("got", worktree.InProcess).OptStr("why", l.notIsolated).
			OptStr("state", state).Line()
	}
	return e.Str("got", "worktree").Str("path", l.tree.Path).Str("branch", l.tree.Branch).
		OptStr("state", state).OptStr("message", message).Line()
}

// release ends the isolation. A work tree without changes is removed.
func (l *loop) release() {
	if l.o.Isolation != "worktree" || l.o.resume && l.tree == nil {
		return
	}
	if l.tree == nil {
		l.toJournal.Put(l.isolationEvent(worktree.InProcess, ""))
		return
	}
	state, err := l.tree.End()
	message := ""
	if err != nil {
		message = err.Error()
		l.env.Warnf("isolation: %s: %v", l.tree.Path, err)
	}
	if state == worktree.Kept {
		l.env.Warnf("changes are on branch %s in %s", l.tree.Branch, l.tree.Path)
	}
	l.toJournal.Put(l.isolationEvent(state, message))
}

// tidy removes old work trees, at most once a day, after a run that a person started.
func (o *options) tidy() {
	if o.depth == 0 && worktree.Due() {
		worktree.Collect(false)
	}
}

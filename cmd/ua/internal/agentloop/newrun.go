package agentloop

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
)

// newRun creates the folder of a new run and marks the run as driven by this process. The
// limits on agents are checked, and the place is taken, under one lock. Two processes
// that want the last place cannot both get it. listen is called before there is a folder, and
// after all that may wait.
func (o *options) newRun(env *prog.Env, listen func()) (r run.Run, held *os.File, err error) {
	folder := o.folder()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return r, nil, runfolder.FolderError(err)
	}
	if o.parent != "" || o.background {
		// One at a time counts the runs and makes its folder, so that two cannot both
		// take the last place.
		turn, err := os.OpenFile(filepath.Join(folder, ".spawn"),
			os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
		if err != nil {
			return r, nil, runfolder.FolderError(err)
		}
		defer turn.Close()
		if err := unix.Flock(int(turn.Fd()), unix.LOCK_EX); err != nil {
			return r, nil, runfolder.FolderError(err)
		}
		if err := o.mayStart(env, folder); err != nil {
			return r, nil, err
		}
		inTree, err := o.treeMayGrow(env)
		if err != nil {
			return r, nil, err
		}
		defer inTree.Close()
	}
	listen()
	if r, err = run.New(folder); err != nil {
		return r, nil, runfolder.FolderError(err)
	}
	if held, err = runfolder.Hold(r); err == nil && o.background {
		err = detach(r)
	}
	return r, held, err
}

// isBackground reports whether the answer of a run goes to a file.
func isBackground(r run.Run) bool {
	_, err := os.Lstat(filepath.Join(r.Dir, stdoutFile))
	return err == nil
}

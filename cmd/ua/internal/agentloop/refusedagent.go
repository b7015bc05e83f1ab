package agentloop

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
)

// mayStart refuses an agent when enough of them exist: of a user's runs in the
// background, or of the subagents of one run. Runs of the last hour are found by their
// IDs, which begin with the time.
func (o *options) mayStart(env *prog.Env, folder string) error {
	list, err := run.List(folder)
	if err != nil {
		return runfolder.FolderError(err)
	}
	now, hour := 0, 0
	// IDs begin with the time (run.NewID), so they compare as text.
	since := time.Now().UTC().Add(-time.Hour).Format("20060102-150405")
	for _, r := range list {
		if r.ID >= since {
			hour++
		}
		if _, alive := runfolder.Driver(r); alive && (o.parent != "" || isBackground(r)) {
			now++
		}
	}
	most := o.limits.AtOnce
	if o.parent != "" {
		most = min(o.limits.PerParent, most)
	}
	switch {
	case now >= most:
		return refuseAgent(env, "agents", now, most)
	case o.parent != "" && hour >= o.limits.PerHour:
		return refuseAgent(env, "spawn", hour, o.limits.PerHour)
	}
	return nil
}

// treeMayGrow refuses a subagent when the whole tree has enough. The file that it returns
// is a lock and stays open until the new agent is counted. A sandbox shows the folders of
// the runs above; agents that it does not show are not counted.
func (o *options) treeMayGrow(env *prog.Env) (turn *os.File, err error) {
	if o.parent == "" {
		return nil, nil
	}
	root := run.Run{Dir: o.parent}.Top().Dir
	if root == o.parent {
		return nil, nil // all of the tree are beside this one, and were counted
	}
	sub := filepath.Join(root, run.SubFolder)
	// Made when the agent above was; here it can only be read, which is enough for a lock.
	turn, err = os.OpenFile(filepath.Join(sub, ".spawn"),
		os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err == nil {
		if err := unix.Flock(int(turn.Fd()), unix.LOCK_EX); err != nil {
			return turn, runfolder.FolderError(err)
		}
	}
	now := 0
	_ = runfolder.Each(sub, func(r run.Run) {
		if _, alive := runfolder.Driver(r); alive {
			now++
		}
	})
	if now >= o.limits.AtOnce {
		turn.Close()
		return nil, refuseAgent(env, "agents", now, o.limits.AtOnce)
	}
	return turn, nil
}

// refuseAgent refuses an agent with a line for its parent's model: what is limited, how many there
// are and how many may be. It makes sense to try again later.
func refuseAgent(env *prog.Env, what string, now, most int) error {
	fmt.Fprintf(env.Stderr, "[ua:%s-limit now=%d max=%d]\n", what, now, most)
	return prog.Exit(prog.TryLater)
}

// depthAllowed refuses an agent that would be too deep, in a line for its parent's model.
func depthAllowed(env *prog.Env, o *options) error {
	if n := o.depth; n >= o.maxDepth {
		fmt.Fprintf(env.Stderr, "[ua:depth-limit depth=%d max=%d]\n", n, o.maxDepth)
		return prog.Exit(prog.No)
	}
	return nil
}

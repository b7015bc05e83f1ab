// Package ancestry finds out from the process tree which agents this process
// belongs to. The environment says so too, but a command could change that.
package ancestry

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ua/internal/common/run"
)

// An Ancestry is what stands above this process.
type Ancestry struct {
	Depth int    // agents above: 0 for one that a person starts
	Dir   string // the run folder of the nearest one, "" where it can't be told
}

// Here returns the ancestry of this process, by the environment and by the process tree,
// which no command can change.
func Here() Ancestry {
	a := Above()
	n, _ := strconv.Atoi(os.Getenv(run.EnvDepth))
	a.Depth = max(n, a.Depth)
	if dir := os.Getenv(run.EnvDir); a.Dir == "" && filepath.IsAbs(dir) {
		a.Dir = dir
	}
	return a
}

// Folder returns where the folder of a run belongs that starts here, and so that of the
// runs within reach: all of the user's or, in a command of a run, those below that run.
func (a Ancestry) Folder() string {
	if a.Dir != "" {
		return filepath.Join(a.Dir, run.SubFolder)
	}
	return run.Root()
}

// A holder is a process above this one: its name and, of those that may hold an agent's
// commands, its arguments.
type holder struct {
	name string
	args []string
}

// of returns the ancestry that a chain of processes stands for, the nearest one first.
// The programs that hold an agent's commands are ua-exec and the ua-sandbox around
// it, and ua-exec's option --dir names a folder of the run, whose path says how
// deep that one is: a subagent's run lies in the folder sub of its parent's. A
// process namespace shows no more than the nearest agent, so the path counts as
// much as the chain.
//
// A command may start a ua-exec of its own with another --dir, below the one that
// it can't change: such a folder can make the depth greater, and is the run's only
// when it lies where subagents' runs do.
func of(chain []holder) (a Ancestry) {
	inside, count, deepest := false, 0, 0
	for _, p := range slices.Backward(chain) {
		holds := p.name == "ua-exec" || p.name == "ua-sandbox"
		if holds && !inside {
			count++
		}
		inside = holds
		if !holds {
			continue
		}
		dir := runOf(p.args)
		deepest = max(deepest, depthOf(dir))
		if a.Dir == "" || strings.HasPrefix(dir, filepath.Join(a.Dir, run.SubFolder)+"/") {
			a.Dir = dir
		}
	}
	a.Depth = max(count, deepest)
	return a
}

// runOf returns the run's folder that the arguments of ua-exec name, or "".
func runOf(args []string) string {
	i := slices.Index(args, "--dir")
	if i < 0 || i+1 >= len(args) || !filepath.IsAbs(args[i+1]) ||
		filepath.Base(args[i+1]) != run.OutFolder {
		return ""
	}
	return filepath.Dir(filepath.Clean(args[i+1]))
}

// depthOf returns the depth of an agent that a run in the folder starts, 0 for no
// folder. A folder of that name further up is the user's own.
func depthOf(dir string) (depth int) {
	if dir == "" {
		return 0
	}
	r, ok := run.Run{Dir: dir}, true
	for ; ok; depth++ {
		r, ok = r.Above()
	}
	return depth
}

// Package ancestry reads from the process tree which agents this process belongs to. The
// environment says so too, but a command can change its environment.
package ancestry

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ua/internal/common/procfs"
	"ua/internal/common/run"
)

// An Ancestry is what is known of the agents above this process.
type Ancestry struct {
	Depth int    // agents above: 0 for one that a person starts
	Dir   string // the run folder of the nearest one, "" where it can't be told
}

// Here returns the ancestry of this process from its environment and from the process
// tree. The greater depth holds: no command can make the process tree shorter.
func Here() Ancestry {
	a := Above()
	n, _ := strconv.Atoi(os.Getenv(run.EnvDepth))
	a.Depth = max(n, a.Depth)
	if dir := os.Getenv(run.EnvDir); a.Dir == "" && filepath.IsAbs(dir) {
		a.Dir = dir
	}
	return a
}

// Above returns the ancestry that /proc shows (proc(5)).
func Above() Ancestry {
	var chain []holder
	for pid, p := range procfs.Ancestors(os.Getppid()) {
		h := holder{name: p.Name}
		if p.Name == "ua-exec" || p.Name == "ua-sandbox" {
			args, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			h.args = strings.Split(string(args), "\x00")
		}
		chain = append(chain, h)
	}
	return of(chain)
}

// Folder returns the folder in which a run that starts here keeps its own, and so the
// folder of all runs within reach: every run of the user or, in a command of a run, the
// runs below that run.
func (a Ancestry) Folder() string {
	if a.Dir != "" {
		return filepath.Join(a.Dir, run.SubFolder)
	}
	return run.Root()
}

// A holder is a process above this one. args is set only for a program that may hold the
// commands of an agent.
type holder struct {
	name string
	args []string
}

// of returns the ancestry that a chain of processes stands for. The chain starts with the
// nearest process. The programs that hold the commands of an agent are ua-exec and the
// ua-sandbox around it. The option --dir of ua-exec names a folder of the run, and the
// path of that folder shows its depth: a subagent's run lies in the folder sub of its
// parent's. Inside a PID namespace only the nearest agent is visible, so the path counts
// as much as the chain.
//
// A command may start a ua-exec of its own with another --dir, below the real one, which
// it cannot change. Such a folder can only make the depth greater, and it becomes the
// run's only where subagents' runs are kept.
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

// depthOf returns the depth of an agent that a run in the folder dir starts, 0 for no
// folder. A folder called sub further up, outside of any run, is the user's own and is
// not counted.
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

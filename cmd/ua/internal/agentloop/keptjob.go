package agentloop

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ua/cmd/ua/internal/job"
	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/run"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// keepJob starts one job that outlives the run, in a sandbox of its own. The answer has the
// job's exit status if it ends at once.
func (l *loop) keepJob(id string, q *jobs.Request) func() (jobs.Reply, error) {
	r := run.Run{ID: id, Dir: filepath.Join(l.run.Dir, job.Folder, id)}
	err := l.mayKeep()
	if err == nil {
		err = errors.Join(ownFolder(filepath.Dir(r.Dir), 0o700), os.Mkdir(r.Dir, 0o700))
	}
	if err != nil {
		return refuse(err)
	}
	here, _ := os.Getwd()
	pid, err := l.o.startJob(r, jobs.InFolder(q.Dir, here, q.Command),
		string(verdict.ProfileWorkspace))
	if err != nil {
		os.RemoveAll(r.Dir)
		return refuse(err)
	}
	l.keptJobs = append(l.keptJobs, keptJob{r, pid})
	command := style.FirstLine(strings.TrimPrefix(q.Command, "exec "), 200)
	l.toJournal.Put(event.New("job").Str("state", "kept").Str("id", id).Str("command", command).
		Str("cwd", q.Dir).Line())
	l.show.Warn("job " + id + " keeps running when the run ends: " + command)
	return func() (jobs.Reply, error) { return jobs.Reply{Job: id, ExitCode: settled(r)}, nil }
}

// stays returns the processes that this one has started and that outlive the run: kept jobs.
func (l *loop) stays() (pids []int) {
	for _, k := range l.keptJobs {
		pids = append(pids, k.pid)
	}
	return pids
}

// keptMax is how many jobs of a run may outlive it.
const keptMax = 16

// mayKeep returns why this run cannot have a job that outlives it, or nil.
func (l *loop) mayKeep() error {
	switch {
	case len(l.keptJobs) >= keptMax:
		return fmt.Errorf("%d jobs outlive the run, the most that may", keptMax)
	case l.o.Exec != "":
		return errors.New("the run's commands are on another host or in a sandbox of their own")
	case l.checks():
		return errors.New("with --until, nothing may keep running while a check runs")
	case l.o.tries():
		return errors.New("a kept job would escape the run's try")
	case !verdict.ProfileWorkspace.Within(verdict.Profile(l.o.sandboxProfile)):
		return errors.New("the run may not write anything")
	}
	return nil
}

// refuse returns the answer to a request that is not done.
func refuse(err error) func() (jobs.Reply, error) {
	return func() (jobs.Reply, error) { return jobs.Reply{}, err }
}

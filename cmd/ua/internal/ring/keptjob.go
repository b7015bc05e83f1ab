package ring

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ua/cmd/ua/internal/job"
	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// refusedFile, in a kept job's folder, says why it was not started.
const refusedFile = "refused"

// AwaitKept waits until the run in the folder parent, which this command belongs to, has
// started the kept job, in a sandbox of its own and in profile workspace, as ua-exec has
// asked it to. It returns the job's exit status if that has ended at once.
func AwaitKept(parent, id string) (code *int, err error) {
	if !runs.IsID(id) {
		return nil, prog.Errorf(prog.Trouble, "job start --keep: %.40q names no job", id)
	}
	r := run.Run{ID: id, Dir: filepath.Join(parent, job.Folder, id)}
	for end := time.Now().Add(keptPatience); time.Until(end) > 0; time.Sleep(lookEvery) {
		if why, err := regular.Read(filepath.Join(r.Dir, refusedFile), 4<<10); err == nil {
			return nil, prog.Errorf(prog.No, "job start --keep: %s",
				strings.TrimSpace(string(why)))
		}
		if len(job.In(filepath.Join(r.Dir, job.Outputs), "", id)) > 0 {
			return settled(r), nil
		}
	}
	return nil, prog.Errorf(prog.Trouble, "job start --keep: the run did not answer")
}

// lookForAsked does what commands have asked for since the last look.
func (l *loop) lookForAsked() {
	if l.askedSeen.unchanged(l.outDir()) {
		return
	}
	entries, err := os.ReadDir(l.outDir())
	if err != nil {
		return
	}
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), jobs.AskedPrefix)
		if !ok || !runs.IsID(id) {
			continue
		}
		path := filepath.Join(l.outDir(), e.Name())
		text, err := regular.Read(path, 1<<20)
		if os.Remove(path) != nil {
			continue // it would come again for ever
		}
		var q jobs.Request
		if err != nil || json.Unmarshal(text, &q) != nil {
			continue
		}
		if q.Do == "recall" {
			l.recallFor(id, q.Command)
			continue
		}
		l.keepJob(id, &q)
	}
}

// keepJob starts one job that outlives the run, or writes down why it does not.
func (l *loop) keepJob(id string, q *jobs.Request) {
	r := run.Run{ID: id, Dir: filepath.Join(l.run.Dir, job.Folder, id)}
	if len(l.keptJobs) >= keptMax || ownFolder(filepath.Dir(r.Dir), 0o700) != nil ||
		os.Mkdir(r.Dir, 0o700) != nil {
		return // the file is gone, and the asker's patience ends
	}
	pid, err := 0, l.mayKeep()
	if err == nil {
		pid, err = l.o.startJob(r, inFolder(q.Dir, q.Command), string(verdict.ProfileWorkspace))
	}
	if err != nil {
		why := filepath.Join(r.Dir, refusedFile)
		failed := os.WriteFile(why+".new", []byte(err.Error()+"\n"), 0o600)
		if failed != nil || os.Rename(why+".new", why) != nil {
			os.RemoveAll(r.Dir)
		}
		return
	}
	l.keptJobs = append(l.keptJobs, keptJob{r, pid})
	command := style.FirstLine(strings.TrimPrefix(q.Command, "exec "), 200)
	l.toJournal.Put(event.New("job").Str("state", "kept").Str("id", id).Str("command", command).
		Str("cwd", q.Dir).Line())
	l.show.Warn("job " + id + " keeps running when the run ends: " + command)
}

// A keptJob is a job that was started and the process that holds its sandbox.
type keptJob struct {
	run.Run
	pid int
}

// stays returns the processes that this one has started and that outlive the run: kept jobs.
func (l *loop) stays() (pids []int) {
	for _, k := range l.keptJobs {
		pids = append(pids, k.pid)
	}
	return pids
}

// mayKeep returns why this run cannot have a job that outlives it, or nil.
func (l *loop) mayKeep() error {
	switch {
	case l.o.Exec != "":
		return errors.New("the run's commands are on another host or in a sandbox that is not ours")
	case l.checks():
		return errors.New("nothing of a run with --until lives while a check runs")
	case l.o.tries():
		return errors.New("a kept job would escape the run's try")
	case !verdict.ProfileWorkspace.Within(verdict.Profile(l.o.sandboxProfile)):
		return errors.New("the run may not write anything")
	}
	return nil
}

// inFolder returns shell text that runs text in the folder dir.
func inFolder(dir, text string) string {
	if here, _ := os.Getwd(); dir == "" || dir == here {
		return text
	}
	return "cd -- '" + strings.ReplaceAll(dir, "'", `'\''`) + "' || exit\n" + text
}

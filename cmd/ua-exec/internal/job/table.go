package job

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"ua/cmd/ua-exec/internal/call"
	"ua/cmd/ua-exec/internal/command"
	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/run"
	"ua/internal/common/verdict"
)

// jobsMax is how many commands run in the background at once.
const jobsMax = 64

// A table holds the jobs, and does what programs ask of them.
type table struct {
	runner *command.Runner
	out    *event.Writer // of results

	mu     sync.Mutex
	jobs   map[string]*job // by the names of their records
	number int             // of those that programs have started
}

// Leave lets the started command of a call run on as a job. It returns the call's result,
// with what it has printed so far.
func (t *table) Leave(c *command.Command) []byte {
	j, got := newJob(t.runner, c, nil)
	t.take(j)
	line := c.Result(got)
	t.runner.Background.Add()
	go j.watch()
	return line
}

// take makes a job known by the name of its record.
func (t *table) take(j *job) {
	if j.Record == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.jobs) >= 4*jobsMax { // what has ended is let go
		maps.DeleteFunc(t.jobs, func(_ string, j *job) bool { return j.isOver() })
	}
	t.jobs[jobs.Name(j.Record)] = j
}

// start starts a job on behalf of a program, in the profile right.
func (t *table) start(q *jobs.Request, right verdict.Profile) jobs.Reply {
	wake, err := wakePattern(q.Wake)
	switch {
	case strings.TrimSpace(q.Command) == "":
		return jobs.Reply{Error: "there is no command"}
	case err == nil:
		err = t.runner.Background.Admit(jobsMax)
	}
	if err != nil {
		return jobs.Reply{Error: err.Error()}
	}
	t.mu.Lock()
	t.number++
	id := fmt.Sprintf("job-%d", t.number)
	t.mu.Unlock()
	c := t.runner.Command(&call.Call{ID: id, Name: "shell", Command: q.Command, Background: true,
		Judgement: call.Judgement{Risk: verdict.Write, Profile: right, Delegates: true}})
	c.Dir = q.Dir
	if err := c.Start(); err != nil {
		t.runner.Background.Done(nil)
		return jobs.Reply{Error: command.NotStarted(err)}
	}
	j, _ := newJob(t.runner, c, wake)
	t.take(j)
	go j.watch()
	switch {
	case t.runner.Background.Closed():
		j.end(1) // it has hardly begun
		return jobs.Reply{Error: command.ErrRunEnds.Error()}
	case j.Record == "":
		j.end(0)
		return jobs.Reply{Error: "its record could not be written"}
	}
	select {
	case <-j.over:
	case <-t.runner.Ctx.Done():
	case <-time.After(jobs.SettleTime):
	}
	return j.reply()
}

// steer calls do for the job of that name, if the job's profile is within the right.
func (t *table) steer(name string, right verdict.Profile, do func(*job) jobs.Reply) jobs.Reply {
	t.mu.Lock()
	j := t.jobs[name]
	t.mu.Unlock()
	switch {
	case j == nil:
		return jobs.Reply{Error: fmt.Sprintf("%.80q: no such job here", name)}
	case !j.Call.Profile.Within(right):
		return jobs.Reply{Error: fmt.Sprintf("%s runs in profile %s, and you run in %s", name,
			j.Call.Profile, right)}
	}
	return do(j)
}

// keep passes a request on to the run's driver: for a job that outlives the run, in a sandbox of
// its own and in profile workspace, or for words in the project's journals. It goes where results
// go, which no command has open, so that only a command whose call was judged can ask.
func (t *table) keep(q *jobs.Request, right verdict.Profile) jobs.Reply {
	if q.Do == "keep" && !verdict.ProfileWorkspace.Within(right) {
		return jobs.Reply{Error: "a command of profile workspace or network may ask for it"}
	}
	id := run.NewID()
	line, err := json.Marshal(jobs.Request{Do: q.Do, Command: q.Command, Dir: q.Dir})
	if err == nil {
		err = t.out.Write(event.New("delta").Str("kind", jobs.Asked).Str("id", id).
			Raw("request", line).Line())
	}
	if err != nil {
		return jobs.Reply{Error: err.Error()}
	}
	return jobs.Reply{Job: id}
}

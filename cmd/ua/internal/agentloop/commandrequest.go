package agentloop

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/runfolder"
)

// takeRequest does what a command has asked for, as ua-exec says in a line.
func (l *loop) takeRequest(line []byte) {
	var q jobs.Request
	id := event.Str(line, "id")
	if !runfolder.IsID(id) || json.Unmarshal([]byte(gjson.GetBytes(line, "request").Raw), &q) != nil {
		return
	}
	do := l.keepJob
	if q.Do == "recall" {
		do = l.recallFor
	}
	answer := do(id, &q)
	go l.answerRequest(id, answer)
}

// answerRequest writes the answer to a request, complete or not at all. A command may have
// put something in its place where the state lies in a folder for temporary files.
func (l *loop) answerRequest(id string, answer func() (jobs.Reply, error)) {
	r, err := answer()
	if err != nil {
		r.Error = err.Error()
	}
	text, err := json.Marshal(r)
	dir, err2 := os.OpenRoot(l.outDir())
	if err != nil || err2 != nil {
		return
	}
	defer dir.Close()
	name := answerPrefix + id
	f, err := dir.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	if _, err = f.Write(text); errors.Join(err, f.Close()) == nil {
		_ = dir.Rename(name+".new", name)
	}
}

// recallTime is how long looking for words may take, and recallsMax how often commands of a run
// may ask.
const (
	recallTime = time.Minute
	recallsMax = 200
)

// recallFor finds the words for a command of this run: in the runs of the project that its run
// event names, which was written before any command of it ran. A subagent asks its own run.
func (l *loop) recallFor(_ string, q *jobs.Request) func() (jobs.Reply, error) {
	project := event.Str(runfolder.Read(l.run).Begin, "project")
	switch l.recalls++; {
	case l.recalls > recallsMax:
		return refuse(fmt.Errorf("a run may ask %d times", recallsMax))
	case l.o.depth > 0:
		return func() (jobs.Reply, error) {
			r, err := AskDriver(l.o.parent, *q)
			if err != nil {
				return jobs.Reply{}, err
			}
			return *r, nil
		}
	case project == "":
		return refuse(errors.New("the run does not know its project"))
	}
	return func() (r jobs.Reply, err error) {
		r.Text, err = Recall(project, q.Command, os.Environ())
		return r, err
	}
}

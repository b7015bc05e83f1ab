package ring

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua/internal/job"
	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
	"ua/internal/common/runs"
)

// AskDriver has the run in the folder parent, to which this command belongs, do what only its
// driver can: start a job that outlives the run, or read the journals of other runs. ua-exec
// passes the request on to the driver. The answer is a file in the folder of outputs, where
// commands only read.
func AskDriver(parent string, q jobs.Request) (*jobs.Reply, error) {
	q.Token = os.Getenv(jobs.EnvToken)
	r, err := job.Start(os.Getenv(jobs.EnvSocket), q)
	if err != nil {
		return nil, err
	}
	if !runs.IsID(r.Job) {
		return nil, prog.Errorf(prog.Trouble, "%s: %.40q is no answer", q.Do, r.Job)
	}
	path := filepath.Join(parent, run.OutFolder, answerPrefix+r.Job)
	for end := time.Now().Add(driverPatience); time.Until(end) > 0; time.Sleep(lookEvery) {
		text, err := regular.Read(path, answerMax)
		if err != nil {
			continue
		}
		if r = new(jobs.Reply); json.Unmarshal(text, r) != nil || r.Error != "" {
			return nil, prog.Errorf(prog.No, "%s: %s", q.Do, r.Error)
		}
		return r, nil
	}
	return nil, prog.Errorf(prog.Trouble, "%s: the run did not answer", q.Do)
}

// answerPrefix begins the name of the file with the answer to a request.
const answerPrefix = ".answer-"

// takeRequest does what a command has asked for, as ua-exec says in a line.
func (l *loop) takeRequest(line []byte) {
	var q jobs.Request
	id := event.Str(line, "id")
	if !runs.IsID(id) || json.Unmarshal([]byte(gjson.GetBytes(line, "request").Raw), &q) != nil {
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

// refuse returns the answer to a request that is not done.
func refuse(err error) func() (jobs.Reply, error) {
	return func() (jobs.Reply, error) { return jobs.Reply{}, err }
}

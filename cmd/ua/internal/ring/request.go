package ring

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ua/cmd/ua/internal/job"
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

// takeRequests does what commands have asked for since the last look.
func (l *loop) takeRequests() {
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
		do := l.keepJob
		if q.Do == "recall" {
			do = l.recallFor
		}
		answer := do(id, &q)
		go l.answerRequest(id, answer)
	}
}

// answerRequest writes the answer to a request, complete or not at all.
func (l *loop) answerRequest(id string, answer func() (jobs.Reply, error)) {
	r, err := answer()
	if err != nil {
		r.Error = err.Error()
	}
	text, err := json.Marshal(r)
	path := filepath.Join(l.outDir(), answerPrefix+id)
	if err == nil && os.WriteFile(path+".new", text, 0o600) == nil {
		_ = os.Rename(path+".new", path)
	}
}

// refuse returns the answer to a request that is not done.
func refuse(err error) func() (jobs.Reply, error) {
	return func() (jobs.Reply, error) { return jobs.Reply{}, err }
}

package agentloop

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ua/cmd/ua/internal/job"
	"ua/internal/common/config"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/safefile"
	"ua/internal/common/stage"
)

// Recall returns where the words stand in the journals of a project's runs, or of all for "".
func Recall(project, words string, env []string) (string, error) {
	args := []string{"recall", words}
	if project != "" {
		args = append([]string{"--project", project}, args...)
	}
	c, err := stage.Builtin("ua-journal-index", args...)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), recallTime)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = config.WithoutKeys(env), &out, &errs
	if err := cmd.Run(); err != nil {
		return "", prog.Errorf(prog.Trouble, "recall: %v %s", err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// lookEvery is how often the record of a new job is looked for.
const lookEvery = 10 * time.Millisecond

// driverPatience is how long a command waits for an answer of its run's driver.
const driverPatience = recallTime + 15*time.Second

// answerMax is the longest answer of a run's driver, in bytes.
const answerMax = 4 << 20

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
	if !runfolder.IsID(r.Job) {
		return nil, prog.Errorf(prog.Trouble, "%s: %.40q is no answer", q.Do, r.Job)
	}
	path := filepath.Join(parent, run.OutFolder, answerPrefix+r.Job)
	for end := time.Now().Add(driverPatience); time.Until(end) > 0; time.Sleep(lookEvery) {
		text, err := safefile.Read(path, answerMax)
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

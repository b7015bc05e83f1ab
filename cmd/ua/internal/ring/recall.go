package ring

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ua/cmd/ua/internal/job"
	"ua/cmd/ua/internal/memory"
	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
	"ua/internal/common/runs"
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

// AskRecall has the run in the folder parent, to which this command belongs, find the words. No
// command can read the journals of other runs; what drives the run can, and decides which.
func AskRecall(parent, words string) (string, error) {
	r, err := job.Start(os.Getenv(jobs.EnvSocket), jobs.Request{Do: "recall",
		Token: os.Getenv(jobs.EnvToken), Command: words})
	if err != nil {
		return "", err
	}
	if !runs.IsID(r.Job) {
		return "", prog.Errorf(prog.Trouble, "recall: %.40q is no answer", r.Job)
	}
	path := filepath.Join(parent, run.OutFolder, recalled+r.Job)
	for end := time.Now().Add(recallTime + keptPatience); time.Until(end) > 0; time.Sleep(lookEvery) {
		if text, err := regular.Read(path, recallMax); err == nil {
			failure, text, _ := strings.Cut(string(text), "\n")
			if failure != "" {
				return "", prog.Errorf(prog.Trouble, "%s", failure)
			}
			return text, nil
		}
	}
	return "", prog.Errorf(prog.Trouble, "recall: the run did not answer")
}

// recalled begins the name of a file with what was found, below a line with an error or "". It
// is in the folder of outputs, where commands only read.
const recalled = ".recalled-"

// recallFor finds the words for a command of this run: in the runs of the project that its run
// event names, which was written before any command of it ran.
func (l *loop) recallFor(id, words string) {
	project := event.Str(runs.Read(l.run).Begin, "project")
	path := filepath.Join(l.outDir(), recalled+id)
	if l.recalls++; l.recalls > recallsMax {
		return // who asks loses patience
	}
	go func() {
		text, err := "", error(nil)
		switch {
		case l.o.depth > 0:
			text, err = AskRecall(l.o.parent, words)
		case project == "":
			err = prog.Errorf(prog.No, "the run does not know its project")
		default:
			text, err = Recall(project, words, os.Environ())
		}
		failure := ""
		if err != nil {
			failure = strings.ReplaceAll(err.Error(), "\n", " ")
		}
		if os.WriteFile(path+".new", []byte(failure+"\n"+text), 0o600) == nil {
			_ = os.Rename(path+".new", path)
		}
	}()
}

// project returns the root of the repository that a folder is in, or the folder itself.
func project(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return memory.Folders(dir)[0]
}

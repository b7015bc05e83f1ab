package ring

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ua/cmd/ua/internal/memory"
	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
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

// recallFor finds the words for a command of this run: in the runs of the project that its run
// event names, which was written before any command of it ran. A subagent asks its own run.
func (l *loop) recallFor(_ string, q *jobs.Request) func() (jobs.Reply, error) {
	project := event.Str(runs.Read(l.run).Begin, "project")
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

// project returns the root of the repository that a folder is in, or the folder itself.
func project(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return memory.Folders(dir)[0]
}

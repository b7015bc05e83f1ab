package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ua/cmd/ua/internal/agentloop"
	"ua/cmd/ua/internal/ancestry"
	"ua/cmd/ua/internal/job"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
)

// jobStart starts a command in the background and prints the name of the job. In a
// command of a run, the ua-exec that keeps the jobs of that run starts it; otherwise it
// runs in a sandbox of its own.
func jobStart(env *prog.Env, args []string) error {
	fs := prog.Flags()
	keep, profile := fs.Bool("keep", false, ""), fs.String("profile", "", "")
	wake, wait := fs.String("wake", "", ""), time.Duration(-1)
	fs.Func("at", "", func(text string) (err error) {
		wait, err = untilTime(text, time.Now())
		return err
	})
	if err := env.Parse(fs, args, helpOf("job")); err != nil {
		return err
	}
	argv := fs.Args()
	command := shellText(argv)
	if wait >= 0 {
		if len(argv) == 0 {
			argv, command = []string{"date"}, "exec date"
		}
		command = fmt.Sprintf("sleep %.0f && %s", math.Ceil(wait.Seconds()), command)
	}
	if len(argv) == 0 {
		return prog.Errorf(prog.Trouble, "job start: no command given").
			Hintf("ua job start -- make watch")
	}
	parent := ancestry.Here().Dir
	switch {
	// A job's sandbox has no gateway to a model.
	case parent == "" && filepath.Base(argv[0]) == "ua":
		return prog.Errorf(prog.Trouble, "a job can't ask a model").
			Hintf("ua --bg starts an agent in the background")
	case *wake != "" && parent == "":
		return prog.Errorf(prog.Trouble, "--wake: no run starts this job, so none can be woken").
			Hintf("the model of ua --stay \"task\" can start one that wakes its run")
	case *wake != "" && *keep:
		return prog.Errorf(prog.Trouble, "--wake: a job that is kept does not wake its run")
	case parent == "":
		name, code, err := agentloop.StartJob(env, command, *profile)
		if err != nil {
			return err
		}
		return tellJob(env, name, code)
	case *profile != "":
		return prog.Errorf(prog.Trouble,
			"--profile: a run's job takes the profile of the command that starts it")
	}
	socket := os.Getenv(jobs.EnvSocket)
	if socket == "" {
		return prog.Errorf(prog.Trouble,
			"job start: this command was not told how to reach the run's jobs").
			Hintf("ua-shell has no jobs: end the command with & there; in a run only a command that " +
				"itself names ua is told, and can pass UA_JOBS and UA_JOBS_TOKEN on")
	}
	dir, _ := os.Getwd()
	q := jobs.Request{Do: "start", Token: os.Getenv(jobs.EnvToken), Command: command, Dir: dir,
		Wake: *wake}
	var r *jobs.Reply
	var err error
	if *keep {
		q.Do = "keep"
		r, err = agentloop.AskDriver(parent, q)
	} else {
		r, err = job.Start(socket, q)
	}
	if err != nil {
		return err
	}
	return tellJob(env, r.Job, r.ExitCode)
}

// untilTime returns how long it is until the time that a person gives: a duration, a time of day,
// which is tomorrow's if today's is over, or a date with it.
func untilTime(text string, now time.Time) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimPrefix(text, "+"))
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "15:04"} {
		t, failed := time.ParseInLocation(layout, text, now.Location())
		if failed != nil {
			continue
		}
		if d, err = max(t.Sub(now), 0), nil; layout == "15:04" {
			t = time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
			if t.Before(now) {
				t = t.AddDate(0, 0, 1)
			}
			d = t.Sub(now)
		}
	}
	if err != nil || d < 0 {
		return 0, errors.New("want 10m, 17:30 or 2026-01-31T17:30")
	}
	return d, nil
}

// plainBytes are the bytes that have no meaning to a shell.
const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-"

// shellText returns the shell command that runs a program with these arguments. Anything
// but plainBytes is put in single quotes, within which only ' has a meaning (sh(1)).
func shellText(argv []string) string {
	var b strings.Builder
	b.WriteString("exec")
	for _, a := range argv {
		b.WriteByte(' ')
		if a != "" && strings.Trim(a, plainBytes) == "" {
			b.WriteString(a)
		} else {
			b.WriteString(prog.Quoted(a))
		}
	}
	return b.String()
}

// tellJob prints the name of a job. If the job has ended already, its status becomes
// ours.
func tellJob(env *prog.Env, name string, code *int) error {
	env.Printf("%s\n", name)
	if code == nil || *code == 0 {
		return nil
	}
	env.Warnf("%s ended at once with status %d; ua job out %[1]s shows what it printed", name,
		*code)
	return prog.Exit(*code)
}

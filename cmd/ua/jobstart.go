package main

import (
	"os"
	"path/filepath"
	"strings"

	"ua/cmd/ua/internal/ancestry"
	"ua/cmd/ua/internal/job"
	"ua/cmd/ua/internal/ring"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
)

// jobStart starts a command in the background and prints the name of the job. In a
// command of a run, the ua-exec that keeps the jobs of that run starts it; otherwise it
// runs in a sandbox of its own.
func jobStart(env *prog.Env, args []string) error {
	fs := prog.Flags()
	keep, profile := fs.Bool("keep", false, ""), fs.String("profile", "", "")
	if err := env.Parse(fs, args, helpOf("job")); err != nil {
		return err
	}
	argv := fs.Args()
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
	case parent == "":
		name, code, err := ring.StartJob(env, shellText(argv), *profile)
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
			Hintf("only a command that itself names ua is told; it can pass UA_JOBS and UA_JOBS_TOKEN on")
	}
	dir, _ := os.Getwd()
	do := map[bool]string{false: "start", true: "keep"}[*keep]
	r, err := job.Start(do, socket, os.Getenv(jobs.EnvToken), shellText(argv), dir)
	if err != nil {
		return err
	}
	if *keep {
		code, err := ring.AwaitKept(parent, r.Job)
		if err != nil {
			return err
		}
		return tellJob(env, r.Job, code)
	}
	return tellJob(env, r.Job, r.ExitCode)
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
			b.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "'")
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

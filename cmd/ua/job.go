package main

import (
	"io"
	"strings"
	"time"

	"ua/cmd/ua/internal/agentloop"
	"ua/cmd/ua/internal/job"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// jobVerb starts, lists and controls commands in the background.
func jobVerb(env *prog.Env, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "start":
			return jobStart(env, args[1:])
		case "ls":
			return jobList(env, args[1:])
		case "out":
			return jobOut(env, args[1:])
		case "in":
			return jobIn(env, args[1:])
		case "stop":
			return jobStop(env, args[1:])
		}
	}
	if err := env.Parse(prog.Flags(), args, helpOf("job")); err != nil {
		return err
	}
	err := prog.Errorf(prog.Trouble, "job: want start, ls, out, in or stop")
	if len(args) == 0 {
		return err
	}
	return agentloop.AsTask("job", args, err)
}

// A jobRecord is a job as ua job ls --json prints it.
type jobRecord struct {
	Job string `json:"job"`
	Run string `json:"run,omitempty"`
	jobs.Record
}

// jobList prints the jobs that run or have left processes behind; with --all every job.
func jobList(env *prog.Env, args []string) error {
	fs := prog.Flags()
	all, asJSON := fs.Bool("all", false, ""), fs.Bool("json", false, "")
	prog.Short(fs, "a", "all")
	name := fs.String("r", "", "")
	if err := parse(env, "job ls", fs, args, 0); err != nil {
		return err
	}
	list, err := knownJobs(*name)
	if err != nil {
		return err
	}
	p := newLister(env)
	headed := *asJSON
	for _, j := range list {
		// A job that has ended may have left processes.
		if !*all && j.State != jobs.Running && j.Left == 0 {
			continue
		}
		if *asJSON {
			p.object(jobRecord{j.Name, j.Run, j.Record})
			continue
		}
		if !headed {
			p.Printf("%-26s %-9s %7s  %s\n", "JOB", "STATE", "TIME", "COMMAND")
			headed = true
		}
		took := "-"
		if j.Ended != nil {
			took = style.Seconds(max(j.Ended.Sub(j.Started), 0)) // the clock may have been set
		} else if j.State == jobs.Running {
			took = style.Seconds(max(p.now.Sub(j.Started), 0))
		}
		p.Printf("%-26s %-9s %7s  %s\n", style.FirstLine(j.Name, 60), stateOf(j), took,
			style.FirstLine(strings.TrimPrefix(j.Command, "exec "), 80))
	}
	return nil
}

// stateOf returns the state of a job in a word or two.
func stateOf(j *job.Job) string {
	switch {
	case j.State == jobs.Ended && j.ExitCode != nil:
		return "exit " + style.Count(int64(*j.ExitCode))
	case j.State == jobs.Running || j.State == jobs.Refused || j.State == job.Lost:
		return j.State
	}
	return jobs.Ended
}

// jobIn writes to the standard input of a job: the words after the job as one line, or
// else what our own standard input holds.
func jobIn(env *prog.Env, args []string) error {
	fs := prog.Flags()
	eof, name := fs.Bool("eof", false, ""), fs.String("r", "", "")
	if err := env.Parse(fs, args, helpOf("job")); err != nil {
		return err
	}
	words := fs.Args()
	found, err := meantJobs("in", *name, words[:min(len(words), 1)])
	if err != nil {
		return err
	}
	var input io.Reader = env.Stdin
	if len(words) > 1 {
		input = strings.NewReader(strings.Join(words[1:], " ") + "\n")
	}
	_, err = found[0].Ask(jobs.Request{Do: "in", EOF: *eof}, input)
	return err
}

// jobGrace is how long ua job stop waits for a job to end by itself.
const jobGrace = 2 * time.Second

// jobStop ends jobs and the processes that they have left behind.
func jobStop(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var grace time.Duration
	prog.Duration(fs, &grace, "grace", jobGrace, prog.OrZero)
	name := fs.String("r", "", "")
	if err := env.Parse(fs, args, helpOf("job")); err != nil {
		return err
	}
	found, err := meantJobs("stop", *name, fs.Args())
	if err != nil {
		return err
	}
	for _, j := range found {
		if j.State != jobs.Running && j.Left == 0 {
			env.Warnf("%s has already ended", j.Name)
			continue
		}
		q := jobs.Request{Do: "stop", Grace: max(1, float64(grace.Milliseconds()))}
		if _, err := j.Ask(q, nil); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"bytes"
	"io"
	"time"

	"golang.org/x/term"

	"ua/cmd/ua/internal/job"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
)

// jobOut prints the last lines of a job's output. With -f it continues until the job
// ends.
func jobOut(env *prog.Env, args []string) error {
	fs := prog.Flags()
	follow, name := fs.Bool("follow", false, ""), fs.String("r", "", "")
	prog.Short(fs, "f", "follow")
	var n int
	prog.Number(fs, &n, "n", jobs.RingLines, 0, 0)
	if err := parse(env, "job", fs, args, -1); err != nil {
		return err
	}
	found, err := meantJobs("out", *name, fs.Args())
	if err != nil {
		return err
	}
	if *follow && len(found) > 1 {
		return prog.Errorf(prog.Trouble, "-f follows one job")
	}
	for _, j := range found {
		if err := printOut(env, j, n, *follow); err != nil {
			return err
		}
	}
	return nil
}

// printOut prints the log of a job. On a terminal, control characters are escaped.
func printOut(env *prog.Env, j *job.Job, n int, follow bool) error {
	var out io.Writer = env.Stdout
	if term.IsTerminal(int(env.Stdout.Fd())) {
		e := style.NewEscaper(env.Stdout)
		defer e.Flush()
		out = e
	}
	var seen []byte
	for first := true; ; first = false {
		over := j.State != jobs.Running && j.Left == 0 // asked before the last look at its log
		var log []byte
		if path := j.LogPath(); path != "" {
			var err error
			if log, err = safefile.Read(path, 4*jobs.RingBytes); err != nil {
				return prog.Errorf(prog.Trouble, "%v", err)
			}
		}
		text := added(seen, log)
		seen = log
		if first && n == 0 {
			text = nil
		} else if first {
			text = jobs.Last(text, n)
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
		if !follow || over && len(text) == 0 {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
		if again := job.In(j.Dir, j.Run, ""); !over {
			j = same(again, j)
		}
	}
}

// same returns the current state of the job. A job whose record is gone has ended.
func same(list []*job.Job, j *job.Job) *job.Job {
	for _, k := range list {
		if k.Key == j.Key {
			return k
		}
	}
	j.State, j.Left = job.Lost, 0
	return j
}

// added returns what a job's log has after what was seen of it. From time to time ua-exec
// replaces the log with a shorter one, which begins with a later line.
func added(seen, log []byte) []byte {
	for !bytes.HasPrefix(log, seen) {
		seen = seen[bytes.IndexByte(seen, '\n')+1:]
		if !bytes.Contains(seen, []byte("\n")) {
			return log
		}
	}
	return log[len(seen):]
}

package main

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"ua/cmd/ua/internal/job"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/style"
)

// jobOut prints the last lines of a job's output. With -f it continues until the job
// ends.
func jobOut(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var follow bool
	for _, name := range []string{"f", "follow"} {
		fs.BoolVar(&follow, name, false, "")
	}
	var n int
	prog.Number(fs, &n, "n", defaultJobLines, 0, 0)
	name := fs.String("r", "", "")
	if err := env.Parse(fs, args, helpOf("job")); err != nil {
		return err
	}
	found, err := meantJobs("out", *name, fs.Args())
	if err != nil {
		return err
	}
	if follow && len(found) > 1 {
		return prog.Errorf(prog.Trouble, "-f follows one job")
	}
	for _, j := range found {
		if err := printOut(env, j, n, follow); err != nil {
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
	l := &logReader{path: j.LogPath()}
	defer l.close()
	for first := true; ; first = false {
		over := j.State != jobs.Running && j.Left == 0 // asked before the last look at its log
		text, err := l.next()
		if err != nil {
			return prog.Errorf(prog.Trouble, "%v", err)
		}
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

// A logReader reads the log of a job while it grows. From time to time ua-exec replaces
// the log with a shorter file, which begins with the last lines of the one before.
type logReader struct {
	path string
	file *os.File
	tail []byte // what was read last: what a new file begins with is its end
}

// close closes the file that is open, if any.
func (l *logReader) close() {
	if l.file != nil {
		l.file.Close()
	}
}

// next returns what was added since the last call. When the log was replaced, it first
// reads the rest of the old file, and then skips in the new one what the old one had.
func (l *logReader) next() ([]byte, error) {
	if l.path == "" {
		return nil, nil
	}
	if l.file == nil {
		f, err := regular.Open(l.path)
		if err != nil {
			return nil, err
		}
		l.file = f
	}
	text, err := l.read()
	if err != nil {
		return nil, err
	}
	now, err := regular.Open(l.path)
	if err != nil {
		return text, nil
	}
	old, err := l.file.Stat()
	if err != nil {
		return nil, err
	}
	if info, err := now.Stat(); err != nil || os.SameFile(old, info) {
		now.Close()
		return text, nil
	}
	rest, err := l.read() // the old one has all of its lines by now
	if err != nil {
		return nil, err
	}
	l.file.Close()
	l.file = now
	if _, err := now.Seek(int64(len(jobs.Last(l.tail, jobs.RingLines))), io.SeekStart); err != nil {
		return nil, err
	}
	text = append(text, rest...)
	more, err := l.read()
	return append(text, more...), err
}

// read reads to the end of the file, and keeps the last lines, with which a new file may
// begin.
func (l *logReader) read() ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(l.file, 4*jobs.RingBytes))
	if len(text) > 0 {
		l.tail = append(l.tail, text...)
		l.tail = append([]byte(nil), l.tail[max(0, len(l.tail)-2*jobs.RingBytes):]...)
	}
	return text, err
}

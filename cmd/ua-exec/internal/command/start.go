package command

import (
	"errors"
	"os"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/landsocket"
	"ua/cmd/ua-exec/internal/output"
	"ua/cmd/ua-exec/internal/pipe"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/statuschannel"
	"ua/internal/common/capture"
	"ua/internal/common/jobs"
	"ua/internal/common/verdict"
)

// Start starts the command and begins to read its output. On an error, everything that
// was opened for it is closed again.
func (c *Command) Start() (err error) {
	r := c.runner
	narrow, err := r.Shell.Narrow(c.Call.Profile)
	if err != nil {
		return err
	}
	out, w, err := pipe.New()
	if err != nil {
		return err
	}
	theirs := pipe.Ends{pipe.Descriptor(w)}
	defer func() {
		// The command has copies of its own; with ours open, the output would never end.
		theirs.Close()
		if err != nil {
			out.Close()
			c.Stdin.Close()
			c.report.Statuses()
			c.notRun.NotRun()
			c.netLog.Refused()
			r.Credentials.KeepWhile(c.credential, nil)
		}
	}()
	text := jobs.InFolder(c.Dir, r.cwd, c.Call.Command)
	files, err := c.files(uintptr(w), text, &theirs)
	if err != nil {
		return err
	}
	// Each command has credentials of its own, which end with it.
	if c.credential, err = r.Credentials.Issue(c.Call); err != nil {
		return err
	}
	r.landing.Ask(landsocket.Refresh)
	c.Began = time.Now()
	argv := r.Shell.Command(text, c.Call, c.report != nil, r.Folder.Made(), r.Socket)
	program := process.Program{Argv: argv, Env: c.environ(), Files: files, Lock: narrow}
	if c.PID, c.exited, err = r.Children.Start(program); err != nil {
		return err
	}
	c.Output = output.New(out, c.Began, c.Newest, capture.Options{
		Max:     r.Options.OutputMaxOf(c.Call.Profile),
		FileMax: r.Folder.BytesLeft(r.Options.FileMax),
		Fold:    c.Call.Final,
		Secrets: r.Environ.Secrets,
		Create:  func() (*os.File, error) { return r.Folder.Create(c.Call.ID, ".txt") },
	})
	if !r.Options.Unconfined {
		go r.tier() // its result names it
	}
	return nil
}

// NotStarted says in words why a command could not be started.
func NotStarted(err error) string {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return "the command is longer than the kernel takes in one argument (128 KiB): " +
			"put it into a file and run that"
	case errors.Is(err, syscall.EINVAL):
		return "the command holds a NUL byte"
	}
	return "the command could not be started: " + err.Error()
}

// environ returns the command's environment. A ua-sandbox may change it further.
func (c *Command) environ() []string {
	l := c.credential.Credential
	env := c.runner.Environ.Of(c.Call.Profile, c.Call.Delegates, l)
	if c.Call.Delegates && c.runner.Socket != "" {
		env = append(env, jobs.EnvSocket+"="+c.runner.Socket,
			jobs.EnvToken+"="+c.runner.Environ.JobsToken(c.Call.Profile, l))
	}
	if c.report != nil {
		env = append(env, statuschannel.PreludeEnv)
	}
	return env
}

// files returns the descriptors of the command: nothing or a pipe as stdin, out as
// output, and the channels on which bash and ua-sandbox report what output cannot.
// Descriptors that only the command needs are added to theirs.
func (c *Command) files(out uintptr, text string, theirs *pipe.Ends) (pipe.Files, error) {
	f := pipe.Files{c.runner.null.Fd(), out, out}
	if c.Call.Background {
		stderr, err := output.MarkStderr(int(out))
		if err != nil {
			return nil, err
		}
		theirs.Add(pipe.Descriptor(stderr))
		stdin, err := c.openStdin()
		if err != nil {
			return nil, err
		}
		theirs.Add(stdin)
		f[0], f[2] = stdin.Fd(), uintptr(stderr)
	}
	if c.report = statuschannel.NewPipeline(c.runner.Shell.Prelude, c.Call.Command); c.report != nil {
		f = c.report.Give(f, theirs)
	}
	script, err := statuschannel.NewScript(text)
	if err != nil {
		return nil, err
	}
	if script != nil {
		theirs.Add(script)
		f = f.Put(statuschannel.ScriptFD, script.Fd())
	}
	if !c.runner.Shell.Sandboxes() {
		return f, nil
	}
	if c.notRun, err = statuschannel.NewChannel(statuschannel.NotRunFD); err != nil {
		return nil, err
	}
	f = c.notRun.Give(f, theirs)
	if c.runner.Shell.Nested || c.Call.Profile != verdict.ProfileNetwork {
		return f, nil // the proxy is that of a sandbox around ua-exec, or there is none
	}
	if c.netLog, err = statuschannel.NewChannel(statuschannel.NetLogFD); err != nil {
		return nil, err
	}
	return c.netLog.Give(f, theirs), nil
}

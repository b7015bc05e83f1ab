package agentloop

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ua/cmd/ua/internal/job"
	"ua/cmd/ua/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/jobs"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/stage"
	"ua/internal/common/verdict"
	"ua/internal/common/xdg"
)

// StartJob starts a job of the user's own in the profile or, for "", in that of the
// settings. Nobody judges what a person types; the sandbox is that of a run. StartJob
// returns the job's name and, if the job has ended at once, its exit status.
func StartJob(env *prog.Env, text, profile string) (name string, code *int, err error) {
	config.TakeKeys()
	s, err := settings.Load()
	if err != nil {
		return "", nil, err
	}
	o := &options{terms: terms{Profile: profile}}
	if err := o.configure(env, s); err != nil {
		return "", nil, err
	}
	o.splitPath()
	r, err := run.New(filepath.Join(xdg.State(), job.Folder))
	if err != nil {
		return "", nil, prog.Errorf(prog.Trouble, "the job's folder: %v", err)
	}
	if _, err := o.startJob(r, text, o.Profile); err != nil {
		os.RemoveAll(r.Dir)
		return "", nil, err
	}
	return r.ID, settled(r), nil
}

// settled waits a moment for a new job. It returns the exit status of one that has ended
// by then, nil for one that goes on.
func settled(r run.Run) *int {
	for end := time.Now().Add(jobs.SettleTime); time.Until(end) > 0; time.Sleep(lookEvery) {
		list := job.In(filepath.Join(r.Dir, job.Outputs), "", r.ID)
		if len(list) > 0 && list[0].State != jobs.Running {
			return list[0].ExitCode
		}
	}
	return nil
}

// jobShell is the shell line that runs a job's sandbox and stays until it ends, because
// ua-sandbox ends with the process that started it.
const jobShell = `"$@"; exit $?`

// startJob starts a job in a sandbox of its own, which outlives this process. The job's
// folder is that of the run r. text is run by a shell in the working folder. pid is the
// process that holds the sandbox.
func (o *options) startJob(r run.Run, text, profile string) (pid int, err error) {
	out := filepath.Join(r.Dir, job.Outputs)
	if err := os.Mkdir(out, 0o700); err != nil {
		return 0, prog.Errorf(prog.Trouble, "the job's folder: %v", err)
	}
	program, err := prog.FindSibling("ua-exec")
	if err != nil {
		return 0, err
	}
	args := append([]string{"--profile", profile, "--quiet", "--read", r.Dir, "--protect", r.Dir,
		"--write", out}, o.sandboxOptions(profile)...)
	args = append(args, "--", program, "--linger", "--profile-max", profile,
		"--dir", out)
	args = prog.Repeat(args, "--write", o.Write)
	args = prog.Repeat(args, "--read", o.Read)
	args = prog.Repeat(args, "--env", o.Env)
	c, err := stage.Builtin("ua-sandbox", args...)
	if err != nil {
		return 0, err
	}
	in, errs, err := jobFiles(r, text, profile)
	if err != nil {
		return 0, prog.Errorf(prog.Trouble, "the job's folder: %v", err)
	}
	said, err := stage.Pipe()
	if err != nil {
		return 0, err
	}
	defer said.R.Close()
	env := append(withoutOutlets(c.Env, run.EnvDir, run.EnvJournal), "PATH="+o.path)
	argv := append([]string{"ua-job", "-c", jobShell, "ua-job"}, c.Argv...)
	cmd := &exec.Cmd{Path: "/bin/sh", Args: argv, Env: env, Stdin: in, Stdout: said.W,
		Stderr: errs, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	err = cmd.Start()
	for _, f := range []*os.File{in, errs, said.W} {
		f.Close()
	}
	if err != nil {
		return 0, prog.Errorf(stage.StartStatus(err), "ua-sandbox: %v", err)
	}
	if err := jobBegun(said.R, r); err != nil {
		// The negative number is the process group, which Setsid made (kill(2)).
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		return 0, err
	}
	pid = cmd.Process.Pid
	go cmd.Wait()
	return pid, nil
}

// jobFiles writes the job's call and a verdict for it, which says that the user allowed
// it: a person has typed the command, so no gate is asked.
func jobFiles(r run.Run, text, profile string) (in, errs *os.File, err error) {
	risk := verdict.Write
	if profile == string(verdict.ProfileNetwork) {
		risk = verdict.Network
	}
	input := event.AppendString([]byte(`{"background":true,"command":`), text)
	call := event.New("tool_call").Str("id", "job").Str("name", "shell").
		Raw("input", append(input, '}')).Line()
	judged := event.New("verdict").Str("call_id", "job").Str("risk", risk.String()).
		Str("decision", string(verdict.Allow)).Str("by", "user").Str("profile", profile).Line()
	path := filepath.Join(r.Dir, "call.jsonl")
	if err := os.WriteFile(path, append(bytes.Join([][]byte{call, judged}, []byte("\n")), '\n'),
		0o600); err != nil {
		return nil, nil, err
	}
	if in, err = safefile.Open(path); err == nil {
		if errs, err = safefile.Create(filepath.Join(r.Dir, "stderr")); err != nil {
			in.Close()
		}
	}
	return in, errs, err
}

// jobBegun reads ua-exec's answer to the call, and returns an error if the job did not
// begin.
func jobBegun(out *os.File, r run.Run) error {
	lines := event.NewReader(out)
	for {
		line, err := lines.Line()
		if err != nil {
			said, _ := safefile.Read(filepath.Join(r.Dir, "stderr"), 4<<10)
			return prog.Errorf(prog.Trouble, "the job did not start: %s",
				strings.TrimSpace(string(said)))
		}
		if event.Type(line) != "tool_result" {
			continue
		}
		if status := event.Str(line, "status"); status != "background" {
			return prog.Errorf(prog.Trouble, "the job did not start: %s: %s", status,
				event.Str(line, "output"))
		}
		return nil
	}
}

package agentloop

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/safefile"
	"ua/internal/common/stage"
)

// stdoutFile, in a run's folder, gets the answer of a run in the background.
const stdoutFile = "stdout"

// inBackground is argv[0] of the process that does such a run.
const inBackground = "ua: background"

// detached reports whether this is that process.
func detached() bool { return os.Args[0] == inBackground }

// startDetached starts this program again, in a new session and with the same arguments,
// and prints the ID of its run. The ID comes through a pipe. When the new process fails
// before it has one, it says so on the same stderr, and its status becomes ours.
func startDetached(env *prog.Env) error {
	self, err := os.Executable()
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return prog.Errorf(stage.StartStatus(err), "%v", err)
	}
	defer r.Close()
	cmd := &exec.Cmd{Path: self, Args: append([]string{inBackground}, env.Args...),
		Stdin: env.Stdin, Stderr: env.Stderr, ExtraFiles: []*os.File{w},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	err = cmd.Start()
	w.Close()
	if err != nil {
		return prog.Errorf(stage.StartStatus(err), "%v", err)
	}
	// Nothing comes when the new process ends first, which closes the pipe.
	id, _ := io.ReadAll(r)
	if len(id) == 0 {
		cmd.Wait()
		return prog.Exit(max(cmd.ProcessState.ExitCode(), 1))
	}
	env.Printf("%s\n", strings.TrimSpace(string(id)))
	return nil
}

// detach replaces standard input, output and error, so that the caller no longer waits
// for them: answer and progress go to files in the run's folder. Then it writes the run's
// ID to descriptor 3, for the process that started this one.
func detach(r run.Run) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	defer null.Close()
	if err := duplicate(int(null.Fd()), 0); err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	for fd, name := range []string{1: stdoutFile, 2: "stderr"} {
		if name == "" {
			continue
		}
		f, err := safefile.Create(filepath.Join(r.Dir, name))
		if err != nil {
			return runfolder.FolderError(err)
		}
		err = duplicate(int(f.Fd()), fd)
		f.Close()
		if err != nil {
			return prog.Errorf(prog.Trouble, "%v", err)
		}
	}
	tell := os.NewFile(3, "who waits for the ID")
	defer tell.Close()
	_, err = tell.WriteString(r.ID + "\n")
	return err
}

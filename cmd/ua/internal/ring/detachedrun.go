package ring

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"ua/cmd/ua/internal/runs"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
)

// stdoutFile gets the answer of a run in the background.
const stdoutFile = "stdout"

// inBackground is the name under which ua starts itself to go on detached.
const inBackground = "ua: background"

// detached reports whether this process is the one that goes on.
func detached() bool { return os.Args[0] == inBackground }

// startDetached starts this program again in a session of its own, with the same
// arguments, and prints the ID of its run once there is one. What goes wrong
// before that it says on the same stderr, and ends with a status that is ours too.
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
	id, _ := io.ReadAll(r)
	if len(id) == 0 {
		cmd.Wait()
		return prog.Exit(max(cmd.ProcessState.ExitCode(), 1))
	}
	env.Printf("%s\n", strings.TrimSpace(string(id)))
	return nil
}

// detach lets go of what the caller waits for: the answer and the progress go to
// files in the run's folder, and whoever started this is told its ID.
func detach(r run.Run) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	defer null.Close()
	if err := dup(int(null.Fd()), 0); err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	for fd, name := range []string{1: stdoutFile, 2: "stderr"} {
		if name == "" {
			continue
		}
		f, err := regular.Create(filepath.Join(r.Dir, name))
		if err != nil {
			return runs.FolderError(err)
		}
		err = dup(int(f.Fd()), fd)
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

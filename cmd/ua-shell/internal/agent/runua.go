package agent

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"

	"ua/cmd/ua-shell/internal/screen"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// runUA runs ua with its own sandbox for an instruction, in place of the live shell.
func (a *Agent) runUA(text string) {
	t := a.turn
	t.phase = executing
	var err error
	t.program, err = RunUA(text, a.tracker.Cwd, a.relay.Post, a.screen, func() {
		if a.turn == t {
			a.release()
		}
	})
	if err != nil {
		a.screen.Say("%s %v", a.screen.Paint.Red(style.Mark("✗")), err)
		a.release()
	}
}

// RunUA runs ua in the folder cwd for an instruction and shows what it prints. post
// calls done when ua has ended. The error says why it could not be started.
func RunUA(text, cwd string,
	post func(func()), s *screen.Screen, done func()) (*os.Process, error) {
	path, err := prog.FindSibling("ua")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--", text)
	cmd.Dir = cwd
	// A group of its own, to which Ctrl-C is sent.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// ua may repeat text of a model, so no byte of it may drive the terminal.
	escaped := style.NewEscaper(writerFunc(func(p []byte) (int, error) {
		s.Echo(string(p))
		return len(p), nil
	}))
	out := writerFunc(func(p []byte) (int, error) {
		p = bytes.Clone(p)
		post(func() { escaped.Write(p) })
		return len(p), nil
	})
	cmd.Stdout, cmd.Stderr = &out, &out // equal, and so one pipe that keeps their order
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		cmd.Wait()
		post(done)
	}()
	return cmd.Process, nil
}

// A writerFunc is a function as an io.Writer.
type writerFunc func([]byte) (int, error)

// Write calls the function with p.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

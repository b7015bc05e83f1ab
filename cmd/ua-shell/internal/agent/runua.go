package agent

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"ua/cmd/ua-shell/internal/screen"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// runUA runs ua for an instruction, in place of the live shell: outside of it, in its
// folder, with a sandbox of its own. What a confined shell says is no reason to start
// anything outside, so there ua is a command of that shell, in its session's folder.
func (a *Agent) runUA(text string) {
	t := a.turn
	if a.Profile != "" {
		command := "ua -- " + quoted(text, a.Shell)
		if !strings.HasPrefix(a.tracker.Cwd+"/", a.Began+"/") {
			command = "ua -C " + quoted(a.Began, a.Shell) + " -- " + quoted(text, a.Shell)
		}
		t.call = &call{command: command, delegates: true, own: true}
		t.phase = typing
		t.next()
		return
	}
	t.phase = executing
	var err error
	t.program, err = RunUA(text, "", a.tracker.Truly(a.tracker.Cwd), a.relay.Post, a.screen, func() {
		if a.turn == t {
			a.release()
		}
	})
	if err != nil {
		a.screen.Say("%s %v", a.screen.Paint.Red(style.Mark("✗")), err)
		a.release()
	}
}

// quoted writes text as one word of the shell, on one line.
func quoted(text, shell string) string {
	escapes := strings.NewReplacer("'", `'\''`, "\n", " ")
	if shell == "fish" {
		escapes = strings.NewReplacer("'", `\'`, `\`, `\\`, "\n", " ")
	}
	return "'" + escapes.Replace(text) + "'"
}

// RunUA runs ua in the folder cwd for an instruction and shows what it prints. profile is
// the widest that its commands get, "" for ua's own. post calls done when ua has ended. The
// error says why it could not be started.
func RunUA(text, profile, cwd string, post func(func()), s *screen.Screen,
	done func()) (*os.Process, error) {
	path, err := prog.FindSibling("ua")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--", text)
	if profile != "" {
		cmd = exec.Command(path, "--profile", profile, "--", text)
	}
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

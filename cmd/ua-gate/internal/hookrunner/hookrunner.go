// Package hookrunner asks programs about a call: hooks and the judge.
package hookrunner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/term"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// maxAnswer is how many bytes the answer of a program may have.
const maxAnswer = 1 << 20

// lastWords is how long Run waits for the end of what a program has said. A process that it has
// left behind may hold it open.
const lastWords = 200 * time.Millisecond

// Run runs a program with the input and returns its output, also with an error.
// Its whole process group ends with the time limit and with the gate. The error says
// whether it failed to start, timed out, failed, or said too much.
func Run(
	argv, env []string, input []byte, limit time.Duration, stderr *os.File,
) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ctx, ended := EndedBySignal(ctx)
	out := &limited{}
	path, err := config.LookOutside(argv[0])
	if err != nil {
		ended()
		return nil, fmt.Errorf("failed to start: %w", prog.Cause(err))
	}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Args[0], cmd.Env = argv[0], config.OutsideEnv(env)
	shown, said, err := escaped(stderr)
	if err != nil {
		ended()
		return nil, fmt.Errorf("failed to start: %w", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), out, shown
	cmd.SysProcAttr = prog.DieWithParent(&syscall.SysProcAttr{Setpgid: true}, syscall.SIGKILL)
	killGroup := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = killGroup, 500*time.Millisecond
	runtime.LockOSThread() // the parent-death signal is bound to this thread
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	if shown != stderr {
		shown.Close()
	}
	if err != nil {
		ended()
		return nil, fmt.Errorf("failed to start: %w", prog.Cause(err))
	}
	err = cmd.Wait()
	late := ctx.Err() != nil
	ended()
	said()
	var exit *exec.ExitError
	switch {
	case late:
		return out.kept, fmt.Errorf("timed out after %v", limit)
	case errors.As(err, &exit) && exit.Exited():
		return out.kept, fmt.Errorf("failed with exit status %d", exit.ExitCode())
	case errors.As(err, &exit):
		return out.kept, fmt.Errorf("failed: %v", exit)
	case out.over:
		return out.kept, fmt.Errorf("said more than %d bytes", maxAnswer)
	case errors.Is(err, exec.ErrWaitDelay):
		killGroup() // it has left a process behind that holds its stdout
	}
	return out.kept, nil
}

// escaped returns a descriptor that stands for stderr. What a consulted program says may
// repeat the model's words, so on a terminal they pass through a pipe and are escaped.
// The function that it returns waits until what has been said is printed, but hardly for
// what a process in the background may say later.
func escaped(stderr *os.File) (*os.File, func(), error) {
	if !term.IsTerminal(int(stderr.Fd())) {
		return stderr, func() {}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		defer r.Close()
		e := style.NewEscaper(stderr)
		io.Copy(e, r)
		e.Flush()
	}()
	return w, func() {
		select {
		case <-printed:
		case <-time.After(lastWords):
		}
	}, nil
}

// EndedBySignal returns a context that also ends when a signal tells this process to end.
// The function that it returns has to be called: it lets a caught signal do its work.
func EndedBySignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	caught := make(chan os.Signal, 1)
	prog.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case s := <-caught:
			select {
			case caught <- s:
			default: // a second one is there, which does as well
			}
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		<-stopped
		prog.Stop(caught)
		select {
		case s := <-caught:
			syscall.Kill(os.Getpid(), s.(syscall.Signal))
			select {} // the signal ends the process
		default:
		}
	}
}

// A limited is a writer that keeps up to maxAnswer bytes.
type limited struct {
	kept []byte
	over bool
}

// Write keeps p if there is room for it, and otherwise notes that there was not.
func (l *limited) Write(p []byte) (int, error) {
	if l.over = l.over || len(l.kept)+len(p) > maxAnswer; !l.over {
		l.kept = append(l.kept, p...)
	}
	return len(p), nil
}

package supervisor

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/style"
)

// A terminals holds the standard descriptors of the ua-exec that does the work. The
// worker gets no terminal, so that no command can get hold of one. Its supervisor reads
// and writes the terminal for it, and escapes what could control the terminal.
type terminals struct {
	files []uintptr
	ours  []*os.File // the worker's ends of pipes
	shown []<-chan struct{}
}

// hasTerminal reports whether a standard descriptor is a terminal.
func hasTerminal() bool { return isTerminal(0) || isTerminal(1) || isTerminal(2) }

// isTerminal reports whether fd is a terminal (isatty(3)).
func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}

// newTerminals replaces each terminal in std by a pipe.
func newTerminals(std [3]*os.File) (*terminals, error) {
	t := &terminals{}
	for fd, file := range std {
		t.files = append(t.files, file.Fd())
		if !isTerminal(int(file.Fd())) {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if fd == 0 {
			t.files[fd], t.ours = r.Fd(), append(t.ours, r)
			go func() {
				_, _ = io.Copy(w, file)
				w.Close()
			}()
			continue
		}
		t.files[fd], t.ours = w.Fd(), append(t.ours, w)
		done := make(chan struct{})
		t.shown = append(t.shown, done)
		go func() {
			defer close(done)
			to := style.NewEscaper(file)
			if _, err := io.Copy(to, r); err == nil {
				_ = to.Flush()
			}
			r.Close() // when the terminal is gone the worker learns it
		}()
	}
	return t, nil
}

// replaced reports whether the worker has a pipe in place of this file.
func (t *terminals) replaced(fd *os.File) bool { return t.files[fd.Fd()] != fd.Fd() }

// started closes the worker's ends once the worker has them.
func (t *terminals) started() {
	for _, file := range t.ours {
		file.Close()
	}
}

// drain waits up to a second until everything that the worker has printed is shown.
func (t *terminals) drain() {
	over := time.After(time.Second)
	for _, done := range t.shown {
		select {
		case <-done:
		case <-over:
			return
		}
	}
}

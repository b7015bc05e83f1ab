package output

import (
	"bytes"
	"os"
	"syscall"

	"ua/cmd/ua-exec/internal/pipe"
)

// stderrMark begins the lines of a background command's stderr.
const stderrMark = "[stderr] "

// MarkStderr gives a background command a stderr of its own. Its lines go to the
// command's output, into, with a mark, so that the complaints of a server can be told
// from the rest. It returns the command's end.
func MarkStderr(into int) (w int, err error) {
	to, err := syscall.Dup(into)
	if err != nil {
		return 0, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(to)
	r, w, err := pipe.New()
	if err != nil {
		syscall.Close(to)
		return 0, err
	}
	go func() {
		defer r.Close()
		out := os.NewFile(uintptr(to), "output")
		defer out.Close()
		m, buf := marker{begins: true}, make([]byte, 32<<10)
		for {
			n, err := r.Read(buf)
			if _, failed := out.Write(m.mark(buf[:n])); err != nil || failed != nil {
				return
			}
		}
	}()
	return w, nil
}

// A marker puts stderrMark in front of each line of a stream.
type marker struct {
	begins bool // the next byte begins a line
	buf    []byte
}

// mark returns the next part of the stream with marks. The slice is valid until the next
// call.
func (m *marker) mark(p []byte) []byte {
	m.buf = m.buf[:0]
	for line := range bytes.Lines(p) {
		if m.begins {
			m.buf = append(m.buf, stderrMark...)
		}
		m.buf = append(m.buf, line...)
		m.begins = line[len(line)-1] == '\n'
	}
	return m.buf
}
